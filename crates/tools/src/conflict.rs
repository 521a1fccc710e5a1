//! What a write tells of stored memories that it contradicts or repeats.

use engine::memory::{self, ConflictRelation};
use model::{Memory, MemoryId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::caution;
use crate::tool::Context;

/// No more characters of a stored memory are quoted.
const CONTENT_CHARS_MAX: usize = 1_000;

// A stored memory that the written one contradicts or repeats. (Not `///`: that would stand in the
// schemas.)
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Conflict {
    id: String,
    content: String,
    relation: Relation,
    reason: String,
    similarity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Relation {
    Contradicts,
    Duplicates,
    Supersedes,
}

impl From<ConflictRelation> for Relation {
    fn from(relation: ConflictRelation) -> Self {
        match relation {
            ConflictRelation::Contradicts => Self::Contradicts,
            ConflictRelation::Duplicates => Self::Duplicates,
            ConflictRelation::Supersedes => Self::Supersedes,
        }
    }
}

/// What the memory that was just written contradicts or repeats; `id` spells ids as the tool does.
pub(crate) fn of(cx: &Context<'_>, written: &Memory, id: fn(&MemoryId) -> String) -> Vec<Conflict> {
    let found = memory::conflicts(cx.engine, cx.caller, written).into_iter();
    let conflict = |found: memory::Conflict| Conflict {
        caution: caution::of(cx, &found.memory),
        id: id(&found.memory.id),
        content: cut(found.memory.content),
        relation: found.relation.into(),
        reason: found.reason,
        similarity: found.similarity,
    };
    found.map(conflict).collect()
}

/// The same of a note, if its text is new.
pub(crate) fn of_text(cx: &Context<'_>, written: &Memory, is_new_text: bool) -> Vec<Conflict> {
    if is_new_text { of(cx, written, MemoryId::to_string) } else { Vec::new() }
}

fn cut(mut content: String) -> String {
    if let Some((end, _)) = content.char_indices().nth(CONTENT_CHARS_MAX) {
        content.truncate(end);
        content.push('…');
    }
    content
}

#[cfg(test)]
mod tests;
