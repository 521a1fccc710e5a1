//! One door to the database.
//!
//! [`Store`] reads, and writes by [`Store::apply`] alone: one [`Change`](model::Change), one
//! transaction, whole or not at all, on disk before it is acknowledged. Several processes may have
//! one store open; what one of them acknowledged is in the next read of another.
//!
//! The database is SQLite in WAL mode. One thread owns the connection that writes and commits
//! whatever changes wait for it together (group commit); reads take a connection from a small pool.
//!
//! Searches look at an index in memory (`rank::index`) that follows the log of changes before each
//! answer; the rows are the truth, and a snapshot of the index beside the database only saves time.
//!
//! Not here: decisions. A guard tells whether a decision still holds; the verbs above decide.

mod archive;
mod audit;
mod backup;
mod beginning;
mod behind;
mod candidate;
mod connection;
mod damage;
mod document;
mod drift;
mod edge;
mod episode;
mod error;
mod event;
mod export;
mod fact;
mod filter;
mod foreign;
mod gap;
mod graft;
mod knowledge;
mod line;
mod log;
mod mark;
mod memory;
mod mend;
mod migrate;
mod outbox;
mod presence;
mod query;
mod record;
mod repair;
mod replace;
mod rescue;
mod rolling;
mod row;
mod salvage;
mod search;
mod stats;
#[cfg(test)]
mod tests;
mod text;
mod trouble;
mod vector;
mod verdict;
mod verify;
mod vital;
mod wal;
mod walk;
mod write;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::{Change, Outcome};
use rusqlite::Connection;

pub use archive::{Archived, Staying};
pub use audit::{Attribution, AuditFilter};
pub use backup::{BackupReport, restore};
pub use candidate::CANDIDATES_MAX;
pub use connection::{make_private_dir, private_options};
pub use damage::Health;
pub use document::DocumentStats;
pub use edge::{EdgesOf, Hop, PlacedEdge};
pub use error::{Result, StoreError};
pub use export::Exported;
pub use fact::{Held, LinksOf};
pub use foreign::{Cell, Foreign, ForeignRow};
pub use knowledge::{KnownItem, SyncStats};
pub use line::id;
use mark::Mark;
pub use migrate::SCHEMA_VERSION;
pub use outbox::{Promised, Queue};
use presence::Presence;
pub use query::QUERIES_KEPT;
pub use rank::index::Candidate;
pub use record::{RecordFilter, StoredRecord};
pub use repair::{Repair, repair};
pub use replace::settle_in as settle;
use rescue::Rescue;
pub use rolling::{FOLDER as BACKUPS, Kept, Rhythm, Rolled, Room, backups, now};
pub use search::Search;
pub use stats::{Census, MemoryStats, TagCount};
use trouble::Trouble;
pub use vector::{ModelState, Unembedded};
pub use verify::{Beside, Fault, Verified};
pub use vital::Vital;
use writer::Writer;

/// The database's file in a data directory.
pub const FILE_NAME: &str = "lorekeep.db";

/// How many reading connections are kept open when nobody reads.
const READERS_IDLE_MAX: usize = 8;

/// A read that takes longer is given up.
const READ_TIME_MAX: Duration = Duration::from_secs(30);

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    readers: Mutex<Vec<Connection>>,
    writer: Option<Writer>,
    views: search::Views,
    trouble: Arc<Trouble>,
    /// What is read in the place of a damaged database.
    rescue: Rescue,
    _presence: Option<Presence>,
}

impl Store {
    /// Opens the store in `dir`, making the directory and the database if they are not there, and
    /// bringing an older database up to date. One that is damaged is opened to read, if it can be.
    pub fn open(dir: &Path) -> Result<Self> {
        connection::make_private_dir(dir)?;
        let path = dir.join(FILE_NAME);
        migrate::refuse_newer_file(&path)?;
        let presence = Self::enter(&path)?;
        let trouble = Arc::new(Trouble::of(&path));
        if let Some(why) = trouble.what() {
            let why = why.to_owned();
            return Self::open_damaged(path, trouble, &why, presence);
        }
        let acknowledged = mark::acknowledged(&path);
        let opened = connection::open(&path).and_then(|mut connection| {
            migrate::run(&mut connection, &path)?;
            Ok((mark::reached(&connection)?, connection))
        });
        match opened {
            Ok((reached, connection)) if acknowledged.is_some_and(|mark| mark > reached) => {
                let why = mark::keep_lost(&path, &connection);
                trouble.note(&why);
                drop(connection);
                Self::open_damaged(path, trouble, &why, presence)
            }
            Ok((_, connection)) => {
                trouble.opened();
                let mark = Mark::open(&path);
                let unheard = writer::Unheard::default();
                let care = writer::Care { trouble: Arc::clone(&trouble), mark, unheard };
                let writer = Some(Writer::start(connection, care)?);
                let store = Self::of(path, Vec::new(), writer, trouble);
                Ok(Self { _presence: Some(presence), ..store })
            }
            Err(error) if error.is_broken_file() => {
                let why = error.to_string();
                trouble.note(&why);
                Self::open_damaged(path, trouble, &why, presence)
            }
            Err(error) => Err(connection::named(error, &path)),
        }
    }

    /// Comes among those who write, when nobody replaces the database any more.
    fn enter(path: &Path) -> Result<Presence> {
        loop {
            replace::settle(path)?;
            let presence = presence::among(path)?;
            if !replace::is_under_way(path) {
                replace::refuse_empty(path)?;
                return Ok(presence);
            }
        }
    }

    /// Opens the store in `dir` to read and nothing else: nothing is made, changed or brought up to
    /// date, and the directory need not be writable.
    pub fn open_read_only(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE_NAME);
        if replace::is_under_way(&path) {
            return Err(StoreError::Replacing { path });
        }
        replace::refuse_empty(&path)?;
        if !path.exists() {
            return Err(StoreError::Missing { path });
        }
        let trouble = Arc::new(Trouble::of(&path));
        if std::fs::metadata(&path).is_ok_and(|file| file.len() == 0) {
            return Err(StoreError::Empty { path });
        }
        let acknowledged = mark::acknowledged(&path);
        let connection = Self::reader_of(&path).map_err(|error| trouble.named(error))?;
        let is_behind = mark::reached(&connection).is_ok_and(|it| acknowledged > Some(it));
        let store = Self::of(path, vec![connection], None, trouble);
        // Else another database has come into its place meanwhile.
        if is_behind && acknowledged == mark::acknowledged(&store.path) {
            store.trouble.suspect(&mark::told_lost(&store.path));
            // What is there can be read, and nothing is to be written.
            store.forgo_rescue();
        }
        Ok(store)
    }

    /// What can be read of a damaged store. Nobody repairs it meanwhile: this process would go on
    /// reading what was moved aside.
    fn open_damaged(
        path: PathBuf,
        trouble: Arc<Trouble>,
        why: &str,
        presence: Presence,
    ) -> Result<Self> {
        match Self::reader_of(&path) {
            Ok(connection) => {
                let store = Self::of(path, vec![connection], None, trouble);
                Ok(Self { _presence: Some(presence), ..store })
            }
            Err(error @ (StoreError::Newer { .. } | StoreError::Foreign { .. })) => Err(error),
            Err(_) => Self::open_rescued(path, trouble, why, presence),
        }
    }

    /// What can be read of a store that SQLite does not open: a copy without the damage.
    fn open_rescued(
        path: PathBuf,
        trouble: Arc<Trouble>,
        why: &str,
        presence: Presence,
    ) -> Result<Self> {
        let rescue = Rescue::default();
        rescue.make(&path);
        let Some(copy) = rescue.path() else { return Err(trouble.harmed(why)) };
        let connection = connection::open_read_only(copy)?;
        let store = Self::of(path, vec![connection], None, trouble);
        Ok(Self { rescue, _presence: Some(presence), ..store })
    }

    fn reader_of(path: &Path) -> Result<Connection> {
        let connection = connection::open_read_only(path)?;
        connection::refuse_foreign(&connection, path)?;
        migrate::refuse_other(migrate::version(&connection)?)?;
        Ok(connection)
    }

    fn of(
        path: PathBuf,
        readers: Vec<Connection>,
        writer: Option<Writer>,
        trouble: Arc<Trouble>,
    ) -> Self {
        Self {
            path,
            readers: Mutex::new(readers),
            writer,
            views: search::Views::default(),
            trouble,
            rescue: Rescue::default(),
            _presence: None,
        }
    }

    /// What is wrong with the database, if it is known to be damaged: then it is read as far as it can
    /// be, and nothing is written.
    pub fn damage(&self) -> Option<&str> {
        self.trouble.what()
    }

    /// Refuses if nothing can be written that would stay: the database is known to be damaged, or its
    /// files are not where they were opened.
    pub fn refuse_trouble(&self) -> Result<()> {
        self.trouble.refuse_gone()?;
        self.trouble.refuse()
    }

    /// Looks through the whole file for damage. What is wrong, if anything is; then nothing is written
    /// any more.
    pub fn examine(&self) -> Result<Option<String>> {
        let db = connection::open_read_only(&self.path)?;
        let found = damage::broken(&db).map_err(|error| self.trouble.heed(error))?;
        found.iter().for_each(|why| self.trouble.note(why));
        Ok(found)
    }

    /// Applies `change` and returns when it is on disk, or why it was refused. Nobody made it: it keeps
    /// the books.
    pub fn apply(&self, change: Change) -> Result<Outcome> {
        self.writer()?.apply(change, None)
    }

    /// Applies `change` and notes in the audit log who made it, in one transaction.
    pub fn apply_by(&self, change: Change, by: Attribution) -> Result<Outcome> {
        self.writer()?.apply(change, Some(by))
    }

    /// Hands in a change that may be lost and does not wait for it. One that fails is lost.
    pub fn hand_in(&self, change: Change) -> Result<()> {
        self.writer()?.hand_in(change)
    }

    /// Who writes, if anything may be written.
    fn writer(&self) -> Result<&Writer> {
        match (&self.writer, self.trouble.what()) {
            (_, Some(why)) => Err(self.trouble.harmed(why)),
            (Some(writer), None) => Ok(writer),
            (None, None) => Err(StoreError::ReadOnly),
        }
    }

    /// Whether nothing can be written.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none() || self.trouble.what().is_some()
    }

    /// Where the database lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is read from now on is read from a copy without the damage, if there is any. A text that is
    /// another harms nothing else and needs none.
    fn prepare_rescue(&self) {
        if self.trouble.what().is_some_and(|why| !text::is_told(why)) {
            self.rescue.make(&self.path);
        }
    }

    /// Reads a damaged database as it is, as far as that goes: for who has no time to copy it.
    pub fn forgo_rescue(&self) {
        self.rescue.forgo();
    }

    /// What was read but for texts that are not those that were stored: they are told, and nothing is
    /// written any more. The rest is served.
    fn whole<T>(&self, read: impl Iterator<Item = rusqlite::Result<T>>) -> Result<Vec<T>> {
        let is_kept = |one: &rusqlite::Result<T>| {
            let Some(why) = one.as_ref().err().and_then(text::altered) else { return true };
            self.leave_out(&why.to_string());
            false
        };
        Ok(read.filter(is_kept).collect::<rusqlite::Result<_>>()?)
    }

    /// The rows of a search that can be read. A row that was damaged after the index read it costs the
    /// search that row alone.
    fn readable<T>(&self, read: impl Iterator<Item = rusqlite::Result<T>>) -> Result<Vec<T>> {
        let is_kept = |one: &rusqlite::Result<T>| match one {
            Err(why @ rusqlite::Error::FromSqlConversionFailure(..)) => {
                self.leave_out(&why.to_string());
                false
            }
            _ => true,
        };
        Ok(read.filter(is_kept).collect::<rusqlite::Result<_>>()?)
    }

    /// Notes what is wrong with a text or a row that is served to nobody any more.
    fn leave_out(&self, why: &str) {
        tracing::warn!(%why, "left out of an answer; mend: lorekeep doctor --repair");
        self.trouble.note(why);
    }

    /// Runs `read` on one snapshot of the database.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.read_for(READ_TIME_MAX, read)
    }

    /// Runs `read` on one snapshot of the database for no longer than `time`.
    fn read_for<T>(
        &self,
        time: Duration,
        read: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.prepare_rescue();
        let copy = self.rescue.path();
        let pooled = self.readers.lock().unwrap_or_else(|e| e.into_inner()).pop();
        // Connections to the damaged file are of no use once there is a copy.
        let is_there = |connection: &Connection| {
            copy.is_none_or(|copy| {
                connection.path().is_some_and(|open| Path::new(open).ends_with(copy))
            })
        };
        let pooled = pooled.filter(is_there);
        let mut connection = match (pooled, copy) {
            (Some(connection), _) => connection,
            (None, Some(copy)) => connection::open_read_only(copy)?,
            (None, None) if self.writer.is_none() => connection::open_read_only(&self.path)?,
            (None, None) => {
                // Else another file might be read that has come into its place.
                self.trouble.refuse_gone()?;
                connection::open_reader(&self.path)?
            }
        };
        connection::limit_time(&mut connection, time)?;
        let answer = connection.transaction().map_err(StoreError::from).and_then(|snapshot| {
            let answer = read(&snapshot)?;
            snapshot.commit()?;
            Ok(answer)
        });
        match answer {
            Err(error) if error.is_broken_file() => {
                let error = self.trouble.heed(error);
                self.prepare_rescue();
                Err(error)
            }
            Err(error) if error.is_damage() => Err(StoreError::Damaged(format!(
                "a row of {} cannot be read ({error}); lorekeep doctor names it, and mends it with \
                 --repair",
                self.path.display()
            ))),
            Err(error) => Err(self.trouble.named(error)),
            Ok(answer) => {
                let mut readers = self.readers.lock().unwrap_or_else(|e| e.into_inner());
                if readers.len() < READERS_IDLE_MAX {
                    readers.push(connection);
                }
                Ok(answer)
            }
        }
    }
}
