//! `knowledge_show`.

use engine::Result;
use engine::knowledge::{self, Trusted};
use model::{Metadata, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{ConstraintView, Layer, Severity, Type};
use crate::tool::{Context, Effect, Tool};
use crate::wire::DateTime;

/// Get the complete text, constraints and metadata of one knowledge item.
///
/// # When to use
/// When a result of `knowledge_query` or `knowledge_check` matters and you need what it says in full.
///
/// # Usage
/// ```json
/// {"id": "adr-042-database-selection", "includeHistory": true}
/// ```
///
/// # Returns
/// `item` with its Markdown `content`; with `includeHistory` its commits, newest first.
///
/// # Errors
/// `NOT_FOUND` for an id that no item has that this caller may see.
///
/// # Related
/// `knowledge::show`: `knowledge_query` finds the ids.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct KnowledgeShow {
    /// Knowledge item ID
    id: String,
    /// Include constraint definitions
    #[serde(default = "yes")]
    include_constraints: bool,
    /// Include version history
    #[serde(default)]
    include_history: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct KnowledgeShowResponse {
    success: bool,
    item: ItemView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Version>")]
    history: Option<Vec<Version>>,
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
    content: String,
    status: &'static str,
    severity: Severity,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ConstraintView>")]
    constraints: Option<Vec<ConstraintView>>,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    supersedes: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    superseded_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Version {
    version: String,
    timestamp: DateTime,
    author: String,
    message: String,
}

impl From<knowledge::History> for Version {
    fn from(one: knowledge::History) -> Self {
        let timestamp = one.at.into();
        Self { version: one.version, timestamp, author: one.author, message: one.message }
    }
}

impl Tool for KnowledgeShow {
    const NAME: &'static str = "knowledge_show";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = KnowledgeShowResponse;

    fn call(self, cx: &Context<'_>) -> Result<KnowledgeShowResponse> {
        let shown = knowledge::show(cx.engine, cx.caller, &self.id, self.include_history)?;
        let item = &shown.item;
        let constraints = || {
            let views = item.constraints.iter().map(|one| ConstraintView::of(item, one));
            views.collect()
        };
        let view = ItemView {
            id: item.id.clone(),
            kind: item.kind.into(),
            layer: item.layer.into(),
            title: item.title.clone(),
            summary: item.summary.clone(),
            content: item.content.clone(),
            status: item.status.name(),
            severity: item.severity.into(),
            tags: item.tags.clone(),
            constraints: self.include_constraints.then(constraints),
            metadata: item.metadata.clone(),
            created_at: shown.created_at.into(),
            updated_at: shown.updated_at.into(),
            supersedes: item.supersedes.clone(),
            superseded_by: item.superseded_by.clone(),
            caution: Trusted::look(cx.engine, cx.caller).caution_of_all(item).told(),
        };
        let history = shown.history.into_iter().map(Into::into).collect();
        Ok(KnowledgeShowResponse {
            success: true,
            item: view,
            history: self.include_history.then_some(history),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DATABASE, item};
    use crate::testing::check;

    #[test]
    fn an_item_is_shown_with_all_that_its_file_says() {
        check(&format!(
            r##"
            {DATABASE}
            > knowledge_show {{"id": "adr-042-database-selection"}}
            < {{"success": true, "item": {{
                "id": "adr-042-database-selection", "type": "adr", "layer": "org",
                "title": "Database Selection for New Services",
                "summary": "Use PostgreSQL for all new services requiring relational data",
                "content": "# Database Selection for New Services\n\nWe run PostgreSQL everywhere else.",
                "status": "accepted", "severity": "block", "tags": ["database", "infrastructure"],
                "constraints": [{{"operator": "must_not_use", "target": "dependency",
                    "pattern": "mysql|mysql2|mariadb", "severity": "block",
                    "message": "MySQL not allowed for new services per ADR-042. Use PostgreSQL instead."}}],
                "metadata": {{"reviewers": ["ada"]}},
                "createdAt": "2025-01-07T10:00:00.000000Z", "updatedAt": "2025-02-01T10:00:00.000000Z"}}}}
            "##
        ));
    }

    #[test]
    fn constraints_and_history_are_as_asked_for() {
        check(&format!(
            r#"
            {DATABASE}
            > knowledge_show {{"id": "adr-042-database-selection", "includeConstraints": false, "includeHistory": true}}
            < {{"success": true, "item": {{"id": "$*", "type": "$*", "layer": "$*", "title": "$*", "summary": "$*",
                "content": "$*", "status": "$*", "severity": "$*", "tags": "$*", "metadata": "$*",
                "createdAt": "$*", "updatedAt": "$*"}}, "history": []}}
            "#
        ));
    }

    #[test]
    fn an_unknown_id_is_not_found_and_says_where_it_was_looked_for() {
        check(
            r#"
            > knowledge_show {"id": "adr-999"}
            <! {"success": false, "errorCode": "NOT_FOUND", "message": "Knowledge item 'adr-999' not found",
                "details": {"requestedId": "adr-999", "searchedLayers": ["project", "team", "org", "company"]},
                "retryable": false}
            > knowledge_show {}
            <! {"errorCode": "INVALID_INPUT", "message": "$*id$*", "...": 0}
            "#,
        );
    }

    #[test]
    fn times_that_the_file_does_not_tell_come_from_elsewhere() {
        let logs = item("policy", "logs", "superseded", "Logs");
        check(&format!(
            r#"
            {logs}
            > knowledge_show {{"id": "logs"}}
            < {{"item": {{"createdAt": "$*Z", "updatedAt": "$*Z", "status": "superseded", "...": 0}}, "...": 0}}
            "#
        ));
    }
}
