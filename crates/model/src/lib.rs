//! The nouns of Lorekeep and the rules that belong to them.
//!
//! The central type is [`Memory`]; the central idea is [`Change`]: a write is a value that a verb
//! decides on and the store applies, whole or not at all.
//!
//! Not here: I/O, the clock, randomness, anything that goes over a wire. Everything in this crate
//! is a pure function of its arguments.

pub mod audit;
pub mod candidate;
pub mod change;
pub mod confidence;
pub mod constraint;
pub mod document;
pub mod edge;
pub mod episode;
pub mod event;
pub mod fact;
pub mod hex;
pub mod id;
pub mod knowledge;
pub mod memory;
pub mod page;
pub mod provenance;
pub mod record;
pub mod role;
pub mod scope;
pub mod time;

pub use candidate::{Candidate, CandidateState, NewCandidate};
pub use change::{
    Change, Guard, IndexedMemory, IndexedRecord, NotedQuery, Op, Outcome, Quota, StoredVector,
    SyncedItem,
};
pub use constraint::{Constraint, Dependency, Flawed, Operator, Severity, Target, Waiver};
pub use document::{Chunk, Document, IndexedChunk, IndexedDocument, StoredChunk};
pub use edge::{Direction, Edge, NewEdge, Relation};
pub use episode::{Episode, EpisodeId, EpisodeKind};
pub use event::{Event, EventCounts, EventKind, NewEvent};
pub use fact::{Entity, IndexedEntity, IndexedLink, Link};
pub use hex::{hex, of_hex};
pub use id::{ChunkId, ContentHash, MemoryId, Noun, Subject};
pub use knowledge::{Item, ItemKind, ItemStatus};
pub use memory::{Importance, Kind, Memory, MemoryPatch, Metadata, Origin};
pub use page::{MemoryFilter, Order, Page, Paging, SortKey, TextPart};
pub use provenance::{Actor, Provenance, TrustLevel, Verdict};
pub use record::{
    Draft, DraftFile, Evidence, Namespace, Phase, Record, RecordId, RecordKind, Rest, Status, Trust,
};
pub use role::{Caller, Ledgers, Role};
pub use scope::{Identity, Layer, Scope};
pub use time::Timestamp;
