//! Letting go: archived, or deleted for good. Golden rules stay unless that is asked for by name.

use model::{Caller, Change, Guard, Memory, MemoryId, MemoryPatch, Op, Outcome, Role, Scope};

use super::recall::{Query, Within, nearest};
use super::{DECISIONS_MAX, access, golden, overtaken, revise};
use crate::embedders::By;
use crate::{Engine, ErrorKind, Result, scope};

/// What is deleted by a question must be this likely to be what was asked for.
const RELEVANCE_MIN: f64 = 0.5;

/// Deletes the memory for good and returns what it was. A golden rule is refused.
pub fn forget(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Memory> {
    delete(engine, caller, id, false)
}

/// The same, and an admin may delete a golden rule, too.
pub fn destroy(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Memory> {
    delete(engine, caller, id, caller.role >= Role::Admin)
}

fn delete(engine: &Engine, caller: &Caller, id: MemoryId, force: bool) -> Result<Memory> {
    let memory = access::get(engine, caller, id)?;
    scope::changeable(&memory)?;
    let forgotten = forget_these(engine, caller, vec![memory.clone()], force)?;
    match (forgotten.deleted.is_empty(), forgotten.protected.is_empty()) {
        (false, _) => Ok(memory),
        (true, false) => Err(golden(id)),
        // Another process deleted it first: for this caller it is gone as well.
        (true, true) => Err(access::not_found(id)),
    }
}

/// What is to be deleted.
#[derive(Debug, Clone, PartialEq)]
pub enum Unwanted {
    /// This memory.
    Id(MemoryId),
    /// What these words ask for: so many at the most.
    Query(String, usize),
}

impl Unwanted {
    /// What a text means: a memory, if it is the id of one that the caller may see, else a
    /// question.
    pub fn meant(engine: &Engine, caller: &Caller, text: &str, limit: usize) -> Result<Self> {
        let question = || Self::Query(text.to_owned(), limit);
        let Ok(id) = text.trim().parse() else { return Ok(question()) };
        match access::get(engine, caller, id) {
            Err(error) if error.kind == ErrorKind::NotFound => Ok(question()),
            found => found.map(|memory| Self::Id(memory.id)),
        }
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// What was deleted.
    pub deleted: Vec<MemoryId>,
    /// Golden rules, which stay.
    pub protected: Vec<MemoryId>,
}

/// Deletes what is unwanted in these places, all at once. Golden rules stay unless `force` says
/// otherwise. A memory that is named must be there.
pub fn forget_all(
    engine: &Engine,
    caller: &Caller,
    unwanted: &Unwanted,
    scopes: Vec<Scope>,
    force: bool,
) -> Result<Forgotten> {
    let found = match unwanted {
        Unwanted::Id(id) => {
            let memory = access::get(engine, caller, *id)?;
            scope::changeable(&memory)?;
            if !scopes.contains(&memory.scope) {
                return Err(access::not_found(id));
            }
            vec![memory]
        }
        Unwanted::Query(text, limit) => {
            let query = Query {
                text: text.clone(),
                within: Within::Scopes(scopes),
                tags_any: Vec::new(),
                floor: RELEVANCE_MIN,
                limit: *limit,
            };
            let mut found = nearest(engine, caller, &query, By::Serving)?;
            if text.trim().parse::<MemoryId>().is_ok() {
                // The id of none that is there: what merely resembles it is something else.
                found.retain(|memory| memory.content.contains(text.trim()));
            }
            found
        }
    };
    forget_these(engine, caller, found, force)
}

/// Deletes those that are still there. If one was changed meanwhile, it is looked at again: it may
/// have become a golden rule.
fn forget_these(
    engine: &Engine,
    caller: &Caller,
    mut memories: Vec<Memory>,
    force: bool,
) -> Result<Forgotten> {
    for _ in 0..DECISIONS_MAX {
        let (protected, doomed): (Vec<&Memory>, Vec<&Memory>) =
            memories.iter().partition(|memory| memory.is_golden() && !force);
        let ids = |memories: &[&Memory]| memories.iter().map(|memory| memory.id).collect();
        let forgotten = Forgotten { deleted: ids(&doomed), protected: ids(&protected) };
        if doomed.is_empty() {
            return Ok(forgotten);
        }
        let guard =
            |memory: &&Memory| Guard::Unchanged { id: memory.id, revision: memory.revision };
        let guards = doomed.iter().map(guard).collect();
        let ops = forgotten.deleted.iter().map(|id| Op::Delete(*id)).collect();
        match engine.apply(Change { guards, ops })? {
            Outcome::Applied => return Ok(forgotten),
            _ => memories = still_there(engine, caller, &memories)?,
        }
    }
    Err(overtaken(memories.first().map_or_else(String::new, |memory| memory.id.prefixed())))
}

fn still_there(engine: &Engine, caller: &Caller, memories: &[Memory]) -> Result<Vec<Memory>> {
    let found = memories.iter().map(|memory| access::get(engine, caller, memory.id));
    found.filter(|found| !matches!(found, Err(e) if e.kind == ErrorKind::NotFound)).collect()
}

/// Archives the memory: it is kept, and out of every search unless asked for. A golden rule is
/// refused.
pub fn archive(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Memory> {
    let patch = MemoryPatch { archived: Some(true), ..MemoryPatch::default() };
    Ok(revise(engine, caller, id, |_| patch.clone())?.memory)
}
