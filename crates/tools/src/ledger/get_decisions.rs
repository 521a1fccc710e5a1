//! `get_decisions`.

use engine::Result;
use engine::record::{self, RecordFilter};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{DecisionView, IdText, Kind, Ns, Status, target};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Get decisions by id, status, kind or target.
///
/// # When to use
/// To read one whole, or to list them. To search by relevance, use `search_decisions`.
///
/// # Usage
/// ```json
/// {"status": "active", "target": "database", "namespace": "backend", "limit": 10}
/// ```
///
/// # Returns
/// `decisions`, newest first, whatever their status, and `total` of all that match. Filters are ANDed.
///
/// # Errors
/// NOT_FOUND for an unknown `fid`; UNPROCESSABLE_ENTITY for a wrong filter.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetDecisions {
    /// Specific decision ID
    fid: Option<IdText>,
    /// Filter by status
    status: Option<Status>,
    /// Filter by kind
    kind: Option<Kind>,
    /// Filter by target
    target: Option<String>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
    /// Maximum results
    #[serde(default)]
    limit: Int<1, 100, 20>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Decisions {
    decisions: Vec<DecisionView>,
    total: u64,
}

impl Tool for GetDecisions {
    const NAME: &'static str = "get_decisions";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Decisions;

    fn call(self, cx: &Context<'_>) -> Result<Decisions> {
        let id = self.fid.map(|fid| fid.record(&self.namespace)).transpose()?;
        let filter = RecordFilter {
            namespace: self.namespace.0,
            kind: self.kind.map(Into::into),
            status: self.status.map(Into::into),
            target: target(self.target)?,
        };
        let (found, total) = record::get(cx.engine, id, &filter, self.limit.0)?;
        let decisions = found.into_iter().map(|one| DecisionView::of(cx.engine, one)).collect();
        Ok(Decisions { decisions, total })
    }
}
