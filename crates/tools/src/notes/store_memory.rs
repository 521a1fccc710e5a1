//! `store_memory`.

use engine::Result;
use engine::memory::{self, NewMemory, Place};
use model::memory::Field;
use model::{Layer, MemoryPatch, Metadata, Origin, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note::{Level, Note, NoteType, importance_for};
use crate::conflict::{self, Conflict};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Id, Text, Texts};

/// Store a new memory or update an existing one; memories persist across sessions.
///
/// # When to use
/// `core` for what is so (preferences, facts), `learning` for what was found out, `task` for the
/// work at hand. With `id`, the memory of that id is changed instead.
///
/// # Usage
/// ```json
/// {"type": "core", "content": "User prefers pytest over unittest for Python testing",
///  "category": "preference", "tags": ["python", "testing"], "importance": "high"}
/// ```
/// ```json
/// {"type": "learning", "content": "The staging database is reset every night",
///  "id": "00000000-0000-4000-8000-000000000001"}
/// ```
///
/// # Returns
/// `id`, `created` (false if an existing memory was updated) and the whole `memory`. An update
/// changes what is given and keeps the rest; the finer kind that another contract gave a memory stays
/// as long as it belongs to the same `type`. With `conflicts`, if there are any: at most 3 memories of the same user that the new text contradicts,
/// duplicates or supersedes, each with `id`, `content`, `relation`, `reason` and `similarity`. Nothing
/// is merged or refused for them (contract: ours).
///
/// # Errors
/// `INVALID_INPUT` for a missing or wrong field, `NOT_FOUND` for an unknown `id`, `LIMIT_EXCEEDED`
/// when the limit on core memories is reached (nothing is stored then). Past the limits on learnings
/// and tasks the least recently used are archived.
///
/// # Related
/// `memory::remember`: `update_memory` changes single fields, `query_memories` finds it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StoreMemory {
    /// Type of memory to store
    r#type: NoteType,
    /// The memory content
    content: Text<1, 5000>,
    /// Optional category (e.g., 'preference', 'fact', 'pattern')
    category: Option<Text<0, 50>>,
    /// Optional tags for categorization
    tags: Option<Texts<0, 30, 10>>,
    /// Memory importance level
    #[schemars(extend("default" = "medium"))]
    importance: Option<Level>,
    /// Memory ID for updates (omit for new memories)
    id: Option<Id>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StoreMemoryResponse {
    id: String,
    created: bool,
    memory: Note,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Conflict>,
}

impl Tool for StoreMemory {
    const NAME: &'static str = "store_memory";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = StoreMemoryResponse;

    fn call(self, cx: &Context<'_>) -> Result<StoreMemoryResponse> {
        let created = self.id.is_none();
        let (memory, is_new_text) = match self.id {
            Some(Id(id)) => {
                let revised = memory::revise(cx.engine, cx.caller, id, |now| MemoryPatch {
                    content: Some(self.content.0.clone()),
                    kind: Some(self.r#type.kind())
                        .filter(|_| NoteType::of(now.kind) != self.r#type),
                    category: self.category.clone().map(|category| category.0),
                    tags: self.tags.clone().map(|tags| tags.0),
                    importance: self.importance.map(|i| importance_for(i, Some(now.importance))),
                    archived: None,
                })?;
                (revised.memory, revised.fields.contains(&Field::Content))
            }
            None => (memory::remember(cx.engine, cx.caller, self.into())?, true),
        };
        let conflicts = conflict::of_text(cx, &memory, is_new_text);
        let id = memory.id.to_string();
        Ok(StoreMemoryResponse { id, created, memory: Note::of(cx, memory), conflicts })
    }
}

impl From<StoreMemory> for NewMemory {
    fn from(request: StoreMemory) -> Self {
        Self {
            origin: Origin::Notes,
            place: Place::Layer(Layer::User),
            kind: request.r#type.kind(),
            content: request.content.0,
            category: request.category.map(|category| category.0),
            tags: request.tags.map_or_else(Vec::new, |tags| tags.0),
            importance: importance_for(request.importance.unwrap_or_default(), None),
            metadata: Metadata::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Bench, check, text};

    #[test]
    fn a_new_memory_comes_back_whole() {
        check(
            r#"
            > store_memory {"type": "core", "content": "prefers pytest", "category": "preference",
                "tags": ["python", "testing"], "importance": "high"}
            < {"id": "$id", "created": true, "memory": {"id": "$id", "type": "core",
                "content": "prefers pytest", "category": "preference", "tags": ["python", "testing"],
                "importance": "high", "archived": false, "created_at": "2026-01-01T00:00:00.000000Z",
                "updated_at": "2026-01-01T00:00:00.000000Z",
                "accessed_at": "2026-01-01T00:00:00.000000Z", "access_count": 0}}
            > store_memory {"type": "task", "content": "write the tests"}
            < {"created": true, "memory": {"type": "task", "importance": "medium",
                "id": "$id2", "content": "write the tests", "tags": [], "archived": false,
                "created_at": "$*", "updated_at": "$*", "accessed_at": "$*", "access_count": 0},
                "id": "$id2"}
            "#,
        );
    }

    #[test]
    fn with_an_id_the_memory_is_updated_and_keeps_what_is_not_given() {
        check(
            r#"
            > store_memory {"type": "core", "content": "old", "category": "c", "tags": ["t"],
                "importance": "high"}
            < {"id": "$id", "...": 0}
            > store_memory {"type": "core", "content": "new", "id": "$id"}
            < {"id": "$id", "created": false, "memory": {"id": "$id", "type": "core", "content": "new",
                "category": "c", "tags": ["t"], "importance": "high", "archived": false,
                "created_at": "2026-01-01T00:00:00.000000Z",
                "updated_at": "2026-01-01T00:00:01.000000Z",
                "accessed_at": "2026-01-01T00:00:01.000000Z", "access_count": 1}}
            > store_memory {"type": "learning", "content": "new", "id": "$id", "importance": "low"}
            < {"created": false, "memory": {"type": "learning", "importance": "low", "...": 0},
                "...": 0}
            > memory_search {"query": "old", "threshold": 0.5}
            < {"totalCount": 0, "...": 0}
            > memory_search {"query": "new"}
            < {"totalCount": 1, "...": 0}
            "#,
        );
    }

    #[test]
    fn an_unknown_id_is_not_found_and_nothing_is_stored() {
        check(
            r#"
            > store_memory {"type": "core", "content": "x", "id": "7f1c2c54-0000-4000-8000-00000000beef"}
            <! {"error": {"code": "NOT_FOUND", "message":
                "Memory not found: 7f1c2c54-0000-4000-8000-00000000beef"}}
            > get_memory_stats {}
            < {"total_memories": 0, "...": 0}
            "#,
        );
    }

    #[test]
    fn what_notes_kept_is_found_through_layers() {
        check(
            r#"
            > store_memory {"type": "learning", "content": "cargo nextest is faster", "tags": ["ci"]}
            < {"id": "$id", "...": 0}
            > memory_search {"query": "nextest", "tags": ["ci"]}
            < {"results": [{"content": "cargo nextest is faster", "layer": "user", "score": "$*",
                "memoryId": "$id", "tags": ["ci"]}], "totalCount": 1, "...": 0}
            "#,
        );
    }

    #[test]
    fn every_bound_holds_at_its_edge_and_one_past_it() {
        let invalid = r#"<! {"error": {"code": "INVALID_INPUT", "message": "$*"}}"#;
        let ten = serde_json::json!(vec!["t"; 10]);
        let eleven = serde_json::json!(vec!["t"; 11]);
        check(&format!(
            r#"
            > store_memory {{"type": "core", "content": "x"}}
            < {{"...": 0}}
            > store_memory {{"type": "core", "content": "{}"}}
            < {{"...": 0}}
            > store_memory {{"type": "core", "content": "{}"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "content got a text of 5001 characters; it takes a text of 1 to 5000 characters"}}}}
            > store_memory {{"type": "core", "content": ""}}
            {invalid}
            > store_memory {{"type": "core", "content": "x", "category": "{}", "tags": ["{}"]}}
            < {{"...": 0}}
            > store_memory {{"type": "core", "content": "x", "category": "{}"}}
            {invalid}
            > store_memory {{"type": "core", "content": "x", "tags": ["{}"]}}
            {invalid}
            > store_memory {{"type": "core", "content": "x", "tags": {ten}}}
            < {{"memory": {{"tags": ["t"], "...": 0}}, "...": 0}}
            > store_memory {{"type": "core", "content": "x", "tags": {eleven}}}
            {invalid}
            > store_memory {{"content": "x"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "type is missing; it takes one of core, learning, task"}}}}
            > store_memory {{"type": "core"}}
            {invalid}
            > store_memory {{"type": "idea", "content": "x"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "type got \"idea\"; it takes one of core, learning, task"}}}}
            > store_memory {{"type": "core", "content": "x", "importance": "urgent"}}
            {invalid}
            > store_memory {{"type": "core", "content": "x", "id": "abc"}}
            {invalid}
            > get_memory_stats {{}}
            < {{"total_memories": 4, "...": 0}}
            "#,
            text(5000),
            text(5001),
            text(50),
            text(30),
            text(51),
            text(31),
        ));
    }

    #[test]
    fn a_finer_kind_and_importance_from_elsewhere_survive_an_update() {
        use engine::memory::{self, NewMemory, Place};
        use model::{Kind, Layer, Metadata, Origin};

        let mut bench = Bench::new();
        let new = NewMemory {
            origin: Origin::Layers,
            place: Place::Layer(Layer::Team),
            kind: Kind::Preference,
            content: "tabs".into(),
            category: None,
            tags: Vec::new(),
            importance: 0.93,
            metadata: Metadata::new(),
        };
        let cx = bench.context();
        let id = memory::remember(cx.engine, cx.caller, new).unwrap().id;
        bench.run(&format!(
            r#"
            > store_memory {{"type": "core", "content": "spaces", "importance": "high", "id": "{id}"}}
            < {{"memory": {{"type": "core", "importance": "high", "content": "spaces", "...": 0}},
                "...": 0}}
            > update_memory {{"id": "{id}", "category": "style", "importance": "high"}}
            < {{"updated_fields": ["category"], "...": 0}}
            "#
        ));
        let cx = bench.context();
        let kept = memory::get(cx.engine, cx.caller, id).unwrap();
        assert_eq!((kept.kind, kept.importance), (Kind::Preference, 0.93));
        assert_eq!((kept.scope.layer, kept.origin), (Layer::Team, Origin::Layers));
        bench.run(&format!(
            "> store_memory {{\"type\": \"task\", \"content\": \"x\", \"id\": \"{id}\"}}\n\
             < {{\"memory\": {{\"type\": \"task\", \"...\": 0}}, \"...\": 0}}"
        ));
    }

    #[test]
    fn the_limit_on_core_memories_is_hard() {
        check(
            r#"
            @ limits core=2
            > store_memory {"type": "core", "content": "one"}
            < {"id": "$one", "...": 0}
            > store_memory {"type": "core", "content": "two"}
            < {"...": 0}
            > store_memory {"type": "core", "content": "three"}
            <! {"error": {"code": "LIMIT_EXCEEDED", "message": "there are 2 core memories and 2 may be kept; delete or archive some, or raise the limit (0 lifts it)"}}
            > get_memory_stats {}
            < {"total_memories": 2, "...": 0}
            > memory_add {"content": "layers have no such limit"}
            < {"success": true, "...": 0}
            > delete_memory {"id": "$one"}
            < {"action": "archived", "...": 0}
            > store_memory {"type": "core", "content": "three"}
            < {"created": true, "...": 0}
            "#,
        );
    }

    #[test]
    fn no_other_way_leads_around_the_limits() {
        let full = "<! {\"error\": {\"code\": \"LIMIT_EXCEEDED\", \"message\": \"$*\"}}";
        check(&format!(
            r#"
            @ limits core=1 learning=1
            > store_memory {{"type": "core", "content": "one"}}
            < {{"id": "$one", "...": 0}}
            > store_memory {{"type": "learning", "content": "two"}}
            < {{"id": "$two", "...": 0}}
            > store_memory {{"type": "core", "content": "two", "id": "$two"}}
            {full}
            > delete_memory {{"id": "$one"}}
            < {{"action": "archived", "...": 0}}
            > store_memory {{"type": "core", "content": "three"}}
            < {{"id": "$three", "...": 0}}
            > update_memory {{"id": "$one", "archived": false}}
            {full}
            > update_memory {{"id": "$three", "content": "at the limit, and still changed"}}
            < {{"updated_fields": ["content"], "...": 0}}
            > store_memory {{"type": "learning", "content": "three", "id": "$three"}}
            < {{"created": false, "...": 0}}
            > query_memories {{"type": "learning"}}
            < {{"memories": [{{"id": "$three", "...": 0}}], "total": 1, "...": 0}}
            "#
        ));
    }

    #[test]
    fn the_limits_on_learnings_and_tasks_archive_the_least_recently_used() {
        check(
            r#"
            @ limits learning=2 task=1
            > store_memory {"type": "learning", "content": "one"}
            < {"...": 0}
            > store_memory {"type": "learning", "content": "two"}
            < {"...": 0}
            > query_memories {"search": "one"}
            < {"total": 1, "...": 0}
            > store_memory {"type": "learning", "content": "three"}
            < {"created": true, "...": 0}
            > query_memories {"type": "learning", "sort_by": "created_at", "sort_order": "asc"}
            < {"memories": [{"content": "one", "...": 0}, {"content": "three", "...": 0}],
                "total": 2, "...": 0}
            > query_memories {"search": "two", "archived": true}
            < {"memories": [{"content": "two", "archived": true, "...": 0}], "...": 0}
            > store_memory {"type": "task", "content": "a"}
            < {"...": 0}
            > store_memory {"type": "task", "content": "b"}
            < {"...": 0}
            > get_memory_stats {}
            < {"by_type": {"core": 0, "learning": 2, "task": 1}, "archived_count": 2, "...": 0}
            "#,
        );
    }

    #[test]
    fn without_limits_nothing_is_refused_or_archived() {
        let many: String = (0..30)
            .map(|n| format!("> store_memory {{\"type\": \"task\", \"content\": \"{n}\"}}\n< {{\"...\": 0}}\n"))
            .collect();
        check(&format!(
            "{many}> get_memory_stats {{}}\n< {{\"total_memories\": 30, \"archived_count\": 0, \"...\": 0}}"
        ));
    }

    #[test]
    fn a_limit_archives_others_and_no_golden_rule() {
        let validate =
            "> memory_validate {\"memory_id\": \"$one\", \"was_helpful\": true}\n< {\"...\": 0}\n";
        check(&format!(
            r#"
            @ limits task=2
            > store_memory {{"type": "task", "content": "one"}}
            < {{"id": "$one", "...": 0}}
            {}
            > store_memory {{"type": "task", "content": "two"}}
            < {{"...": 0}}
            > store_memory {{"type": "task", "content": "three"}}
            < {{"...": 0}}
            > query_memories {{"type": "task", "sort_by": "created_at", "sort_order": "asc"}}
            < {{"memories": [{{"content": "one", "...": 0}}, {{"content": "three", "...": 0}}],
                "total": 2, "...": 0}}
            "#,
            validate.repeat(6)
        ));
    }

    /// What makes a new memory a golden rule.
    fn helped_six_times() -> String {
        let helped = r#"> memory_validate {"memory_id": "$id", "was_helpful": true}"#;
        format!("{helped}\n< {{\"...\": 0}}\n").repeat(6)
    }

    #[test]
    fn a_golden_rule_is_not_made_something_else_on_the_way_to_its_end() {
        check(&format!(
            r#"
            > memory_store {{"content": "Golden pattern one", "memory_type": "pattern"}}
            < {{"data": {{"id": "$id", "...": 0}}, "...": 0}}
            {}
            > store_memory {{"id": "$id", "type": "task", "content": "Golden pattern one"}}
            <! {{"error": {{"code": "PERMISSION_ERROR", "message": "$*"}}}}
            > memory_list {{"memory_type": "golden_rule"}}
            < {{"data": {{"total": 1, "...": 0}}, "...": 0}}
            "#,
            helped_six_times()
        ));
    }

    #[test]
    fn what_has_just_come_is_not_archived_for_want_of_room() {
        check(&format!(
            r#"
            @ limits task=1
            > store_memory {{"type": "task", "content": "first task, of gold"}}
            < {{"id": "$id", "...": 0}}
            {}
            > store_memory {{"type": "task", "content": "second task"}}
            < {{"memory": {{"archived": false, "...": 0}}, "...": 0}}
            > query_memories {{"type": "task"}}
            < {{"total": 2, "...": 0}}
            > store_memory {{"type": "task", "content": "third task"}}
            < {{"...": 0}}
            > query_memories {{"type": "task"}}
            < {{"total": 2, "...": 0}}
            "#,
            helped_six_times()
        ));
    }
}
