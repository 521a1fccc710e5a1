//! The verbs on memories: remember, recall, explain, list, revise, forget, count.

mod access;
mod conflict;
mod context;
mod explain;
mod follow;
mod forget;
mod health;
mod list;
mod queries;
mod quota;
mod recall;
mod remember;
mod revise;

pub(crate) use access::not_found;
pub use access::{beginning, get};
pub use conflict::{
    Conflict, ConflictRelation, Contradictions, Opponent, Superseded, conflicts, contradictions,
    supersedes,
};
pub use context::{Briefing, context};
pub use explain::{Explained, Explanation, Reasons, Scored, Verdict, WhyNot, WordOf, explain};
pub(crate) use follow::{Follower, follower};
pub use forget::{Forgotten, Unwanted, archive, destroy, forget, forget_all};
pub use health::{Checks, Dispute, Findings, Health, health};
pub use list::{browse, census, complete_tags, consult, count, list, stats};
pub use queries::queries;
pub(crate) use queries::{Notes, note};
pub use recall::{
    Evidence, NEAR_MIN, Narrow, Query, Recall, Recalled, Within, recall, recall_among,
};
pub(crate) use recall::{Question, Ranked, recall_by};
pub(crate) use remember::closed;
pub use remember::{NewMemory, Place, Remembered, Sameness, remember, remember_once};
pub use revise::{Revised, revise};
pub use store::{Census, MemoryStats, TagCount, Vital};

use crate::Engine;
use model::{ContentHash, IndexedMemory, Memory, MemoryId};
use rank::embed::{Embedding, StaticEmbedder};
use sha2::{Digest, Sha256};

/// How often a verb decides again when another process was faster.
pub(crate) const DECISIONS_MAX: usize = 32;

/// The hash of a text: SHA-256 after trimming.
pub fn hash(content: &str) -> ContentHash {
    ContentHash(Sha256::digest(content.trim().as_bytes()).into())
}

/// A memory with what its search needs. Vectors may take their time to come, so this stands before
/// every transaction.
fn indexed(engine: &Engine, memory: Memory) -> Box<IndexedMemory> {
    let vectors = engine.embedders.vectors(&memory.content);
    Box::new(IndexedMemory { hash: hash(&memory.content), vectors, memory })
}

/// Another process was faster every time.
pub(crate) fn overtaken(id: impl std::fmt::Display) -> crate::Error {
    crate::Error::new(
        crate::ErrorKind::Conflict,
        format!("memory {id} was changed by others {DECISIONS_MAX} times meanwhile; try again"),
    )
}

/// A golden rule is not to go by the way.
fn golden(id: MemoryId) -> crate::Error {
    crate::Error::new(
        crate::ErrorKind::Forbidden,
        format!(
            "memory {} is a golden rule and protected; memory_forget with force: true deletes it, \
             or delete_memory with permanent: true by an admin",
            id.prefixed()
        ),
    )
}

/// How much two texts mean the same, 0..1: the cosine of their built-in vectors.
fn similarity(one: Option<&Embedding>, other: Option<&Embedding>) -> f64 {
    let cosine = one.zip(other).map_or(0.0, |(one, other)| f64::from(one.cosine(other)));
    (cosine.clamp(0.0, 1.0) * 1e4).round() / 1e4
}

/// The built-in vector of a text.
fn embedded(text: &str) -> Option<Embedding> {
    StaticEmbedder::built_in().embed(text)
}
