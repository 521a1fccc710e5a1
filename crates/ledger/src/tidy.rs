//! Few packs out of many, by the program `git`.
//!
//! It need not be kept from working beside us: it takes the objects of the packs it saw at its
//! start, whether anything refers to them or not, and removes those packs alone.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{LedgerError, Result};

/// Reading gets slow with so many packs.
const PACKS_MANY: usize = 64;

/// Variables that would send git to another repository.
const ELSEWHERE: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
];

pub(crate) fn is_needed(git: &Path) -> bool {
    let Ok(folder) = fs::read_dir(git.join("objects/pack")) else { return false };
    let is_pack = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|end| end == "pack");
    folder.flatten().filter(is_pack).take(PACKS_MANY).count() >= PACKS_MANY
}

pub(crate) fn run(dir: &Path) -> Result<()> {
    let settings = ["-c", "pack.window=5", "-c", "pack.threads=1", "-c", "core.hooksPath="];
    let mut git = Command::new("git");
    git.arg("-C").arg(dir).args(settings);
    git.args(["repack", "-d", "-q", "--geometric=2"]);
    for name in ELSEWHERE {
        git.env_remove(name);
    }
    git.stdin(Stdio::null());
    match git.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(LedgerError::Git(String::from_utf8_lossy(&output.stderr).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(LedgerError::Git(error.to_string())),
    }
}
