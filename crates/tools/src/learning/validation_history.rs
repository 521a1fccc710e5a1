//! `validation_history`.

use engine::Result;
use engine::practice::{self, History};
use model::{Event, EventKind, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText};
use crate::caution;
use crate::tool::{Context, Effect, Tool};
use crate::wire::{DateTime, INT_MAX, Int};

/// Show how a memory fared in use.
///
/// # When to use
/// To judge whether a memory can be relied on.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "event_type": "failed"}
/// ```
///
/// # Returns
/// `events`, newest first, at most 10000, and a `summary` over all of them, whatever the filter;
/// `success_rate` is null without outcomes. Validations count as outcomes (contract: ours).
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `practice::history`: `memory_validate` and `memory_outcome` write it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ValidationHistory {
    /// The memory
    memory_id: IdText,
    /// Only events of this type
    event_type: Option<EventType>,
    /// How many events
    #[serde(default)]
    limit: Int<1, INT_MAX, 50>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EventType {
    Applied,
    Succeeded,
    Failed,
}

impl From<EventType> for EventKind {
    fn from(event: EventType) -> Self {
        match event {
            EventType::Applied => Self::Applied,
            EventType::Succeeded => Self::Succeeded,
            EventType::Failed => Self::Failed,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Fared {
    events: Vec<EventView>,
    summary: Summary,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EventView {
    id: i64,
    event_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    timestamp: DateTime,
    created_at: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl EventView {
    fn of(cx: &Context<'_>, event: Event) -> Self {
        let said = event.context.as_deref().unwrap_or_default();
        Self {
            caution: caution::of_text(cx, said),
            id: event.id,
            event_type: event.kind.name(),
            context: event.context,
            session_id: event.session,
            timestamp: event.at.into(),
            created_at: event.at.into(),
        }
    }
}

// Both spellings of every count, as clients of the original read one or the other.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    total_events: u64,
    total_applications: u64,
    applied: u64,
    success_count: u64,
    succeeded: u64,
    failure_count: u64,
    failed: u64,
    success_rate: Option<f64>,
}

impl Fared {
    fn of(cx: &Context<'_>, History { events, counts }: History) -> Self {
        let summary = Summary {
            total_events: counts.total(),
            total_applications: counts.applied,
            applied: counts.applied,
            success_count: counts.succeeded,
            succeeded: counts.succeeded,
            failure_count: counts.failed,
            failed: counts.failed,
            success_rate: counts.success_rate(),
        };
        Self { events: events.into_iter().map(|event| EventView::of(cx, event)).collect(), summary }
    }
}

impl Tool for ValidationHistory {
    const NAME: &'static str = "validation_history";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = Data<Fared>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Fared>> {
        let (id, kind) = (self.memory_id.id()?, self.event_type.map(Into::into));
        let history = practice::history(cx.engine, cx.caller, id, kind, self.limit.0);
        Ok(Data::of(Fared::of(cx, self.memory_id.name(history)?)))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const USED: &str = r#"
        > memory_store {"content": "tabs"}
        < {"data": {"id": "$id", "...": 0}, "...": 0}
        > memory_apply {"memory_id": "$id", "context": "main.rs", "session_id": "s"}
        < {"...": 0}
        > memory_outcome {"memory_id": "$id", "success": true}
        < {"...": 0}
        > memory_outcome {"memory_id": "$id", "success": false, "error_msg": "broke"}
        < {"...": 0}
        > memory_validate {"memory_id": "$id", "was_helpful": true, "context": "again"}
        < {"...": 0}
    "#;

    #[test]
    fn events_come_newest_first_with_a_summary() {
        check(&format!(
            r#"{USED}
            > validation_history {{"memory_id": "$id"}}
            < {{"success": true, "data": {{"events": [
                {{"id": 4, "event_type": "succeeded", "context": "again",
                  "timestamp": "2026-01-01T00:00:04.000000Z",
                  "created_at": "2026-01-01T00:00:04.000000Z"}},
                {{"id": 3, "event_type": "failed", "context": "broke", "...": 0}},
                {{"id": 2, "event_type": "succeeded", "...": 0}},
                {{"id": 1, "event_type": "applied", "context": "main.rs", "session_id": "s", "...": 0}}],
                "summary": {{"total_events": 4, "total_applications": 1, "applied": 1,
                    "success_count": 2, "succeeded": 2, "failure_count": 1, "failed": 1,
                    "success_rate": 0.6666666666666666}}}}}}
            > validation_history {{"memory_id": "$id", "limit": 1}}
            < {{"data": {{"events": [{{"id": 4, "...": 0}}], "summary": {{"total_events": 4, "...": 0}}}},
                "...": 0}}
            > validation_history {{"memory_id": "$id", "event_type": "applied"}}
            < {{"data": {{"events": [{{"id": 1, "...": 0}}], "summary": {{"total_events": 4, "...": 0}}}},
                "...": 0}}
            "#
        ));
    }

    #[test]
    fn without_outcomes_there_is_no_rate() {
        check(
            r#"
            > memory_store {"content": "tabs"}
            < {"data": {"id": "$id", "...": 0}, "...": 0}
            > validation_history {"memory_id": "$id"}
            < {"success": true, "data": {"events": [], "summary": {"total_events": 0,
                "total_applications": 0, "applied": 0, "success_count": 0, "succeeded": 0,
                "failure_count": 0, "failed": 0, "success_rate": null}}}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named_and_another_sees_nothing() {
        check(&format!(
            r#"
            @ caller user=ada
            {USED}
            > validation_history {{}}
            <! {{"success": false, "error": "memory_id is missing; it takes a text"}}
            > validation_history {{"memory_id": "nobody"}}
            <! {{"success": false, "error": "Memory not found: nobody"}}
            > validation_history {{"memory_id": "$id", "event_type": "tried"}}
            <! {{"success": false, "error": "event_type got \"tried\"; it takes one of applied, succeeded, failed"}}
            > validation_history {{"memory_id": "$id", "limit": 0}}
            <! {{"success": false, "error": "limit got 0; it takes a whole number from 1"}}
            @ caller user=bob role=guest
            > validation_history {{"memory_id": "$id"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > validation_history {{"memory_id": "$id"}}
            < {{"success": true, "...": 0}}
            "#
        ));
    }
}
