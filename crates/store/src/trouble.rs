//! Damage that was noticed. It is noted in a file beside the database, so that no process goes on
//! writing into a damaged one; the repair and the restore take the note away.
//!
//! And files that are not there any more under the names by which they were opened: what is written
//! into those is lost when the process ends. That is this process's trouble alone, and noted nowhere.

use std::fs::{File, Metadata};
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
    /// The files that are open, and which they were.
    open: OnceLock<Vec<(PathBuf, FileId)>>,
    /// The first of them that was found to be another, or none.
    gone: OnceLock<PathBuf>,
}

/// What tells a file from every other: its device and its number there.
type FileId = (u64, u64);

#[cfg(unix)]
fn id(file: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn id(_: &Metadata) -> Option<FileId> {
    None
}

fn id_of(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().as_ref().and_then(id)
}

/// Whether the file that is open is the one at this path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    path.exists() && file.metadata().ok().as_ref().and_then(id) == id_of(path)
}

/// The file that says what is wrong with a database.
pub(crate) fn note_path(database: &Path) -> PathBuf {
    database.with_extension("damaged")
}

impl Trouble {
    /// What was noted of the database before.
    pub(crate) fn of(database: &Path) -> Self {
        let (database, note) = (database.to_owned(), note_path(database));
        let (what, open, gone) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let trouble = Self { database, note, what, open, gone };
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
        self.what().map_or(Ok(()), |why| Err(self.harmed(why)))?;
        self.known_gone()
    }

    /// Remembers which files are open now: the database and its log. No process takes these away as
    /// long as another has them open.
    pub(crate) fn opened(&self) {
        let log = self.database.with_extension("db-wal");
        let known = |path: PathBuf| id_of(&path).map(|id| (path, id));
        let _ = self.open.set([self.database.clone(), log].into_iter().filter_map(known).collect());
    }

    /// Refuses to go on with files that were removed, or replaced by others.
    pub(crate) fn refuse_gone(&self) -> Result<()> {
        let open = self.open.get().map_or(&[][..], Vec::as_slice);
        if let Some((path, _)) = open.iter().find(|(path, id)| id_of(path) != Some(*id)) {
            let _ = self.gone.set(path.clone());
        }
        self.known_gone()
    }

    fn known_gone(&self) -> Result<()> {
        self.gone.get().map_or(Ok(()), |path| Err(StoreError::Gone { path: path.clone() }))
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

    /// Takes the database for damaged in this process alone: for who must not write.
    pub(crate) fn suspect(&self, why: &str) {
        let _ = self.what.set(why.to_owned());
    }

    /// Notes it if `error` says that the file itself is broken, and gives it its name.
    pub(crate) fn heed(&self, error: StoreError) -> StoreError {
        if !error.is_broken_file() {
            return error.on_disk_of(&self.database);
        }
        let why = error.to_string();
        self.note(&why);
        self.harmed(&why)
    }

    /// Gives damage the database's name, and notes nothing: for who must not write.
    pub(crate) fn named(&self, error: StoreError) -> StoreError {
        match error.is_broken_file() {
            true => self.harmed(&error.to_string()),
            false => error.on_disk_of(&self.database),
        }
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
    fn a_file_that_is_not_the_one_that_was_opened_takes_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("lorekeep.db");
        std::fs::write(&database, "one").unwrap();
        let trouble = Trouble::of(&database);
        trouble.opened();
        assert!(trouble.refuse_gone().is_ok() && trouble.refuse().is_ok());
        let aside = dir.path().join("aside");
        std::fs::rename(&database, &aside).unwrap();
        std::fs::write(&database, "another").unwrap();
        let refused = trouble.refuse_gone().unwrap_err().to_string();
        assert!(refused.contains("lorekeep.db") && refused.contains("restore"), "{refused}");
        std::fs::rename(&aside, &database).unwrap();
        assert!(trouble.refuse().is_err(), "something may have gone by meanwhile");
        assert!(Trouble::of(&database).refuse().is_ok(), "it is nobody else's trouble");
    }

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
