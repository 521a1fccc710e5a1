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

mod audit;
mod backup;
mod beginning;
mod candidate;
mod connection;
mod damage;
mod document;
mod edge;
mod episode;
mod error;
mod event;
mod export;
mod fact;
mod filter;
mod foreign;
mod knowledge;
mod log;
mod memory;
mod migrate;
mod outbox;
mod query;
mod record;
mod row;
mod search;
mod stats;
#[cfg(test)]
mod tests;
mod vector;
mod verdict;
mod vital;
mod walk;
mod write;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use model::{Change, Outcome};
use rusqlite::Connection;

pub use audit::{Attribution, AuditFilter, Verified};
pub use backup::{BackupReport, restore};
pub use candidate::CANDIDATES_MAX;
pub use damage::Health;
pub use document::DocumentStats;
pub use edge::{EdgesOf, Hop, PlacedEdge};
pub use error::{Result, StoreError};
pub use export::Exported;
pub use fact::{Held, LinksOf};
pub use foreign::{Cell, Foreign, ForeignRow};
pub use knowledge::{KnownItem, SyncStats};
pub use migrate::SCHEMA_VERSION;
pub use outbox::{Promised, Queue};
pub use query::QUERIES_KEPT;
pub use rank::index::Candidate;
pub use record::{RecordFilter, StoredRecord};
pub use search::Search;
pub use stats::{Census, MemoryStats, TagCount};
pub use vector::{ModelState, Unembedded};
pub use vital::Vital;
use writer::Writer;

/// The database's file in a data directory.
pub const FILE_NAME: &str = "lorekeep.db";

/// How many reading connections are kept open when nobody reads.
const READERS_IDLE_MAX: usize = 4;

/// A read that takes longer is given up.
const READ_TIME_MAX: Duration = Duration::from_secs(30);

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    readers: Mutex<Vec<Connection>>,
    writer: Option<Writer>,
    views: search::Views,
}

impl Store {
    /// Opens the store in `dir`, making the directory and the database if they are not there, and
    /// bringing an older database up to date.
    pub fn open(dir: &Path) -> Result<Self> {
        connection::make_private_dir(dir)?;
        let path = dir.join(FILE_NAME);
        let mut connection = connection::open(&path)?;
        migrate::run(&mut connection)?;
        let writer = Some(Writer::start(connection)?);
        Ok(Self { path, readers: Mutex::default(), writer, views: search::Views::default() })
    }

    /// Opens the store in `dir` to read and nothing else: nothing is made, changed or brought up to
    /// date, and the directory need not be writable.
    pub fn open_read_only(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE_NAME);
        if !path.exists() {
            return Err(StoreError::Missing { path });
        }
        let connection = connection::open_read_only(&path)?;
        connection::refuse_foreign(&connection, &path)?;
        migrate::refuse_other(migrate::version(&connection)?)?;
        Ok(Self {
            path,
            readers: Mutex::new(vec![connection]),
            writer: None,
            views: search::Views::default(),
        })
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

    fn writer(&self) -> Result<&Writer> {
        self.writer.as_ref().ok_or(StoreError::ReadOnly)
    }

    /// Hands in a change that may be lost and does not wait for it. One that fails is lost.
    pub fn hand_in(&self, change: Change) -> Result<()> {
        self.writer()?.hand_in(change)
    }

    /// Whether nothing can be written.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    /// Where the database lies.
    pub fn path(&self) -> &Path {
        &self.path
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
        let pooled = self.readers.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let mut connection = match pooled {
            Some(connection) => connection,
            None if self.writer.is_none() => connection::open_read_only(&self.path)?,
            None => connection::open_reader(&self.path)?,
        };
        connection::limit_time(&mut connection, time)?;
        let snapshot = connection.transaction()?;
        let answer = read(&snapshot)?;
        snapshot.commit()?;
        let mut readers = self.readers.lock().unwrap_or_else(|e| e.into_inner());
        if readers.len() < READERS_IDLE_MAX {
            readers.push(connection);
        }
        Ok(answer)
    }
}
