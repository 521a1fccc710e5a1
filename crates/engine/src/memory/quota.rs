//! The limits of the notes contract. They hold for what came in by that door.

use model::{Guard, Kind, Memory, Op, Origin, Quota};

use crate::{Engine, Error, ErrorKind};

/// Adds to a change what holds the limits when `memory` comes to count: a hard one for what is so,
/// soft ones for the rest.
pub(super) fn hold(engine: &Engine, memory: &Memory, guards: &mut Vec<Guard>, ops: &mut Vec<Op>) {
    if memory.origin != Origin::Notes || memory.archived {
        return;
    }
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
        let at = memory.updated_at;
        ops.push(Op::ArchiveBeyond { quota: quota(kinds), keep: soft_max, at });
    }
}

/// There is no room for one more.
pub(super) fn full(count: u64, limit: u64) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!(
            "there are {count} core memories and {limit} may be kept; \
             delete or archive some, or raise the limit (0 lifts it)"
        ),
    )
}
