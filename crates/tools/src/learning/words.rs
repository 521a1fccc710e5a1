//! What the tools of this contract have in common on the wire: the envelope, names, and the exact
//! words of its errors. (Comments on wire types are not `///`: those would stand in the schemas.)

use std::borrow::Cow;

use engine::{Error, ErrorKind, Result};
use model::{Kind, MemoryId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::glance::glance;
pub(super) use crate::theo::{Data, query};

/// No more of a text than this is shown where a glance is enough.
const PREVIEW_CHARS_MAX: usize = 100;

// A memory's id as the caller wrote it, whatever that is.
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
    /// The id; what is none belongs to no memory.
    pub(super) fn id(&self) -> Result<MemoryId> {
        let text = &self.0;
        text.parse()
            .map_err(|_| Error::new(ErrorKind::NotFound, format!("Memory not found: {text}")))
    }

    /// `answer`; where the memory was not found, it is named as the caller wrote it.
    pub(super) fn name<T>(&self, answer: Result<T>) -> Result<T> {
        answer.map_err(|mut error| {
            let id = self.0.parse::<MemoryId>().ok();
            if id.is_some_and(|id| error.message == format!("Memory not found: {id}")) {
                error.message = format!("Memory not found: {}", self.0);
            }
            error
        })
    }
}

/// The kind of that name.
pub(super) fn kind(name: &str) -> Result<Kind> {
    Kind::named(name).ok_or_else(|| no_kind(name))
}

/// There is no such type, or not for this.
pub(super) fn no_kind(name: &str) -> Error {
    Error::new(ErrorKind::InvalidValue, format!("Invalid memory type: {name}"))
}

/// The kinds that a filter names: one, or none for any.
pub(super) fn kinds(name: Option<&str>) -> Result<Vec<Kind>> {
    name.map(kind).into_iter().collect()
}

/// The beginning of a text, in one line.
pub(super) fn preview(text: &str) -> String {
    glance(text, PREVIEW_CHARS_MAX)
}

/// A number with no more digits than anybody reads.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

// The filters of a request, as they were given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Filters {
    pub(super) namespace: Option<String>,
    pub(super) memory_type: Option<String>,
}

// What an edge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Relation {
    RelatesTo,
    Supersedes,
    CausedBy,
    Contradicts,
}

impl From<Relation> for model::Relation {
    fn from(relation: Relation) -> Self {
        Self::ALL[relation as usize]
    }
}

// Which edges of a memory are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    Outgoing,
    Incoming,
    #[default]
    Both,
}

impl From<Direction> for model::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Outgoing => Self::Outgoing,
            Direction::Incoming => Self::Incoming,
            Direction::Both => Self::Both,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_has_its_own_name_on_the_wire() {
        for relation in model::Relation::ALL {
            let wire: Relation = serde_json::from_value(relation.name().into()).unwrap();
            assert_eq!(model::Relation::from(wire), relation);
        }
    }

    #[test]
    fn a_preview_is_one_short_line() {
        assert_eq!(preview("a\n  b\t c"), "a b c");
        assert_eq!(preview(&"ä".repeat(100)).chars().count(), 100);
        let cut = preview(&"ä".repeat(101));
        assert!(cut.ends_with("ä…") && cut.chars().count() == 100);
    }
}
