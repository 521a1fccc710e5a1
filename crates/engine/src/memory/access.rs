//! Reading one memory, and counting who read what.

use model::{Caller, Change, Memory, MemoryId, Op};

use crate::{Engine, Error, ErrorKind, Result};

/// The memory with this id, if the caller may see it. One it may not see does not exist for it.
pub fn get(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Memory> {
    find(engine, caller, id)?.ok_or_else(|| not_found(id))
}

fn find(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Option<Memory>> {
    Ok(engine.store.find_memory_in(id, |scope| caller.identity.sees(scope))?)
}

/// No more memories than this are looked at for the first digits of an id.
const BEGINNING_MAX: u64 = 1_000;

/// The memories whose ids begin with these hex digits and that the caller may see.
pub fn beginning(engine: &Engine, caller: &Caller, digits: &str) -> Result<Vec<Memory>> {
    let ids = engine.store.memories_beginning(digits, BEGINNING_MAX)?;
    // Of one that is damaged it is told; a list of many leaves it out.
    let mut found = match ids[..] {
        [id] => find(engine, caller, id)?.into_iter().collect(),
        _ => engine.store.load_memories(&ids)?,
    };
    found.retain(|memory| caller.identity.sees(&memory.scope));
    Ok(found)
}

/// There is no such memory, or not for this caller.
pub(crate) fn not_found(id: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::NotFound, format!("Memory not found: {id}"))
}

/// Notes that these were read. The notes show once they are settled: see [`settle`]. A reading
/// that cannot be noted (the disk is full) is still a reading.
pub(super) fn touch(engine: &Engine, memories: &[Memory]) {
    if engine.read_only || memories.is_empty() {
        return;
    }
    let ids = memories.iter().map(|memory| memory.id).collect();
    let _ = engine.store.apply(Change::of(Op::Touch { ids, at: engine.clock.now() }));
}

/// The same where nobody waits for the note.
pub(super) fn touch_later(engine: &Engine, ids: Vec<MemoryId>) {
    if engine.read_only || ids.is_empty() {
        return;
    }
    let _ = engine.store.hand_in(Change::of(Op::Touch { ids, at: engine.clock.now() }));
}

/// Adds the noted readings to the memories' counts. Done where a walk through a list begins and
/// not within it, so that its pages neither repeat nor skip because they were read. What cannot be
/// added now is added another time.
pub(super) fn settle(engine: &Engine) {
    if !engine.read_only && engine.store.has_touches().unwrap_or(false) {
        let _ = engine.store.apply(Change::of(Op::SettleTouches));
    }
}
