//! `accept_proposal`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};

/// Make a proposal a decision that holds.
///
/// # When to use
/// When a proposal was agreed on.
///
/// # Usage
/// ```json
/// {"fid": "000000000001", "namespace": "backend"}
/// ```
///
/// # Returns
/// `status` `accepted` and the new `phase`: the record is an active decision now, one phase further.
///
/// # Errors
/// NOT_FOUND; CONFLICT if it is no draft proposal; FORBIDDEN if only people may change it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AcceptProposal {
    /// Proposal ID to accept
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProposalAccepted {
    fid: String,
    #[schemars(extend("enum" = ["accepted"]))]
    status: &'static str,
    #[schemars(extend("enum" = ["emergent", "canonical"]))]
    phase: &'static str,
    message: &'static str,
}

impl Tool for AcceptProposal {
    const NAME: &'static str = "accept_proposal";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = ProposalAccepted;

    fn call(self, cx: &Context<'_>) -> Result<ProposalAccepted> {
        let id = self.fid.record(&self.namespace)?;
        let record = record::accept(cx.engine, cx.caller, &self.namespace.0, id)?;
        Ok(ProposalAccepted {
            fid: record.id.to_string(),
            status: "accepted",
            phase: record.phase.name(),
            message: "Proposal accepted and promoted to decision",
        })
    }
}
