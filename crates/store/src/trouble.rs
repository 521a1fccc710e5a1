//! Damage that was noticed. It is noted in a file beside the database, so that no process goes on
//! writing into a damaged one; the repair and the restore take the note away.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::connection::replace_private_file;
use crate::error::{Result, StoreError};

/// What is wrong with a database, if anything is known to be.
#[derive(Debug)]
pub(crate) struct Trouble {
    database: PathBuf,
    note: PathBuf,
    what: OnceLock<String>,
}

/// The file that says what is wrong with a database.
pub(crate) fn note_path(database: &Path) -> PathBuf {
    database.with_extension("damaged")
}

impl Trouble {
    /// What was noted of the database before.
    pub(crate) fn of(database: &Path) -> Self {
        let (database, note) = (database.to_owned(), note_path(database));
        let trouble = Self { database, note, what: OnceLock::new() };
        trouble.look();
        trouble
    }

    /// What is wrong, as far as this process knows.
    pub(crate) fn what(&self) -> Option<&str> {
        self.what.get().map(String::as_str)
    }

    /// Refuses to write into a database that is damaged, whichever process found that out.
    pub(crate) fn refuse(&self) -> Result<()> {
        self.look();
        self.what().map_or(Ok(()), |why| Err(self.harmed(why)))
    }

    /// Takes in what another process noted.
    fn look(&self) {
        if self.what().is_none()
            && let Ok(text) = std::fs::read_to_string(&self.note)
        {
            let _ = self.what.set(text.trim_end().to_owned());
        }
    }

    /// Notes that the database is damaged. Where nothing can be written this process alone knows.
    pub(crate) fn note(&self, why: &str) {
        if self.what.set(why.to_owned()).is_ok() {
            let _ = replace_private_file(&self.note, format!("{why}\n").as_bytes());
        }
    }

    /// Notes it if `error` says that the file itself is broken, and gives it its name.
    pub(crate) fn heed(&self, error: StoreError) -> StoreError {
        if !error.is_broken_file() {
            return error;
        }
        let why = error.to_string();
        self.note(&why);
        self.harmed(&why)
    }

    /// Gives damage the database's name, and notes nothing: for who must not write.
    pub(crate) fn named(&self, error: StoreError) -> StoreError {
        if error.is_broken_file() { self.harmed(&error.to_string()) } else { error }
    }

    /// The error that names the database and what to do.
    pub(crate) fn harmed(&self, why: &str) -> StoreError {
        StoreError::Harmed { path: self.database.clone(), why: why.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_notices_stops_all_from_writing() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("lorekeep.db");
        let (one, other) = (Trouble::of(&database), Trouble::of(&database));
        assert!(one.refuse().is_ok() && other.refuse().is_ok());
        one.note("page 7 is broken");
        let refused = other.refuse().unwrap_err();
        assert!(refused.is_damage());
        let said = refused.to_string();
        assert!(said.contains("lorekeep.db") && said.contains("page 7 is broken"), "{said}");
        assert!(said.contains("lorekeep doctor --repair"), "{said}");
    }
}
