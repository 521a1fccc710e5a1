//! The audit log: entries are put in, read and checked, and never anything else.

use std::sync::Arc;

use model::audit::{self, Deed, Entry, NewEntry};
use model::{Actor, Change, Timestamp, TrustLevel};
use rank::keep::secrets;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::row::{named, timestamp};
use crate::{Store, verify};

/// Who makes a change, and when.
#[derive(Debug, Clone)]
pub struct Attribution {
    /// Who.
    pub actor: Arc<Actor>,
    /// When.
    pub at: Timestamp,
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

pub(crate) const ENTRY: &str =
    "SELECT number, at, who, client, tool, trust, deed, what, hash FROM audit";

/// Notes a change that was carried out, in the same transaction.
pub(crate) fn note_change(db: &Connection, by: &Attribution, change: &Change) -> Result<()> {
    for what in audit::told(change) {
        let (actor, at) = (Actor::clone(&by.actor), by.at);
        note(db, &NewEntry { actor, at, deed: Deed::Written, what })?;
    }
    Ok(())
}

/// Puts an entry behind the newest. Whatever is noted comes by here, so that a secret in a path or in
/// the name of a program is taken out here.
pub(crate) fn note(db: &Connection, new: &NewEntry) -> Result<()> {
    let new = &cleaned(new);
    let (number, previous) = head(db)?.unwrap_or_default();
    let number = number.max(given(db)?.unwrap_or(0)) + 1;
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

/// The number and the hash of the newest entry.
pub(crate) fn head(db: &Connection) -> Result<Option<(i64, [u8; 32])>> {
    let sql = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1";
    let newest = db.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(newest.optional()?)
}

/// The entry without secrets. The log cannot be changed any more, so they never stand in it, whatever
/// is done about those in memories.
fn cleaned(new: &NewEntry) -> NewEntry {
    let clean = |text: &str| secrets::redact(text).0.into_owned();
    let NewEntry { actor, at, deed, what } = new;
    let (who, client) = (actor.who.clone(), actor.client.as_deref().map(clean));
    let actor = Actor { who, client, tool: actor.tool.clone(), level: actor.level, source: None };
    NewEntry { actor, at: *at, deed: *deed, what: clean(what) }
}

/// The highest number that was ever given.
pub(crate) fn given(db: &Connection) -> Result<Option<i64>> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'audit'";
    Ok(db.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?)
}

/// The hash of an entry: of the one before, and of all that it says, each part with its length.
pub(crate) fn hash(previous: &[u8; 32], number: i64, noted: &NewEntry) -> [u8; 32] {
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

/// The hash of an entry in one of the databases beside each other; that before the first is all zeros.
pub(crate) fn hash_of(db: &Connection, database: &str, number: i64) -> Result<[u8; 32]> {
    let sql = format!("SELECT hash FROM {database}.audit WHERE number = ?1");
    Ok(db.query_row(&sql, [number], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// Whether an entry in one of the databases beside each other is whole and follows that hash.
pub(crate) fn follows(db: &Connection, database: &str, number: i64, previous: &[u8; 32]) -> bool {
    let sql = ENTRY.replace("FROM audit", &format!("FROM {database}.audit WHERE number = ?1"));
    let read = db.query_row(&sql, [number], entry);
    read.is_ok_and(|entry| verify::fault_of(&entry, number, previous).is_none())
}

pub(crate) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
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
    /// Notes what is no change of the store, and returns when that is on disk: what was refused, and
    /// what is about to be done beyond the store.
    pub fn note(&self, entry: NewEntry) -> Result<()> {
        self.writer()?.note(entry)
    }

    /// Notes what may be lost, such as what was read, and does not wait.
    pub fn note_later(&self, entry: NewEntry) -> Result<()> {
        self.writer()?.note_later(entry)
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
}

#[cfg(test)]
pub(crate) mod tests {
    use model::{Op, Outcome};

    use super::*;
    use crate::tests::{id, memory};

    pub(crate) fn by(who: &str) -> Attribution {
        let at = model::time::from_micros(1_800_000_000_000_000).unwrap();
        Attribution { actor: Arc::new(Actor::agent_of(who).calling("memory_add")), at }
    }

    pub(crate) fn filled() -> (tempfile::TempDir, Store) {
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
        assert_eq!(store.verify_audit(&crate::Beside::default()).unwrap().entries, 7);
    }

    #[test]
    fn a_secret_in_what_is_noted_or_in_the_name_of_a_client_is_not_kept() {
        let (_dir, store) = filled();
        let key = format!("ghp_{}", "a7Kd93LmQ0xZr5Tb8WnY2vHc6JfE4sGp1uRi");
        let client = Some(format!("agent {key}"));
        let actor = Actor { client, ..Actor::agent_of("eve") };
        let (at, what) = (by("eve").at, format!("/etc/{key} is outside the allowed folders"));
        store.note(NewEntry { actor, at, deed: Deed::Denied, what }).unwrap();
        let newest = AuditFilter { limit: 1, ..AuditFilter::default() };
        let told = format!("{:?}", store.audited(&newest).unwrap());
        assert!(!told.contains(&key[..12]) && told.contains("is outside"), "{told}");
        assert_eq!(store.verify_audit(&crate::Beside::default()).unwrap().fault, None);
    }
}
