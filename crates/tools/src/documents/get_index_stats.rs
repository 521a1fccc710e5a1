//! `get_index_stats`.

use engine::{Result, document, memory, scope};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::theo::Data;
use crate::tool::{Context, Effect, Tool};

/// Count what is indexed and remembered.
///
/// # When to use
/// To see what there is before searching or cleaning up.
///
/// # Usage
/// ```json
/// {}
/// ```
///
/// # Returns
/// `total_documents` (chunks of documents), `unique_sources` and `source_files` (the first 1,000),
/// `namespaces` that hold anything, `memory_count` (without archived ones) and `golden_rule_count`.
///
/// # Errors
/// None of its own.
///
/// # Related
/// `document::stats`: `search` searches what is counted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetIndexStats {}

/// So many files are named.
const FILES_NAMED_MAX: usize = 1000;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GetIndexStatsResponse {
    total_documents: u64,
    unique_sources: usize,
    source_files: Vec<String>,
    namespaces: Vec<String>,
    memory_count: u64,
    golden_rule_count: u64,
}

impl Tool for GetIndexStats {
    const NAME: &'static str = "get_index_stats";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = Data<GetIndexStatsResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let scopes = scope::open(cx.engine, cx.caller)?;
        let documents = document::stats(cx.engine, &scopes)?;
        let memories = memory::census(cx.engine, &scopes)?;
        let holds = |scope| documents.scopes.contains(scope) || memories.scopes.contains(scope);
        let mut namespaces: Vec<String> =
            scopes.iter().filter(|scope| holds(scope)).map(model::Scope::namespace).collect();
        namespaces.sort();
        Ok(Data::of(GetIndexStatsResponse {
            total_documents: documents.chunks,
            unique_sources: documents.paths.len(),
            source_files: documents.paths.into_iter().take(FILES_NAMED_MAX).collect(),
            namespaces,
            memory_count: memories.memories,
            golden_rule_count: memories.golden,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::Bench;

    #[test]
    fn everything_is_counted() {
        let dir = folder(&[("a.md", "# A\n\nBoats.\n\n# B\n\nTrains.\n"), ("b.md", "Planes.")]);
        let at = |name: &str| dir.path().canonicalize().unwrap().join(name).display().to_string();
        Bench::new().allowing(dir.path()).run(&format!(
            r#"
            > get_index_stats {{}}
            < {{"success": true, "data": {{"total_documents": 0, "unique_sources": 0, "source_files": [],
                "namespaces": [], "memory_count": 0, "golden_rule_count": 0}}}}
            > index_directory {{"dir_path": "{}", "namespace": "project:x"}}
            < {{"...": 0}}
            > index_file {{"file_path": "{}"}}
            < {{"...": 0}}
            > memory_add {{"content": "one"}}
            < {{"...": 0}}
            > memory_add {{"content": "two"}}
            < {{"memoryId": "$two", "...": 0}}
            > delete_memory {{"id": "$two"}}
            < {{"...": 0}}
            > get_index_stats {{}}
            < {{"success": true, "data": {{"total_documents": 4, "unique_sources": 2,
                "source_files": ["{}", "{1}"], "namespaces": ["default", "global", "project:x"],
                "memory_count": 1, "golden_rule_count": 0}}}}
            "#,
            dir.path().display(),
            at("b.md"),
            at("a.md"),
        ));
    }
}
