//! `memory_delete`.

use engine::memory;
use engine::{Error, ErrorKind, Result};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};

/// Delete a memory that is no longer relevant or was stored incorrectly.
///
/// # When to use
/// Sparingly: memories usually remain valuable for context. There is no way back.
///
/// # Usage
/// ```json
/// {"memoryId": "mem_00000000000040008000000000000001"}
/// ```
///
/// # Returns
/// `success` and a message. The id is taken in every spelling.
///
/// # Errors
/// `NOT_FOUND` for an id that no memory has that this caller may see; `INVALID_INPUT` without an id;
/// `UNAUTHORIZED` for a golden rule, which is protected.
///
/// # Related
/// `memory::forget`: `memory_search` shows the ids.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemoryDelete {
    /// ID of the memory to delete
    memory_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MemoryDeleteResponse {
    success: bool,
    message: String,
}

impl Tool for MemoryDelete {
    const NAME: &'static str = "memory_delete";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::User;
    type Response = MemoryDeleteResponse;

    fn call(self, cx: &Context<'_>) -> Result<MemoryDeleteResponse> {
        let unknown =
            |_| Error::new(ErrorKind::NotFound, format!("Memory not found: {}", self.memory_id));
        let id = self.memory_id.parse().map_err(unknown)?;
        memory::forget(cx.engine, cx.caller, id)?;
        Ok(MemoryDeleteResponse { success: true, message: "Memory deleted successfully".into() })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, golden};

    #[test]
    fn a_deleted_memory_is_gone_for_every_tool() {
        check(
            r#"
            > memory_add {"content": "short-lived", "tags": ["x"]}
            < {"memoryId": "$id", "...": 0}
            > memory_delete {"memoryId": "$id"}
            < {"success": true, "message": "Memory deleted successfully"}
            > memory_search {"query": "short-lived", "threshold": 0}
            < {"results": [], "totalCount": 0, "...": 0}
            > query_memories {"archived": true}
            < {"memories": [], "total": 0, "...": 0}
            > memory_delete {"memoryId": "$id"}
            <! {"success": false, "errorCode": "NOT_FOUND", "message": "$*", "retryable": false}
            "#,
        );
    }

    #[test]
    fn both_spellings_are_taken() {
        check(
            r#"
            > store_memory {"type": "core", "content": "from notes"}
            < {"id": "$id", "...": 0}
            > memory_delete {"memoryId": "$id"}
            < {"success": true, "...": 0}
            > memory_add {"content": "from layers"}
            < {"memoryId": "$other", "...": 0}
            > delete_memory {"id": "$other", "permanent": true}
            < {"success": true, "action": "deleted", "id": "$other"}
            "#,
        );
    }

    #[test]
    fn an_unknown_id_is_not_found_however_it_looks() {
        check(
            r#"
            > memory_delete {"memoryId": "mem_abc123"}
            <! {"success": false, "errorCode": "NOT_FOUND", "message": "Memory not found: mem_abc123",
                "retryable": false}
            > memory_delete {"memoryId": "7f1c2c54-0000-4000-8000-00000000beef"}
            <! {"errorCode": "NOT_FOUND", "...": 0}
            > memory_delete {"memoryId": ""}
            <! {"errorCode": "NOT_FOUND", "...": 0}
            > memory_delete {}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "memoryId is missing; it takes a text", "retryable": false}
            "#,
        );
    }

    #[test]
    fn what_belongs_to_another_looks_like_nothing() {
        check(
            r#"
            @ caller user=ada
            > memory_add {"content": "mine"}
            < {"memoryId": "$id", "...": 0}
            @ caller user=bob
            > memory_delete {"memoryId": "$id"}
            <! {"errorCode": "NOT_FOUND", "...": 0}
            @ caller user=ada
            > memory_search {"query": "mine"}
            < {"totalCount": 1, "...": 0}
            "#,
        );
    }

    #[test]
    fn a_golden_rule_is_not_deleted() {
        check(&format!(
            r#"{}
            > memory_delete {{"memoryId": "$gold"}}
            <! {{"success": false, "errorCode": "UNAUTHORIZED", "message": "memory mem_00000000000040008000000000000001 is a golden rule and protected; memory_forget with force: true deletes it, or delete_memory with permanent: true by an admin", "retryable": false}}
            > memory_search {{"query": "linter"}}
            < {{"totalCount": 1, "...": 0}}
            "#,
            golden("Run the linter")
        ));
    }
}
