//! Changing what is kept.

use model::memory::Field;
use model::{Caller, Change, Guard, Kind, Memory, MemoryId, MemoryPatch, Op, Outcome};

use super::{DECISIONS_MAX, access, golden, indexed, overtaken, quota};
use crate::{Engine, Result, scope};

/// A changed memory, and what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Revised {
    /// The memory as it is now.
    pub memory: Memory,
    /// What changed; empty if it already was as the patch says.
    pub fields: Vec<Field>,
}

/// Applies the patch that `decide` makes of the memory as it is, and counts one reading. If another
/// process changes the memory meanwhile, it is decided again on what is there then. A golden rule is
/// neither archived nor made something else.
pub fn revise(
    engine: &Engine,
    caller: &Caller,
    id: MemoryId,
    decide: impl Fn(&Memory) -> MemoryPatch,
) -> Result<Revised> {
    for _ in 0..DECISIONS_MAX {
        access::settle(engine);
        let mut memory = access::get(engine, caller, id)?;
        scope::changeable(&memory)?;
        let (now, revision) = (engine.clock.now(), memory.revision);
        let (patch, was_golden, kind) = (decide(&memory), memory.is_golden(), memory.kind);
        let fields = memory.patch(patch);
        let is_archived_now = memory.archived && fields.contains(&Field::Archived);
        let is_demoted = kind == Kind::GoldenRule && memory.kind != kind;
        if was_golden && (is_archived_now || is_demoted || !memory.is_golden()) {
            return Err(golden(id));
        }
        memory.accessed(now);
        if !fields.is_empty() {
            // The clock may have been set back since it was made.
            memory.updated_at = now.max(memory.created_at);
        }
        if fields.contains(&Field::Content) {
            memory.provenance = memory.provenance.reworded_by(engine.actor());
        }
        let mut guards = vec![Guard::Unchanged { id, revision }];
        let mut ops = vec![Op::Replace(indexed(engine, memory.clone()))];
        if fields.iter().any(|field| matches!(field, Field::Kind | Field::Archived)) {
            quota::hold(engine, &memory, &mut guards, &mut ops);
        }
        match engine.apply_texts(Change { guards, ops })? {
            Outcome::Applied | Outcome::Recorded(_) => return Ok(Revised { memory, fields }),
            Outcome::Full { count, limit } => return Err(quota::full(count, limit)),
            _ => {}
        }
    }
    Err(overtaken(id))
}
