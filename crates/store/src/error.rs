//! What can go wrong at the database, in the words of the person who has to mend it.

use std::path::PathBuf;

/// The result of asking the store something.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// What can go wrong at the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was written by a later version.
    #[error(
        "the store has schema {found}, this lorekeep knows up to {known}: \
         it was written by a newer version; update lorekeep (nothing was changed)"
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
         open it once without --read-only to bring it up to date"
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
    /// A file could not be read or written.
    #[error("{path}: {why}")]
    File {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// The database said no.
    #[error("database: {0}")]
    Database(rusqlite::Error),
    /// The writing thread is gone.
    #[error("the store is closed")]
    Closed,
    /// A change that was committed together with others could not be committed.
    #[error("database: {0}")]
    Commit(String),
}

// Not by `#[from]`: that would make it a source as well, and its words would be printed twice.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl StoreError {
    /// Whether it took too long.
    pub fn is_time_out(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseBusy, OperationInterrupted};
        let Self::Database(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(OperationInterrupted | DatabaseBusy))
    }

    /// Whether the data itself is broken, as opposed to out of reach for now.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            // A column that does not hold what it must.
            Self::Database(rusqlite::Error::FromSqlConversionFailure(..)) => true,
            Self::Database(error) => matches!(
                error.sqlite_error_code(),
                Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
            ),
            _ => false,
        }
    }
}

/// `error` at `path`.
pub(crate) fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> StoreError + '_ {
    move |why| StoreError::File { path: path.to_owned(), why }
}
