//! What can go wrong at the database, in the words of the person who has to mend it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text;

/// The result of asking the store something.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// What can go wrong at the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was written by a later version.
    #[error(
        "the store has schema {found}, this lorekeep knows up to {known}: \
         it was written by a newer version; update lorekeep (nothing was changed). If no newer one \
         was ever used here, the number is damaged: lorekeep restore FILE brings back a backup \
         (lorekeep backup --list)"
    )]
    Newer {
        /// The schema of the database.
        found: i64,
        /// The newest schema this version knows.
        known: i64,
    },
    /// The database is of an earlier version, and may not be brought up to date here.
    #[error(
        "the store has schema {found}, this lorekeep works on {known}: \
         whatever opens it to write brings it up to date (lorekeep doctor)"
    )]
    Older {
        /// The schema of the database.
        found: i64,
        /// The schema this version works on.
        known: i64,
    },
    /// There is no database, and none may be made.
    #[error("there is no store at {path}, and --read-only makes none")]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// There is a file, and nothing in it.
    #[error(
        "{path} is empty: it is just being made, or it was cut off; lorekeep doctor tells which"
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The store was opened to read and nothing else.
    #[error("the store is open to read and nothing else")]
    ReadOnly,
    /// The file is a database, but not one of ours.
    #[error("{path} is an SQLite database, but not a lorekeep store (nothing was changed)")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// What was read cannot be.
    #[error("damaged data: {0}")]
    Damaged(String),
    /// A text is not the one that was stored.
    #[error("{0}")]
    Altered(String),
    /// The header of the database says what none of ours says.
    #[error("the header of the store is broken: {0}")]
    Header(String),
    /// The database could not be brought up to date.
    #[error(
        "the store stays at schema {from}, bringing it to {to} failed: {} (nothing was changed)",
        reason(why)
    )]
    Migration {
        /// The schema it has.
        from: i64,
        /// The schema this version works on.
        to: i64,
        /// Why.
        why: rusqlite::Error,
    },
    /// The database is damaged; what can be read of it is, and nothing is written.
    #[error(
        "{path} is damaged ({why}): what can be read of it is, nothing is written into it; \
         mend: lorekeep doctor --repair"
    )]
    Harmed {
        /// The database.
        path: PathBuf,
        /// What was noticed.
        why: String,
    },
    /// The database or its log was taken away under the process that has it open.
    #[error(
        "{path} was removed or replaced while it was open here: nothing more is written, because it \
         would be lost with the old file; put the file back or restore a backup \
         (lorekeep restore FILE), and start this process again"
    )]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{path}: {why}")]
    File {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// The disk of the database is full or fails.
    #[error("{path}: {}", disk_trouble(why))]
    Disk {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        why: rusqlite::Error,
    },
    /// A backup would overwrite a file.
    #[error(
        "{path} exists already, and a backup overwrites nothing: name another file, or remove this one \
         first"
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The database said no.
    #[error("database: {0}")]
    Database(rusqlite::Error),
    /// The writing thread is gone.
    #[error("the store is closed")]
    Closed,
    /// Another process has the store open.
    #[error("the store is in use; end the processes that have it open, then try again")]
    InUse,
    /// The database is being replaced, or was when that process ended.
    #[error(
        "{path} is being restored or repaired, or that ended in between: lorekeep doctor puts back \
         what was there"
    )]
    Replacing {
        /// The database.
        path: PathBuf,
    },
    /// There is no database and no backup, but one that was moved aside.
    #[error(
        "there is no {path}, but {left} lies beside it: move that back to {path}, then lorekeep doctor \
         --repair; or restore a backup (lorekeep backup --list); or move it elsewhere to begin anew"
    )]
    Displaced {
        /// Where the database would be.
        path: PathBuf,
        /// What lies there.
        left: PathBuf,
    },
    /// Nothing can be written where the database lies.
    #[error("{path} cannot be written to, or nothing beside it ({why}); --read-only reads it")]
    Unwritable {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// The changes in a log cannot be read where nothing can be written beside it.
    #[error(
        "{path} holds changes that are not in the database yet, and nothing can be written beside it, \
         which it takes to read them: let who may write there run lorekeep doctor, or copy the whole \
         folder to where you may"
    )]
    Unfolded {
        /// The log.
        path: PathBuf,
    },
    /// There is no database, or one without a byte, where there was one.
    #[error(
        "{path} {why}: no new one is made in its place; lorekeep doctor --repair brings back what the \
         backups, the log and the ledger hold, lorekeep restore FILE a backup (lorekeep backup \
         --list); to begin anew, move everything in that folder elsewhere"
    )]
    Lost {
        /// Where the database was.
        path: PathBuf,
        /// What became of it, and what tells that.
        why: String,
    },
    /// A backup is not what it was when it was made.
    #[error(
        "{path} is damaged ({why}), and nothing was changed; take another (lorekeep backup --list). If \
         there is none: put it in the store's place as {file}, and lorekeep doctor --repair sorts out \
         what is whole", file = crate::FILE_NAME
    )]
    Spoilt {
        /// The backup.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A store cannot be restored from its own file.
    #[error("{path} is the store itself; a restore takes a backup")]
    Itself {
        /// The file.
        path: PathBuf,
    },
    /// What ended a transaction, told to each whose change was in it.
    #[error("{0}")]
    Shared(Arc<StoreError>),
}

// Not by `#[from]`: that would make it a source as well, and its words would be printed twice.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match text::altered(&error) {
            Some(why) => Self::Altered(why.to_string()),
            None => Self::Database(error),
        }
    }
}

impl StoreError {
    /// Whether it took too long.
    pub fn is_time_out(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseBusy, OperationInterrupted};
        match self {
            Self::Shared(error) => error.is_time_out(),
            Self::Database(error) | Self::Migration { why: error, .. } => {
                matches!(error.sqlite_error_code(), Some(OperationInterrupted | DatabaseBusy))
            }
            _ => false,
        }
    }

    /// Whether there was no room on the disk.
    pub(crate) fn is_full_disk(&self) -> bool {
        match self {
            Self::Shared(error) => error.is_full_disk(),
            Self::Database(error) | Self::Disk { why: error, .. } => is_full(error),
            _ => false,
        }
    }

    /// The same error with the name of the database if its disk is full or fails: SQLite does not tell
    /// which one that is.
    pub(crate) fn on_disk_of(self, database: &Path) -> Self {
        use rusqlite::ErrorCode::{DiskFull, SystemIoFailure};
        match self {
            Self::Database(why)
                if matches!(why.sqlite_error_code(), Some(DiskFull | SystemIoFailure)) =>
            {
                Self::Disk { path: database.to_owned(), why }
            }
            other => other,
        }
    }

    /// Whether the file is no whole database any more, so that nothing may be written into it.
    pub(crate) fn is_broken_file(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Header(_) | Self::Altered(_) => true,
            Self::Shared(error) => error.is_broken_file(),
            Self::Database(error) | Self::Migration { why: error, .. } => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
                    || is_strange(error)
            }
            _ => false,
        }
    }

    /// Whether the data itself is broken, as opposed to out of reach for now.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) | Self::Harmed { .. } | Self::Header(_) | Self::Altered(_) => true,
            Self::Lost { .. } | Self::Spoilt { .. } => true,
            Self::Migration { why, .. } => {
                why.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown)
                    || self.is_broken_file()
            }
            Self::Shared(error) => error.is_damage(),
            Self::Database(error) => is_unreadable(error) || self.is_broken_file(),
            _ => false,
        }
    }
}

/// Why a statement failed, without the statement: a migration is a page of them.
fn reason(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}

/// Whether the disk has no room. Where that keeps SQLite from making its shared index, it calls it an
/// I/O error.
fn is_full(error: &rusqlite::Error) -> bool {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
        || extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

fn disk_trouble(error: &rusqlite::Error) -> String {
    match is_full(error) {
        true => "the disk is full: make room on it, then try again".to_owned(),
        false => format!("{error}; the log of the system tells more (dmesg, journalctl)"),
    }
}

/// Whether the header says what SQLite knows nothing of.
fn is_strange(error: &rusqlite::Error) -> bool {
    let signs = ["unsupported file format", "malformed database schema"];
    matches!(error, rusqlite::Error::SqliteFailure(_, Some(why))
             if signs.iter().any(|sign| why.contains(sign)))
}

/// Whether a row holds what nothing of ours writes.
fn is_unreadable(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, QueryReturnedNoRows,
        Utf8Error,
    };
    matches!(
        error,
        FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            // An index tells of a row that is not there: where one may lack, nobody asks like that.
            | QueryReturnedNoRows
            | Utf8Error(..)
    )
}

/// `error` at `path`.
pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + '_ {
    move |why| StoreError::File { path: path.to_owned(), why }
}
