//! `update_memory_object`.

use engine::{Result, fact};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Change what is known of a thing of the graph.
///
/// # When to use
/// When its type or summary is wrong or has changed. Links are changed by `add_memory_link` and
/// `invalidate_memory_link`.
///
/// # Usage
/// ```json
/// {"name": "Spring AI", "newSummary": "A framework for AI applications", "newType": "framework"}
/// ```
///
/// # Returns
/// `text`, `name`, `type`, `summary`, and `updated`: whether anything changed. What is not given stays, an
/// empty text clears. `summary` and `type` are other names of `newSummary` and `newType`.
///
/// # Errors
/// For a name that nothing has, and for a call with a name and unknown fields only.
///
/// # Related
/// `fact::revise`: `get_memory_object` shows it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateMemoryObject {
    /// Its exact name
    name: String,
    /// What there is to say of it
    new_summary: Option<Text<0, 10_000>>,
    /// What it is
    new_type: Option<Text<0, 200>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Updated {
    text: String,
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    updated: bool,
}

impl Tool for UpdateMemoryObject {
    const NAME: &'static str = "update_memory_object";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    const EMPTY_IS_A_VALUE: bool = true;
    const ALIASES: &[(&str, &str)] = &[
        ("summary", "newSummary"),
        ("new_summary", "newSummary"),
        ("type", "newType"),
        ("new_type", "newType"),
    ];
    const IS_PATCH: bool = true;
    type Response = Updated;

    fn call(self, cx: &Context<'_>) -> Result<Updated> {
        let revision = fact::Revision {
            kind: self.new_type.map(|kind| kind.0),
            summary: self.new_summary.map(|summary| summary.0),
        };
        let (entity, updated) = fact::revise(cx.engine, cx.caller, &self.name, &revision)?;
        let verb = if updated { "Updated" } else { "Nothing to change" };
        Ok(Updated {
            text: format!("{verb}: {}", entity.told()),
            name: entity.name,
            kind: entity.kind,
            summary: entity.summary,
            updated,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn what_is_absent_stays_and_what_is_empty_goes() {
        check(
            r#"
            > add_memory_link {"from": "Heron", "relation": "uses", "to": "SQLite", "summary": "Bills"}
            < {"...": 0}
            > update_memory_object {"name": "Heron", "newType": "service"}
            < {"text": "Updated: Heron (service): Bills", "name": "Heron", "type": "service", "summary": "Bills", "updated": true}
            > update_memory_object {"name": "Heron", "newSummary": ""}
            < {"text": "Updated: Heron (service)", "name": "Heron", "type": "service", "updated": true}
            > update_memory_object {"name": "Heron"}
            < {"text": "Nothing to change: Heron (service)", "updated": false, "...": 0}
            > memory_search {"query": "Heron (service)"}
            < {"results": [{"content": "Heron (service)", "...": 0}, "..."], "...": 0}
            # Other spellings of the fields; with both, the field's own name counts.
            > update_memory_object {"name": "Heron", "summary": "Bills", "type": "bird"}
            < {"type": "bird", "summary": "Bills", "updated": true, "...": 0}
            > update_memory_object {"name": "Heron", "new_summary": "Wades", "summary": null, "new_type": ""}
            < {"text": "Updated: Heron: Wades", "name": "Heron", "summary": "Wades", "updated": true}
            > update_memory_object {"name": "Heron", "newSummary": "Fishes", "summary": "Flies"}
            < {"summary": "Fishes", "updated": true, "...": 0}
            > update_memory_object {"name": "Heron", "description": "Flies", "kind": "bird"}
            <! {"success": false, "error": "update_memory_object got only unknown fields: description, kind; it takes name, newSummary, newType"}
            > update_memory_object {"title": "Heron"}
            <! {"success": false, "error": "update_memory_object got only unknown fields: title; it takes name, newSummary, newType"}
            > update_memory_object {"name": "Stork", "newType": "bird"}
            <! {"success": false, "error": "Memory object not found: Stork"}
            "#,
        );
    }
}
