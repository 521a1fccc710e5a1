//! `memory_add`.

use engine::Result;
use engine::memory::{self, NewMemory, Place, Remembered, Sameness};
use model::{Importance, Kind, MemoryId, Origin, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Layer;
use crate::conflict::{self, Conflict};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Object, Text, Texts};

/// Store a piece of information for future reference.
///
/// # When to use
/// To remember user preferences, project context, decisions made, or anything that should persist
/// across sessions. One clear, self-contained statement a call.
///
/// # Usage
/// ```json
/// {"content": "User prefers functional programming patterns over OOP", "tags": ["coding-style"]}
/// ```
/// ```json
/// {"content": "Deploys go through the staging cluster first", "layer": "project",
///  "metadata": {"source": "runbook"}}
/// ```
///
/// # Returns
/// `memoryId` (`mem_` and 32 hex digits) and a message. The same content again in the same layer is
/// the same memory: its id comes back, and tags and metadata it did not have are added to it
/// (contract: ours). With `conflicts`, if there are any: at most 3 memories of the same layer and owner that the new text contradicts,
/// duplicates or supersedes, each with `id`, `content`, `relation`, `reason` and `similarity`. Nothing
/// is merged or refused for them (contract: ours).
///
/// # Errors
/// `INVALID_INPUT` for a missing or wrong field; `UNAUTHORIZED` for a layer whose owner the caller's
/// identity does not name.
///
/// # Related
/// `memory::remember_once`: `memory_search` finds it, `memory_delete` removes it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryAdd {
    /// The content to remember
    content: Text<1, 100_000>,
    /// Memory scope
    #[serde(default)]
    layer: Layer,
    /// Tags for categorization
    tags: Option<Texts<1, 100, 100>>,
    /// Additional metadata
    metadata: Option<Object<100_000>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemoryAddResponse {
    success: bool,
    memory_id: String,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Conflict>,
}

impl Tool for MemoryAdd {
    const NAME: &'static str = "memory_add";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = MemoryAddResponse;

    fn call(self, cx: &Context<'_>) -> Result<MemoryAddResponse> {
        let new = NewMemory {
            origin: Origin::Layers,
            place: Place::Layer(self.layer.into()),
            kind: Kind::Fact,
            content: self.content.0,
            category: None,
            tags: self.tags.map_or_else(Vec::new, |tags| tags.0),
            importance: Importance::Medium.value(),
            metadata: self.metadata.unwrap_or_default().0,
        };
        let kept = memory::remember_once(cx.engine, cx.caller, new, Sameness::Exact)?;
        let (id, message, conflicts) = match kept {
            Remembered::New(memory) => {
                let conflicts = conflict::of(cx, &memory, MemoryId::prefixed);
                (memory.id, "Memory stored successfully", conflicts)
            }
            Remembered::Known(id) => (id, "Memory was already stored", Vec::new()),
        };
        Ok(MemoryAddResponse {
            success: true,
            memory_id: id.prefixed(),
            message: message.to_owned(),
            conflicts,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, text};

    #[test]
    fn a_memory_is_stored_in_each_layer() {
        for layer in model::Layer::ALL.map(model::Layer::name) {
            check(&format!(
                r#"
                > memory_add {{"content": "kept in {layer}", "layer": "{layer}"}}
                < {{"success": true, "memoryId": "$id", "message": "Memory stored successfully"}}
                > memory_search {{"query": "kept", "layers": ["{layer}"]}}
                < {{"success": true, "results": [{{"content": "kept in {layer}", "layer": "{layer}",
                    "score": "$*", "memoryId": "$id"}}], "totalCount": 1,
                    "searchedLayers": ["{layer}"]}}
                "#
            ));
        }
    }

    #[test]
    fn the_layer_is_the_users_unless_given() {
        check(
            r#"
            > memory_add {"content": "tabs, not spaces"}
            < {"success": true, "memoryId": "$id", "message": "$*"}
            > memory_search {"query": "tabs"}
            < {"success": true, "results": [{"content": "tabs, not spaces", "layer": "user",
                "score": "$*", "memoryId": "$id"}], "totalCount": 1, "searchedLayers": "$*"}
            "#,
        );
    }

    #[test]
    fn the_same_content_again_is_the_same_memory_with_more_tags() {
        check(
            r#"
            > memory_add {"content": "tabs, not spaces", "tags": ["style", "style"]}
            < {"success": true, "memoryId": "$id", "message": "Memory stored successfully"}
            > memory_add {"content": "tabs, not spaces", "tags": ["editor"], "metadata": {"a": 1}}
            < {"success": true, "memoryId": "$id", "message": "Memory was already stored"}
            > memory_search {"query": "tabs"}
            < {"success": true, "results": [{"content": "tabs, not spaces", "layer": "user",
                "score": "$*", "memoryId": "$id", "tags": ["style", "editor"]}], "totalCount": 1,
                "searchedLayers": "$*"}
            "#,
        );
    }

    #[test]
    fn what_is_added_again_and_again_does_not_grow_without_end() {
        let tags = |from: usize| {
            serde_json::json!(
                (from..from + 60)
                    .collect::<Vec<_>>()
                    .iter()
                    .map(|n| format!("t{n}"))
                    .collect::<Vec<_>>()
            )
        };
        check(&format!(
            r#"
            > memory_add {{"content": "x", "tags": {}}}
            < {{"...": 0}}
            > memory_add {{"content": "x", "tags": {}}}
            <! {{"success": false, "errorCode": "RATE_LIMITED", "message": "$*", "retryable": true}}
            > memory_search {{"query": "x", "tags": ["t60"]}}
            < {{"totalCount": 0, "...": 0}}
            "#,
            tags(0),
            tags(60),
        ));
    }

    #[test]
    fn a_layer_without_an_owner_is_closed() {
        check(
            r#"
            @ caller user=ada
            > memory_add {"content": "for the team", "layer": "team"}
            <! {"success": false, "errorCode": "UNAUTHORIZED", "message":
                "layer team is closed to this caller: its identity names no team id",
                "retryable": false}
            > memory_add {"content": "for the agent", "layer": "agent"}
            <! {"success": false, "errorCode": "UNAUTHORIZED", "message": "$*", "retryable": false}
            > memory_search {"query": "for"}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": ["user"]}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named_and_leaves_nothing_behind() {
        check(
            r#"
            > memory_add {}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "content is missing; it takes a text of 1 to 100000 characters", "retryable": false}
            > memory_add {"content": ""}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "content got \"\"; it takes a text of 1 to 100000 characters", "retryable": false}
            > memory_add {"content": null}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "content got null; it takes a text of 1 to 100000 characters", "retryable": false}
            > memory_add {"content": "x", "layer": "planet"}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "layer got \"planet\"; it takes one of agent, user, session, project, team, org, company",
                "retryable": false}
            > memory_add {"content": "x", "tags": ["ok", 7]}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "tags[1] got 7; it takes a text of 1 to 100 characters", "retryable": false}
            > memory_add {"content": "x", "metadata": "none"}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "metadata got \"none\"; it takes an object", "retryable": false}
            > get_memory_stats {}
            < {"total_memories": 0, "archived_count": 0, "...": 0}
            "#,
        );
    }

    #[test]
    fn every_bound_holds_at_its_edge_and_one_past_it() {
        let (edge, past) = (text(100_000), text(100_001));
        let tags = |count: usize| serde_json::json!(vec!["t"; count]);
        let metadata = |length: usize| serde_json::json!({"k": text(length - 8)});
        check(&format!(
            r#"
            > memory_add {{"content": "{edge}"}}
            < {{"success": true, "...": 0}}
            > memory_add {{"content": "{past}"}}
            <! {{"errorCode": "INVALID_INPUT", "message":
                "content got a text of 100001 characters; it takes a text of 1 to 100000 characters",
                "...": 0}}
            > memory_add {{"content": "a", "tags": {}}}
            < {{"success": true, "...": 0}}
            > memory_add {{"content": "b", "tags": {}}}
            <! {{"errorCode": "INVALID_INPUT", "message": "tags got a list of 101; it takes a list up to 100 of a text of 1 to 100 characters", "...": 0}}
            > memory_add {{"content": "c", "tags": ["{}"]}}
            < {{"success": true, "...": 0}}
            > memory_add {{"content": "d", "tags": ["{}"]}}
            <! {{"errorCode": "INVALID_INPUT", "...": 0}}
            > memory_add {{"content": "e", "tags": [""]}}
            <! {{"errorCode": "INVALID_INPUT", "...": 0}}
            > memory_add {{"content": "f", "metadata": {}}}
            < {{"success": true, "...": 0}}
            > memory_add {{"content": "g", "metadata": {}}}
            <! {{"errorCode": "INVALID_INPUT", "message":
                "metadata got JSON of 100001 characters; it takes an object of at most 100000 characters of JSON",
                "...": 0}}
            "#,
            tags(100),
            tags(101),
            text(100),
            text(101),
            metadata(100_000),
            metadata(100_001),
        ));
    }

    #[test]
    fn a_guest_may_not_write() {
        check(
            r#"
            @ caller user=ada role=guest
            > memory_add {"content": "x"}
            <! {"success": false, "errorCode": "UNAUTHORIZED", "message":
                "memory_add needs the role user; this caller is guest", "retryable": false}
            > get_memory_stats {}
            < {"total_memories": 0, "...": 0}
            "#,
        );
    }
}
