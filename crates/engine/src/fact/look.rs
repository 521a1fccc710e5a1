//! Looking at an entity.

use model::{Caller, Entity, Timestamp};
use store::{Held, LinksOf};

use super::{not_found, scope};
use crate::{Engine, Result};

/// So many links are told each way.
const LINKS_MAX: u64 = 1_000;

/// An entity with what it has to do with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The entity.
    pub entity: Entity,
    /// The links that hold at the time that was asked for.
    pub links: LinksOf,
}

/// The entity of this name, with the links that hold now, or held at another time.
pub fn look(engine: &Engine, caller: &Caller, name: &str, at: Option<Timestamp>) -> Result<Seen> {
    let scope = scope(caller)?;
    let name = name.trim();
    let held = Held::At(at.unwrap_or_else(|| engine.clock.now()));
    let found = engine.store.entity_with_links(&scope, name, held, LINKS_MAX)?;
    let (entity, links) = found.ok_or_else(|| not_found(name))?;
    Ok(Seen { entity, links })
}

/// How much the caller's graph holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// How many entities.
    pub entities: u64,
    /// How many links that have not ended.
    pub links: u64,
}

/// Counts the caller's facts.
pub fn count(engine: &Engine, caller: &Caller) -> Result<Counts> {
    let (entities, links) = engine.store.count_facts(&scope(caller)?)?;
    Ok(Counts { entities, links })
}
