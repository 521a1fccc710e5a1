//! `delete_chunks`.

use engine::{Result, document};
use model::{ChunkId, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::theo::Data;
use crate::tool::{Context, Effect, Tool};
use crate::wire::Texts;

/// Delete chunks of documents by their ids.
///
/// # When to use
/// For single parts that mislead; `delete_file` takes all of a file's. The file itself is not touched, and
/// indexing it again brings them back.
///
/// # Usage
/// ```json
/// {"ids": ["chunk_00000000002a"]}
/// ```
///
/// # Returns
/// `deleted_count`, `deleted_ids`, and in `missing_ids` those that no chunk has.
///
/// # Errors
/// Only for a missing or wrong field.
///
/// # Related
/// `document::delete_chunks`: `search` shows the ids, `delete_file` takes out a whole file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteChunks {
    /// List of chunk IDs to delete
    ids: Texts<0, 100, 10000>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DeleteChunksResponse {
    deleted_count: usize,
    deleted_ids: Vec<String>,
    missing_ids: Vec<String>,
}

impl Tool for DeleteChunks {
    const NAME: &'static str = "delete_chunks";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::User;
    type Response = Data<DeleteChunksResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let asked = model::memory::distinct(self.ids.0);
        let ids: Vec<ChunkId> = asked.iter().filter_map(|id| id.parse().ok()).collect();
        let deleted = document::delete_chunks(cx.engine, cx.caller, &ids)?;
        let deleted_ids: Vec<String> = deleted.iter().map(ToString::to_string).collect();
        let missing = asked.into_iter().filter(|id| !deleted_ids.contains(id));
        Ok(Data::of(DeleteChunksResponse {
            deleted_count: deleted_ids.len(),
            missing_ids: missing.collect(),
            deleted_ids,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::{Bench, check};

    #[test]
    fn chunks_go_and_come_back_when_the_file_is_indexed_again() {
        let dir = folder(&[(
            "a.md",
            "# A\n\nThe boats cross the lake.\n\n# B\n\nInvoices are due in March.\n",
        )]);
        Bench::new().allowing(dir.path()).run(&format!(
            r#"
            > index_file {{"file_path": "{0}"}}
            < {{"data": {{"chunk_ids": ["$a", "$b"], "...": 0}}, "...": 0}}
            > delete_chunks {{"ids": ["$a", "chunk_0", "nonsense", "$a"]}}
            < {{"success": true, "data": {{"deleted_count": 1, "deleted_ids": ["$a"],
                "missing_ids": ["chunk_0", "nonsense"]}}}}
            > delete_chunks {{"ids": ["$a"]}}
            < {{"data": {{"deleted_count": 0, "deleted_ids": [], "missing_ids": ["$a"]}}, "...": 0}}
            > search {{"query": "boats crossing a lake"}}
            < {{"data": {{"results": [], "...": 0}}, "...": 0}}
            > index_file {{"file_path": "{0}"}}
            < {{"data": {{"chunks_created": 2, "duplicate": false, "...": 0}}, "...": 0}}
            > search {{"query": "boats crossing a lake"}}
            < {{"data": {{"total": 1, "...": 0}}, "...": 0}}
            "#,
            dir.path().join("a.md").display(),
        ));
    }

    #[test]
    fn bad_input_is_named() {
        check(
            r#"
            > delete_chunks {}
            <! {"success": false, "error": "$*"}
            > delete_chunks {"ids": "chunk_1"}
            <! {"success": false, "error": "$*"}
            > delete_chunks {"ids": []}
            < {"data": {"deleted_count": 0, "deleted_ids": [], "missing_ids": []}, "...": 0}
            "#,
        );
    }
}
