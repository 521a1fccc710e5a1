//! Whether the audit log is whole: each entry as it was noted, none missing, none made anew as far as
//! anything beside it can tell.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::audit::Entry;
use rusqlite::{Connection, OptionalExtension};

use crate::archive::{self, archived};
use crate::audit::{self, ENTRY, entry, hash};
use crate::error::Result;
use crate::gap::Range;
use crate::line::Lines;
use crate::rolling;
use crate::{SCHEMA_VERSION, Store, connection, gap, mark, migrate};

/// A look that takes longer is given up.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(3_600);

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The log is not what was noted.
    Changed(String),
    /// The store is known to be damaged; that may be all that is wrong with the log.
    Damaged(String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Changed(what) | Self::Damaged(what)) = self;
        f.write_str(what)
    }
}

/// What a look at the whole log found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub entries: u64,
    /// The newest entry's number and hash; whoever writes them down elsewhere can tell later that
    /// nothing was cut off or made anew.
    pub head: Option<(i64, [u8; 32])>,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
    /// The entries that a repair could not restore, from the first to the last of each gap. It told so
    /// in the log.
    pub lost: Vec<(i64, i64)>,
    /// The entries in files that were not given, from the first to the last: nobody looked at them.
    pub unchecked: Option<(i64, i64)>,
}

/// What the log is compared with besides itself.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    /// The number and the hash of an entry that were written down before.
    pub expected: Option<(i64, [u8; 32])>,
    /// The files that the oldest entries were moved to, the oldest first.
    pub archives: Vec<PathBuf>,
}

/// A look at one entry after the other.
pub(crate) struct Walk {
    found: Verified,
    /// The first thing that is wrong.
    fault: Option<String>,
    /// The number and the hash of the entry before the next.
    at: (i64, [u8; 32]),
    expected: Option<(i64, [u8; 32])>,
    /// What an entry must say, because entries were moved to a file.
    told: Option<String>,
}

impl Walk {
    /// Begins behind this entry, and misses none that a repair told it lost.
    pub(crate) fn from(at: (i64, [u8; 32]), lost: Vec<Range>) -> Self {
        let found = Verified { lost, ..Verified::default() };
        Self { found, fault: None, at, expected: None, told: None }
    }

    /// Looks at the next entry; whether it is as it should be.
    pub(crate) fn step(&mut self, entry: rusqlite::Result<Entry>) -> bool {
        let (last, previous) = self.at;
        self.fault = match &entry {
            Err(why) => Some(format!("entry {} cannot be read: {why}", last + 1)),
            Ok(entry) => fault_of(entry, last + 1, &previous),
        };
        let Ok(entry) = entry else { return false };
        if self.fault.is_some() {
            let is_whole = fault_of(&entry, entry.number, &previous).is_none();
            if !gap::is_told(&self.found.lost, gap::before(last + 1, entry.number, is_whole)) {
                return false;
            }
            self.fault = None;
        }
        self.at = (entry.number, entry.hash);
        self.found.head = Some(self.at);
        self.found.entries += 1;
        self.expected = self.expected.filter(|expected| *expected != self.at);
        self.told = self.told.take().filter(|told| !entry.noted.what.starts_with(told));
        true
    }

    /// Where it stands: the number and the hash of the last entry.
    pub(crate) fn at(&self) -> (i64, [u8; 32]) {
        self.at
    }

    /// How many entries it has seen.
    pub(crate) fn entries(&self) -> u64 {
        self.found.entries
    }

    /// What is wrong, if anything was.
    pub(crate) fn fault(self) -> Option<String> {
        self.fault
    }

    /// Says what is wrong, unless that is known.
    pub(crate) fn blame(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    /// Takes in what an entry tells that it lost.
    pub(crate) fn heed(&mut self, entry: &Entry) {
        self.found.lost.extend(gap::told_by(entry));
    }

    /// Begins behind this entry, and leaves those up to it to others.
    pub(crate) fn skip_to(&mut self, at: (i64, [u8; 32])) {
        self.at = at;
        self.found.unchecked = (at.0 > 0).then_some((1, at.0));
    }
}

impl Store {
    /// Reads the whole audit log and tells whether it hangs together, and with what lies beside it: the
    /// mark of how far the store had come, the newest backup, and what is given.
    pub fn verify_audit(&self, beside: &Beside) -> Result<Verified> {
        // Before the rows: who writes meanwhile only brings more.
        let acknowledged = mark::acknowledged(self.path());
        let (found, fault) = self.read_for(TIME_MAX, |db| {
            let Walk { found, fault, expected, told, .. } = walked(db, beside)?;
            let fault = match (fault, told, expected) {
                (Some(fault), ..) => Some(fault),
                (_, Some(_), _) => Some("entries were taken out, and no entry tells".to_owned()),
                (_, _, Some(expected)) => Some(unexpected(expected, &archived(db)?)),
                _ => cut_off(db, &found, acknowledged, self.path().parent())?,
            };
            Ok((found, fault))
        })?;
        let fault = match self.damage() {
            None => fault.map(Fault::Changed),
            Some(why) => {
                let known = format!("the store is known to be damaged: {why}");
                Some(Fault::Damaged(fault.map_or(known.clone(), |what| format!("{what}; {known}"))))
            }
        };
        Ok(Verified { fault, ..found })
    }
}

/// A look at all entries, those in files first.
fn walked(db: &Connection, beside: &Beside) -> Result<Walk> {
    let gone = archived(db)?;
    let mut walk = Walk::from((0, [0; 32]), Vec::new());
    walk.fault = otherwise(db)?;
    if walk.fault.is_some() {
        return Ok(walk);
    }
    walk.found.lost = gap::told(db)?;
    walk.expected = beside.expected.filter(|expected| !gone.contains(expected));
    walk.told = gone.last().map(|last| archive::told(*last));
    archive::walk(&mut walk, &gone, &beside.archives)?;
    if walk.fault.is_some() {
        return Ok(walk);
    }
    let mut statement = db.prepare(&format!("{ENTRY} ORDER BY number"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let read = entry(row);
        let reach = (walk.at.0 + 1, row.get(0)?);
        if read.is_err() && gap::is_told(&walk.found.lost, reach) {
            walk.at = (reach.1, row.get(8)?);
            continue;
        }
        if !walk.step(read) {
            break;
        }
    }
    Ok(walk)
}

/// What is said of an entry that was expected and is not there.
fn unexpected((number, _): (i64, [u8; 32]), gone: &[(i64, [u8; 32])]) -> String {
    match gone.last() {
        Some((last, _)) if number < *last => {
            format!(
                "entry {number} is not here: an archive has it, or has another (--archive FILE)"
            )
        }
        _ => format!("entry {number} is not the one that was expected"),
    }
}

/// What is wrong with an entry that should have this number and follow that hash.
pub(crate) fn fault_of(entry: &Entry, number: i64, previous: &[u8; 32]) -> Option<String> {
    if entry.number != number {
        return Some(format!("entry {number} is missing: {} follows", entry.number));
    }
    let is_whole = hash(previous, number, &entry.noted) == entry.hash;
    (!is_whole).then(|| format!("entry {number} is not what was noted, or what stood before it"))
}

/// What keeps the log from being changed, as a database has it.
fn guards(db: &Connection) -> Result<Vec<(String, Vec<u8>)>> {
    // As bytes: of a damaged file it may be no text.
    let sql = "SELECT name, CAST(sql AS BLOB) FROM sqlite_schema WHERE tbl_name IN ('audit', 'audit_archive')
                 AND sql IS NOT NULL ORDER BY name";
    let mut statement = db.prepare(sql)?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// What of the log's tables and triggers is not as this version makes them.
pub(crate) fn otherwise(db: &Connection) -> Result<Option<String>> {
    let mut new = Connection::open_in_memory()?;
    migrate::run_to(&mut new, SCHEMA_VERSION)?;
    let (here, right) = (guards(db)?, guards(&new)?);
    let lacks = right.iter().find(|guard| !here.contains(guard));
    let odd = here.iter().find(|guard| !right.contains(guard));
    Ok(lacks.or(odd).map(|(name, _)| {
        format!("{name}, which keeps the log from being changed, is missing or was changed")
    }))
}

/// Whether entries are missing at the end, or were made anew, as far as others can tell.
fn cut_off(
    db: &Connection,
    found: &Verified,
    acknowledged: Option<i64>,
    dir: Option<&Path>,
) -> Result<Option<String>> {
    let newest = found.head.map_or(0, |(number, _)| number);
    if let Some(given) = audit::given(db)?.filter(|given| *given > newest) {
        return Ok(Some(format!("entries {} to {given} are missing at the end", newest + 1)));
    }
    if acknowledged > Some(mark::reached(db)?) {
        let why = "changes that were acknowledged are missing, perhaps entries at the end";
        return Ok(Some(why.to_owned()));
    }
    dir.map_or(Ok(None), |dir| differs(db, dir))
}

/// What begins the entry of a restore.
pub(crate) const RESTORED: &str = "restore the store from ";

/// Whether the newest entry of the newest backup is not in the log as it was then. A restore takes the
/// log back and begins another line: what the old one did later does not count.
fn differs(db: &Connection, dir: &Path) -> Result<Option<String>> {
    let Some(backup) = rolling::measure(dir, &Lines::of(db))? else { return Ok(None) };
    let head = connection::open_read_only(&backup.path).and_then(|kept| audit::head(&kept));
    let Ok(Some((number, hash))) = head else { return Ok(None) };
    let sql = "SELECT hash FROM audit WHERE number = ?1
               UNION ALL SELECT hash FROM audit_archive WHERE number = ?1";
    let here: Option<[u8; 32]> = db.query_row(sql, [number], |row| row.get(0)).optional()?;
    let gone = archived(db)?.last().map_or(0, |(last, _)| *last);
    let is_same = here.map_or(number < gone, |here| here == hash);
    let backup = backup.path.display();
    Ok((!is_same).then(|| format!("entry {number} is not what it was in the backup {backup}")))
}

#[cfg(test)]
pub(crate) mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::Attribution;
    use crate::audit::tests::{by, filled};
    use crate::rolling::Rhythm;

    const DROP: &str = "DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted;";

    /// What keeps the log from being changed, to be put back.
    pub(crate) fn guards() -> String {
        let script = include_str!("migrations/0010_trust.sql");
        let trigger = |name: &str| {
            let begin = script.find(&format!("CREATE TRIGGER {name}")).unwrap();
            let end = begin + script[begin..].find("END;").unwrap() + 4;
            script[begin..end].to_owned()
        };
        trigger("audit_is_never_changed") + &trigger("audit_is_never_deleted")
    }

    fn fault(store: &Store, beside: &Beside) -> Option<String> {
        store.verify_audit(beside).unwrap().fault.map(|fault| fault.to_string())
    }

    /// Changes the log behind our back, with all that keeps others from it in its place again, and
    /// tells what is found then.
    fn tampered(sql: &str) -> Option<String> {
        let (dir, store) = filled();
        drop(store);
        let db = Connection::open(dir.path().join(crate::FILE_NAME)).unwrap();
        assert!(db.execute_batch(sql).is_err(), "{sql}");
        db.execute_batch(&format!("{DROP} {sql}; {}", guards())).unwrap();
        drop(db);
        fault(&Store::open(dir.path()).unwrap(), &Beside::default())
    }

    #[test]
    fn a_log_that_was_changed_tells_where() {
        let (_dir, store) = filled();
        let whole = store.verify_audit(&Beside::default()).unwrap();
        assert_eq!((whole.entries, whole.fault.clone()), (7, None));
        let (number, hash) = whole.head.unwrap();
        let expecting = |expected| Beside { expected: Some(expected), ..Beside::default() };
        assert_eq!(fault(&store, &expecting((number, hash))), None);
        let other = fault(&store, &expecting((number, [7; 32])));
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

    #[test]
    fn what_keeps_the_log_from_being_changed_is_missed() {
        for (sql, name) in [
            ("DROP TRIGGER audit_is_never_changed", "audit_is_never_changed"),
            ("DROP TRIGGER audit_archive_is_never_deleted", "audit_archive_is_never_deleted"),
            (
                "DROP TRIGGER audit_is_never_deleted;
                 CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
                 BEGIN SELECT 1; END",
                "audit_is_never_deleted",
            ),
            ("DROP TABLE audit", "audit"),
        ] {
            let (dir, store) = filled();
            drop(store);
            let db = Connection::open(dir.path().join(crate::FILE_NAME)).unwrap();
            db.execute_batch(sql).unwrap();
            drop(db);
            let store = Store::open_read_only(dir.path()).unwrap();
            let fault = fault(&store, &Beside::default()).expect(sql);
            assert!(fault.starts_with(&format!("{name}, which keeps")), "{fault}");
        }
    }

    #[test]
    fn entries_cut_off_with_their_counter_are_missed_by_the_mark_and_by_the_newest_backup() {
        let cut = "DELETE FROM audit WHERE number > 5;
                   UPDATE sqlite_sequence SET seq = 5 WHERE name = 'audit';";
        for (keeps_mark, why) in [
            (true, "changes that were acknowledged are missing"),
            (false, "entry 7 is not what it was in the backup"),
        ] {
            let (dir, store) = filled();
            store.roll(&Rhythm::default(), rolling::now()).unwrap();
            drop(store);
            let path = dir.path().join(crate::FILE_NAME);
            let db = Connection::open(&path).unwrap();
            db.execute_batch(&format!("{DROP} {cut} {}", guards())).unwrap();
            drop(db);
            if !keeps_mark {
                mark::forget(&path);
            }
            let store = Store::open_read_only(dir.path()).unwrap();
            let fault = fault(&store, &Beside::default()).unwrap();
            assert!(fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn known_damage_is_a_fault() {
        let (_dir, store) = filled();
        store.trouble.note("page 7 is torn");
        let fault = store.verify_audit(&Beside::default()).unwrap().fault;
        let known = "the store is known to be damaged: page 7 is torn";
        assert_eq!(fault, Some(Fault::Damaged(known.to_owned())));
    }

    #[test]
    fn a_restore_takes_the_log_back_and_says_how_far_it_had_come() {
        let (dir, store) = filled();
        let file = dir.path().join("copy.db");
        store.backup(&file).unwrap();
        store
            .apply_by(model::Change::of(model::Op::Delete(crate::tests::id(1))), by("ada"))
            .unwrap();
        store.roll(&Rhythm::default(), rolling::now()).unwrap();
        let (number, hash) = store.verify_audit(&Beside::default()).unwrap().head.unwrap();
        drop(store);
        let mut later = by("ada");
        later.at = model::time::from_micros(later.at.as_microsecond() + 1).unwrap();
        crate::restore(&file, dir.path(), &later).unwrap();
        let store = Store::open(dir.path()).unwrap();
        let verified = store.verify_audit(&Beside::default()).unwrap();
        assert_eq!((verified.entries, verified.fault), (8, None));
        let newest = crate::AuditFilter { limit: 1, ..crate::AuditFilter::default() };
        let what = store.audited(&newest).unwrap().remove(0).noted.what;
        assert!(what.starts_with(RESTORED), "{what}");
        assert!(what.contains(&rolling::sum_of(&file).unwrap()), "{what}");
        assert!(what.contains(&format!("{number}:{}", model::hex(&hash))), "{what}");
    }

    #[test]
    fn which_backup_counts_after_a_restore_does_not_hang_on_the_clock() {
        for days in [-2, 0, 365] {
            let (dir, store) = filled();
            let path = dir.path().join(crate::FILE_NAME);
            let file = dir.path().join("copy.db");
            let delete = |store: &Store| {
                let change = model::Change::of(model::Op::Delete(crate::tests::id(1)));
                assert!(store.apply_by(change, by("ada")).unwrap().is_done());
            };
            store.backup(&file).unwrap();
            delete(&store);
            store.roll(&Rhythm::default(), by("ada").at).unwrap();
            drop(store);
            let moved = |days: i64| {
                let micros = by("ada").at.as_microsecond() + days * 86_400_000_000;
                model::time::from_micros(micros).unwrap()
            };
            let then = Attribution { at: moved(days), ..by("ada") };
            crate::restore(&file, dir.path(), &then).unwrap();
            let store = Store::open(dir.path()).unwrap();
            assert_eq!(fault(&store, &Beside::default()), None, "{days} days");
            delete(&store);
            store.roll(&Rhythm::default(), moved(3)).unwrap();
            assert_eq!(fault(&store, &Beside::default()), None, "{days} days");
            drop(store);
            let db = Connection::open(&path).unwrap();
            let cut = "DELETE FROM audit WHERE number > 8;
                       UPDATE sqlite_sequence SET seq = 8 WHERE name = 'audit';";
            db.execute_batch(&format!("{DROP} {cut} {}", guards())).unwrap();
            drop(db);
            mark::forget(&path);
            let store = Store::open_read_only(dir.path()).unwrap();
            let fault = fault(&store, &Beside::default()).expect("entry 9 is in the backup");
            assert!(fault.contains("entry 9 is not what it was"), "{fault}");
        }
    }
}
