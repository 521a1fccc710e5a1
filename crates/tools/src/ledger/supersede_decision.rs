//! `supersede_decision`.

use engine::Result;
use engine::record::{self, NewRecord};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record_decision::confidence;
use super::words::{IdText, Ns, Target};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Fraction, Text, Texts};

/// Put a new decision in the place of one that holds.
///
/// # When to use
/// When a decision changes: the old one stays readable and says what took its place.
///
/// # Usage
/// ```json
/// {"fid": "000000000001", "title": "Use PostgreSQL 15 with UUID keys", "target": "database", "rationale": "UUID keys avoid conflicts between regions.", "namespace": "backend"}
/// ```
///
/// # Returns
/// `new_fid`, `old_fid` and `status` `superseded`. The kind, the phase and the links to evidence go
/// over to the new one; both files change in one commit.
///
/// # Errors
/// NOT_FOUND; CONFLICT if it is not active; FORBIDDEN if only people may change it; BAD_REQUEST or
/// UNPROCESSABLE_ENTITY for a missing or wrong field.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SupersedeDecision {
    /// Decision ID to supersede
    fid: IdText,
    /// New title
    title: Text<3, 300>,
    /// Target component
    target: Target,
    /// New rationale
    rationale: Text<10, 50_000>,
    /// New consequences
    consequences: Option<Texts<0, 5_000, 100>>,
    /// New confidence
    #[serde(default = "confidence")]
    confidence: Fraction,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionSuperseded {
    new_fid: String,
    old_fid: String,
    #[schemars(extend("enum" = ["superseded"]))]
    status: &'static str,
    message: &'static str,
}

impl Tool for SupersedeDecision {
    const NAME: &'static str = "supersede_decision";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = DecisionSuperseded;

    fn call(self, cx: &Context<'_>) -> Result<DecisionSuperseded> {
        let old = self.fid.record(&self.namespace)?;
        let new = NewRecord {
            namespace: self.namespace.0,
            kind: model::RecordKind::Decision,
            title: self.title.0,
            target: self.target.0,
            rationale: self.rationale.0,
            consequences: self.consequences.map_or_else(Vec::new, |list| list.0),
            confidence: self.confidence.0,
            phase: model::Phase::Pattern,
        };
        let done = record::supersede(cx.engine, cx.caller, old, &new)?;
        Ok(DecisionSuperseded {
            new_fid: done.new.id.to_string(),
            old_fid: done.old.id.to_string(),
            status: "superseded",
            message: "Decision superseded successfully",
        })
    }
}
