//! Letting go: archived, or deleted for good.

use model::{Caller, Change, Memory, MemoryId, MemoryPatch, Op, Outcome};

use super::{access, revise};
use crate::{Engine, Result};

/// Deletes the memory for good and returns what it was.
pub fn forget(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Memory> {
    let memory = access::get(engine, caller, id)?;
    match engine.store.apply(Change::of(Op::Delete(id)))? {
        Outcome::Applied => Ok(memory),
        // Another process deleted it first: for this caller it is gone as well.
        _ => Err(access::not_found(id)),
    }
}

/// Archives the memory: it is kept, and out of every search unless asked for.
pub fn archive(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Memory> {
    let patch = MemoryPatch { archived: Some(true), ..MemoryPatch::default() };
    Ok(revise(engine, caller, id, |_| patch.clone())?.memory)
}
