//! Commits of a few files, beside whatever a person is at.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use super::{
    PATHS_AT_ONCE, PATIENCE, Plain, fields, line, literal, path_of, reading, succeed, text_of,
};
use crate::error::{LedgerError, Result};
use crate::lock::{LOCK_PATIENCE, LockFile};
use crate::message::{HOST, NOBODY, subject};
use crate::program;

impl Plain {
    /// Commits exactly these files as they are in the work tree (new, changed or gone), with the
    /// person's hooks and signing. Whatever else is staged stays staged. The author is whom git is
    /// set up for, or `lorekeep`. The new commit; none if nothing changed.
    ///
    /// # Errors
    ///
    /// What git or a hook said. Then nothing was committed, and the files stay as they are.
    pub fn commit(&self, files: &[PathBuf], title: &str, body: &str) -> Result<Option<String>> {
        let paths: Vec<String> =
            files.iter().map(|file| self.relative(file)).collect::<Result<_>>()?;
        // Git reads its index before it locks it: of two commits at once, one would write an index that
        // does not know the other's files.
        let lock = LockFile::open(&self.lock_path()?)?;
        lock.take(Instant::now() + LOCK_PATIENCE)?;
        let head = self.head()?;
        let known = self.known(&paths, head.as_deref())?;
        let is_there = |path: &str| self.top.join(path).symlink_metadata().is_ok();
        let (old, new): (Vec<String>, Vec<String>) =
            paths.into_iter().partition(|path| known.contains(path));
        let new: Vec<String> = new.into_iter().filter(|path| is_there(path)).collect();
        if new.is_empty() && !self.is_changed(&old, head.as_deref())? {
            return Ok(None);
        }
        let all: Vec<&String> = old.iter().chain(&new).collect();
        let done = self.announce(&new).and_then(|()| self.commit_paths(&all, title, body));
        if let Err(error) = done {
            self.take_back(&new)?;
            return Err(error);
        }
        self.head()
    }

    /// What processes of ours lock while they commit here.
    fn lock_path(&self) -> Result<PathBuf> {
        let said = self.ask(["rev-parse", "--git-path", "lorekeep.commit"])?;
        Ok(self.top.join(path_of(line(&said))))
    }

    /// Which of these files are in the index or in HEAD.
    fn known(&self, paths: &[String], head: Option<&str>) -> Result<HashSet<String>> {
        let mut known = HashSet::new();
        for some in paths.chunks(PATHS_AT_ONCE) {
            let with_head = head.map(|head| format!("--with-tree={head}"));
            let args = ["ls-files".to_owned(), "--cached".to_owned(), "-z".to_owned()];
            let args = args.into_iter().chain(with_head).chain(["--".to_owned()]);
            let said = self.ask(args.chain(some.iter().map(|path| literal(path))))?;
            known.extend(fields(&said).map(text_of));
        }
        Ok(known)
    }

    /// Whether any of these files is another than in HEAD.
    fn is_changed(&self, paths: &[String], head: Option<&str>) -> Result<bool> {
        let Some(head) = head else { return Ok(!paths.is_empty()) };
        for some in paths.chunks(PATHS_AT_ONCE) {
            // With all filters: the commit that follows runs them, too.
            let mut git = reading(&self.top);
            git.args(["diff", "--name-only", "-z", "--no-ext-diff", "--no-relative", head, "--"]);
            git.args(some.iter().map(|path| literal(path)));
            if !succeed(program::run(git, Vec::new(), Some(PATIENCE))?)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells git that there are new files, without staging them.
    fn announce(&self, new: &[String]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let mut git = program::git(&self.top);
        git.args(["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"]);
        succeed(program::run(git, listed(new.iter()), Some(PATIENCE))?).map(drop)
    }

    /// Makes git forget the new files again.
    fn take_back(&self, new: &[String]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let mut git = program::git(&self.top);
        git.args(["update-index", "--force-remove", "-z", "--stdin"]);
        let paths: String = new.iter().map(|path| format!("{path}\0")).collect();
        succeed(program::run(git, paths.into_bytes(), Some(PATIENCE))?).map(drop)
    }

    fn commit_paths(&self, paths: &[&String], title: &str, body: &str) -> Result<()> {
        let mut git = program::git(&self.top);
        if !self.has_person()? {
            git.args(["-c", &format!("user.name={NOBODY}")]);
            git.args(["-c", &format!("user.email={NOBODY}@{HOST}")]);
        }
        git.args(["commit", "--quiet", "--only", "--cleanup=whitespace", "--allow-empty-message"]);
        git.args(["--pathspec-from-file=-", "--pathspec-file-nul", "-m", &subject(title)]);
        let body = body.replace(['\0', '\r'], "");
        if !body.trim().is_empty() {
            git.args(["-m", body.trim()]);
        }
        git.env("GIT_EDITOR", "true");
        // A hook may take its time, and a signature its passphrase.
        let said = program::run(git, listed(paths.iter().copied()), None)?;
        let words =
            said.as_ref().map(|said| [said.err.as_str(), text_of(&said.out).trim()].join("\n"));
        succeed(said).map(drop).map_err(|error| match words {
            Some(words) => LedgerError::Git(format!(
                "the commit was refused; nothing was committed, and the files stay as they are:\n{}",
                words.trim()
            )),
            None => error,
        })
    }

    /// Whether git is set up for somebody.
    fn has_person(&self) -> Result<bool> {
        let is_told = |ident: &str| {
            let mut git: Command = self.git();
            git.args(["-c", "user.useConfigOnly=true", "var", ident]);
            let said = program::run(git, Vec::new(), Some(PATIENCE))?;
            Ok(said.is_some_and(|said| said.status.success() && !line(&said.out).is_empty()))
        };
        Ok(is_told("GIT_AUTHOR_IDENT")? && is_told("GIT_COMMITTER_IDENT")?)
    }
}

/// Paths as git reads them from its input.
fn listed<'a>(paths: impl Iterator<Item = &'a String>) -> Vec<u8> {
    paths.map(|path| format!("{}\0", literal(path))).collect::<String>().into_bytes()
}
