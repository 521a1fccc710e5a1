//! Few packs out of many, by the program `git`.
//!
//! It need not be kept from working beside us: it takes the objects of the packs it saw at its
//! start, whether anything refers to them or not, and removes those packs alone. But who removes
//! packs holds the lock of `.git/lorekeep.tidy`, so that nobody takes them away under another.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use crate::error::{LedgerError, Result, at, if_there};
use crate::{private, program};

/// Reading gets slow with so many packs.
const PACKS_MANY: usize = 100;

/// How often it is tried while packs vanish.
const TRIES: usize = 2;

pub(crate) fn is_needed(git: &Path) -> bool {
    packs(git).is_ok_and(|packs| packs.len() > PACKS_MANY)
}

/// The packs that are there, ours and others.
fn packs(git: &Path) -> Result<HashSet<OsString>> {
    let folder = git.join("objects/pack");
    let Some(entries) = if_there(fs::read_dir(&folder), &folder)? else {
        return Ok(HashSet::new());
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    Ok(names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "pack")).collect())
}

/// The right to remove packs, until the file is closed; none while another has it.
pub(crate) fn try_lock(git: &Path) -> Result<Option<File>> {
    let path = git.join("lorekeep.tidy");
    let file = private::open(&path).map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(at(&path)(why)),
    }
}

pub(crate) fn run(dir: &Path, git: &Path) -> Result<()> {
    if !git.exists() {
        return Ok(());
    }
    let Some(_lock) = try_lock(git)? else { return Ok(()) };
    for _ in 0..TRIES {
        let before = packs(git)?;
        let Err(error) = repack(dir) else { return Ok(()) };
        // Somebody's own `git gc` takes packs away as well; that is no fault.
        if before.is_subset(&packs(git)?) {
            return Err(error);
        }
    }
    Ok(())
}

fn repack(dir: &Path) -> Result<()> {
    let settings = ["-c", "pack.window=5", "-c", "pack.threads=1", "-c", "core.hooksPath="];
    let mut git = program::git(dir);
    git.args(settings).args(["repack", "-d", "-q", "--geometric=2"]);
    match git.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(LedgerError::Git(String::from_utf8_lossy(&output.stderr).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(LedgerError::Git(error.to_string())),
    }
}
