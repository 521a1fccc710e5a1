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

/// So many operations of one change are named; of the others only the number is told. What deletes is
/// always named: afterwards nothing else tells what it was.
const NAMED_MAX: usize = 8;

/// An entry that names more is followed by another.
const ENTRY_CHARS_MAX: usize = 4_000;

/// What a change does, in a line or, where it deletes much, in several; nothing if it only keeps the
/// books.
pub fn told(change: &Change) -> Vec<String> {
    let (mut named, mut count, mut more) = (Vec::new(), 0, 0);
    for op in &change.ops {
        let gone = deleted(op);
        if !gone.is_empty() {
            named.extend(gone);
        } else if let Some(deed) = told_of(op) {
            count += 1;
            match count <= NAMED_MAX {
                true => named.push(deed),
                false => more += 1,
            }
        }
    }
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    entries(named)
}

/// These deeds in as few entries as take them.
fn entries(deeds: Vec<String>) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for deed in deeds {
        match entries.last_mut() {
            Some(entry) if entry.len() + deed.len() <= ENTRY_CHARS_MAX => {
                entry.push_str("; ");
                entry.push_str(&deed);
            }
            _ => entries.push(deed),
        }
    }
    entries
}

/// All that an operation deletes, by name.
fn deleted(op: &Op) -> Vec<String> {
    match op {
        Op::Delete(id) => vec![format!("delete {}", id.prefixed())],
        Op::Unrelate(numbers) => {
            numbers.iter().map(|number| format!("delete relation {number}")).collect()
        }
        Op::DeleteDocuments { scope, paths } => {
            let place = place(scope);
            paths.iter().map(|path| format!("delete document {path} of {place}")).collect()
        }
        Op::DeleteChunks(chunks) => {
            chunks.iter().map(|chunk| format!("delete chunk {chunk}")).collect()
        }
        Op::DeleteRecord(id) => vec![format!("delete {id}")],
        Op::DropItem { id, .. } => vec![format!("drop {id}")],
        Op::DeleteEntity { scope, mirror, .. } => {
            vec![format!("delete {}, a thing of {}", mirror.prefixed(), place(scope))]
        }
        _ => Vec::new(),
    }
}

/// What an operation does to which thing; nothing if it follows from another or only keeps the books.
fn told_of(op: &Op) -> Option<String> {
    Some(match op {
        Op::Insert(new) => {
            let memory = &new.memory;
            format!("add {} in {}", memory.id.prefixed(), place(&memory.scope))
        }
        Op::Replace(new) => format!("change {}", new.memory.id.prefixed()),
        Op::Rate { id, .. } => format!("rate {}", id.prefixed()),
        Op::Weigh { id, .. } => format!("weigh {}", id.prefixed()),
        Op::Record(event) => format!("{} {}", event.kind.name(), event.memory.prefixed()),
        Op::Relate(edge) => format!(
            "relate {} {} {}",
            edge.source.prefixed(),
            edge.relation.name(),
            edge.target.prefixed()
        ),
        Op::PutDocument(new) => format!("index {}", new.document.path),
        Op::ArchiveBeyond { quota, .. } => {
            format!("archive what is too much in {}", place(&quota.scope))
        }
        Op::PutRecord(new) => format!("put {}", new.record.id),
        Op::Happen(episode) => format!("note {}", episode.id),
        Op::Link { episode, records } => format!("link {episode} with {} records", records.len()),
        Op::Expire { .. } => "let old episodes go".to_owned(),
        Op::PutItem(item) => format!("sync {}", item.id),
        Op::PutEntity(new) => {
            let mirror = &new.mirror.memory;
            format!("put {}, a thing of {}", mirror.id.prefixed(), place(&mirror.scope))
        }
        Op::PutLink(new) => format!("link things of {}", place(&new.scope)),
        Op::CloseLink { scope, .. } => format!("end a link of {}", place(scope)),
        Op::Suggest(new) => format!("suggest a memory of {}", place(&new.scope)),
        Op::Decide { candidate, state, .. } => format!("candidate {candidate} is {}", state.name()),
        Op::Judge(verdict) => {
            let word = if verdict.approved { "approve" } else { "reject" };
            format!("{word} a text of {}", place(&verdict.scope))
        }
        // See `deleted`.
        Op::Delete(_)
        | Op::Unrelate(_)
        | Op::DeleteDocuments { .. }
        | Op::DeleteChunks(_)
        | Op::DeleteRecord(_)
        | Op::DropItem { .. }
        | Op::DeleteEntity { .. }
        | Op::MarkValidated { .. }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::MemoryId;
    use crate::scope::Scope;

    #[test]
    fn whatever_is_deleted_is_named_in_as_many_entries_as_that_takes() {
        let id = |number: u8| MemoryId::from_random([number; 16]);
        let ops: Vec<Op> = (0..200).map(|number| Op::Delete(id(number))).collect();
        let entries = told(&Change { guards: Vec::new(), ops });
        assert_eq!(entries.len(), 3, "{entries:?}");
        let all = entries.join("; ");
        assert!((0..200).all(|number| all.contains(&id(number).prefixed())), "{all}");
        let (scope, paths) = (Scope::project("web"), vec!["/a.md".to_owned(), "/b.md".to_owned()]);
        let op = Op::DeleteDocuments { scope, paths };
        let told = told(&Change { guards: Vec::new(), ops: vec![op, Op::Unrelate(vec![7])] });
        let wanted = "delete document /a.md of project:web; delete document /b.md of project:web; \
                      delete relation 7";
        assert_eq!(told, [wanted]);
    }
}
