//! The repository itself: how it is made, and which ones are none of ours.

use std::fs;
use std::path::Path;

use crate::error::{LedgerError, Result, at};
use crate::packs::sync_folder;
use crate::private;
use crate::refs::BRANCH;

/// What `git init` writes, and that files stay as they are, byte for byte.
const CONFIG: &str = "[core]\n\
    \trepositoryformatversion = 0\n\
    \tfilemode = true\n\
    \tbare = false\n\
    \tlogallrefupdates = true\n\
    \tautocrlf = false\n";

/// Settings of a repository that we cannot write, and why.
const STRANGE: [(&str, &str); 4] = [
    ("objectformat=sha256", "its objects have SHA-256 ids; the ledger writes SHA-1"),
    ("refstorage=reftable", "its refs are in a reftable; the ledger writes files"),
    ("bare=true", "it has no work tree"),
    ("worktree=", "its work tree lies elsewhere"),
];

/// Whether there is a repository.
pub(crate) fn exists(git: &Path) -> bool {
    git.join("HEAD").is_file()
}

/// Refuses a repository of a kind that we cannot write.
pub(crate) fn refuse_foreign(git: &Path) -> Result<()> {
    let foreign = |why: &str| LedgerError::Foreign { path: git.to_owned(), why: why.to_owned() };
    if git.is_file() {
        return Err(foreign("it is a work tree of another repository"));
    }
    let path = git.join("config");
    // What is damaged in it must not cost the memories; git itself complains.
    let config = fs::read(&path).unwrap_or_default();
    for line in String::from_utf8_lossy(&config).lines() {
        let line: String = line.to_lowercase().split_whitespace().collect();
        if let Some((_, why)) = STRANGE.iter().find(|(start, _)| line.starts_with(start)) {
            return Err(foreign(why));
        }
    }
    Ok(())
}

/// Makes the repository. HEAD comes last: with it, there is one.
pub(crate) fn create(git: &Path) -> Result<()> {
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        private::create_dir(&git.join(folder))?;
    }
    if !git.join("config").exists() {
        create_config(git)?;
    }
    let (temporary, head) = (git.join("lorekeep.tmp"), git.join("HEAD"));
    let made = private::write(&temporary, format!("ref: {BRANCH}\n").as_bytes())?;
    made.sync_all().map_err(at(&temporary))?;
    fs::rename(&temporary, &head).map_err(at(&head))?;
    sync_folder(git)
}

/// Makes the settings.
pub(crate) fn create_config(git: &Path) -> Result<()> {
    let config = git.join("config");
    private::write(&config, CONFIG.as_bytes())?.sync_all().map_err(at(&config))
}
