//! `record_decision`.

use engine::Result;
use engine::record::{self, NewRecord, Recorded, Similar};
use model::Role;
use model::record::RECORD_CONFIDENCE_NEW;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Kind, Ns, Phase, Target, score};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Fraction, Text, Texts};

/// Record a decision, a proposal or a constraint with the reason for it.
///
/// # When to use
/// When something was decided that others must know. To replace a decision, use
/// `supersede_decision`.
///
/// # Usage
/// ```json
/// {"title": "Use PostgreSQL for production", "target": "database", "rationale": "ACID compliance and proven reliability.", "consequences": ["Set up connection pooling"], "confidence": 0.9, "phase": "emergent", "namespace": "backend"}
/// ```
///
/// # Returns
/// `fid` and `status` `created`: a Markdown file and one git commit. Or `status` `conflict` with the
/// `conflicts`, and nothing is written: an active record of the same kind with the same title, or about
/// the same target with a similarity of 0.7 or more. A proposal starts as a draft.
///
/// # Errors
/// BAD_REQUEST for a missing field; UNPROCESSABLE_ENTITY for a wrong one.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecordDecision {
    /// Type of memory item
    #[serde(default)]
    kind: Kind,
    /// Title of the decision
    title: Text<3, 300>,
    /// Target system or component
    target: Target,
    /// Reasoning behind the decision
    rationale: Text<10, 50_000>,
    /// Expected consequences or follow-up actions
    consequences: Option<Texts<0, 5_000, 100>>,
    /// Initial confidence score
    #[serde(default = "confidence")]
    confidence: Fraction,
    /// Decision lifecycle phase
    #[serde(default)]
    phase: Phase,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

pub(super) fn confidence() -> Fraction {
    Fraction(RECORD_CONFIDENCE_NEW)
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionRecorded {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    fid: Option<String>,
    #[schemars(extend("enum" = ["created", "conflict"]))]
    status: &'static str,
    message: String,
    conflicts: Vec<ConflictView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConflictView {
    fid: String,
    title: String,
    similarity: f64,
}

impl From<Similar> for ConflictView {
    fn from(similar: Similar) -> Self {
        Self {
            fid: similar.record.id.to_string(),
            title: similar.record.title,
            similarity: score(similar.similarity),
        }
    }
}

impl Tool for RecordDecision {
    const NAME: &'static str = "record_decision";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = DecisionRecorded;

    fn call(self, cx: &Context<'_>) -> Result<DecisionRecorded> {
        let new = NewRecord {
            namespace: self.namespace.0,
            kind: self.kind.into(),
            title: self.title.0,
            target: self.target.0,
            rationale: self.rationale.0,
            consequences: self.consequences.map_or_else(Vec::new, |list| list.0),
            confidence: self.confidence.0,
            phase: self.phase.into(),
        };
        Ok(match record::record(cx.engine, cx.caller, &new)? {
            Recorded::Created(created) => DecisionRecorded {
                fid: Some(created.id.to_string()),
                status: "created",
                message: "Decision recorded successfully".to_owned(),
                conflicts: Vec::new(),
            },
            Recorded::Conflict(similar) => DecisionRecorded {
                fid: None,
                status: "conflict",
                message: "Similar decision exists. Use supersede_decision to replace it."
                    .to_owned(),
                conflicts: similar.into_iter().map(Into::into).collect(),
            },
        })
    }
}
