//! Facts: things by their names, and how they hang together.
//!
//! With each of them goes a memory, by which every search finds it; it changes only with the fact.

mod build;
mod forget;
mod link;
mod look;

use model::Timestamp;
use model::confidence::CONFIDENCE_NEW;
use model::{Caller, Entity, IndexedMemory, Kind, Link, Memory, MemoryId, Metadata, Origin, Scope};
use serde_json::json;

pub use build::{Built, build};
pub use forget::{Forgotten, forget, merge};
pub use link::{Ended, Linked, NewLink, Revision, end, link, revise};
pub use look::{Seen, look};
pub use store::LinksOf;

use crate::memory::indexed;
use crate::{Engine, Error, ErrorKind, Result};

/// How much what follows a fact matters.
const IMPORTANCE: f64 = 0.5;

/// Where the caller's facts lie.
fn scope(caller: &Caller) -> Result<Scope> {
    caller.identity.facts_scope().ok_or_else(|| {
        let message = "the graph is closed to this caller: its identity names no user id";
        Error::new(ErrorKind::Forbidden, message)
    })
}

/// The memory by which an entity is found.
fn mirror_of(engine: &Engine, entity: &Entity) -> Box<IndexedMemory> {
    let metadata = [("entity".to_owned(), json!(entity.name))].into_iter().collect();
    let (scope, at) = (entity.scope.clone(), entity.updated_at);
    mirror(engine, entity.mirror, scope, entity.told(), metadata, at)
}

/// The memory by which a link is found; archived if it has ended.
fn mirror_of_link(engine: &Engine, scope: &Scope, link: &Link, id: MemoryId) -> Box<IndexedMemory> {
    let told = [("from", &link.from), ("relation", &link.relation), ("to", &link.to)];
    let metadata = told.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
    let mut made = mirror(engine, id, scope.clone(), link.told(), metadata, link.created_at);
    made.memory.archived = link.invalid_at.is_some();
    made
}

fn mirror(
    engine: &Engine,
    id: MemoryId,
    scope: Scope,
    content: String,
    metadata: Metadata,
    at: Timestamp,
) -> Box<IndexedMemory> {
    let memory = Memory {
        id,
        scope,
        origin: Origin::Layers,
        kind: Kind::Fact,
        content,
        category: None,
        tags: Vec::new(),
        importance: IMPORTANCE,
        confidence: CONFIDENCE_NEW,
        metadata,
        archived: false,
        access_count: 0,
        created_at: at,
        updated_at: at,
        accessed_at: at,
        revision: 1,
        thread: None,
    };
    indexed(engine, memory)
}

/// There is no such entity.
fn not_found(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("Memory object not found: {name}"))
}

/// Others changed what was decided on every time.
fn overtaken() -> Error {
    Error::new(ErrorKind::Conflict, "the graph was changed by others meanwhile; try again")
}

/// A name without white space at its ends; the error says what it should be.
fn named(field: &str, text: &str, max: usize) -> Result<String> {
    let name = text.trim();
    let length = name.chars().count();
    if length == 0 || length > max || name.contains(char::is_control) {
        let message = format!("{field} got {text:?}; it takes one line of 1 to {max} characters");
        return Err(Error::new(ErrorKind::InvalidValue, message));
    }
    Ok(name.to_owned())
}
