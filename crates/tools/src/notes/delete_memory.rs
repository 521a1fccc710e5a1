//! `delete_memory`.

use engine::Result;
use engine::memory;
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};
use crate::wire::Id;

/// Archive a memory, or delete it for good with `permanent`.
///
/// # When to use
/// When a memory should no longer be found. Archived ones can be taken back with `update_memory`.
///
/// # Usage
/// ```json
/// {"id": "00000000-0000-4000-8000-000000000001"}
/// ```
///
/// # Returns
/// `success`, the `action` performed and the `id`. Archiving what is archived is no error.
///
/// # Errors
/// `INVALID_INPUT` for a missing or wrong field, `NOT_FOUND` for an unknown id, `PERMISSION_ERROR` for a
/// golden rule: it is not archived, and only an admin deletes it.
///
/// # Related
/// `memory::archive`: `update_memory` changes instead, `query_memories` shows the ids.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteMemory {
    /// UUID of the memory to delete
    id: Id,
    /// If false (default), archives instead of deleting
    #[serde(default)]
    permanent: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DeleteMemoryResponse {
    success: bool,
    action: Action,
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Archived,
    Deleted,
}

impl Tool for DeleteMemory {
    const NAME: &'static str = "delete_memory";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::User;
    type Response = DeleteMemoryResponse;

    fn call(self, cx: &Context<'_>) -> Result<DeleteMemoryResponse> {
        let (memory, action) = if self.permanent {
            (memory::destroy(cx.engine, cx.caller, self.id.0)?, Action::Deleted)
        } else {
            (memory::archive(cx.engine, cx.caller, self.id.0)?, Action::Archived)
        };
        Ok(DeleteMemoryResponse { success: true, action, id: memory.id.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, golden};

    #[test]
    fn archived_unless_permanent() {
        check(
            r#"
            > store_memory {"type": "core", "content": "x"}
            < {"id": "$id", "...": 0}
            > delete_memory {"id": "$id"}
            < {"success": true, "action": "archived", "id": "$id"}
            > delete_memory {"id": "$id"}
            < {"success": true, "action": "archived", "id": "$id"}
            > query_memories {"archived": true}
            < {"memories": [{"id": "$id", "archived": true, "...": 0}], "...": 0}
            > delete_memory {"id": "$id", "permanent": true}
            < {"success": true, "action": "deleted", "id": "$id"}
            > query_memories {"archived": true}
            < {"total": 0, "...": 0}
            > delete_memory {"id": "$id"}
            <! {"error": {"code": "NOT_FOUND", "message": "$*"}}
            "#,
        );
    }

    #[test]
    fn bad_input_is_refused() {
        check(
            r#"
            > delete_memory {"id": "nonsense"}
            <! {"error": {"code": "INVALID_INPUT", "message": "$*"}}
            > delete_memory {}
            <! {"error": {"code": "INVALID_INPUT", "message": "$*"}}
            > delete_memory {"id": "7f1c2c54-0000-4000-8000-00000000beef", "permanent": "yes"}
            <! {"error": {"code": "INVALID_INPUT", "message":
                "permanent got \"yes\"; it takes true or false"}}
            "#,
        );
    }

    #[test]
    fn a_guest_may_not_delete() {
        check(
            r#"
            @ caller user=ada
            > store_memory {"type": "core", "content": "x"}
            < {"id": "$id", "...": 0}
            @ caller user=ada role=guest
            > delete_memory {"id": "$id", "permanent": true}
            <! {"error": {"code": "PERMISSION_ERROR", "message":
                "delete_memory needs the role user; this caller is guest"}}
            > query_memories {}
            < {"total": 1, "...": 0}
            "#,
        );
    }

    #[test]
    fn a_golden_rule_is_deleted_by_an_admin_alone_and_archived_by_nobody() {
        let refused = r#"<! {"error": {"code": "PERMISSION_ERROR", "message": "$why"}}"#;
        check(&format!(
            r#"
            @ caller user=ada role=user
            {}
            > delete_memory {{"id": "$gold"}}
            {refused}
            > delete_memory {{"id": "$gold", "permanent": true}}
            {refused}
            @ caller user=ada role=admin
            > delete_memory {{"id": "$gold"}}
            {refused}
            > delete_memory {{"id": "$gold", "permanent": true}}
            < {{"success": true, "action": "deleted", "id": "$gold"}}
            "#,
            golden("Run the linter")
        ));
    }
}
