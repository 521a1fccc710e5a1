//! `search_with_filters`.

use engine::Result;
use engine::find::{FoundKind, Wanted, find};
use model::Role;
use schemars::JsonSchema;
use serde::Deserialize;

use super::hit::{DocType, Hits};
use crate::theo::{Data, query};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Search with filters; all of them must hold.
///
/// # When to use
/// When it is known where to look: one project, only documents, one file.
///
/// # Usage
/// ```json
/// {"query": "rate limit", "filters": {"namespace": "project:myapp"}}
/// ```
/// ```json
/// {"query": "rate limit", "filters": {"doc_type": "document", "source_file": "docs/api.md"}}
/// ```
///
/// # Returns
/// As `search`. `source_file` is taken in any spelling: relative, with links, absolute.
///
/// # Errors
/// `Query cannot be empty`, an invalid namespace or `doc_type`.
///
/// # Related
/// `find::find`: `search` goes without filters.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchWithFilters {
    /// Natural language search query
    query: String,
    /// Metadata filters to apply
    filters: Filters,
    /// Maximum number of results
    #[serde(default)]
    n_results: Int<1, 50, 5>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Filters {
    /// Only in it
    namespace: Option<String>,
    /// Only of this kind
    doc_type: Option<DocType>,
    /// Only of this file
    source_file: Option<String>,
}

impl Tool for SearchWithFilters {
    const NAME: &'static str = "search_with_filters";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Data<Hits>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let Filters { namespace, doc_type, source_file } = self.filters;
        let text = query(self.query)?;
        let wanted = Wanted {
            namespace,
            kinds: doc_type.map_or(FoundKind::ALL.to_vec(), |kind| vec![kind.into()]),
            path: source_file,
            ..Wanted::anything(text, self.n_results.0 as usize)
        };
        let found = find(cx.engine, cx.caller, &wanted)?.found;
        Ok(Data::of(Hits::of(cx, wanted.text, found)))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::{Bench, check};

    #[test]
    fn all_filters_must_hold() {
        let dir = folder(&[("a.md", "The boat is red."), ("b.md", "A red boat, too.")]);
        let (a, b) = (dir.path().join("a.md"), dir.path().join("b.md"));
        let odd = dir.path().join("../").join(dir.path().file_name().unwrap()).join("b.md");
        Bench::new().allowing(dir.path()).run(&format!(
            r#"
            > index_file {{"file_path": "{0}", "namespace": "project:myapp"}}
            < {{"data": {{"chunk_ids": ["$a"], "...": 0}}, "...": 0}}
            > index_file {{"file_path": "{1}"}}
            < {{"data": {{"chunk_ids": ["$b"], "...": 0}}, "...": 0}}
            > memory_add {{"content": "boats should be red", "layer": "project"}}
            < {{"memoryId": "$m", "...": 0}}
            > search_with_filters {{"query": "red boat", "filters": {{"namespace": "project:myapp"}}}}
            < {{"data": {{"results": [{{"id": "$a", "...": 0}}], "total": 1, "...": 0}}, "...": 0}}
            > search_with_filters {{"query": "red boat", "filters": {{"doc_type": "memory"}}}}
            < {{"data": {{"results": [{{"id": "$m", "namespace": "project:me", "...": 0}}], "...": 0}}, "...": 0}}
            > search_with_filters {{"query": "red boat", "filters": {{"source_file": "{2}"}}}}
            < {{"data": {{"results": [{{"id": "$b", "...": 0}}], "total": 1, "...": 0}}, "...": 0}}
            > search_with_filters {{"query": "red boat", "filters": {{"source_file": "{1}", "namespace": "global"}}}}
            < {{"data": {{"results": [], "total": 0, "...": 0}}, "...": 0}}
            > search_with_filters {{"query": "red boat", "filters": {{"doc_type": "decision"}}}}
            < {{"data": {{"results": [], "...": 0}}, "...": 0}}
            > search_with_filters {{"query": "red boat", "filters": {{}}, "n_results": 50}}
            < {{"data": {{"total": 3, "...": 0}}, "...": 0}}
            "#,
            a.display(),
            b.display(),
            odd.display(),
        ));
    }

    #[test]
    fn bad_filters_are_named() {
        check(
            r#"
            > search_with_filters {"query": "x", "filters": {"doc_type": "book"}}
            <! {"success": false, "error":
                "filters.doc_type got \"book\"; it takes one of document, memory, decision, knowledge, entity"}
            > search_with_filters {"query": "x", "filters": {"namespace": "a book"}}
            <! {"success": false, "error": "$*"}
            > search_with_filters {"query": "x"}
            <! {"success": false, "error": "filters is missing; it takes an object"}
            > search_with_filters {"query": "", "filters": {}}
            <! {"success": false, "error": "Query cannot be empty"}
            > search_with_filters {"query": "x", "filters": {}, "n_results": 51}
            <! {"success": false, "error": "n_results got 51; it takes a whole number from 1 to 50"}
            "#,
        );
    }
}
