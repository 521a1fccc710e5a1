//! Keeping something new.

use model::memory::{CONFIDENCE_NEW, distinct};
use model::{
    Caller, Change, Guard, Kind, Layer, Memory, MemoryId, Metadata, Op, Origin, Outcome, Quota,
};

use super::{DECISIONS_MAX, access, hash, indexed, overtaken};
use crate::{Engine, Error, ErrorKind, Result};

/// What is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// Which door it comes in by.
    pub origin: Origin,
    /// How far it reaches.
    pub layer: Layer,
    /// What it is about.
    pub kind: Kind,
    /// Its text.
    pub content: String,
    /// A category of the user's own.
    pub category: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// How much it matters, 0..1.
    pub importance: f64,
    /// Free data.
    pub metadata: Metadata,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Remembered {
    /// It is new.
    New(Box<Memory>),
    /// The same text was there already.
    Known(MemoryId),
}

/// Keeps `new`, whatever else is there.
pub fn remember(engine: &Engine, caller: &Caller, new: NewMemory) -> Result<Memory> {
    let memory = compose(engine, caller, new)?;
    match put(engine, memory, Vec::new())? {
        Remembered::New(memory) => Ok(*memory),
        Remembered::Known(id) => Err(overtaken(id)),
    }
}

/// Keeps `new` unless the same text (white space at its ends aside) is there in the same place.
/// Then that memory is the answer; tags and metadata it did not have are added to it.
pub fn remember_once(engine: &Engine, caller: &Caller, new: NewMemory) -> Result<Remembered> {
    let memory = compose(engine, caller, new)?;
    let guard = Guard::Unknown { scope: memory.scope.clone(), hash: hash(&memory.content) };
    for _ in 0..DECISIONS_MAX {
        match put(engine, memory.clone(), vec![guard.clone()])? {
            Remembered::Known(id) => {
                if enrich(engine, caller, id, &memory)? {
                    return Ok(Remembered::Known(id));
                }
            }
            new => return Ok(new),
        }
    }
    Err(overtaken(memory.id))
}

fn compose(engine: &Engine, caller: &Caller, new: NewMemory) -> Result<Memory> {
    let scope = caller.identity.scope(new.layer).ok_or_else(|| closed(new.layer))?;
    let now = engine.clock.now();
    Ok(Memory {
        id: engine.ids.memory_id(),
        scope,
        origin: new.origin,
        kind: new.kind,
        content: new.content,
        category: new.category,
        tags: distinct(new.tags),
        importance: new.importance,
        confidence: CONFIDENCE_NEW,
        metadata: new.metadata,
        archived: false,
        access_count: 0,
        created_at: now,
        updated_at: now,
        accessed_at: now,
        revision: 1,
    })
}

/// A layer nobody told us the caller's id for.
fn closed(layer: Layer) -> Error {
    let name = layer.name();
    Error::new(
        ErrorKind::Forbidden,
        format!("layer {name} is closed to this caller: its identity names no {name} id"),
    )
}

fn put(engine: &Engine, memory: Memory, mut guards: Vec<Guard>) -> Result<Remembered> {
    let mut ops = vec![Op::Insert(indexed(memory.clone()))];
    if memory.origin == Origin::Notes {
        limit_notes(engine, &memory, &mut guards, &mut ops);
    }
    match engine.store.apply(Change { guards, ops })? {
        Outcome::Applied => Ok(Remembered::New(Box::new(memory))),
        Outcome::Duplicate(id) => Ok(Remembered::Known(id)),
        Outcome::Full { count, limit } => Err(Error::new(
            ErrorKind::Limit,
            format!(
                "there are {count} core memories and {limit} may be kept; \
                 delete or archive some, or raise the limit (0 lifts it)"
            ),
        )),
        Outcome::Stale(id) => Err(overtaken(id)),
    }
}

/// The limits of the notes contract: a hard one for what is so, soft ones for the rest.
fn limit_notes(engine: &Engine, memory: &Memory, guards: &mut Vec<Guard>, ops: &mut Vec<Op>) {
    let limits = engine.limits;
    let quota = |kinds: &[Kind]| Quota {
        origin: Origin::Notes,
        scope: memory.scope.clone(),
        kinds: kinds.to_vec(),
    };
    let (soft_max, kinds): (u64, &[Kind]) = match memory.kind {
        Kind::Pattern => (limits.notes_learning_max, &[Kind::Pattern]),
        Kind::Session => (limits.notes_task_max, &[Kind::Session]),
        _ => {
            if limits.notes_core_max > 0 {
                let kinds = [Kind::Preference, Kind::Decision, Kind::Fact, Kind::GoldenRule];
                guards.push(Guard::Room { quota: quota(&kinds), limit: limits.notes_core_max });
            }
            return;
        }
    };
    if soft_max > 0 {
        let at = memory.created_at;
        ops.push(Op::ArchiveBeyond { quota: quota(kinds), keep: soft_max, at });
    }
}

/// Adds what `again` brings to the memory `id`; false if it is gone or was changed meanwhile.
fn enrich(engine: &Engine, caller: &Caller, id: MemoryId, again: &Memory) -> Result<bool> {
    let Ok(known) = access::get(engine, caller, id) else {
        return Ok(false);
    };
    let mut richer = known.clone();
    richer.tags.extend(again.tags.iter().cloned());
    richer.tags = distinct(richer.tags);
    richer.metadata.extend(again.metadata.clone());
    if richer == known {
        return Ok(true);
    }
    richer.updated_at = again.created_at;
    let guards = vec![Guard::Unchanged { id, revision: known.revision }];
    let change = Change { guards, ops: vec![Op::Replace(indexed(richer))] };
    Ok(engine.store.apply(change)? == Outcome::Applied)
}
