//! Backup while others write, and restore that checks before it replaces.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::Actor;
use model::audit::{Deed, NewEntry};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::connection::APPLICATION_ID;
use crate::error::{Result, StoreError, at};
use crate::verify::RESTORED;
use crate::{
    Attribution, FILE_NAME, Store, audit, connection, damage, line, migrate, presence, replace,
    rescue, rolling,
};

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// How many memories, archived ones included.
    pub memories: u64,
    /// The file's size.
    pub bytes: u64,
}

impl Store {
    /// Copies the database to `target` as it is at one moment, while others go on writing. An
    /// existing file is not overwritten.
    pub fn backup(&self, target: &Path) -> Result<BackupReport> {
        let source = connection::open_reader(self.path())?;
        into(&source, target).map_err(|error| match error {
            // The copy is as the store is: perhaps that is what is broken.
            StoreError::Damaged(_) => match self.examine() {
                Ok(Some(why)) => self.trouble.harmed(&why),
                Ok(None) => error,
                Err(worse) => worse,
            },
            error => self.trouble.heed(error),
        })
    }
}

/// Copies a database to a file that is not there yet, and looks whether the copy is whole.
pub(crate) fn into(source: &Connection, target: &Path) -> Result<BackupReport> {
    if target.exists() {
        return Err(StoreError::Exists { path: target.to_owned() });
    }
    let unfinished = sibling(target, &format!("unfinished-{}", std::process::id()));
    let put = |report| -> Result<BackupReport> {
        std::fs::rename(&unfinished, target).map_err(at(target))?;
        // One that may be gone after a power cut is none, and must not stand in the next one's way.
        sync_dir(target).inspect_err(|_| drop(std::fs::remove_file(target)))?;
        Ok(report)
    };
    let made = copy(source, &unfinished).and_then(|()| check(&unfinished)).and_then(put);
    remove(&unfinished);
    made
}

/// Removes a database that is of no use, with all that belongs to it: SQLite would take it for that of whatever
/// comes in its place. That it could not be removed, or is not there, is not the news.
pub(crate) fn remove(path: &Path) {
    for ending in PARTS.iter().chain(&["-journal"]) {
        let _ = std::fs::remove_file(part(path, ending));
    }
}

/// Copies a database with what is still in its log into one private file. The copy is made in one
/// step on one snapshot: others go on writing meanwhile, and it does not start over for them.
pub(crate) fn copy(source: &Connection, target: &Path) -> Result<()> {
    connection::make_private_file(target)?;
    let mut copy = Connection::open(target)?;
    Backup::new(source, &mut copy)?.step(-1)?;
    copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)?;
    refuse_log(target)?;
    std::fs::File::open(target).and_then(|file| file.sync_all()).map_err(at(target))
}

/// Refuses a copy that wants a log beside it. SQLite says that it has none even where a failing disk
/// kept it from writing that down.
fn refuse_log(target: &Path) -> Result<()> {
    const WRITE_VERSION: usize = 18;
    const WITHOUT_LOG: u8 = 1;
    let mut header = [0; WRITE_VERSION + 1];
    std::fs::File::open(target)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header))
        .map_err(at(target))?;
    if header[WRITE_VERSION] == WITHOUT_LOG {
        return Ok(());
    }
    Err(at(target)(std::io::Error::other("the copy could not be parted from its log")))
}

/// Puts the backup `source` in the place of the store in `dir`, after it was checked; the store that
/// was there is kept beside it, and its new name returned. The audit log goes back with it, and says so.
pub fn restore(
    source: &Path,
    dir: &Path,
    by: &Attribution,
) -> Result<(BackupReport, Option<PathBuf>)> {
    connection::make_private_dir(dir)?;
    let target = dir.join(FILE_NAME);
    let _alone = presence::alone(&target)?;
    replace::settle_alone(&target)?;
    rescue::sweep(&target);
    let real = |path: &Path| path.canonicalize().ok();
    if real(source).is_some() && real(source) == real(&target) {
        return Err(StoreError::Itself { path: source.to_owned() });
    }
    check(source).map_err(|error| match error.is_damage() {
        // SQLite says neither what file it is nor that nothing was changed.
        true => StoreError::Spoilt { path: source.to_owned(), why: error.to_string() },
        false => error,
    })?;
    refuse_altered(source)?;
    let incoming = sibling(&target, "incoming");
    let fetched = fetch(source, &incoming).and_then(|report| {
        note_restore(&incoming, &target, source, by)?;
        if target.exists() {
            close_for_good(&target)?;
        }
        Ok((report, replace::replace(&target, &incoming, "before-restore")?))
    });
    if fetched.is_err() && !replace::is_under_way(&target) {
        // What could not take the store's place is of no use.
        let _ = std::fs::remove_file(&incoming);
    }
    fetched
}

/// Refuses a backup that is not what was backed up: what changed in it would be served as if it were
/// right.
fn refuse_altered(source: &Path) -> Result<()> {
    let spoilt = |why: String| Err(StoreError::Spoilt { path: source.to_owned(), why });
    let noted = std::fs::read_to_string(part(source, ".sum")).unwrap_or_default();
    if let Some(sum) = noted.split_whitespace().next()
        && rolling::sum_of(source)? != sum
    {
        return spoilt("its SHA-256 is not the one beside it".to_owned());
    }
    match damage::problems(&open_existing(source)?)?.into_iter().next() {
        Some(why) => spoilt(why),
        None => Ok(()),
    }
}

/// Copies a backup to where it is to take the store's place, and looks whether the copy is whole.
fn fetch(source: &Path, incoming: &Path) -> Result<BackupReport> {
    let db = open_existing(source)?;
    let _ = std::fs::remove_file(incoming);
    copy(&db, incoming)?;
    line::renew(incoming)?;
    check(incoming)
}

/// Notes in the audit log of what is restored how far the one went whose place it takes.
fn note_restore(incoming: &Path, target: &Path, source: &Path, by: &Attribution) -> Result<()> {
    // Of a store that cannot be read any more nothing is known.
    let old = open_existing(target).and_then(|db| audit::head(&db)).ok().flatten();
    let old = old.map_or("an unknown entry".to_owned(), |(number, hash)| {
        format!("{number}:{}", model::hex(&hash))
    });
    let (sum, source) = (rolling::sum_of(source)?, source.display());
    let what = format!("{RESTORED}a backup (sha256 {sum}); the log went up to {old}; {source}");
    let mut db = Connection::open(incoming)?;
    migrate::run_to(&mut db, migrate::SCHEMA_VERSION)?;
    note_into(db, incoming, by, what)
}

/// Notes something in the audit log of a database that is to take a store's place; it is on disk then.
pub(crate) fn note_into(
    mut db: Connection,
    path: &Path,
    by: &Attribution,
    what: String,
) -> Result<()> {
    let (actor, at) = (Actor::clone(&by.actor), by.at);
    let changes = db.transaction()?;
    audit::note(&changes, &NewEntry { actor, at, deed: Deed::Written, what })?;
    changes.commit()?;
    db.close().map_err(|(_, error)| error)?;
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(crate::error::at(path))
}

/// A database's file and what may stand beside it. A log that is left behind would be replayed into
/// whatever takes the database's place.
pub(crate) const PARTS: [&str; 4] = ["", "-wal", "-shm", "-wal.lost"];

pub(crate) fn part(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Folds the log into the database; fails while another process has it open.
fn close_for_good(path: &Path) -> Result<()> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.busy_timeout(Duration::from_secs(2))?;
    let left =
        db.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
    match left.map_err(StoreError::from) {
        Ok(_) => Ok(()),
        // What is broken beyond reading is set aside as it is: that is what a restore is for.
        Err(error) if error.is_damage() => Ok(()),
        Err(error) if error.is_time_out() => Err(StoreError::InUse),
        Err(error) => Err(error),
    }
}

/// Whether the file is a whole store that this version can read.
pub(crate) fn check(path: &Path) -> Result<BackupReport> {
    let bytes = std::fs::metadata(path).map_err(at(path))?.len();
    let db = open_existing(path)?;
    let id: i64 = db
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(|_| StoreError::Damaged(format!("{} is no database", path.display())))?;
    if id != APPLICATION_ID {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    migrate::refuse_newer(migrate::version(&db)?)?;
    if let Some(problem) = damage::structure(&db)?.into_iter().next() {
        return Err(StoreError::Damaged(format!("{}: {problem}", path.display())));
    }
    let memories = db.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?;
    Ok(BackupReport { memories, bytes })
}

/// Opens a database for reading, wherever it lies.
fn open_existing(path: &Path) -> Result<Connection> {
    std::fs::metadata(path).map_err(at(path))?;
    connection::open_read_only(path)
}

pub(crate) fn sibling(path: &Path, ending: &str) -> PathBuf {
    part(path, &format!(".{ending}"))
}

pub(crate) fn sync_dir(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let dir = parent.unwrap_or(Path::new("."));
    std::fs::File::open(dir).and_then(|file| file.sync_all()).map_err(at(dir))
}
