//! Where the ledger stands: HEAD, the branch it names, and git's protocol to move it.

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{LedgerError, Result, at, if_there};
use crate::oid::Oid;
use crate::private;

/// The branch of a new ledger.
pub(crate) const BRANCH: &str = "refs/heads/main";

/// A lock of git that is older was left by something that died: git holds it for microseconds.
const LOCK_AGE_MAX: Duration = Duration::from_secs(10);

/// How long we wait for a lock of git that is fresh.
const PATIENCE: Duration = Duration::from_secs(12);

/// The file that the next lock is made of.
const SPARE: &str = "lorekeep.ref";

/// How many names may name names.
const LINKS_MAX: usize = 5;

/// What HEAD says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The branch; none if HEAD names a commit.
    pub(crate) branch: Option<String>,
    /// The commit; none if there is none yet.
    pub(crate) id: Option<Oid>,
}

impl Head {
    /// The file that is written when a commit is made.
    fn name(&self) -> &str {
        self.branch.as_deref().unwrap_or("HEAD")
    }
}

/// Reads HEAD and the branch it names.
pub(crate) fn head(git: &Path) -> Result<Head> {
    let (name, said) = last(git);
    let said = said?;
    let branch = (name != "HEAD").then_some(name);
    let id = match (&branch, said) {
        (_, Some(text)) => Some(id(&git.join(branch.as_deref().unwrap_or("HEAD")), &text)?),
        (Some(name), None) => packed(git, name)?,
        (None, None) => None,
    };
    Ok(Head { branch, id })
}

/// The file that a commit moves, whatever it says: the branch that HEAD names, or HEAD itself if it names a
/// commit; the branch of a new ledger if HEAD says nothing.
pub(crate) fn leads_to(git: &Path) -> String {
    let (name, said) = last(git);
    let is_commit = matches!(said, Ok(Some(text)) if text.parse::<Oid>().is_ok());
    if name == "HEAD" && !is_commit { BRANCH.to_owned() } else { name }
}

/// The last name that HEAD leads to, and what its file says; none if it has none.
fn last(git: &Path) -> (String, Result<Option<String>>) {
    let mut name = "HEAD".to_owned();
    for _ in 0..LINKS_MAX {
        let path = git.join(&name);
        let text = match text(&path) {
            Ok(Some(text)) => text,
            said => return (name, said),
        };
        let Some(target) = text.strip_prefix("ref:") else { return (name, Ok(Some(text))) };
        match checked(&path, target.trim()) {
            Ok(next) => name = next,
            Err(error) => return (name, Err(error)),
        }
    }
    let why = "it names a name that names a name, and so on";
    (name, Err(damaged(&git.join("HEAD"), why)))
}

fn text(path: &Path) -> Result<Option<String>> {
    let Some(bytes) = if_there(fs::read(path), path)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| damaged(path, "it is no text"))?;
    Ok(Some(text.trim_end().to_owned()))
}

fn id(path: &Path, text: &str) -> Result<Oid> {
    text.parse().map_err(|_| damaged(path, &format!("{text:?} is no id of a commit")))
}

/// A name of a ref that stays inside of `.git/refs`.
fn checked(path: &Path, name: &str) -> Result<String> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    if name.starts_with("refs/") && name.split('/').all(is_plain) {
        Ok(name.to_owned())
    } else {
        Err(damaged(path, &format!("{name:?} is no name of a branch")))
    }
}

/// What `packed-refs` says of a branch.
fn packed(git: &Path, name: &str) -> Result<Option<Oid>> {
    let path = git.join("packed-refs");
    let Some(text) = if_there(fs::read_to_string(&path), &path)? else { return Ok(None) };
    let line = text.lines().find_map(|line| {
        line.split_once(' ').filter(|(_, named)| *named == name).map(|(hex, _)| hex)
    });
    line.map(|hex| id(&path, hex)).transpose()
}

/// Moves the branch from what `head` says to `to`. False, and nothing is done, if it is not there
/// any more.
pub(crate) fn advance(git: &Path, head: &Head, to: Oid) -> Result<bool> {
    let path = git.join(head.name());
    let (lock, spare) = (lock_of(&path), git.join(SPARE));
    take(&spare, &lock, to)?;
    // From here on no other git moves it.
    let moved = self::head(git).map(|now| now != *head).and_then(|is_moved| {
        if is_moved {
            return Ok(false);
        }
        private::replace_by(&spare, &lock, &path).map_err(at(&path))?;
        Ok(true)
    });
    if !matches!(moved, Ok(true)) {
        // Best effort: who comes next removes it when it is old.
        fs::remove_file(&lock).unwrap_or_default();
    }
    moved
}

/// Sets the branch to `to` whatever it says, to mend it.
pub(crate) fn force(git: &Path, name: &str, to: Option<Oid>) -> Result<()> {
    let path = git.join(name);
    let Some(to) = to else {
        if name == "HEAD" {
            return Err(damaged(&path, "it names a commit that cannot be read"));
        }
        return if_there(fs::remove_file(&path), &path).map(drop);
    };
    let (lock, spare) = (lock_of(&path), git.join(SPARE));
    take(&spare, &lock, to)?;
    private::replace_by(&spare, &lock, &path).map_err(at(&path))
}

fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Takes a lock of git, with what will be the branch in it, waiting for one that is fresh and
/// removing one that is left over.
fn take(spare: &Path, lock: &Path, to: Oid) -> Result<()> {
    let content = format!("{to}\n");
    let deadline = Instant::now() + PATIENCE;
    loop {
        match private::create_of(spare, lock, content.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if age(lock) > Some(LOCK_AGE_MAX) {
                    if_there(fs::remove_file(lock), lock)?;
                } else if Instant::now() > deadline {
                    let seconds = PATIENCE.as_secs();
                    return Err(LedgerError::Busy { path: lock.to_owned(), seconds });
                } else {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = lock.parent().unwrap_or(lock);
                private::create_dir(folder)?;
            }
            done => return done.map_err(at(lock)),
        }
    }
}

/// How old a file is, if it is there and its clock is ours.
pub(crate) fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

/// Notes moves in the logs, for `git reflog`.
pub(crate) fn log(git: &Path, head: &Head, lines: &str) -> Result<()> {
    let logs = git.join("logs");
    append(&logs.join("HEAD"), lines)?;
    head.branch.as_ref().map_or(Ok(()), |branch| append(&logs.join(branch), lines))
}

/// Takes lines out of the logs, from the first on that tells of a commit that is not there; those up to
/// the commit that is on disk for sure are believed.
pub(crate) fn trim_logs(
    git: &Path,
    branch: &str,
    settled: Option<Oid>,
    is_known: &dyn Fn(Oid) -> bool,
) -> Result<()> {
    for path in [git.join("logs/HEAD"), git.join("logs").join(branch)] {
        let Some(bytes) = if_there(fs::read(&path), &path)? else { continue };
        let is_good = |line: &[u8]| named(line, 41).is_some_and(is_known);
        // Older lines are not looked at: there may be as many as the ledger has commits.
        let unsure = lines_since(&bytes, settled);
        if let Some(bad) = unsure.iter().rev().find(|line| !is_good(&bytes[(*line).clone()])) {
            let file = fs::OpenOptions::new().write(true).open(&path);
            file.and_then(|file| file.set_len(bad.start as u64)).map_err(at(&path))?;
        }
    }
    Ok(())
}

/// The commit that a line of a log names at this place: where the branch was, or (from 41 on) where it went.
fn named(line: &[u8], from: usize) -> Option<Oid> {
    let id = line.strip_suffix(b"\n")?.get(from..from + 40)?;
    std::str::from_utf8(id).ok()?.parse().ok()
}

/// The lines of a log that tell of what came after this commit, the newest first; all if it is not named. Who was
/// killed before it could write the commit's own line left one that goes on from it.
fn lines_since(log: &[u8], settled: Option<Oid>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut end = log.len();
    while end > 0 {
        let start = log[..end - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = &log[start..end];
        if settled.is_some() && named(line, 41) == settled {
            break;
        }
        lines.push(start..end);
        if settled.is_some() && named(line, 0) == settled {
            break;
        }
        end = start;
    }
    lines
}

fn append(path: &Path, line: &str) -> Result<()> {
    let write = || private::append(path)?.write_all(line.as_bytes());
    match write() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private::create_dir(path.parent().unwrap_or(path))?;
            write().map_err(at(path))
        }
        done => done.map_err(at(path)),
    }
}

fn damaged(path: &Path, why: &str) -> LedgerError {
    LedgerError::Damaged { path: path.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn id(number: usize) -> Oid {
        format!("{number:040x}").parse().unwrap()
    }

    /// A log of so many commits, each on top of the one before, without some of their lines.
    fn log(count: usize, without: &[usize]) -> String {
        let line = |n: usize| format!("{} {} ada <a@b.c> 1 +0000\tcommit: {n}\n", id(n - 1), id(n));
        (1..=count).filter(|n| !without.contains(n)).map(line).collect()
    }

    /// What is left of the log, and which commits were looked for.
    fn trimmed(text: &str, settled: usize, known: impl Fn(usize) -> bool) -> (String, Vec<usize>) {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path();
        fs::create_dir_all(git.join("logs/refs/heads")).unwrap();
        fs::write(git.join("logs/HEAD"), text).unwrap();
        let asked = RefCell::new(Vec::new());
        let is_known = |asked_for: Oid| {
            let number = usize::from_str_radix(&asked_for.to_string(), 16).unwrap();
            asked.borrow_mut().push(number);
            known(number)
        };
        trim_logs(git, "refs/heads/main", Some(id(settled)), &is_known).unwrap();
        (fs::read_to_string(git.join("logs/HEAD")).unwrap(), asked.into_inner())
    }

    #[test]
    fn a_log_is_cut_at_the_first_commit_that_is_gone() {
        let (left, asked) = trimmed(&log(9, &[]), 5, |n| n != 7);
        assert_eq!((left, asked), (log(6, &[]), vec![6, 7]));
    }

    #[test]
    fn what_was_settled_is_not_looked_at_though_its_own_line_is_missing() {
        for (without, looked_at) in [(&[][..], vec![8, 9]), (&[7][..], vec![8, 9])] {
            let (left, asked) = trimmed(&log(9, without), 7, |n| n > 7);
            assert_eq!((left, asked), (log(9, without), looked_at));
        }
    }

    #[test]
    fn a_line_that_was_cut_off_goes_with_all_behind_it() {
        let (five, six) = (log(5, &[]), log(6, &[]));
        let torn = format!("{}{}", &six[..five.len() + 30], log(8, &[1, 2, 3, 4, 5, 6]));
        assert_eq!(trimmed(&torn, 4, |_| true).0, five);
    }
}
