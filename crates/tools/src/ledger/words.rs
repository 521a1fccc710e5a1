//! What the tools of this contract have in common on the wire. (Comments on wire types are not `///`:
//! those would stand in the schemas.)

use std::borrow::Cow;

use engine::record::{self, Hit, Reading, StoredRecord, Writing};
use engine::{Engine, Error, ErrorKind, Result};
use model::record::is_target;
use model::{Caller, EpisodeId, Namespace, RecordId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::caution;
use crate::glance::glance;
use crate::tool::Context;
use crate::wire::{DateTime, Fraction};

/// A query or a prompt has no more characters than this.
pub(super) const SAID_CHARS_MAX: usize = 100_000;

/// A glance at a record has no more characters than this.
const PREVIEW_CHARS_MAX: usize = 160;

// A part of the ledger, if one is named.
#[derive(Debug, Clone, Default)]
pub(super) struct Ns(Option<Namespace>);

impl Ns {
    /// It, to be read.
    pub(super) fn read(self, caller: &Caller) -> Reading {
        record::read_in(caller, self.0)
    }

    /// It, to be written to.
    pub(super) fn write(self, caller: &Caller) -> Result<Writing> {
        record::write_in(caller, self.0)
    }
}

impl<'de> Deserialize<'de> for Ns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(|name| Self(Some(name))).map_err(D::Error::custom)
    }
}

impl Serialize for Ns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.clone().unwrap_or_default().as_str())
    }
}

impl JsonSchema for Ns {
    fn schema_name() -> Cow<'static, str> {
        "Ns".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

// What somebody said. Nothing at all is a field that is missing, as the contract has it.
#[derive(Debug, Clone, Default)]
pub(super) struct Said(String);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            _ => {
                let why = format!("takes a text of 1 to {SAID_CHARS_MAX} characters");
                Err(D::Error::custom(why))
            }
        }
    }
}

impl JsonSchema for Said {
    fn schema_name() -> Cow<'static, str> {
        "Said".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 1})
    }
}

impl Said {
    /// What was said in this field.
    pub(super) fn text(self, field: &str) -> Result<String> {
        let chars = self.0.chars().count();
        if self.0.trim().is_empty() {
            let why =
                format!("{field} is empty; it takes a text of 1 to {SAID_CHARS_MAX} characters");
            return Err(Error::new(ErrorKind::MissingField, why));
        }
        if chars > SAID_CHARS_MAX {
            let why =
                format!("{field} got a text of {chars} characters; it takes 1 to {SAID_CHARS_MAX}");
            return Err(Error::new(ErrorKind::InvalidValue, why));
        }
        Ok(self.0)
    }
}

// A record's or an event's id as the caller wrote it, whatever that is.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct IdText(String);

impl JsonSchema for IdText {
    fn schema_name() -> Cow<'static, str> {
        "IdText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl IdText {
    /// The record's id, in any of its spellings; what is none belongs to no record.
    pub(super) fn record(&self, namespace: &Namespace) -> Result<RecordId> {
        RecordId::from_spelling(&self.0).map_err(|_| self.unknown("record", namespace))
    }

    /// The event's id; what is none belongs to no event.
    pub(super) fn event(&self, namespace: &Namespace) -> Result<EpisodeId> {
        self.0.parse().map_err(|_| self.unknown("event", namespace))
    }

    fn unknown(&self, noun: &str, namespace: &Namespace) -> Error {
        let (id, namespace) = (&self.0, namespace.as_str());
        Error::new(ErrorKind::NotFound, format!("no {noun} {id} in namespace {namespace}"))
    }
}

// What a record is about.
#[derive(Debug, Clone)]
pub(super) struct Target(pub(super) String);

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if is_target(&text) { Ok(Self(text)) } else { Err(D::Error::custom("target")) }
    }
}

impl JsonSchema for Target {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 1, "pattern": "^[a-z0-9_]+$"})
    }
}

/// A target to filter by.
pub(super) fn target(text: Option<String>) -> Result<Option<String>> {
    match text {
        Some(text) if !is_target(&text) => Err(Error::new(
            ErrorKind::InvalidValue,
            format!("target got {text:?}; it takes a text like ^[a-z0-9_]+$"),
        )),
        target => Ok(target),
    }
}

macro_rules! wire_enum {
    ($name:ident => $model:ty { $($(#[$meta:meta])* $variant:ident),+ }) => {
        // See the type of the same name in `model`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
        #[derive(Default)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum $name { $($(#[$meta])* $variant),+ }

        impl From<$name> for $model {
            fn from(wire: $name) -> Self {
                match wire { $($name::$variant => Self::$variant),+ }
            }
        }
    };
}

wire_enum!(Kind => model::RecordKind { #[default] Decision, Proposal, Constraint });
wire_enum!(Phase => model::Phase { #[default] Pattern, Emergent, Canonical });
wire_enum!(Status => model::Status { #[default] Active, Superseded, Deprecated, Rejected, Draft });
wire_enum!(Mode => record::Mode { Strict, #[default] Balanced, Fuzzy });
wire_enum!(EventKind => model::EpisodeKind {
    #[default] ToolCall, AgentAction, Observation, Error, UserAction, SystemEvent, DecisionChange,
    ProposalChange, ConstraintChange, GoalState, ConfidenceUpdate, EvidenceLink, SystemMessage,
    ProceduralGenerated
});

// A record, whole.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionView {
    fid: String,
    title: String,
    target: String,
    kind: &'static str,
    status: &'static str,
    phase: &'static str,
    confidence: f64,
    rationale: String,
    consequences: Vec<String>,
    evidence: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    supersedes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    superseded_by: Option<String>,
    namespace: String,
    path: String,
    created_at: DateTime,
    updated_at: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl DecisionView {
    pub(super) fn of(cx: &Context<'_>, stored: StoredRecord) -> Self {
        let (path, caution) = (path(cx.engine, &stored), caution::of_record(cx, &stored));
        let record = stored.record;
        let evidence = record.evidence.iter().map(|one| match one {
            model::Evidence::Episode { id, .. } => id.to_string(),
            model::Evidence::Note(note) => note.clone(),
        });
        Self {
            fid: record.id.to_string(),
            evidence: evidence.collect(),
            title: record.title,
            target: record.target,
            kind: record.kind.name(),
            status: record.status.name(),
            phase: record.phase.name(),
            confidence: record.confidence,
            rationale: record.rationale,
            consequences: record.consequences,
            supersedes: record.supersedes.map(|id| id.to_string()),
            superseded_by: record.superseded_by.map(|id| id.to_string()),
            namespace: record.namespace.as_str().to_owned(),
            path,
            created_at: record.created_at.into(),
            updated_at: record.updated_at.into(),
            caution,
        }
    }
}

// A record as context for a prompt.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MemoryView {
    id: String,
    title: String,
    target: String,
    #[schemars(with = "Fraction")]
    score: f64,
    #[schemars(with = "Status")]
    status: &'static str,
    #[schemars(with = "Kind")]
    kind: &'static str,
    path: String,
    content: String,
    rationale: String,
    instruction: String,
    procedural_guide: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl MemoryView {
    pub(super) fn of(cx: &Context<'_>, hit: &Hit) -> Self {
        let (record, path) = (&hit.stored.record, path(cx.engine, &hit.stored));
        let steps = record::steps(record);
        Self {
            id: record.id.to_string(),
            title: record.title.clone(),
            target: record.target.clone(),
            score: score(hit.relevance),
            status: record.status.name(),
            kind: record.kind.name(),
            content: preview(&record.told()),
            rationale: record.rationale.clone(),
            instruction: format!(
                "Read {path} for the whole record, and call get_decision_history with fid {} for \
                 how it came to be.",
                record.id
            ),
            procedural_guide: steps.map(|(number, step)| format!("{number}. {step}")).collect(),
            caution: caution::of_record(cx, &hit.stored),
            path,
        }
    }
}

/// Where a record's file lies.
fn path(engine: &Engine, stored: &StoredRecord) -> String {
    record::path_of(engine, stored).to_string_lossy().into_owned()
}

/// A relevance with no more digits than anybody reads.
pub(super) fn score(relevance: f64) -> f64 {
    (relevance * 1e4).round() / 1e4
}

/// The beginning of a text, in one line.
pub(super) fn preview(text: &str) -> String {
    glance(text, PREVIEW_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_the_model() {
        for kind in model::EpisodeKind::ALL {
            let wire: EventKind = serde_json::from_value(kind.name().into()).unwrap();
            assert_eq!(model::EpisodeKind::from(wire), *kind);
        }
        for status in model::Status::ALL {
            let wire: Status = serde_json::from_value(status.name().into()).unwrap();
            assert_eq!(model::Status::from(wire), *status);
        }
    }
}
