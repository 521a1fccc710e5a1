//! Facts: things by their names, and how they hang together.
//!
//! With each of them goes a memory, by which every search finds it; it changes only with the fact.

mod build;
mod forget;
mod link;
mod look;
mod plan;
mod read;

use model::{Caller, Entity, IndexedMemory, Link, Provenance, Scope};
use serde_json::json;

pub use build::{Built, Method, Source, build, questions};
pub use forget::{Forgotten, forget, merge};
pub use link::{Ended, Linked, NewLink, Revision, end, link, link_all, revise};
pub use look::{Counts, Seen, count, look};
pub(crate) use plan::{Thing, plan};
pub use read::Question;
pub use store::LinksOf;

use crate::memory::{Follower, follower};
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

/// Where what is told of an entity comes from, now that this is told of it.
fn from_of(engine: &Engine, was: &Entity, now: &Entity) -> Result<Provenance> {
    let known = engine.store.load_memories(&[was.mirror])?.pop();
    let known = known.map_or(Provenance::UNKNOWN, |mirror| mirror.provenance);
    // A summary that stays is no better for what else is said of the thing.
    let stays = was.summary.is_some() && was.summary == now.summary;
    let actor = engine.actor();
    Ok(if stays { known.extended_by(actor) } else { known.reworded_by(actor) })
}

/// Where a link of these words came from when it was told before, the least trusted of all times.
fn link_from(engine: &Engine, scope: &Scope, link: &[String; 3]) -> Result<Option<Provenance>> {
    let mirrors = engine.store.link_mirrors(scope, link)?;
    let known = engine.store.load_memories(&mirrors)?.into_iter().map(|mirror| mirror.provenance);
    Ok(known.min_by_key(|from| from.level))
}

/// The memory by which an entity is found.
fn mirror_of(engine: &Engine, entity: &Entity, from: Provenance) -> Box<IndexedMemory> {
    let new = Follower {
        id: entity.mirror,
        scope: entity.scope.clone(),
        content: entity.told(),
        tags: Vec::new(),
        importance: IMPORTANCE,
        metadata: [("entity".to_owned(), json!(entity.name))].into_iter().collect(),
        is_past: false,
        at: entity.updated_at,
        provenance: from,
    };
    follower(engine, new)
}

/// The memory by which a link is found.
fn mirror_of_link(
    engine: &Engine,
    scope: &Scope,
    link: &Link,
    from: Provenance,
) -> Box<IndexedMemory> {
    let told = [("from", &link.from), ("relation", &link.relation), ("to", &link.to)];
    let new = Follower {
        id: engine.ids.memory_id(),
        scope: scope.clone(),
        content: link.told(),
        tags: Vec::new(),
        importance: IMPORTANCE,
        metadata: told.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect(),
        is_past: link.invalid_at.is_some(),
        at: link.created_at,
        provenance: from,
    };
    follower(engine, new)
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
