//! `get_recent_events`.

use engine::{Result, record};
use model::{Episode, Metadata, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::words::{EventKind, Ns};
use crate::caution;
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::{DateTime, Int};

/// List what happened of late, newest first.
///
/// # When to use
/// To see recent activity, or to find an event to link as evidence.
///
/// # Usage
/// ```json
/// {"limit": 10, "namespace": "backend"}
/// ```
///
/// # Returns
/// `events` with the ids of the decisions they are linked with, and `total` of all that match. Events
/// are never changed.
///
/// # Errors
/// UNPROCESSABLE_ENTITY for an unknown kind.
///
/// # Related
/// `record::recent`: `link_evidence` links one with a decision.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetRecentEvents {
    /// Maximum events to return
    #[serde(default)]
    limit: Int<1, 100, 20>,
    /// Filter by event kind
    kind: Option<EventKind>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecentEvents {
    events: Vec<EventView>,
    total: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EventView {
    id: String,
    kind: &'static str,
    description: String,
    timestamp: DateTime,
    namespace: String,
    metadata: Metadata,
    linked_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl EventView {
    fn of(cx: &Context<'_>, episode: Episode) -> Self {
        let caution = caution::of_text(cx, &episode.description)
            .or_else(|| caution::of_text(cx, &json!(episode.metadata).to_string()));
        Self {
            id: episode.id.to_string(),
            kind: episode.kind.name(),
            description: episode.description,
            timestamp: episode.at.into(),
            namespace: episode.namespace.as_str().to_owned(),
            metadata: episode.metadata,
            linked_ids: episode.linked.iter().map(ToString::to_string).collect(),
            caution,
        }
    }
}

impl Tool for GetRecentEvents {
    const NAME: &'static str = "get_recent_events";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = RecentEvents;

    fn call(self, cx: &Context<'_>) -> Result<RecentEvents> {
        let kind = self.kind.map(Into::into);
        let namespace = self.namespace.read(cx.caller);
        let (events, total) = record::recent(cx.engine, &namespace, kind, self.limit.0)?;
        let events = events.into_iter().map(|event| EventView::of(cx, event)).collect();
        Ok(RecentEvents { events, total })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, happened, recorded, refused};
    use crate::testing::check;

    #[test]
    fn the_newest_comes_first_and_filters_apply() {
        let steps = [
            happened("$seen"),
            recorded("$pg", POSTGRES),
            recorded("$other", &POSTGRES.replacen('{', r#"{"namespace": "other", "#, 1)),
        ]
        .concat();
        check(&format!(
            r#"
            > get_recent_events {{}}
            < {{"events": [], "total": 0}}
            {steps}
            > link_evidence {{"event_id": "$seen", "decision_ids": ["$pg"]}}
            < {{"...": 0}}
            > get_recent_events {{}}
            < {{"events": [
                {{"id": "$link", "kind": "evidence_link", "linked_ids": ["$pg"], "timestamp": "2026-$*Z",
                  "namespace": "default", "metadata": {{}}, "description": "Linked $* as evidence: Use PostgreSQL for production"}},
                {{"kind": "decision_change", "linked_ids": ["$pg"], "...": 0}},
                {{"id": "$seen", "kind": "agent_action", "linked_ids": ["$pg"], "...": 0}}], "total": 3}}
            # The link is told on both sides.
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"evidence": ["$seen"], "...": 0}}], "total": 1}}
            > get_recent_events {{"limit": 1}}
            < {{"events": [{{"id": "$link", "...": 0}}], "total": 3}}
            > get_recent_events {{"kind": "decision_change"}}
            < {{"events": [{{"kind": "decision_change", "namespace": "default", "...": 0}}], "total": 1}}
            > get_recent_events {{"kind": "procedural_generated"}}
            < {{"events": [], "total": 0}}
            > get_recent_events {{"namespace": "other"}}
            < {{"events": [{{"kind": "decision_change", "namespace": "other", "linked_ids": ["$other"], "...": 0}}], "total": 1}}
            > get_recent_events {{"kind": null, "namespace": null, "limit": null, "since": "yesterday"}}
            < {{"total": 3, "...": 0}}
            "#
        ));
    }

    #[test]
    fn by_default_there_are_twenty() {
        let mut steps: Vec<String> = (0..21).map(|at| happened(&format!("$e{at}"))).collect();
        let newest: Vec<String> =
            (1..21).rev().map(|at| format!("{{\"id\": \"$e{at}\", \"...\": 0}}")).collect();
        steps.push(format!(
            "> get_recent_events {{}}\n< {{\"events\": [{}], \"total\": 21}}\n",
            newest.join(", ")
        ));
        steps.push("> get_recent_events {\"limit\": 100, \"kind\": \"agent_action\"}\n< {\"total\": 21, \"...\": 0}".to_owned());
        check(&steps.concat());
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for arguments in [
            r#"{"kind": "party"}"#,
            r#"{"kind": "ToolCall"}"#,
            r#"{"limit": 0}"#,
            r#"{"limit": 101}"#,
            r#"{"limit": "ten"}"#,
            r#"{"namespace": "a/b"}"#,
        ] {
            check(&refused("get_recent_events", arguments, 422));
        }
    }
}
