//! An item's file, written whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

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
    fn what_cannot_be_written_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(save(&path, "text").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
