//! The verbs on memories: remember, recall, explain, list, revise, forget, count.

mod access;
mod explain;
mod forget;
mod list;
mod queries;
mod quota;
mod recall;
mod remember;
mod revise;

pub use access::get;
pub use explain::{Explained, Explanation, Reasons, Scored, Verdict, WhyNot, WordOf, explain};
pub use forget::{archive, forget};
pub use list::{census, complete_tags, consult, list, stats};
pub use queries::queries;
pub(crate) use queries::{Notes, note};
pub use recall::{Evidence, Query, Recall, Recalled, Within, recall};
pub(crate) use recall::{Fate, Places, recall_by};
pub use remember::{NewMemory, Place, Remembered, remember, remember_once};
pub use revise::{Revised, revise};
pub use store::{Census, MemoryStats, TagCount};

use crate::Engine;
use model::{ContentHash, IndexedMemory, Memory};
use sha2::{Digest, Sha256};

/// How often a verb decides again when another process was faster.
const DECISIONS_MAX: usize = 32;

/// The hash of a text: SHA-256 after trimming.
pub(crate) fn hash(content: &str) -> ContentHash {
    ContentHash(Sha256::digest(content.trim().as_bytes()).into())
}

/// A memory with what its search needs. Vectors may take their time to come, so this stands before
/// every transaction.
fn indexed(engine: &Engine, memory: Memory) -> Box<IndexedMemory> {
    let vectors = engine.embedders.vectors(&memory.content);
    Box::new(IndexedMemory { hash: hash(&memory.content), vectors, memory })
}

/// Another process was faster every time.
fn overtaken(id: impl std::fmt::Display) -> crate::Error {
    crate::Error::new(
        crate::ErrorKind::Conflict,
        format!("memory {id} was changed by others {DECISIONS_MAX} times meanwhile; try again"),
    )
}
