//! The verbs on memories: remember, recall, list, revise, forget, count.

mod access;
mod forget;
mod list;
mod quota;
mod recall;
mod remember;
mod revise;

pub use access::get;
pub use forget::{archive, forget};
pub use list::{complete_tags, consult, list, stats};
pub use recall::{Query, Recall, Recalled, recall};
pub use remember::{NewMemory, Remembered, remember, remember_once};
pub use revise::{Revised, revise};
pub use store::{MemoryStats, TagCount};

use model::{ContentHash, IndexedMemory, Memory};
use sha2::{Digest, Sha256};

/// How often a verb decides again when another process was faster.
const DECISIONS_MAX: usize = 32;

/// The hash of a text: SHA-256 after trimming.
fn hash(content: &str) -> ContentHash {
    ContentHash(Sha256::digest(content.trim().as_bytes()).into())
}

/// A memory with what its search needs.
fn indexed(memory: Memory) -> Box<IndexedMemory> {
    let terms = rank::terms::index_terms(&memory.content).join(" ");
    Box::new(IndexedMemory { hash: hash(&memory.content), terms, memory })
}

/// Another process was faster every time.
fn overtaken(id: impl std::fmt::Display) -> crate::Error {
    crate::Error::new(
        crate::ErrorKind::Conflict,
        format!("memory {id} was changed by others {DECISIONS_MAX} times meanwhile; try again"),
    )
}
