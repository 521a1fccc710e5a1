//! `forget`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};

/// Delete a decision, a proposal or a constraint.
///
/// # When to use
/// For what should never have been recorded. What does not hold any more is better superseded, or set
/// to deprecated.
///
/// # Usage
/// ```json
/// {"fid": "000000000001", "namespace": "backend"}
/// ```
///
/// # Returns
/// `status` `forgotten`: the file, its row and its vectors are gone, in one commit. The history of git
/// still has it.
///
/// # Errors
/// NOT_FOUND; FORBIDDEN if only people may change it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Forget {
    /// Decision ID to forget
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Forgotten {
    fid: String,
    #[schemars(extend("enum" = ["forgotten"]))]
    status: &'static str,
    message: &'static str,
}

impl Tool for Forget {
    const NAME: &'static str = "forget";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::Admin;
    type Response = Forgotten;

    fn call(self, cx: &Context<'_>) -> Result<Forgotten> {
        let id = self.fid.record(&self.namespace)?;
        let record = record::forget(cx.engine, cx.caller, &self.namespace.0, id)?;
        Ok(Forgotten {
            fid: record.id.to_string(),
            status: "forgotten",
            message: "Decision forgotten successfully",
        })
    }
}
