//! The whole history in one file, by the program `git`.

use std::ffi::OsStr;
use std::path::Path;

use crate::error::{LedgerError, Result, at};
use crate::{Ledger, program};

/// What a bundle brings is called so until it is taken.
const BROUGHT: &str = "refs/lorekeep/brought";

impl Ledger {
    /// Writes all commits into a bundle at `to`; false if there is no commit yet.
    pub fn bundle(&self, to: &Path) -> Result<bool> {
        if !self.exists() || self.head()?.is_none() {
            return Ok(false);
        }
        let to = std::path::absolute(to).map_err(at(to))?;
        let words = ["bundle", "create", "--quiet"].map(OsStr::new);
        let what = ["HEAD", "--branches"].map(OsStr::new);
        git(self.dir(), words.into_iter().chain([to.as_os_str()]).chain(what))?;
        Ok(true)
    }

    /// Takes all commits of a bundle into a ledger that has none yet.
    pub fn unbundle(&self, from: &Path) -> Result<()> {
        let from = std::path::absolute(from).map_err(at(from))?;
        // Whoever takes the lock makes the repository.
        drop(self.lock()?);
        let brought = format!("+HEAD:{BROUGHT}");
        let words = ["fetch", "--quiet", "--no-tags"].map(OsStr::new);
        let what = [from.as_os_str(), OsStr::new(&brought)];
        git(self.dir(), words.into_iter().chain(what))?;
        git(self.dir(), ["reset", "--quiet", "--hard", BROUGHT].map(OsStr::new))?;
        git(self.dir(), ["update-ref", "-d", BROUGHT].map(OsStr::new))
    }
}

/// Lays the files of a bundle out in a folder that is not there yet.
pub fn check_out(bundle: &Path, to: &Path) -> Result<()> {
    let bundle = std::path::absolute(bundle).map_err(at(bundle))?;
    let to = std::path::absolute(to).map_err(at(to))?;
    let parent = to.parent().unwrap_or(&to);
    let words = ["clone", "--quiet"].map(OsStr::new);
    git(parent, words.into_iter().chain([bundle.as_os_str(), to.as_os_str()]))
}

fn git<'a>(dir: &Path, args: impl IntoIterator<Item = &'a OsStr>) -> Result<()> {
    let mut command = program::git(dir);
    command.args(["-c", "gc.auto=0", "-c", "core.hooksPath=/dev/null"]).args(args);
    let output = command.output().map_err(at(Path::new("git")))?;
    if output.status.success() {
        return Ok(());
    }
    Err(LedgerError::Git(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
