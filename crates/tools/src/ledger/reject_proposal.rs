//! `reject_proposal`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};

/// Turn a proposal down.
///
/// # When to use
/// When a proposal was declined, so that it is known later.
///
/// # Usage
/// ```json
/// {"fid": "000000000001", "namespace": "backend"}
/// ```
///
/// # Returns
/// `status` `rejected`; the file stays, with `rejected_` before its name.
///
/// # Errors
/// NOT_FOUND; CONFLICT if it is no draft proposal; FORBIDDEN if only people may change it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RejectProposal {
    /// Proposal ID to reject
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProposalRejected {
    fid: String,
    #[schemars(extend("enum" = ["rejected"]))]
    status: &'static str,
    message: &'static str,
}

impl Tool for RejectProposal {
    const NAME: &'static str = "reject_proposal";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = ProposalRejected;

    fn call(self, cx: &Context<'_>) -> Result<ProposalRejected> {
        let id = self.fid.record(&self.namespace)?;
        let record = record::reject(cx.engine, cx.caller, &self.namespace.0, id)?;
        Ok(ProposalRejected {
            fid: record.id.to_string(),
            status: "rejected",
            message: "Proposal rejected",
        })
    }
}
