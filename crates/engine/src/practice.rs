//! Memories put to use: what became of it, and how sure we are of them since.

use model::confidence::{after_use, kind_at};
use model::{
    Caller, Change, Event, EventCounts, EventKind, Guard, Kind, MemoryId, NewEvent, Op, Outcome,
};

use crate::memory::{DECISIONS_MAX, get, not_found, overtaken};
use crate::{Engine, Result};

/// No more events than this are listed.
pub const EVENTS_MAX: u64 = 10_000;

/// What is told of a use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// In which circumstances.
    pub context: Option<String>,
    /// In which session.
    pub session: Option<String>,
}

/// How the confidence in a memory changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// Which memory.
    pub id: MemoryId,
    /// How sure we were.
    pub old: f64,
    /// How sure we are.
    pub new: f64,
    /// The kind that it became by that, if it did.
    pub promoted: Option<Kind>,
}

/// What became of a memory so far.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The latest events, newest first.
    pub events: Vec<Event>,
    /// How many there are in all.
    pub counts: EventCounts,
}

/// Notes that a memory was used, and changes nothing else; the event's number.
pub fn apply(engine: &Engine, caller: &Caller, id: MemoryId, told: Told) -> Result<i64> {
    get(engine, caller, id)?;
    let event = event(engine, id, EventKind::Applied, told);
    match engine.apply(Change::of(Op::Record(event)))? {
        Outcome::Recorded(number) => Ok(number),
        _ => Err(not_found(id)),
    }
}

/// Counts one use of a memory that helped or did not; `told` is kept with it, unless nothing is.
pub fn validate(
    engine: &Engine,
    caller: &Caller,
    id: MemoryId,
    was_helpful: bool,
    told: Option<&Told>,
) -> Result<Rated> {
    let outcome = if was_helpful { EventKind::Succeeded } else { EventKind::Failed };
    for _ in 0..DECISIONS_MAX {
        let memory = get(engine, caller, id)?;
        let new = after_use(memory.confidence, was_helpful);
        let kind = kind_at(memory.kind, new);
        let told = told.map(|told| event(engine, id, outcome, told.clone()));
        let at = told.as_ref().map_or_else(|| engine.clock.now(), |event| event.at);
        let mut ops = vec![Op::Rate { id, kind, confidence: new, at }];
        ops.extend(told.map(Op::Record));
        let guards = vec![Guard::Unchanged { id, revision: memory.revision }];
        if engine.apply(Change { guards, ops })?.is_done() {
            let promoted = (kind != memory.kind).then_some(kind);
            return Ok(Rated { id, old: memory.confidence, new, promoted });
        }
    }
    Err(overtaken(id))
}

fn event(engine: &Engine, memory: MemoryId, kind: EventKind, told: Told) -> NewEvent {
    let Told { context, session } = told;
    NewEvent { memory, kind, context, session, at: engine.clock.now() }
}

/// What became of a memory: the latest `max` events, of one kind or of all, and how many there are
/// of each kind.
pub fn history(
    engine: &Engine,
    caller: &Caller,
    id: MemoryId,
    kind: Option<EventKind>,
    max: u64,
) -> Result<History> {
    get(engine, caller, id)?;
    Ok(History {
        events: engine.store.events(id, kind, max.min(EVENTS_MAX))?,
        counts: engine.store.event_counts(id)?,
    })
}
