//! The audit log: entries are put in, read and checked, and never anything else.

use std::sync::Arc;

use model::audit::{self, Deed, Entry, NewEntry};
use model::{Actor, Change, Timestamp, TrustLevel};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use crate::Store;
use crate::error::Result;
use crate::row::{named, timestamp};

/// Who makes a change, and when.
#[derive(Debug, Clone)]
pub struct Attribution {
    /// Who.
    pub actor: Arc<Actor>,
    /// When.
    pub at: Timestamp,
}

/// What a look at the whole log found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub entries: u64,
    /// The newest entry's number and hash; whoever writes them down elsewhere can tell later that
    /// nothing was cut off or made anew.
    pub head: Option<(i64, [u8; 32])>,
    /// The first thing that is wrong.
    pub fault: Option<String>,
}

/// Which entries are wanted, the newest first.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only those of this person or token.
    pub who: Option<String>,
    /// Only those of this tool.
    pub tool: Option<String>,
    /// Only those with this outcome.
    pub deed: Option<Deed>,
    /// Only those from then on.
    pub since: Option<Timestamp>,
    /// At most so many.
    pub limit: u64,
}

const ENTRY: &str = "SELECT number, at, who, client, tool, trust, deed, what, hash FROM audit";

/// Notes a change that was carried out, in the same transaction.
pub(crate) fn note_change(db: &Connection, by: &Attribution, change: &Change) -> Result<()> {
    let Some(what) = audit::told(change) else { return Ok(()) };
    let (actor, at) = (Actor::clone(&by.actor), by.at);
    note(db, &NewEntry { actor, at, deed: Deed::Written, what })
}

/// Puts an entry behind the newest.
pub(crate) fn note(db: &Connection, new: &NewEntry) -> Result<()> {
    let last = db
        .prepare_cached("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (number, previous): (i64, [u8; 32]) = last.unwrap_or_default();
    let number = number + 1;
    let hash = hash(&previous, number, new);
    let NewEntry { actor, at, deed, what } = new;
    db.prepare_cached(
        "INSERT INTO audit (number, at, who, client, tool, trust, deed, what, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        number,
        at.as_microsecond(),
        actor.who,
        actor.client,
        actor.tool,
        actor.level.name(),
        deed.name(),
        what,
        hash
    ])?;
    Ok(())
}

/// The hash of an entry: of the one before, and of all that it says, each part with its length.
fn hash(previous: &[u8; 32], number: i64, noted: &NewEntry) -> [u8; 32] {
    let NewEntry { actor, at, deed, what } = noted;
    let mut hasher = Sha256::new();
    hasher.update(previous);
    hasher.update(number.to_be_bytes());
    hasher.update(at.as_microsecond().to_be_bytes());
    let parts = [
        Some(actor.who.as_str()),
        actor.client.as_deref(),
        actor.tool.as_deref(),
        Some(actor.level.name()),
        Some(deed.name()),
        Some(what),
    ];
    for part in parts {
        // That something is not there is another thing than that it is empty.
        hasher.update(part.map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
        hasher.update(part.unwrap_or_default());
    }
    hasher.finalize().into()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let actor = Actor {
        source: None,
        who: row.get(2)?,
        client: row.get(3)?,
        tool: row.get(4)?,
        level: named(row, 5, TrustLevel::named)?,
    };
    let deed = named(row, 6, Deed::named)?;
    let noted = NewEntry { actor, at: timestamp(row, 1)?, deed, what: row.get(7)? };
    Ok(Entry { number: row.get(0)?, noted, hash: row.get(8)? })
}

impl Store {
    /// Notes something that changed nothing: what was refused, or read. It does not wait.
    pub fn note(&self, entry: NewEntry) -> Result<()> {
        self.writer()?.note(entry)
    }

    /// Entries of the audit log, the newest first.
    pub fn audited(&self, filter: &AuditFilter) -> Result<Vec<Entry>> {
        self.read(|db| {
            let sql = format!(
                "{ENTRY} WHERE (?1 IS NULL OR who = ?1) AND (?2 IS NULL OR tool = ?2)
                   AND (?3 IS NULL OR deed = ?3) AND (?4 IS NULL OR at >= ?4)
                 ORDER BY number DESC LIMIT ?5"
            );
            let since = filter.since.map(Timestamp::as_microsecond);
            let deed = filter.deed.map(Deed::name);
            let asked = params![filter.who, filter.tool, deed, since, filter.limit];
            let mut statement = db.prepare(&sql)?;
            let found = statement.query_map(asked, entry)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Reads the whole audit log and tells whether it hangs together. With `expected`, a number and
    /// a hash that were written down before, also whether that entry is still what it was.
    pub fn verify_audit(&self, expected: Option<(i64, [u8; 32])>) -> Result<Verified> {
        self.read(|db| {
            let mut found = Verified { entries: 0, head: None, fault: None };
            let mut statement = db.prepare(&format!("{ENTRY} ORDER BY number"))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (last, previous) = found.head.unwrap_or_default();
                let entry = match entry(row) {
                    Ok(entry) => entry,
                    Err(why) => {
                        found.fault = Some(format!("entry {} cannot be read: {why}", last + 1));
                        return Ok(found);
                    }
                };
                if let Some(fault) = fault_of(&entry, last + 1, &previous) {
                    found.fault = Some(fault);
                    return Ok(found);
                }
                found.entries += 1;
                found.head = Some((entry.number, entry.hash));
            }
            found.fault = cut_off(db, &found, expected)?;
            Ok(found)
        })
    }
}

/// What is wrong with an entry that should have this number and follow that hash.
fn fault_of(entry: &Entry, number: i64, previous: &[u8; 32]) -> Option<String> {
    if entry.number != number {
        return Some(format!("entry {number} is missing: {} follows", entry.number));
    }
    let is_whole = hash(previous, number, &entry.noted) == entry.hash;
    (!is_whole).then(|| format!("entry {number} is not what was noted, or what stood before it"))
}

/// Whether entries are missing at the end, or were made anew.
fn cut_off(
    db: &Connection,
    found: &Verified,
    expected: Option<(i64, [u8; 32])>,
) -> Result<Option<String>> {
    let newest = found.head.map_or(0, |(number, _)| number);
    let given: Option<i64> = db
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'audit'", [], |row| row.get(0))
        .optional()?;
    if let Some(given) = given.filter(|given| *given > newest) {
        return Ok(Some(format!("entries {} to {given} are missing at the end", newest + 1)));
    }
    let Some((number, hash)) = expected else { return Ok(None) };
    let kept: Option<[u8; 32]> = db
        .query_row("SELECT hash FROM audit WHERE number = ?1", [number], |row| row.get(0))
        .optional()?;
    Ok((kept != Some(hash)).then(|| format!("entry {number} is not the one that was expected")))
}

#[cfg(test)]
mod tests {
    use model::{Op, Outcome};

    use super::*;
    use crate::tests::{id, memory};

    fn by(who: &str) -> Attribution {
        let at = model::time::from_micros(1_800_000_000_000_000).unwrap();
        Attribution { actor: Arc::new(Actor::agent_of(who).calling("memory_add")), at }
    }

    fn filled() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for number in 0..5 {
            let change = Change::of(Op::Insert(memory(number, &format!("text {number}"))));
            assert_eq!(store.apply_by(change, by("ada")).unwrap(), Outcome::Applied);
        }
        let at = by("eve").at;
        let actor = Actor::agent_of("eve");
        let denied = NewEntry { actor, at, deed: Deed::Denied, what: "memory_forget".to_owned() };
        store.note(denied).unwrap();
        let gone = store.apply_by(Change::of(Op::Delete(id(3))), by("ada")).unwrap();
        assert_eq!(gone, Outcome::Applied);
        (dir, store)
    }

    /// Changes the log behind our back and tells what is found then.
    fn tampered(sql: &str) -> Option<String> {
        let (dir, store) = filled();
        drop(store);
        let db = Connection::open(dir.path().join(crate::FILE_NAME)).unwrap();
        assert!(db.execute_batch(sql).is_err(), "{sql}");
        db.execute_batch(
            "DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted",
        )
        .unwrap();
        db.execute_batch(sql).unwrap();
        drop(db);
        Store::open(dir.path()).unwrap().verify_audit(None).unwrap().fault
    }

    #[test]
    fn every_change_and_refusal_is_noted_once_with_who_and_what() {
        let (_dir, store) = filled();
        let all = store.audited(&AuditFilter { limit: 100, ..AuditFilter::default() }).unwrap();
        assert_eq!(all.len(), 7);
        assert_eq!(all[0].noted.what, format!("delete {}", id(3).prefixed()));
        assert_eq!(all[0].noted.actor.tool.as_deref(), Some("memory_add"));
        assert!(all[6].noted.what.starts_with("add mem_"), "{}", all[6].noted.what);
        let denied = AuditFilter { deed: Some(Deed::Denied), limit: 9, ..AuditFilter::default() };
        assert_eq!(store.audited(&denied).unwrap()[0].noted.actor.who, "eve");
        let of_ada = AuditFilter { who: Some("ada".into()), limit: 2, ..AuditFilter::default() };
        assert_eq!(store.audited(&of_ada).unwrap().len(), 2);
    }

    #[test]
    fn a_change_that_is_refused_or_keeps_the_books_is_not_noted() {
        let (_dir, store) = filled();
        let again = store.apply_by(Change::of(Op::Delete(id(3))), by("ada")).unwrap();
        assert!(!again.is_done());
        store.apply_by(Change::of(Op::SettleTouches), by("ada")).unwrap();
        assert_eq!(store.verify_audit(None).unwrap().entries, 7);
    }

    #[test]
    fn a_log_that_was_changed_tells_where() {
        let (_dir, store) = filled();
        let whole = store.verify_audit(None).unwrap();
        assert_eq!((whole.entries, whole.fault.clone()), (7, None));
        let (number, hash) = whole.head.unwrap();
        assert_eq!(store.verify_audit(Some((number, hash))).unwrap().fault, None);
        let other = store.verify_audit(Some((number, [7; 32]))).unwrap().fault;
        assert_eq!(other.as_deref(), Some("entry 7 is not the one that was expected"));

        let changed = "entry 2 is not what was noted, or what stood before it";
        for (sql, fault) in [
            ("UPDATE audit SET who = 'bob' WHERE number = 2", changed),
            ("UPDATE audit SET client = '' WHERE number = 2", changed),
            ("UPDATE audit SET at = at + 1 WHERE number = 2", changed),
            ("DELETE FROM audit WHERE number = 4", "entry 4 is missing: 5 follows"),
            ("DELETE FROM audit WHERE number > 5", "entries 6 to 7 are missing at the end"),
            ("DELETE FROM audit", "entries 1 to 7 are missing at the end"),
            (
                "UPDATE audit SET deed = 'nothing' WHERE number = 1",
                "entry 1 cannot be read: Conversion error from type Text at index: 6, \
                 \"nothing\" is unknown",
            ),
        ] {
            assert_eq!(tampered(sql).as_deref(), Some(fault), "{sql}");
        }
    }
}
