//! Keeping something new.

use model::confidence::CONFIDENCE_NEW;
use model::knowledge::pointer_place;
use model::memory::{distinct, named_thread};
use model::{
    Caller, Change, Guard, Kind, Layer, Memory, MemoryId, Metadata, Op, Origin, Outcome,
    Provenance, Scope, TrustLevel,
};

use super::{DECISIONS_MAX, access, hash, indexed, overtaken, quota};
use crate::limits::{METADATA_CHARS_MAX, TAGS_MAX};
use crate::{Engine, Error, ErrorKind, Result};

/// What is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// Which door it comes in by.
    pub origin: Origin,
    /// Where it is to lie.
    pub place: Place,
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

/// Where something is to lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In what is the caller's own of this layer.
    Layer(Layer),
    /// Here; see [`crate::scope::named`].
    Scope(Scope),
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

/// Which texts are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Those that are equal to the letter.
    Exact,
    /// Those that differ only by white space at their ends.
    Trimmed,
}

/// Keeps `new` unless the same text is there in the same place. Then that memory is the answer; tags and metadata it did not have are added to it.
pub fn remember_once(
    engine: &Engine,
    caller: &Caller,
    new: NewMemory,
    sameness: Sameness,
) -> Result<Remembered> {
    let memory = compose(engine, caller, new)?;
    let content = (sameness == Sameness::Exact).then(|| memory.content.clone());
    let (scope, hash) = (memory.scope.clone(), hash(&memory.content));
    let guard = Guard::Unknown { scope, hash, content };
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
    let scope = match new.place {
        Place::Layer(layer) => caller.identity.scope(layer).ok_or_else(|| closed(layer))?,
        Place::Scope(scope)
            if caller.identity.sees(&scope)
                && pointer_place(&scope).is_none()
                && !scope.is_facts() =>
        {
            scope
        }
        Place::Scope(scope) => return Err(closed(scope.layer)),
    };
    let now = engine.clock.now();
    let provenance = Provenance::of(engine.actor(), &new.metadata);
    let session = || Some(caller.identity.scope(Layer::Session)?.owner);
    Ok(Memory {
        thread: named_thread(&new.metadata).or_else(session),
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
        provenance,
        revision: 1,
    })
}

/// A layer nobody told us the caller's id for.
pub(crate) fn closed(layer: Layer) -> Error {
    let name = layer.name();
    Error::new(
        ErrorKind::Forbidden,
        format!("layer {name} is closed to this caller: its identity names no {name} id"),
    )
}

fn put(engine: &Engine, memory: Memory, mut guards: Vec<Guard>) -> Result<Remembered> {
    let (id, mut ops) = (memory.id, vec![Op::Insert(indexed(engine, memory.clone()))]);
    quota::hold(engine, &memory, &mut guards, &mut ops);
    match engine.apply_texts(Change { guards, ops })? {
        Outcome::Applied | Outcome::Recorded(_) => Ok(Remembered::New(Box::new(memory))),
        Outcome::Duplicate(id) => Ok(Remembered::Known(id)),
        Outcome::Full { count, limit } => Err(quota::full(count, limit)),
        _ => Err(overtaken(id)),
    }
}

/// Adds what `again` brings to the memory `id`; false if it is gone or was changed meanwhile.
fn enrich(engine: &Engine, caller: &Caller, id: MemoryId, again: &Memory) -> Result<bool> {
    let known = match access::get(engine, caller, id) {
        Err(error) if error.kind == ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    let mut richer = known.clone();
    richer.tags.extend(again.tags.iter().cloned());
    richer.tags = distinct(richer.tags);
    richer.metadata.extend(again.metadata.clone());
    bound(&richer)?;
    // Who says again what is known makes it no more trusted, unless it is a person.
    if engine.actor().level == TrustLevel::Person && richer.provenance.level < TrustLevel::Person {
        richer.provenance = again.provenance.clone();
    }
    if richer == known {
        return Ok(true);
    }
    richer.updated_at = again.created_at.max(richer.created_at);
    let guards = vec![Guard::Unchanged { id, revision: known.revision }];
    let change = Change { guards, ops: vec![Op::Replace(indexed(engine, richer))] };
    Ok(engine.apply_texts(change)? == Outcome::Applied)
}

/// What is added to a memory time and again must not grow without end.
fn bound(memory: &Memory) -> Result<()> {
    let metadata = serde_json::to_string(&memory.metadata).map_or(0, |text| text.chars().count());
    let (id, tags) = (memory.id.prefixed(), memory.tags.len());
    let text = if tags > TAGS_MAX {
        format!("memory {id} would have {tags} tags; it may have {TAGS_MAX}")
    } else if metadata > METADATA_CHARS_MAX {
        format!(
            "memory {id} would have {metadata} characters of metadata; it may have {METADATA_CHARS_MAX}"
        )
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Limit, text))
}
