//! What can go wrong at the repository, in the words of the person who has to mend it.

use std::io;
use std::path::{Path, PathBuf};

/// The result of asking the ledger something.
pub type Result<T, E = LedgerError> = std::result::Result<T, E>;

/// What can go wrong at the repository.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file could not be read or written.
    #[error("{path}: {why}")]
    File {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// Somebody else changes the ledger, and goes on doing so.
    #[error("{path} was held by somebody else for {seconds} s; try again, or end what holds it")]
    Busy {
        /// The lock.
        path: PathBuf,
        /// How long we waited.
        seconds: u64,
    },
    /// The directory is a repository of a kind that we do not write.
    #[error("{path}: {why} (nothing was changed)")]
    Foreign {
        /// What was looked at.
        path: PathBuf,
        /// What is strange about it.
        why: String,
    },
    /// What was read cannot be.
    #[error("damaged repository {path}: {why}; mend: lorekeep doctor --repair")]
    Damaged {
        /// The repository or a file of it.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A path that no record has.
    #[error("{0:?} is no path below the ledger's directory")]
    Path(String),
    /// The program `git` failed.
    #[error("git: {0}")]
    Git(String),
}

impl LedgerError {
    /// Whether the repository itself is broken.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }

    /// Whether it may work later, because somebody else was at it.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }
}

/// `error` at `path`.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> LedgerError + '_ {
    move |why| LedgerError::File { path: path.to_owned(), why }
}

/// None where there is no such file.
pub(crate) fn if_there<T>(result: io::Result<T>, path: &Path) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(why) => Err(LedgerError::File { path: path.to_owned(), why }),
    }
}

/// Whether the file is not there, nor perhaps the folder it would be in.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
