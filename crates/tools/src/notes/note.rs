//! A memory as the notes contract shows it.

use model::{Importance, Kind, Memory, Metadata};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caution;
use crate::tool::Context;
use crate::wire::DateTime;

// The contract's three types of memory; each stands for some of our kinds. (Comments on these
// types are not `///`: those would stand in the schemas.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NoteType {
    Core,
    Learning,
    Task,
}

impl NoteType {
    /// The type a kind is shown as.
    pub(crate) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Preference | Kind::Decision | Kind::Fact | Kind::GoldenRule => Self::Core,
            Kind::Pattern => Self::Learning,
            Kind::Session => Self::Task,
        }
    }

    /// The kind a new memory of this type is.
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Core => Kind::Fact,
            Self::Learning => Kind::Pattern,
            Self::Task => Kind::Session,
        }
    }

    /// The kinds shown as this type.
    pub(crate) fn kinds(self) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| Self::of(*kind) == self).collect()
    }
}

// Importance in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    High,
    #[default]
    Medium,
    Low,
}

impl From<Level> for Importance {
    fn from(level: Level) -> Self {
        match level {
            Level::High => Self::High,
            Level::Medium => Self::Medium,
            Level::Low => Self::Low,
        }
    }
}

impl From<Importance> for Level {
    fn from(importance: Importance) -> Self {
        match importance {
            Importance::High => Self::High,
            Importance::Medium => Self::Medium,
            Importance::Low => Self::Low,
        }
    }
}

/// The number to keep for `level`: the one that is there if it lies on that step already, so that
/// a finer number set through another contract survives.
pub(crate) fn importance_for(level: Level, now: Option<f64>) -> f64 {
    let step = Importance::from(level);
    now.filter(|value| Importance::of(*value) == step).unwrap_or(step.value())
}

// A memory object.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Note {
    id: String,
    r#type: NoteType,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    tags: Vec<String>,
    importance: Level,
    archived: bool,
    created_at: DateTime,
    updated_at: DateTime,
    accessed_at: DateTime,
    access_count: u64,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    task_metadata: Metadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Note {
    /// A memory as this contract tells it.
    pub(crate) fn of(cx: &Context<'_>, memory: Memory) -> Self {
        let note_type = NoteType::of(memory.kind);
        let is_task = note_type == NoteType::Task;
        Self {
            caution: caution::of(cx, &memory),
            id: memory.id.to_string(),
            r#type: note_type,
            content: memory.content,
            category: memory.category,
            tags: memory.tags,
            importance: Importance::of(memory.importance).into(),
            archived: memory.archived,
            created_at: memory.created_at.into(),
            updated_at: memory.updated_at.into(),
            accessed_at: memory.accessed_at.into(),
            access_count: memory.access_count,
            task_metadata: if is_task { memory.metadata } else { Metadata::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_shown_as_the_type_that_makes_it() {
        for note_type in [NoteType::Core, NoteType::Learning, NoteType::Task] {
            assert_eq!(NoteType::of(note_type.kind()), note_type);
            assert!(note_type.kinds().contains(&note_type.kind()));
        }
        let shown: usize = [NoteType::Core, NoteType::Learning, NoteType::Task]
            .map(|t| t.kinds().len())
            .iter()
            .sum();
        assert_eq!(shown, Kind::ALL.len());
    }

    #[test]
    fn a_finer_number_on_the_same_step_survives() {
        assert_eq!(importance_for(Level::High, Some(0.93)), 0.93);
        assert_eq!(importance_for(Level::Low, Some(0.93)), 0.2);
        assert_eq!(importance_for(Level::Medium, None), 0.5);
    }
}
