//! `get_decision_history`.

use engine::{Result, record};
use model::{Role, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{DecisionView, IdText, Ns, preview};
use crate::tool::{Context, Effect, Pace, Tool};

/// Get how a decision came to be: every version that was superseded on the way.
///
/// # When to use
/// To understand why something is as it is, or what was tried before.
///
/// # Usage
/// ```json
/// {"fid": "000000000001", "namespace": "backend"}
/// ```
///
/// # Returns
/// `current`, the newest of the chain, whichever of its links was asked for, and `history`, the ones
/// before it, oldest first: when and by which one each was superseded, and the `reason` of that.
///
/// # Errors
/// NOT_FOUND for an unknown `fid`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetDecisionHistory {
    /// Decision ID
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionHistory {
    current: DecisionView,
    history: Vec<PastView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PastView {
    fid: String,
    title: String,
    target: String,
    rationale: String,
    status: &'static str,
    superseded_at: String,
    superseded_by: String,
    reason: String,
}

impl Tool for GetDecisionHistory {
    const NAME: &'static str = "get_decision_history";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = DecisionHistory;

    fn call(self, cx: &Context<'_>) -> Result<DecisionHistory> {
        let id = self.fid.record(&self.namespace)?;
        let found = record::history(cx.engine, &self.namespace.0, id)?;
        let next = found.past.iter().skip(1).chain([&found.current]);
        let history = found.past.iter().zip(next).map(|(past, next)| {
            let (past, next) = (&past.record, &next.record);
            PastView {
                fid: past.id.to_string(),
                title: past.title.clone(),
                target: past.target.clone(),
                rationale: past.rationale.clone(),
                status: past.status.name(),
                superseded_at: time::rfc3339(past.superseded_at.unwrap_or(next.created_at)),
                superseded_by: next.id.to_string(),
                reason: preview(&next.rationale),
            }
        });
        let history = history.collect();
        Ok(DecisionHistory { current: DecisionView::of(cx.engine, found.current), history })
    }
}
