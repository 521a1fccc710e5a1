//! Git in the repositories of people.
//!
//! By the program `git`, because only it knows their hooks, their signing, their attributes and
//! their configuration. Nothing that a person staged is touched.
//!
//! Not here: the ledger's own repository, which is written without it.

mod changed;
mod commit;
mod filters;
mod history;
mod kept;
mod text;

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::error::{LedgerError, Result, at};
use crate::program::{self, Said};

pub use changed::Changed;
pub use kept::committed;

/// Git has so long to answer a question.
const PATIENCE: Duration = Duration::from_secs(30);

/// Settings that would change what we read, or run a program: a repository may come with a configuration
/// of its own, or hold a second one among its files.
const SETTINGS: [&str; 9] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.quotePath=false",
];

/// So many paths go into one command.
const PATHS_AT_ONCE: usize = 500;

/// A work tree of somebody.
#[derive(Debug, Clone)]
pub struct Plain {
    top: PathBuf,
    /// The index that a hook was called for, where it is another than usual.
    index: Option<PathBuf>,
    /// Options that switch off the filters which the repository's own configuration defines.
    filters_off: Vec<String>,
}

/// What was found where a work tree was looked for.
enum Found {
    Tree(Plain),
    Nothing,
    NoGit,
}

impl Plain {
    /// The work tree that `dir` lies in; none if there is none, or no git on this machine.
    pub fn around(dir: &Path) -> Result<Option<Self>> {
        Ok(match find(dir)? {
            Found::Tree(plain) => Some(plain),
            Found::Nothing | Found::NoGit => None,
        })
    }

    /// The same; makes a repository in `dir` if it lies in none.
    pub fn around_or_new(dir: &Path) -> Result<Self> {
        match find(dir)? {
            Found::Tree(plain) => return Ok(plain),
            Found::NoGit => return Err(not_installed()),
            Found::Nothing => {}
        }
        init(dir)?;
        let missing = || LedgerError::Git(format!("{} has become no repository", dir.display()));
        Self::around(dir)?.ok_or_else(missing)
    }

    /// The work tree's directory.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where the hooks lie, whatever a person set for that.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        let said = self.ask(["rev-parse", "--git-path", "hooks"])?;
        Ok(self.top.join(path_of(line(&said))))
    }

    fn git(&self) -> Command {
        let mut git = reading(&self.top);
        git.args(&self.filters_off);
        git
    }

    /// What a question is answered.
    fn ask<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Result<Vec<u8>> {
        let mut git = self.git();
        git.args(args);
        succeed(program::run(git, Vec::new(), Some(PATIENCE))?)
    }

    /// The same; none where git says no without a word.
    fn ask_whether<I: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = I>,
    ) -> Result<Option<Vec<u8>>> {
        let mut git = self.git();
        git.args(args);
        let said = program::run(git, Vec::new(), Some(PATIENCE))?;
        match said {
            Some(said) if !said.status.success() && said.err.is_empty() => Ok(None),
            said => succeed(said).map(Some),
        }
    }

    /// The commit of HEAD; none if there is none yet.
    fn head(&self) -> Result<Option<String>> {
        let said = self.ask_whether(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        Ok(said.map(|said| text_of(line(&said))))
    }

    /// The commit that a person names.
    fn resolve(&self, rev: &str) -> Result<String> {
        let unknown = || {
            let top = self.top.display();
            let why = "it should be a branch, a tag or a commit";
            LedgerError::Git(format!("{rev:?} is no revision of {top}: {why}"))
        };
        if rev.is_empty() || rev.starts_with('-') || rev.contains(char::is_control) {
            return Err(unknown());
        }
        let name = format!("{rev}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
        match self.ask_whether(args) {
            Ok(Some(said)) => Ok(text_of(line(&said))),
            Ok(None) | Err(LedgerError::Git(_)) => Err(unknown()),
            Err(error) => Err(error),
        }
    }

    /// A file as git names it: below the top, with `/`.
    fn relative(&self, file: &Path) -> Result<String> {
        let refused = || LedgerError::Path(file.display().to_string());
        let below = if file.is_absolute() {
            let (folder, rest) = existing(file.parent().ok_or_else(refused)?);
            let folder = folder.canonicalize().map_err(at(folder))?.join(rest);
            let name = file.file_name().ok_or_else(refused)?;
            folder.join(name).strip_prefix(&self.top).map_err(|_| refused())?.to_owned()
        } else {
            file.to_owned()
        };
        let part = |part: Component<'_>| match part {
            Component::Normal(part) => part.to_str().map(str::to_owned),
            _ => None,
        };
        let parts: Option<Vec<String>> = below.components().map(part).collect();
        parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/")).ok_or_else(refused)
    }
}

/// Makes a repository in a directory. It is there whole or not at all: git's own way would let two who
/// do it at once fail both.
fn init(dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir).map_err(at(dir))?;
    let beside = dir.join(format!(".git-{}.tmp", std::process::id()));
    let made = init_beside(dir, &beside);
    let _ = std::fs::remove_dir_all(&beside);
    made
}

fn init_beside(dir: &Path, beside: &Path) -> Result<()> {
    std::fs::create_dir_all(beside).map_err(at(beside))?;
    let mut git = reading(beside);
    git.args(["init", "--quiet", "--initial-branch=main"]);
    succeed(program::run(git, Vec::new(), Some(PATIENCE))?)?;
    let place = dir.join(".git");
    match std::fs::rename(beside.join(".git"), &place) {
        // Somebody else was first.
        Err(_) if place.exists() => Ok(()),
        renamed => renamed.map_err(at(&place)),
    }
}

/// The nearest directory that is there, and what is missing below it.
fn existing(dir: &Path) -> (&Path, &Path) {
    let there = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(dir);
    (there, dir.strip_prefix(there).unwrap_or(Path::new("")))
}

/// Git, for a question that it should answer the same for everybody.
fn reading(dir: &Path) -> Command {
    let mut git = program::git(dir);
    git.args(SETTINGS).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    git.env("GIT_TERMINAL_PROMPT", "0");
    // What is missing is not fetched: a remote may be a program.
    git.env("GIT_ALLOW_PROTOCOL", "none");
    git
}

fn find(dir: &Path) -> Result<Found> {
    let dir = std::path::absolute(dir).map_err(at(dir))?;
    let (dir, _) = existing(&dir);
    let mut git = reading(dir);
    git.args(["rev-parse", "--show-toplevel"]);
    let Some(said) = program::run(git, Vec::new(), Some(PATIENCE))? else {
        return Ok(Found::NoGit);
    };
    let is_outside = ["not a git repository", "must be run in a work tree"]
        .iter()
        .any(|words| said.err.contains(words));
    if !said.status.success() && is_outside {
        return Ok(Found::Nothing);
    }
    let top = path_of(line(&succeed(Some(said))?));
    let top = top.canonicalize().map_err(at(&top))?;
    let mut plain = Plain { top, index: None, filters_off: Vec::new() };
    plain.filters_off = filters::switched_off(&plain)?;
    plain.index = plain.index_of_hook()?;
    Ok(Found::Tree(plain))
}

impl Plain {
    /// The index that a hook of this repository was called for: `git commit -a` has one of its own.
    fn index_of_hook(&self) -> Result<Option<PathBuf>> {
        let Some(index) = std::env::var_os("GIT_INDEX_FILE") else { return Ok(None) };
        let Ok(index) = std::path::absolute(&index) else { return Ok(None) };
        let own = path_of(line(&self.ask(["rev-parse", "--absolute-git-dir"])?));
        let folder = index.parent().and_then(|folder| folder.canonicalize().ok());
        let is_own = folder.is_some() && folder == own.canonicalize().ok();
        Ok(Some(index).filter(|index| is_own && index.is_file()))
    }
}

/// What a command said, if it succeeded.
fn succeed(said: Option<Said>) -> Result<Vec<u8>> {
    let said = said.ok_or_else(not_installed)?;
    if said.status.success() {
        return Ok(said.out);
    }
    let words = if said.err.is_empty() { said.status.to_string() } else { said.err };
    Err(LedgerError::Git(words))
}

fn not_installed() -> LedgerError {
    LedgerError::Git("is not installed on this machine: install it from https://git-scm.com".into())
}

/// An answer of one line, without its end.
fn line(said: &[u8]) -> &[u8] {
    said.strip_suffix(b"\n").unwrap_or(said)
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(text_of(bytes))
}

/// Nothing but this path, whatever signs are in it.
fn literal(path: &str) -> String {
    format!(":(literal){path}")
}

/// The parts of an answer that each end with a NUL.
fn fields(said: &[u8]) -> impl Iterator<Item = &[u8]> {
    said.strip_suffix(b"\0")
        .unwrap_or(said)
        .split(|byte| *byte == 0)
        .filter(move |_| !said.is_empty())
}
