//! `clear_index`.

use engine::{Error, ErrorKind, Result, document};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::theo::Data;
use crate::tool::{Context, Effect, Tool};

/// Delete all indexed documents.
///
/// # When to use
/// To start over. Memories, decisions and knowledge stay, and no file is touched.
///
/// # Usage
/// ```json
/// {"confirm": true}
/// ```
///
/// # Returns
/// `deleted_count`, how many chunks went: those of every namespace open to the caller.
///
/// # Errors
/// `Safety check: Set confirm=True to delete all documents`.
///
/// # Related
/// `document::clear`: `delete_file` takes out one file, `index_directory` reads anew.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ClearIndex {
    /// Safety gate - must be true to proceed
    #[schemars(required)]
    confirm: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClearIndexResponse {
    deleted_count: u64,
}

impl Tool for ClearIndex {
    const NAME: &'static str = "clear_index";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::Admin;
    type Response = Data<ClearIndexResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        if self.confirm != Some(true) {
            let why = "Safety check: Set confirm=True to delete all documents";
            return Err(Error::new(ErrorKind::InvalidValue, why));
        }
        Ok(Data::of(ClearIndexResponse { deleted_count: document::clear(cx.engine, cx.caller)? }))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::Bench;

    #[test]
    fn documents_go_and_memories_stay() {
        let dir = folder(&[("a.md", "# A\n\nBoats.\n\n# B\n\nTrains.\n"), ("b.md", "Planes.")]);
        Bench::new().allowing(dir.path()).run(&format!(
            r#"
            > index_directory {{"dir_path": "{0}"}}
            < {{"...": 0}}
            > index_directory {{"dir_path": "{0}", "namespace": "project:x"}}
            < {{"...": 0}}
            > memory_add {{"content": "boats stay"}}
            < {{"...": 0}}
            > clear_index {{"confirm": false}}
            <! {{"success": false, "error": "Safety check: Set confirm=True to delete all documents"}}
            > clear_index {{}}
            <! {{"success": false, "error": "Safety check: Set confirm=True to delete all documents"}}
            > clear_index {{"confirm": null}}
            <! {{"success": false, "error": "Safety check: Set confirm=True to delete all documents"}}
            > clear_index {{"confirm": 1}}
            <! {{"success": false, "error": "confirm got 1; it takes true or false"}}
            > clear_index {{"confirm": true}}
            < {{"success": true, "data": {{"deleted_count": 6}}}}
            > search {{"query": "boats"}}
            < {{"data": {{"results": [{{"doc_type": "memory", "...": 0}}], "...": 0}}, "...": 0}}
            > clear_index {{"confirm": true}}
            < {{"success": true, "data": {{"deleted_count": 0}}}}
            @ caller user=ada role=user
            > clear_index {{"confirm": true}}
            <! {{"success": false, "error": "clear_index needs the role admin; this caller is user"}}
            "#,
            dir.path().display(),
        ));
    }
}
