//! Memories that follow something else: an item of knowledge, or a fact. They change with it alone.

use model::confidence::CONFIDENCE_NEW;
use model::{
    IndexedMemory, Kind, Memory, MemoryId, Metadata, Origin, Provenance, Scope, Timestamp,
};

use super::indexed;
use crate::Engine;

/// What a memory is to be like that follows something.
pub(crate) struct Follower {
    pub(crate) id: MemoryId,
    pub(crate) scope: Scope,
    pub(crate) content: String,
    pub(crate) tags: Vec<String>,
    pub(crate) importance: f64,
    pub(crate) metadata: Metadata,
    /// Whether what it follows is of the past.
    pub(crate) is_past: bool,
    pub(crate) at: Timestamp,
    pub(crate) provenance: Provenance,
}

/// The memory, with what its search needs.
pub(crate) fn follower(engine: &Engine, new: Follower) -> Box<IndexedMemory> {
    let memory = Memory {
        id: new.id,
        scope: new.scope,
        origin: Origin::Layers,
        kind: Kind::Fact,
        content: new.content,
        category: None,
        tags: new.tags,
        importance: new.importance,
        confidence: CONFIDENCE_NEW,
        metadata: new.metadata,
        archived: new.is_past,
        access_count: 0,
        created_at: new.at,
        updated_at: new.at,
        accessed_at: new.at,
        provenance: new.provenance,
        revision: 1,
        thread: None,
    };
    indexed(engine, memory)
}
