//! `update_decision`.

use engine::record::{self, Patch};
use engine::{Error, ErrorKind, Result};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns, Phase, Status};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Fraction;

/// Set a decision's confidence, status or phase.
///
/// # When to use
/// When what a decision says stays, but how sure or settled it is changes. To change what it says, use
/// `supersede_decision`.
///
/// # Usage
/// ```json
/// {"fid": "000000000001", "confidence": 0.95, "namespace": "backend"}
/// ```
///
/// # Returns
/// `updated_fields`: those that were given. The rest stays; one git commit.
///
/// # Errors
/// BAD_REQUEST if nothing is to be set; NOT_FOUND; FORBIDDEN if only people may change it;
/// UNPROCESSABLE_ENTITY for a wrong value.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdateDecision {
    /// Decision ID to update
    fid: IdText,
    /// New confidence score
    confidence: Option<Fraction>,
    /// New status
    status: Option<Status>,
    /// New phase
    phase: Option<Phase>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionUpdated {
    fid: String,
    updated_fields: Vec<&'static str>,
    message: &'static str,
}

impl Tool for UpdateDecision {
    const NAME: &'static str = "update_decision";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = DecisionUpdated;

    fn call(self, cx: &Context<'_>) -> Result<DecisionUpdated> {
        let given = [
            ("confidence", self.confidence.is_some()),
            ("status", self.status.is_some()),
            ("phase", self.phase.is_some()),
        ];
        let updated_fields: Vec<_> =
            given.into_iter().filter(|field| field.1).map(|field| field.0).collect();
        if updated_fields.is_empty() {
            let why = "nothing to update; give at least one of confidence, status and phase";
            return Err(Error::new(ErrorKind::MissingField, why));
        }
        let id = self.fid.record(&self.namespace)?;
        let patch = Patch {
            confidence: self.confidence.map(|confidence| confidence.0),
            status: self.status.map(Into::into),
            phase: self.phase.map(Into::into),
        };
        let record = record::update(cx.engine, cx.caller, &self.namespace.0, id, patch)?;
        Ok(DecisionUpdated {
            fid: record.id.to_string(),
            updated_fields,
            message: "Decision updated successfully",
        })
    }
}
