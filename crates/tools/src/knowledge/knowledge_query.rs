//! `knowledge_query`.

use engine::Result;
use engine::knowledge::{self, Trusted};
use model::{Item, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Layer, Status, Type};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Int, Texts};

/// Search organizational knowledge: decisions (ADRs), policies, patterns, specs.
///
/// # When to use
/// Before architectural decisions or changes, for guidance and coding standards. What an item says in
/// full: `knowledge_show`.
///
/// # Usage
/// ```json
/// {"query": "database selection", "type": "adr", "status": ["accepted"]}
/// ```
///
/// # Returns
/// `items`, best first (without `query` narrower layers first), and `totalCount` before `limit`. Any of
/// `tags` matches. Files are looked at as they are now.
///
/// # Errors
/// `INVALID_INPUT` for a wrong field.
///
/// # Related
/// `knowledge::query`: `knowledge_show` shows one in full, `knowledge_check` checks against them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct KnowledgeQuery {
    /// Search query
    query: Option<String>,
    /// Filter by type
    #[serde(rename = "type")]
    kind: Option<Type>,
    /// Filter by layer
    layer: Option<Layer>,
    /// Filter by tags
    tags: Option<Texts<0, 100, 100>>,
    /// Filter by status
    #[serde(default = "accepted")]
    status: Vec<Status>,
    /// Maximum results
    #[serde(default)]
    limit: Int<1, 100, 10>,
}

fn accepted() -> Vec<Status> {
    vec![Status::Accepted]
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct KnowledgeQueryResponse {
    success: bool,
    items: Vec<ItemView>,
    total_count: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ItemView {
    id: String,
    #[serde(rename = "type")]
    kind: Type,
    layer: Layer,
    title: String,
    summary: String,
    status: &'static str,
    tags: Vec<String>,
    has_constraints: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl ItemView {
    fn of(trusted: &Trusted<'_>, item: &Item) -> Self {
        Self {
            id: item.id.clone(),
            kind: item.kind.into(),
            layer: item.layer.into(),
            title: item.title.clone(),
            summary: item.summary.clone(),
            status: item.status.name(),
            tags: item.tags.clone(),
            has_constraints: !item.constraints.is_empty(),
            caution: trusted.caution(item).told(),
        }
    }
}

impl Tool for KnowledgeQuery {
    const NAME: &'static str = "knowledge_query";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = KnowledgeQueryResponse;

    fn call(self, cx: &Context<'_>) -> Result<KnowledgeQueryResponse> {
        let query = knowledge::Query {
            text: self.query,
            kind: self.kind.map(Into::into),
            layer: self.layer.map(Into::into),
            tags_any: self.tags.map(|tags| tags.0).unwrap_or_default(),
            statuses: self.status.into_iter().map(Into::into).collect(),
            limit: self.limit.0 as usize,
        };
        let found = knowledge::query(cx.engine, cx.caller, &query)?;
        let trusted = Trusted::look(cx.engine, cx.caller);
        Ok(KnowledgeQueryResponse {
            success: true,
            items: found.items.iter().map(|item| ItemView::of(&trusted, item)).collect(),
            total_count: found.total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DATABASE, item};
    use crate::testing::check;

    #[test]
    fn the_contracts_own_example_is_answered_word_for_word() {
        check(&format!(
            r#"
            {DATABASE}
            > knowledge_query {{"query": "database selection", "type": "adr", "status": ["accepted"]}}
            < {{"success": true, "items": [{{
                "id": "adr-042-database-selection",
                "type": "adr",
                "layer": "org",
                "title": "Database Selection for New Services",
                "summary": "Use PostgreSQL for all new services requiring relational data",
                "status": "accepted",
                "tags": ["database", "infrastructure"],
                "hasConstraints": true
              }}], "totalCount": 1}}
            "#
        ));
    }

    #[test]
    fn without_a_folder_there_is_nothing_and_no_error() {
        check("> knowledge_query {}\n< {\"success\": true, \"items\": [], \"totalCount\": 0}");
    }

    #[test]
    fn only_what_is_accepted_unless_asked_otherwise() {
        let all: String = ["draft", "proposed", "accepted", "rejected", "deprecated", "superseded"]
            .iter()
            .map(|status| item("policy", &format!("p-{status}"), status, "Logs are kept"))
            .collect();
        check(&format!(
            r#"
            {all}
            > knowledge_query {{}}
            < {{"items": [{{"id": "p-accepted", "hasConstraints": false, "...": 0}}], "totalCount": 1, "...": 0}}
            > knowledge_query {{"status": ["draft", "superseded"]}}
            < {{"items": [{{"id": "p-draft", "...": 0}}, {{"id": "p-superseded", "...": 0}}], "...": 0}}
            > knowledge_query {{"status": []}}
            < {{"totalCount": 6, "...": 0}}
            > knowledge_query {{"status": ["rejected"]}}
            <! {{"errorCode": "INVALID_INPUT", "message": "$*status$*", "...": 0}}
            "#
        ));
    }

    #[test]
    fn filters_narrow_and_the_total_counts_before_the_limit() {
        let (one, two) = (
            item("policy", "logs", "accepted", "Logs are kept for a year"),
            item("pattern", "retry", "accepted", "Calls are retried with a delay"),
        );
        check(&format!(
            r#"
            {DATABASE}
            {one}
            {two}
            > knowledge_query {{"limit": 1}}
            < {{"items": [{{"id": "adr-042-database-selection", "layer": "org", "...": 0}}], "totalCount": 3, "...": 0}}
            > knowledge_query {{"type": "pattern"}}
            < {{"items": [{{"id": "retry", "summary": "About it.", "...": 0}}], "totalCount": 1, "...": 0}}
            > knowledge_query {{"layer": "company"}}
            < {{"items": [{{"id": "logs", "...": 0}}, {{"id": "retry", "...": 0}}], "...": 0}}
            > knowledge_query {{"tags": ["nothing", "database"]}}
            < {{"items": [{{"id": "adr-042-database-selection", "...": 0}}], "...": 0}}
            > knowledge_query {{"query": "how long do we keep log files?"}}
            < {{"items": [{{"id": "logs", "...": 0}}], "totalCount": 1, "...": 0}}
            > knowledge_query {{"query": "retry"}}
            < {{"items": [{{"id": "retry", "...": 0}}], "totalCount": 1, "...": 0}}
            > knowledge_query {{"query": "who waters the plants in the office?"}}
            < {{"items": [], "totalCount": 0, "...": 0}}
            > knowledge_query {{"limit": 0}}
            <! {{"errorCode": "INVALID_INPUT", "...": 0}}
            > knowledge_query {{"type": "memo"}}
            <! {{"errorCode": "INVALID_INPUT", "message": "$*type$*memo$*adr$*", "...": 0}}
            "#
        ));
    }

    #[test]
    fn changed_files_are_noticed_without_a_sync() {
        let (one, other) = (
            item("policy", "logs", "accepted", "Logs are kept for a year"),
            item("policy", "logs", "accepted", "Logs are kept for ten years"),
        );
        check(&format!(
            r#"
            {one}
            > knowledge_query {{}}
            < {{"items": [{{"title": "Logs are kept for a year", "...": 0}}], "...": 0}}
            {other}
            > knowledge_query {{"query": "logs"}}
            < {{"items": [{{"title": "Logs are kept for ten years", "...": 0}}], "...": 0}}
            @ no file company/logs.md
            > knowledge_query {{}}
            < {{"items": [], "...": 0}}
            > sync_status {{}}
            < {{"stats": {{"totalSyncs": 0, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn an_owner_sees_its_own_and_what_is_nobodys() {
        let of = |owner: &str| {
            format!(
                "@ file orgs/{owner}/policies/{owner}.md\n| ---\n| status: accepted\n| ---\n| # Policy of {owner}\n"
            )
        };
        let (acme, globex) = (of("acme"), of("globex"));
        let nobodys =
            "@ file orgs/policies/all.md\n| ---\n| status: accepted\n| ---\n| # For every org\n";
        check(&format!(
            r#"
            {acme}
            {globex}
            {nobodys}
            @ caller user=ada org=acme
            > knowledge_query {{}}
            < {{"items": [{{"id": "acme", "...": 0}}, {{"id": "all", "...": 0}}], "totalCount": 2, "...": 0}}
            > knowledge_show {{"id": "globex"}}
            <! {{"errorCode": "NOT_FOUND", "message": "Knowledge item 'globex' not found",
                "details": {{"requestedId": "globex", "searchedLayers": ["org"]}}, "...": 0}}
            @ caller user=ada
            > knowledge_query {{}}
            < {{"items": [], "totalCount": 0, "...": 0}}
            "#
        ));
    }
}
