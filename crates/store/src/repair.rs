//! A damaged store made whole again, from what can be read of it and from the newest backup.
//!
//! Nothing is destroyed: the damaged files are moved aside, and a new database takes their place only
//! after it was checked. What follows from other rows (tags, tallies, the index) is made anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::audit::Attribution;
use crate::backup::{self, part, sibling};
use crate::error::{Result, StoreError, at};
use crate::rolling::{self, Kept};
use crate::salvage::{self, Gap};
use crate::{
    FILE_NAME, Store, behind, connection, drift, gap, graft, mark, mend, migrate, presence, record,
    replace, rescue, trouble, wal,
};

/// Reading a damaged database that takes longer is given up.
const TIME_MAX: Duration = Duration::from_secs(3_600);

/// What a repair did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repair {
    /// What was wrong.
    pub problems: Vec<String>,
    /// What there is again, and where it came from.
    pub restored: Vec<String>,
    /// What there is not.
    pub lost: Vec<String>,
    /// Where the damaged database lies now; none as long as nothing was done.
    pub kept: Option<PathBuf>,
    /// Whether records of the ledger were among what could not be read or was not what was stored.
    pub records_lost: bool,
    /// Whether it is in the audit log of what took the damaged database's place.
    pub is_noted: bool,
    /// Whether the tables' counters could not be read.
    is_uncounted: bool,
}

/// Repairs the store in `dir` in somebody's name; in nobody's, it says what it would do. None if nothing
/// is wrong.
pub fn repair(dir: &Path, by: Option<&Attribution>) -> Result<Option<Repair>> {
    let path = dir.join(FILE_NAME);
    let dry_run = by.is_none();
    match dry_run && replace::is_under_way(&path) {
        true => return Err(StoreError::Replacing { path }),
        false => replace::settle(&path)?,
    }
    let problems = match replace::refuse_empty(&path) {
        Err(StoreError::Lost { path, why }) => vec![format!("{} {why}", path.display())],
        Err(error) => return Err(error),
        Ok(()) if !replace::exists(&path) => return Ok(None),
        Ok(()) => problems(dir, &path, dry_run)?,
    };
    if problems.is_empty() {
        if !dry_run {
            // Whoever noted damage was wrong, or somebody has mended it.
            let _ = std::fs::remove_file(trouble::note_path(&path));
        }
        return Ok(None);
    }
    let _alone = presence::alone(&path)?;
    rescue::sweep(&path);
    replace::sweep(&path);
    let work = Work::in_dir(&path)?;
    let mut repair = Repair { problems, ..Repair::default() };
    let incoming = work.rebuild(&path, &rolling::backups(dir)?, &mut repair)?;
    let reached = open(&incoming).and_then(|db| mark::reached(&db))?;
    let lack = mark::acknowledged(&path).map(|mark| mark - reached).filter(|lack| *lack > 0);
    // Without the counters nobody can tell: what is gone counted, too.
    if let Some(lack) = lack.filter(|_| !repair.is_uncounted) {
        repair.lost.push(format!("{lack} of the last changes, which were acknowledged"));
    }
    if let Some(by) = by {
        repair.is_noted = note(&incoming, &repair, by)?;
        repair.kept = replace::replace(&path, &incoming, "before-repair")?;
    }
    Ok(Some(repair))
}

/// Notes in the audit log of what is to come what the repair found and lost: once that is in its place,
/// nobody else could tell. False for an earlier schema, which may have no log.
fn note(incoming: &Path, repair: &Repair, by: &Attribution) -> Result<bool> {
    let db = Connection::open(incoming)?;
    if migrate::version(&db)? != migrate::SCHEMA_VERSION {
        return Ok(false);
    }
    let Repair { problems, restored, lost, .. } = repair;
    let first = restored.first().map_or(String::new(), |what| format!(": {what}"));
    let gone = match lost.is_empty() {
        true => String::new(),
        false => format!("; lost: {}", mend::named(lost)),
    };
    let what = format!(
        "repair the store: {} problems, {} lost, {} restored{first}{gone}",
        problems.len(),
        lost.len(),
        restored.len()
    );
    backup::note_into(db, incoming, by, what)?;
    Ok(true)
}

/// What is wrong with the store. An error is one that no repair is for: a newer store, say.
fn problems(dir: &Path, path: &Path, dry_run: bool) -> Result<Vec<String>> {
    if dry_run
        && let Ok(db) = connection::open_read_only(path)
        && migrate::version(&db).is_ok_and(|found| found < migrate::SCHEMA_VERSION)
    {
        // Whoever opens it to write would bring it up to date.
        return match crate::damage::structure(&db) {
            Err(error) if error.is_damage() => Ok(vec![why(error)]),
            looked => looked,
        };
    }
    // Whoever opens it to write folds its log into what may be damaged.
    let opened = if dry_run { Store::open_read_only(dir) } else { Store::open(dir) };
    let health = opened.map(|store| {
        let noted = store.damage().map(str::to_owned);
        (noted, store.health())
    });
    match health {
        Ok((noted, Ok(health))) => {
            let is_true = |_: &String| has_lost(path) || !is_sound(path, dry_run);
            Ok(health.problems.into_iter().chain(noted.filter(is_true)).collect())
        }
        Ok((noted, Err(error))) if error.is_damage() => {
            Ok(vec![noted.unwrap_or_else(|| why(error))])
        }
        Err(error) if error.is_damage() => Ok(vec![why(error)]),
        Ok((_, Err(error))) | Err(error) => Err(error),
    }
}

/// Whether nothing is wrong for who writes, either: SQLite reads more into a schema then. A dry run must
/// do without that.
fn is_sound(path: &Path, dry_run: bool) -> bool {
    let opened = if dry_run { connection::open_read_only(path) } else { connection::open(path) };
    let looked = opened.and_then(|db| {
        // Its number may be what is damaged.
        migrate::refuse_other(migrate::version(&db)?)?;
        crate::damage::structure(&db)
    });
    looked.is_ok_and(|problems| problems.is_empty())
}

/// What is wrong, without what to do about it.
fn why(error: StoreError) -> String {
    match error {
        StoreError::Harmed { why, .. } => why,
        other => other.to_string(),
    }
}

/// Whether changes that were acknowledged are missing.
fn has_lost(path: &Path) -> bool {
    let acknowledged = mark::acknowledged(path);
    let reached = connection::open_read_only(path).and_then(|db| mark::reached(&db));
    part(path, "-wal.lost").exists()
        || reached.is_ok_and(|reached| acknowledged.is_some_and(|mark| mark > reached))
}

/// The files that a repair works on; they go with it.
pub(crate) struct Work {
    /// The store that they are beside.
    store: PathBuf,
    /// The damaged database, with its log put into it.
    damaged: PathBuf,
    /// The new one.
    incoming: PathBuf,
    /// A copy of a backup.
    backup: PathBuf,
    /// Whether the new one is to be read from, and not to take the store's place: then a text that is not
    /// the one that was stored stays known as that.
    is_to_read: bool,
}

impl Drop for Work {
    fn drop(&mut self) {
        if replace::is_under_way(&self.store) {
            // What was about to take the store's place tells whoever settles that it has not.
            return;
        }
        self.clear();
        backup::remove(&self.incoming);
    }
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").field("damaged", &self.damaged).finish_non_exhaustive()
    }
}

impl Work {
    fn in_dir(path: &Path) -> Result<Self> {
        Self::named(path, "repairing", false)
    }

    /// The files of a copy to read from.
    pub(crate) fn to_read(path: &Path, name: &str) -> Result<Self> {
        Self::named(path, name, true)
    }

    /// The new database.
    pub(crate) fn incoming(&self) -> &Path {
        &self.incoming
    }

    /// Removes all but the new database.
    pub(crate) fn clear(&self) {
        backup::remove(&self.damaged);
        backup::remove(&self.backup);
    }

    fn named(path: &Path, name: &str, is_to_read: bool) -> Result<Self> {
        let damaged = sibling(path, name);
        let incoming = sibling(path, &format!("{name}-new"));
        let backup = sibling(&damaged, "backup");
        let work = Self { store: path.to_owned(), backup, damaged, incoming, is_to_read };
        backup::remove(&work.backup);
        for path in [&work.damaged, &work.incoming] {
            backup::remove(path);
            connection::make_private_file(path)?;
        }
        Ok(work)
    }

    /// Makes the new database: rows of the damaged one, and of the newest backup what lacks.
    pub(crate) fn rebuild(
        &self,
        path: &Path,
        kept: &[Kept],
        repair: &mut Repair,
    ) -> Result<PathBuf> {
        let gathered = self.gather(path, repair)?;
        let schema = match self.last_resort(kept) {
            Some(backup) => self.gather_spoilt(backup, repair)?,
            None => gathered,
        };
        let mut target = Connection::open(&self.incoming)?;
        migrate::run_to(&mut target, schema)?;
        target.pragma_update(None, "foreign_keys", false)?;
        let lines = self.open_damaged().map(|db| behind::lines(&db)).unwrap_or_default();
        let kept: Vec<&Kept> = kept.iter().filter(|kept| lines.lead_from(kept)).collect();
        let whole = || kept.iter().filter(|kept| kept.is_whole()).map(|kept| &*kept.path);
        let backup = self.backup_for(&salvage::tables(&target)?, &kept, schema)?;
        if let Some((path, _)) = &backup {
            drift::attach(&target, path)?;
        }
        let changes = target.transaction()?;
        let source = match &backup {
            Some((path, kept)) => Some((open(path)?, *kept)),
            None => None,
        };
        let gaps = self.take(&changes, source.as_ref(), repair)?;
        if backup.is_some() && schema == migrate::SCHEMA_VERSION {
            drift::take(&changes, repair)?;
        }
        if !self.is_to_read {
            mend::texts(&changes, whole(), repair)?;
            if schema == migrate::SCHEMA_VERSION {
                for (number, _) in record::faults(&changes, usize::MAX)? {
                    record::accept(&changes, number)?;
                    repair.records_lost = true;
                }
                let lost = gap::tell(&changes)?;
                repair.lost.extend(lost.map(|named| format!("entries {named} of the audit log")));
            }
        }
        mend::all(&changes, &gaps, repair)?;
        changes.commit()?;
        target.close().map_err(|(_, error)| error)?;
        backup::check(&self.incoming)?;
        let file = std::fs::File::open(&self.incoming).map_err(at(&self.incoming))?;
        file.sync_all().map_err(at(&self.incoming))?;
        Ok(self.incoming.clone())
    }

    /// Takes what can be read of the damaged database, and from the backup what cannot; all from there if
    /// the database has nothing that is newer. What could not be read.
    fn take(
        &self,
        target: &Connection,
        backup: Option<&(Connection, &Kept)>,
        repair: &mut Repair,
    ) -> Result<Vec<Gap>> {
        let is_newer = |db: &Connection| {
            !backup.is_some_and(|(backup, kept)| behind::is_behind(db, backup, kept))
        };
        let gaps = match (self.open_damaged().ok().filter(is_newer), backup) {
            (Some(damaged), _) => {
                let gaps = salvage::copy(&damaged, target)?;
                repair.restored.extend(mend::counted(target, "the damaged database")?);
                gaps
            }
            (None, Some((backup, kept))) => return behind::take_all(target, backup, kept, repair),
            (None, None) if self.is_to_read => {
                return Err(StoreError::Damaged("nothing of it can be read".to_owned()));
            }
            (None, None) => behind::everything(target)?,
        };
        self.fill(target, backup, &gaps, repair)?;
        Ok(gaps)
    }

    /// The newest backup. Where the damaged database's list of tables cannot be read, it is the
    /// backup's.
    fn backup_for<'a>(
        &self,
        tables: &[salvage::Table],
        kept: &[&'a Kept],
        schema: i64,
    ) -> Result<Option<(PathBuf, &'a Kept)>> {
        let damaged = Connection::open(&self.damaged);
        let has_tables = damaged.is_ok_and(|db| graft::has_tables(&db, tables));
        if has_tables && self.is_to_read {
            return Ok(None);
        }
        let newest = self.newest(kept, schema)?;
        if let Some((backup, _)) = newest.as_ref().filter(|_| !has_tables) {
            graft::schema_of(backup, &self.damaged)?;
        }
        // What is older must not pass for what is: it told where the tables are, no more.
        Ok(newest.filter(|_| !self.is_to_read))
    }

    /// The damaged database in one file; its schema's number.
    fn gather(&self, path: &Path, repair: &mut Repair) -> Result<i64> {
        if path.exists() {
            std::fs::copy(path, &self.damaged).map_err(at(path))?;
        }
        let logs = [part(path, "-wal.lost"), part(path, "-wal")];
        for log in logs {
            if let Ok(bytes) = std::fs::read(&log) {
                let folded = wal::fold(&bytes, &self.damaged)?;
                // A change of a row moves no counter: nothing else would tell of it.
                if folded.unread > 0 {
                    let (count, log) = (folded.unread, log.display());
                    repair.lost.push(format!(
                        "{count} pages of the log {log} that could not be read: changes in them may be \
                         lost, and what they changed be there as it was before"
                    ));
                }
                break;
            }
        }
        wal::mend_header(&self.damaged, migrate::SCHEMA_VERSION)?;
        let read = open(&self.damaged).and_then(|db| Ok((migrate::version(&db)?, names(&db)?)));
        let Ok((version, names)) = read else { return Ok(migrate::SCHEMA_VERSION) };
        // The number may be what is damaged; the tables tell which it is.
        for schema in (1..=migrate::SCHEMA_VERSION).rev() {
            let mut db = Connection::open_in_memory()?;
            migrate::run_to(&mut db, schema)?;
            if self::names(&db)? == names {
                return Ok(schema);
            }
        }
        Ok(if version > 0 { version } else { migrate::SCHEMA_VERSION })
    }

    /// The newest backup, where nothing is left of the database and no backup is whole: most of it may be.
    fn last_resort<'a>(&self, kept: &'a [Kept]) -> Option<&'a Kept> {
        let has_tables =
            self.open_damaged().and_then(|db| names(&db)).is_ok_and(|it| !it.is_empty());
        if self.is_to_read || has_tables || kept.iter().any(Kept::is_whole) {
            return None;
        }
        kept.iter().find(|kept| kept.schema <= migrate::SCHEMA_VERSION)
    }

    /// Takes a damaged backup for the damaged database: its rows are read one by one, and its texts
    /// compared with their hashes.
    fn gather_spoilt(&self, backup: &Kept, repair: &mut Repair) -> Result<i64> {
        let (path, at) = (backup.path.display(), backup.at);
        let what = "no other is whole, so it is read in the damaged database's place";
        repair.problems.push(format!("the backup {path}, of {at}, is damaged: {what}"));
        // Git may have newer ones.
        repair.records_lost = true;
        self.gather(&backup.path, repair)
    }

    fn open_damaged(&self) -> Result<Connection> {
        open(&self.damaged)
    }

    /// The newest backup that is whole, brought to this schema.
    fn newest<'a>(&self, kept: &[&'a Kept], schema: i64) -> Result<Option<(PathBuf, &'a Kept)>> {
        for &one in kept {
            if let Some(copy) = rolling::at_schema(one, &self.damaged, schema)? {
                return Ok(Some((copy, one)));
            }
        }
        Ok(None)
    }

    /// Takes from a backup what could not be read.
    fn fill(
        &self,
        target: &Connection,
        backup: Option<&(Connection, &Kept)>,
        gaps: &[Gap],
        repair: &mut Repair,
    ) -> Result<()> {
        let known = self.open_damaged().ok().and_then(|db| mend::known(&db));
        if let Some((source, kept)) = backup {
            let mut filled = 0;
            for gap in gaps {
                filled += salvage::fill(source, target, gap)?;
            }
            if let Some(known) = &known {
                // What the index does not know was deleted since.
                filled = filled.saturating_sub(mend::forget_unknown(target, gaps, known)?);
            }
            if filled > 0 {
                repair.restored.push(format!(
                    "{filled} rows that could not be read, from the backup {}; what changed or was \
                     deleted after it was made may be there as it was",
                    kept.path.display()
                ));
            }
        }
        repair.is_uncounted = gaps.iter().any(|gap| gap.table == salvage::COUNTERS);
        repair.records_lost |= gaps.iter().any(|gap| ["record", "outbox"].contains(&&*gap.table));
        repair.lost.extend(mend::missing(target, gaps, known.as_deref())?);
        Ok(())
    }
}

/// Opens a file that may be damaged, so that one broken table costs no other.
fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags)?;
    db.pragma_update(None, "writable_schema", true)?;
    connection::limit_time(&mut db, TIME_MAX)?;
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(db)
}

/// The names of a database's tables.
fn names(db: &Connection) -> Result<Vec<String>> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'memory_terms_%'
               ORDER BY name";
    let mut statement = db.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::tests::{by, filled};

    /// A store as a kill leaves it, with a broken frame in the middle of its log.
    fn torn() -> (tempfile::TempDir, Vec<u8>) {
        let (from, store) = filled();
        let dir = tempfile::tempdir().unwrap();
        for file in [FILE_NAME, "lorekeep.db-wal", "lorekeep.mark"] {
            std::fs::copy(from.path().join(file), dir.path().join(file)).unwrap();
        }
        drop(store);
        let log = dir.path().join("lorekeep.db-wal");
        let mut bytes = std::fs::read(&log).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&log, &bytes).unwrap();
        (dir, bytes)
    }

    #[test]
    fn a_log_with_what_was_acknowledged_is_kept_or_left_where_it_is() {
        let (dir, bytes) = torn();
        let kept = |dir: &tempfile::TempDir| dir.path().join("lorekeep.db-wal.lost");
        assert!(Store::open(dir.path()).unwrap().damage().is_some());
        assert_eq!(std::fs::read(kept(&dir)).unwrap(), bytes);

        let (dir, bytes) = torn();
        let (log, kept) = (dir.path().join("lorekeep.db-wal"), kept(&dir));
        // As on a full disk: nothing can be written beside it.
        std::fs::create_dir(part(&kept, ".tmp")).unwrap();
        assert!(Store::open(dir.path()).unwrap().damage().is_some());
        assert!(!kept.exists());
        assert_eq!(std::fs::read(&log).unwrap(), bytes, "all that is behind the damage");
        std::fs::remove_dir(part(&kept, ".tmp")).unwrap();
        let repaired = repair(dir.path(), Some(&by("ada"))).unwrap().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let (number, _) = store.verify_audit(&crate::Beside::default()).unwrap().head.unwrap();
        assert!(number >= 7, "{repaired:?}");
    }
}
