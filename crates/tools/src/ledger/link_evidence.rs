//! `link_evidence`.

use engine::{Error, ErrorKind, Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};
use crate::wire::List;

/// Link an event to decisions as evidence.
///
/// # When to use
/// When something that happened speaks for a decision.
///
/// # Usage
/// ```json
/// {"event_id": "evt_8000000000000001", "decision_ids": ["000000000001"], "namespace": "backend"}
/// ```
///
/// # Returns
/// `linked_decisions` and `total_links`. Each link multiplies the confidence of its decision by 1.2, up
/// to 1. All of them are linked, or none.
///
/// # Errors
/// NOT_FOUND for an unknown event or decision; CONFLICT for a link that is there; BAD_REQUEST for
/// missing ids.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LinkEvidence {
    /// Event ID to link
    event_id: IdText,
    /// Decision IDs to link to
    decision_ids: List<IdText, 1, 10>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EvidenceLinked {
    event_id: String,
    linked_decisions: Vec<String>,
    total_links: usize,
}

impl Tool for LinkEvidence {
    const NAME: &'static str = "link_evidence";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = EvidenceLinked;

    fn call(self, cx: &Context<'_>) -> Result<EvidenceLinked> {
        if self.decision_ids.0.is_empty() {
            let why = "decision_ids is empty; it takes a list of 1 to 10 ids";
            return Err(Error::new(ErrorKind::MissingField, why));
        }
        let event = self.event_id.event(&self.namespace)?;
        let ids: Result<Vec<_>> =
            self.decision_ids.0.iter().map(|id| id.record(&self.namespace)).collect();
        let linked = record::link(cx.engine, cx.caller, &self.namespace.0, event, &ids?)?;
        Ok(EvidenceLinked {
            event_id: event.to_string(),
            total_links: linked.records.len(),
            linked_decisions: linked.records.iter().map(ToString::to_string).collect(),
        })
    }
}
