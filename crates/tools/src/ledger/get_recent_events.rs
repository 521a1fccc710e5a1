//! `get_recent_events`.

use engine::{Result, record};
use model::{Episode, Metadata, Role, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{EventKind, Ns};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

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
    timestamp: String,
    namespace: String,
    metadata: Metadata,
    linked_ids: Vec<String>,
}

impl From<Episode> for EventView {
    fn from(episode: Episode) -> Self {
        Self {
            id: episode.id.to_string(),
            kind: episode.kind.name(),
            description: episode.description,
            timestamp: time::rfc3339(episode.at),
            namespace: episode.namespace.as_str().to_owned(),
            metadata: episode.metadata,
            linked_ids: episode.linked.iter().map(ToString::to_string).collect(),
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
        let (events, total) = record::recent(cx.engine, &self.namespace.0, kind, self.limit.0)?;
        Ok(RecentEvents { events: events.into_iter().map(Into::into).collect(), total })
    }
}
