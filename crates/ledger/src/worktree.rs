//! The files beside `.git`, which people read and edit.
//!
//! Nothing that a person wrote is lost: a file is only changed if it says what git has already.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::index::entry::Stat;

use crate::error::{LedgerError, Result, at, if_there, is_absent};
use crate::oid::{Kind, Oid};
use crate::private;

/// Where a file is written before it gets its name, in `.git`.
const TEMPORARY: &str = "lorekeep.put";

/// A file that is to follow a commit.
pub(crate) struct Follow<'a> {
    pub(crate) path: &'a str,
    /// What it may say now; none is that it is not there.
    pub(crate) was: &'a [Option<Oid>],
    /// What it will say; none is that it goes.
    pub(crate) content: Option<&'a [u8]>,
    pub(crate) id: Option<Oid>,
}

/// The files of a ledger.
pub(crate) struct Worktree<'a> {
    pub(crate) dir: &'a Path,
}

/// Refuses a path that leads out of the ledger, or into its `.git`.
pub(crate) fn check(path: &str) -> Result<()> {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !matches!(part, "." | "..")
            && !part.eq_ignore_ascii_case(".git")
            && !part.chars().any(|c| c.is_control() || matches!(c, '\\' | ':'))
    };
    if path.split('/').all(is_plain) { Ok(()) } else { Err(LedgerError::Path(path.to_owned())) }
}

impl Worktree<'_> {
    /// What the file says; none if it is not there, or is none.
    pub(crate) fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let path = self.dir.join(path);
        if_there(fs::read(&path), &path)
    }

    /// Lets a file follow. Its stat if it says what it should now and git may believe it.
    pub(crate) fn follow(&self, file: &Follow) -> Result<Option<Stat>> {
        let path = self.dir.join(file.path);
        if !self.is_reached(file.path) {
            return Ok(None);
        }
        let read = fs::symlink_metadata(&path).and_then(|metadata| {
            // A link is somebody's own.
            if metadata.is_file() { fs::read(&path) } else { Err(io::ErrorKind::Other.into()) }
        });
        let now = match read {
            Ok(bytes) => Some(bytes),
            Err(error) if is_absent(&error) => None,
            // A folder in its place, or one that we may not read: somebody's own.
            Err(_) => return Ok(None),
        };
        let id = now.as_deref().map(|bytes| Oid::of(Kind::Blob, bytes));
        let is_nobodys = file.was.contains(&id) || now.as_deref().is_some_and(is_cut_off);
        match file.content {
            Some(_) if id.is_some() && id == file.id => Ok(self.stat_if(file)),
            Some(content) if is_nobodys => self.write(&path, content).map(Some),
            None if id.is_some() && is_nobodys => {
                if_there(fs::remove_file(&path), &path)?;
                self.remove_empty(path.parent());
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The stat of a file that says what it should, looked at before and after it is read.
    pub(crate) fn stat_if(&self, file: &Follow) -> Option<Stat> {
        let path = self.dir.join(file.path);
        let before = stat(&path)?;
        let says = Oid::of(Kind::Blob, &fs::read(&path).ok()?);
        (Some(says) == file.id && stat(&path) == Some(before)).then_some(before)
    }

    /// Whether the folders on the way are folders, so that nothing is written behind a link.
    fn is_reached(&self, path: &str) -> bool {
        let mut folder = PathBuf::from(self.dir);
        let parts = path.split('/').count() - 1;
        path.split('/').take(parts).all(|part| {
            folder.push(part);
            fs::symlink_metadata(&folder).map_or_else(|error| is_absent(&error), |m| m.is_dir())
        })
    }

    /// Removes folders that became empty, up to the ledger's own.
    fn remove_empty(&self, folder: Option<&Path>) {
        let mut folder = folder;
        while let Some(path) = folder.filter(|path| *path != self.dir) {
            // Fails for one that is not empty, and that is the end of it.
            if fs::remove_dir(path).is_err() {
                break;
            }
            folder = path.parent();
        }
    }

    /// Writes a file at once. It is a new one: who has the old one open goes on reading what it said.
    pub(crate) fn write(&self, path: &Path, content: &[u8]) -> Result<Stat> {
        let temporary = &self.dir.join(".git").join(TEMPORARY);
        let file = private::write(temporary, content)?;
        let written = gix::index::fs::Metadata::from_file(&file).map_err(at(temporary))?;
        let written = Stat::from_fs(&written).unwrap_or_default();
        drop(file);
        let swapped = match private::swap(temporary, path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private::create_dir(path.parent().unwrap_or(path))?;
                private::swap(temporary, path)
            }
            swapped => swapped,
        };
        if swapped.map_err(at(path))? {
            fs::remove_file(temporary).map_err(at(temporary))?;
        }
        let now = stat(path).unwrap_or_default();
        let known = |stat: &Stat| (stat.mtime, stat.size, stat.ino);
        let is_ours = known(&written) == known(&now);
        // Somebody was quicker: a stat of nothing makes git look into the file.
        Ok(if is_ours { now } else { Stat::default() })
    }
}

/// Whether a power cut left it: a file without content, or with holes in it. Nobody writes such a thing.
fn is_cut_off(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.contains(&0)
}

/// What git keeps of a file to see whether it changed.
pub(crate) fn stat(path: &Path) -> Option<Stat> {
    let metadata = gix::index::fs::Metadata::from_path_no_follow(path).ok()?;
    Stat::from_fs(&metadata).ok()
}
