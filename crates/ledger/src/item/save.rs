//! An item's file, written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::{Result, at, if_there};

/// Writes a file in place of what is there, with the rights that it had; the folders above it are made.
pub fn save(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(at(folder))?;
    let rights = if_there(fs::metadata(path), path)?.map(|found| found.permissions());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let beside = folder.join(format!(".{}.{}.tmp", name.unwrap_or_default(), std::process::id()));
    let written = write(&beside, text, rights).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map_err(at(path))
}

/// A file that was not there before.
#[derive(Debug)]
#[must_use = "it can be taken back"]
pub struct Created {
    path: PathBuf,
    /// The nearest folder above it that was there already.
    above: PathBuf,
}

impl Created {
    /// Removes the file again, and the folders that were made for it unless others use them.
    pub fn take_back(&self) -> Result<()> {
        if_there(fs::remove_file(&self.path), &self.path)?;
        let folders = self.path.ancestors().skip(1);
        for folder in folders.take_while(|folder| *folder != self.above) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Writes a file that is not there yet; the folders above it are made. None if there is one: of two
/// who create the same file one gets it.
pub fn create(path: &Path, text: &str) -> Result<Option<Created>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let above = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder).to_owned();
    fs::create_dir_all(folder).map_err(at(folder))?;
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        Err(error) => return Err(at(path)(error)),
    }
    let created = Created { path: path.to_owned(), above };
    // The name is taken; the text comes whole.
    if let Err(error) = save(path, text) {
        let _ = created.take_back();
        return Err(error);
    }
    Ok(Some(created))
}

fn write(path: &Path, text: &str, rights: Option<fs::Permissions>) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    if let Some(rights) = rights {
        file.set_permissions(rights)?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_rights() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/item.md");
        save(&path, "one").unwrap();
        let mut rights = fs::metadata(&path).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(&path, rights).unwrap();
        save(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert!(fs::metadata(&path).unwrap().permissions().readonly());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn of_two_who_create_a_file_one_gets_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/item.md");
        assert!(create(&path, "one").unwrap().is_some());
        assert!(create(&path, "two").unwrap().is_none());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    }

    #[test]
    fn what_is_taken_back_leaves_the_folders_that_others_use() {
        let dir = tempfile::tempdir().unwrap();
        let created = create(&dir.path().join("a/b/item.md"), "one").unwrap().unwrap();
        fs::write(dir.path().join("a/other"), "").unwrap();
        created.take_back().unwrap();
        assert!(!dir.path().join("a/b").exists() && dir.path().join("a/other").exists());
        let created = create(&dir.path().join("c/d/item.md"), "one").unwrap().unwrap();
        created.take_back().unwrap();
        assert!(!dir.path().join("c").exists() && dir.path().exists());
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(save(&path, "text").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
