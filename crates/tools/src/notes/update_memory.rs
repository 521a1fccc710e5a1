//! `update_memory`.

use engine::Result;
use engine::memory;
use model::memory::Field;
use model::{MemoryPatch, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note::{Level, Note, importance_for};
use crate::conflict::{self, Conflict};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Id, Text, Texts};

/// Update an existing memory: what is given changes, the rest stays.
///
/// # When to use
/// When a memory is out of date or wrong, or to take one out of the archive (`archived: false`).
///
/// # Usage
/// ```json
/// {"id": "00000000-0000-4000-8000-000000000001", "importance": "high", "tags": ["python"]}
/// ```
///
/// # Returns
/// The whole `memory` and `updated_fields`: what really changed, in the order content, category,
/// tags, importance, archived. Nothing to change is no error. Counts as an access.
/// With a new content, `conflicts`, if there are any: at most 3 memories of the same user that the new text contradicts,
/// duplicates or supersedes, each with `id`, `content`, `relation`, `reason` and `similarity`. Nothing
/// is merged or refused for them (contract: ours).
///
/// # Errors
/// `INVALID_INPUT` for a missing or wrong field, `NOT_FOUND` for an unknown id, `PERMISSION_ERROR` when a
/// golden rule is to be archived.
///
/// # Related
/// `memory::revise`: `store_memory` with an id replaces all of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdateMemory {
    /// UUID of the memory to update
    id: Id,
    /// Updated content
    content: Option<Text<1, 5000>>,
    category: Option<Text<0, 50>>,
    tags: Option<Texts<0, 30, 10>>,
    importance: Option<Level>,
    /// Archive or unarchive the memory
    archived: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UpdateMemoryResponse {
    memory: Note,
    updated_fields: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Conflict>,
}

impl Tool for UpdateMemory {
    const NAME: &'static str = "update_memory";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    const IS_PATCH: bool = true;
    type Response = UpdateMemoryResponse;

    fn call(self, cx: &Context<'_>) -> Result<UpdateMemoryResponse> {
        let revised = memory::revise(cx.engine, cx.caller, self.id.0, |now| MemoryPatch {
            content: self.content.clone().map(|content| content.0),
            kind: None,
            category: self.category.clone().map(|category| category.0),
            tags: self.tags.clone().map(|tags| tags.0),
            importance: self.importance.map(|i| importance_for(i, Some(now.importance))),
            archived: self.archived,
        })?;
        let is_new_text = revised.fields.contains(&Field::Content);
        Ok(UpdateMemoryResponse {
            conflicts: conflict::of_text(cx, &revised.memory, is_new_text),
            memory: Note::of(cx, revised.memory),
            updated_fields: revised.fields.into_iter().map(name).collect(),
        })
    }
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Content => "content",
        Field::Kind => "type",
        Field::Category => "category",
        Field::Tags => "tags",
        Field::Importance => "importance",
        Field::Archived => "archived",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, golden, text};

    const ONE: &str = r#"
        > store_memory {"type": "core", "content": "old", "category": "c", "tags": ["t"]}
        < {"id": "$id", "...": 0}
    "#;

    #[test]
    fn what_changed_is_named_and_counted_as_access() {
        check(&format!(
            r#"{ONE}
            > update_memory {{"id": "$id", "content": "new", "category": "d", "tags": ["u", "v"],
                "importance": "high", "archived": true}}
            < {{"memory": {{"id": "$id", "type": "core", "content": "new", "category": "d",
                "tags": ["u", "v"], "importance": "high", "archived": true,
                "created_at": "2026-01-01T00:00:00.000000Z",
                "updated_at": "2026-01-01T00:00:01.000000Z",
                "accessed_at": "2026-01-01T00:00:01.000000Z", "access_count": 1}},
                "updated_fields": ["content", "category", "tags", "importance", "archived"]}}
            > update_memory {{"id": "$id", "archived": false}}
            < {{"updated_fields": ["archived"], "memory": {{"archived": false, "...": 0}}}}
            > memory_search {{"query": "new"}}
            < {{"totalCount": 1, "...": 0}}
            > memory_search {{"query": "old", "threshold": 0.5}}
            < {{"totalCount": 0, "...": 0}}
            "#
        ));
    }

    #[test]
    fn nothing_to_change_is_no_error() {
        check(&format!(
            r#"{ONE}
            > update_memory {{"id": "$id"}}
            < {{"updated_fields": [], "memory": {{"access_count": 1, "content": "old",
                "updated_at": "2026-01-01T00:00:00.000000Z", "...": 0}}}}
            > update_memory {{"id": "$id", "content": "old", "category": "c", "tags": ["t"],
                "importance": "medium", "archived": false}}
            < {{"updated_fields": [], "memory": {{"access_count": 2, "...": 0}}}}
            > update_memory {{"id": "$id", "tags": []}}
            < {{"updated_fields": ["tags"], "memory": {{"tags": [], "...": 0}}}}
            "#
        ));
    }

    #[test]
    fn an_unknown_id_is_not_found_and_a_wrong_one_invalid() {
        check(
            r#"
            > update_memory {"id": "7f1c2c54-0000-4000-8000-00000000beef", "content": "x"}
            <! {"error": {"code": "NOT_FOUND", "message":
                "Memory not found: 7f1c2c54-0000-4000-8000-00000000beef"}}
            > update_memory {"id": "mem_7f1c2c54000040008000000000000bee", "content": "x"}
            <! {"error": {"code": "NOT_FOUND", "message": "$*"}}
            > update_memory {"id": "7F1C2C54-0000-4000-8000-00000000BEEF"}
            <! {"error": {"code": "INVALID_INPUT", "message": "$*"}}
            > update_memory {"id": "7f1c2c54-0000-1000-8000-00000000beef"}
            <! {"error": {"code": "INVALID_INPUT", "message": "$*"}}
            > update_memory {}
            <! {"error": {"code": "INVALID_INPUT", "message": "$*"}}
            "#,
        );
    }

    #[test]
    fn every_bound_holds_at_its_edge_and_one_past_it() {
        let invalid = r#"<! {"error": {"code": "INVALID_INPUT", "message": "$*"}}"#;
        check(&format!(
            r#"{ONE}
            > update_memory {{"id": "$id", "content": "{}", "category": "{}", "tags": ["{}"]}}
            < {{"updated_fields": ["content", "category", "tags"], "...": 0}}
            > update_memory {{"id": "$id", "content": "{}"}}
            {invalid}
            > update_memory {{"id": "$id", "content": "", "category": ""}}
            < {{"updated_fields": [], "warnings":
                ["an empty text was read as not given: content, category"], "...": 0}}
            > update_memory {{"id": "$id", "category": "{}"}}
            {invalid}
            > update_memory {{"id": "$id", "tags": ["{}"]}}
            {invalid}
            > update_memory {{"id": "$id", "importance": "none"}}
            {invalid}
            > update_memory {{"id": "$id", "archived": 1}}
            {invalid}
            > query_memories {{"tags": ["{}"]}}
            < {{"memories": [{{"access_count": 2, "...": 0}}], "total": 1, "...": 0}}
            "#,
            text(5000),
            text(50),
            text(30),
            text(5001),
            text(51),
            text(31),
            text(30),
        ));
    }

    #[test]
    fn a_golden_rule_is_changed_but_neither_archived_nor_made_something_else() {
        let refused = r#"<! {"error": {"code": "PERMISSION_ERROR", "message": "$why"}}"#;
        check(&format!(
            r#"{}
            > update_memory {{"id": "$gold", "archived": true}}
            {refused}
            > update_memory {{"id": "$gold", "importance": "high", "archived": false}}
            < {{"updated_fields": ["importance"], "...": 0}}
            > memory_validate {{"memory_id": "$gold", "was_helpful": false}}
            < {{"data": {{"new_confidence": 0.75, "...": 0}}, "...": 0}}
            > store_memory {{"type": "task", "content": "x", "id": "$gold"}}
            {refused}
            > store_memory {{"type": "core", "content": "Run the linter twice", "id": "$gold"}}
            < {{"memory": {{"type": "core", "...": 0}}, "...": 0}}
            > memory_list {{"memory_type": "golden_rule"}}
            < {{"data": {{"memories": [{{"id": "$gold", "content": "Run the linter twice", "...": 0}}],
                "...": 0}}, "...": 0}}
            "#,
            golden("Run the linter")
        ));
    }
}
