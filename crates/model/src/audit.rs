//! What was done, by whom, and what was refused: entries that hang together.
//!
//! Each entry has the hash of the one before in its own, so that none can be changed, taken out or put
//! in without all later ones telling.

use crate::change::{Change, Op};
use crate::provenance::Actor;
use crate::record::names;
use crate::time::Timestamp;

/// What came of what somebody wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// It was written.
    Written,
    /// It was refused.
    Denied,
    /// It was read.
    Read,
}

names!(Deed {
    Written => "written",
    Denied => "denied",
    Read => "read",
});

/// Something that is to be noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// Who did it.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// What came of it.
    pub deed: Deed,
    /// What it was: operations and ids, no text of a user.
    pub what: String,
}

/// Something that was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number; the next has the next.
    pub number: i64,
    /// What was noted.
    pub noted: NewEntry,
    /// Its hash.
    pub hash: [u8; 32],
}

/// So many operations of one change are named; of the others only the number is told.
const NAMED_MAX: usize = 8;

/// What a change does, in a line; nothing if it only keeps the books.
pub fn told(change: &Change) -> Option<String> {
    let mut deeds = change.ops.iter().filter_map(told_of);
    let mut named: Vec<String> = deeds.by_ref().take(NAMED_MAX).collect();
    let more = deeds.count();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    (!named.is_empty()).then(|| named.join("; "))
}

/// What an operation does to which thing; nothing if it follows from another or only keeps the books.
fn told_of(op: &Op) -> Option<String> {
    Some(match op {
        Op::Insert(new) => {
            let memory = &new.memory;
            format!("add {} in {}", memory.id.prefixed(), place(&memory.scope))
        }
        Op::Replace(new) => format!("change {}", new.memory.id.prefixed()),
        Op::Delete(id) => format!("delete {}", id.prefixed()),
        Op::Rate { id, .. } => format!("rate {}", id.prefixed()),
        Op::Weigh { id, .. } => format!("weigh {}", id.prefixed()),
        Op::Record(event) => format!("{} {}", event.kind.name(), event.memory.prefixed()),
        Op::Relate(edge) => format!(
            "relate {} {} {}",
            edge.source.prefixed(),
            edge.relation.name(),
            edge.target.prefixed()
        ),
        Op::Unrelate(numbers) => format!("delete {} relations", numbers.len()),
        Op::PutDocument(new) => format!("index {}", new.document.path),
        Op::DeleteDocuments { paths, .. } => format!("delete {} documents", paths.len()),
        Op::DeleteChunks(chunks) => format!("delete {} chunks", chunks.len()),
        Op::ArchiveBeyond { quota, .. } => {
            format!("archive what is too much in {}", place(&quota.scope))
        }
        Op::PutRecord(new) => format!("put {}", new.record.id),
        Op::DeleteRecord(id) => format!("delete {id}"),
        Op::Happen(episode) => format!("note {}", episode.id),
        Op::Link { episode, records } => format!("link {episode} with {} records", records.len()),
        Op::Expire { .. } => "let old episodes go".to_owned(),
        Op::PutItem(item) => format!("sync {}", item.id),
        Op::DropItem { id, .. } => format!("drop {id}"),
        Op::PutEntity(new) => format!("put a thing of {}", place(&new.mirror.memory.scope)),
        Op::DeleteEntity { scope, .. } => format!("delete a thing of {}", place(scope)),
        Op::PutLink(new) => format!("link things of {}", place(&new.scope)),
        Op::CloseLink { scope, .. } => format!("end a link of {}", place(scope)),
        Op::Suggest(new) => format!("suggest a memory of {}", place(&new.scope)),
        Op::Decide { candidate, state, .. } => format!("candidate {candidate} is {}", state.name()),
        Op::Judge(verdict) => {
            let word = if verdict.approved { "approve" } else { "reject" };
            format!("{word} a text of {}", place(&verdict.scope))
        }
        Op::MarkValidated { .. }
        | Op::Touch { .. }
        | Op::SettleTouches
        | Op::NoteQueries(_)
        | Op::PutVectors { .. }
        | Op::Complete { .. }
        | Op::Enqueue(_)
        | Op::MarkCommitted { .. }
        | Op::Settle { .. }
        | Op::PutFailures { .. }
        | Op::CountSync { .. }
        | Op::TimeSync { .. } => return None,
    })
}

fn place(scope: &crate::scope::Scope) -> String {
    format!("{}:{}", scope.layer.name(), scope.owner)
}
