//! `search`.

use engine::Result;
use engine::find::{Wanted, find};
use model::Role;
use schemars::JsonSchema;
use serde::Deserialize;

use super::hit::Hits;
use crate::theo::{Data, query};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Search documents, memories, decisions, knowledge and the graph.
///
/// # When to use
/// First, before reading files: it shows where something is said. `search_with_filters` narrows it,
/// `search_with_budget` fits it into a number of tokens.
///
/// # Usage
/// ```json
/// {"query": "authentication config", "n_results": 3}
/// ```
///
/// # Returns
/// `results`, best first, with `id`, `content`, `score` (0..1: how likely it is what was asked for),
/// `namespace`, `doc_type` (document, memory, decision, knowledge, entity) and `metadata` (of documents
/// `source_file`, `chunk_index`, `start_line`, `end_line`, `header_path`, `page`); `total`, `query` and
/// `total_tokens`. There are `n_results` of them where so many have anything to do with the query.
///
/// # Errors
/// `Query cannot be empty`.
///
/// # Related
/// `find::find`: `search_with_filters` narrows it, `search_with_budget` fits it into tokens.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Search {
    /// Natural language search query
    query: String,
    /// Maximum number of results to return
    #[serde(default)]
    n_results: Int<1, 50, 5>,
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Data<Hits>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let wanted = Wanted::anything(query(self.query)?, self.n_results.0 as usize);
        let found = find(cx.engine, cx.caller, &wanted)?.found;
        Ok(Data::of(Hits::of(cx, wanted.text, found)))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::{Bench, check};

    #[test]
    fn documents_and_memories_are_found_in_one_list() {
        let dir = folder(&[(
            "config.md",
            "Preface.\n\n# Configuration\n\n## Authentication\n\nTokens are checked on every request.\n",
        )]);
        let path = dir.path().join("config.md");
        Bench::new().allowing(dir.path()).run(&format!(
            r###"
            > index_file {{"file_path": "{}", "namespace": "project:docs"}}
            < {{"...": 0}}
            > memory_add {{"content": "authentication tokens expire after an hour"}}
            < {{"memoryId": "$memory", "...": 0}}
            > search {{"query": "authentication tokens"}}
            < {{"success": true, "data": {{"results": [
                {{"id": "$memory", "content": "$*", "score": "$*", "namespace": "global", "doc_type": "memory",
                  "metadata": {{"memory_type": "fact", "confidence": 0.3, "importance": 0.5}}}},
                {{"id": "$*", "content": "# Configuration\n\n## Authentication\n\nTokens are checked on every request.",
                  "score": "$*", "namespace": "project:docs", "doc_type": "document", "metadata":
                  {{"source_file": "{}", "chunk_index": "$*", "start_line": 3, "end_line": 7,
                    "header_path": "Configuration > Authentication"}}}}],
                "total": 2, "query": "authentication tokens", "total_tokens": 19}}}}
            > search {{"query": "authentication tokens", "n_results": 1}}
            < {{"data": {{"results": ["$*"], "total": 1, "...": 0}}, "...": 0}}
            "###,
            path.display(),
            path.canonicalize().unwrap().display(),
        ));
    }

    #[test]
    fn an_empty_query_is_refused_and_bounds_hold() {
        check(
            r###"
            > search {"query": " \n"}
            <! {"success": false, "error": "Query cannot be empty"}
            > search {}
            <! {"success": false, "error": "query is missing; it takes a text"}
            > search {"query": "x", "n_results": 0}
            <! {"success": false, "error": "n_results got 0; it takes a whole number from 1 to 50"}
            > search {"query": "x", "n_results": 51}
            <! {"success": false, "error": "n_results got 51; it takes a whole number from 1 to 50"}
            > search {"query": "x", "n_results": 50}
            < {"success": true, "data": {"results": [], "total": 0, "query": "x", "total_tokens": 0}}
            "###,
        );
    }

    #[test]
    fn what_others_index_is_not_found() {
        let dir = folder(&[("a.md", "The secret boat.")]);
        Bench::new().allowing(dir.path()).run(&format!(
            r###"
            @ caller user=ada project=one
            > index_file {{"file_path": "{0}"}}
            < {{"data": {{"chunk_ids": ["$chunk"], "...": 0}}, "...": 0}}
            > index_file {{"file_path": "{0}", "namespace": "project:one"}}
            < {{"...": 0}}
            > index_file {{"file_path": "{0}", "namespace": "project:two"}}
            <! {{"success": false, "error": "namespace project:two is closed to this caller"}}
            @ caller user=bob project=two
            > search {{"query": "secret boat"}}
            < {{"data": {{"results": [], "...": 0}}, "...": 0}}
            > search_with_filters {{"query": "secret boat", "filters": {{"source_file": "{0}"}}}}
            < {{"data": {{"results": [], "...": 0}}, "...": 0}}
            > delete_chunks {{"ids": ["$chunk"]}}
            < {{"data": {{"deleted_count": 0, "deleted_ids": [], "missing_ids": ["$chunk"]}}, "...": 0}}
            > delete_file {{"source_file": "{0}"}}
            < {{"data": {{"deleted_count": 0, "source_file": "$*"}}, "...": 0}}
            > get_index_stats {{}}
            < {{"data": {{"total_documents": 0, "source_files": [], "...": 0}}, "...": 0}}
            "###,
            dir.path().join("a.md").display(),
        ));
    }
}
