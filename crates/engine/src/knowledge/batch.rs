//! Files that are changed and committed together, or stay as they were.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use ledger::LedgerError;
use ledger::item::{self, Created};
use ledger::plain::Plain;

use super::git_failed;
use crate::{Error, Result};

/// Somebody else's commit in the same repository is waited for so many times.
const WAITS_MAX: usize = 100;

/// For so long each time.
const WAIT: Duration = Duration::from_millis(100);

/// Changed files that are not committed yet. They are as they were again when it is dropped before.
#[derive(Debug, Default)]
pub(super) struct Batch {
    files: Vec<PathBuf>,
    undo: Vec<Undo>,
}

/// How a file becomes what it was.
#[derive(Debug)]
enum Undo {
    Remove(Created),
    Restore(PathBuf, String),
}

impl Undo {
    fn run(&self) -> ledger::Result<()> {
        match self {
            Self::Remove(created) => created.take_back(),
            Self::Restore(file, was) => item::save(file, was),
        }
    }
}

impl Batch {
    /// Writes a file that is not there yet; whether that was so.
    pub(super) fn create(&mut self, file: &Path, text: &str) -> Result<bool> {
        let Some(created) = item::create(file, text).map_err(git_failed)? else {
            return Ok(false);
        };
        self.undo.push(Undo::Remove(created));
        self.files.push(file.to_owned());
        Ok(true)
    }

    /// Writes a file that is there and says `was`.
    pub(super) fn replace(&mut self, file: &Path, was: String, text: &str) -> Result<()> {
        item::save(file, text).map_err(git_failed)?;
        self.undo.push(Undo::Restore(file.to_owned(), was));
        self.files.push(file.to_owned());
        Ok(())
    }

    /// What the files said before, for after they are committed.
    pub(super) fn former(&self) -> Former {
        let former = self.undo.iter().filter_map(|undo| match undo {
            Undo::Restore(file, was) => Some((file.clone(), was.clone())),
            Undo::Remove(_) => None,
        });
        Former(former.collect())
    }

    /// How many files were changed.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Commits the files in the repository that `dir` lies in; if in none, in one of its own. The
    /// commit; none if nothing changed.
    ///
    /// # Errors
    ///
    /// What git or a hook said. Then the files are as they were.
    pub(super) fn commit(
        mut self,
        dir: &Path,
        subject: &str,
        body: &str,
    ) -> Result<Option<String>> {
        match commit(dir, &self.files, subject, body) {
            Ok(commit) => {
                self.undo.clear();
                Ok(commit)
            }
            Err(why) => Err(self.refused(why)),
        }
    }

    fn refused(&mut self, why: LedgerError) -> Error {
        let error = git_failed(why);
        let undo = std::mem::take(&mut self.undo);
        let failed: Vec<String> = undo
            .iter()
            .rev()
            .filter_map(|undo| undo.run().err())
            .map(|why| format!("\nand the file could not be taken back: {why}"))
            .collect();
        let message = format!("nothing is changed; {}{}", error.message, failed.concat());
        Error { message, ..error }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        for undo in self.undo.iter().rev() {
            if let Err(error) = undo.run() {
                tracing::warn!(%error, "a file could not be taken back");
            }
        }
    }
}

/// What files said before they were changed.
#[derive(Debug)]
pub(super) struct Former(Vec<(PathBuf, String)>);

impl Former {
    /// The files as they were, to be committed.
    pub(super) fn into_batch(self) -> Result<Batch> {
        let mut batch = Batch::default();
        for (file, was) in self.0 {
            item::save(&file, &was).map_err(git_failed)?;
            batch.files.push(file);
        }
        Ok(batch)
    }
}

fn commit(
    dir: &Path,
    files: &[PathBuf],
    subject: &str,
    body: &str,
) -> ledger::Result<Option<String>> {
    let mut waits = 0;
    loop {
        let done = Plain::around_or_new(dir).and_then(|git| git.commit(files, subject, body));
        match done {
            Err(error) if is_held(&error) && waits < WAITS_MAX => {
                waits += 1;
                thread::sleep(WAIT);
            }
            done => return done,
        }
    }
}

/// Whether somebody else commits in the same repository, and perhaps wrote an index that does not know
/// our files.
fn is_held(error: &LedgerError) -> bool {
    let LedgerError::Git(words) = error else { return false };
    let signs = ["index.lock'", "cannot lock ref 'HEAD'", "did not match any file(s) known to git"];
    signs.iter().any(|sign| words.contains(sign))
}
