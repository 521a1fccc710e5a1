//! The files of this machine, for reading documents.

use std::fs::{DirEntry, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use engine::Files;
use engine::ports::{FileError, FileState, Job, ParseFailure, Parsed, Room, Walked};
use ignore::WalkBuilder;

use crate::reader_process::{Failure, Limits, ReaderPool};

/// So few files are looked at by one thread.
const SCANNED_ALONE_MAX: usize = 1_000;

/// What a parser may take while others parse, and what one alone: of a server with four processes,
/// together with the files that are in memory, that is less than 1 GB.
const SHARED: Limits = Limits { time: TIME_MAX, memory_mb: 96, output_mb: 16 };
const ALONE: Limits = Limits { time: TIME_MAX, memory_mb: 448, output_mb: 64 };
const TIME_MAX: Duration = Duration::from_secs(20);

/// Files as the system has them. A walk leaves out what is hidden and what version control ignores,
/// and goes through no link.
#[derive(Debug, Default)]
pub struct LocalFiles {
    parsers: Option<ReaderPool>,
}

impl LocalFiles {
    /// The same with processes for parsers; without them nothing but plain text is parsed.
    #[must_use]
    pub fn with_parsers(self, parsers: ReaderPool) -> Self {
        Self { parsers: Some(parsers) }
    }
}

impl Files for LocalFiles {
    fn resolve(&self, path: &str) -> Result<PathBuf, FileError> {
        std::fs::canonicalize(path).map_err(|why| error(&why))
    }

    fn absolute(&self, path: &str) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.into())
    }

    fn state(&self, path: &Path) -> Result<FileState, FileError> {
        std::fs::metadata(path).map(|found| state(&found)).map_err(|why| error(&why))
    }

    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
        let fail = |why: std::io::Error| error(&why);
        // A pipe or a device would keep who opens it waiting.
        if !std::fs::metadata(path).map_err(fail)?.is_file() {
            return Err(FileError::Unreadable("it is no regular file".to_owned()));
        }
        let mut bytes = Vec::new();
        File::open(path).map_err(fail)?.take(max + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > max {
            return Err(FileError::Unreadable(format!("it is larger than {} MB", max >> 20)));
        }
        Ok(bytes)
    }

    fn walk(&self, dir: &Path, recursive: bool, each: &mut dyn FnMut(Walked) -> bool) {
        let mut walk = WalkBuilder::new(dir);
        walk.require_git(false).follow_links(false).max_depth((!recursive).then_some(1));
        for entry in walk.build() {
            let walked = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    match entry.metadata() {
                        Ok(found) => Walked::File(entry.into_path(), state(&found)),
                        Err(why) => Walked::Failed(entry.into_path(), why.to_string()),
                    }
                }
                Ok(_) => continue,
                Err(why) => Walked::Failed(place(&why).unwrap_or(dir).to_owned(), why.to_string()),
            };
            if !each(walked) {
                break;
            }
        }
    }

    fn walk_project(&self, root: &Path, each: &mut dyn FnMut(&Path) -> bool) {
        let mut walk = WalkBuilder::new(root);
        walk.hidden(false).ignore(false).require_git(false).follow_links(false);
        walk.filter_entry(|entry| entry.file_name() != ".git");
        for entry in walk.build().flatten() {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if is_file && !each(entry.path()) {
                break;
            }
        }
    }

    fn scan(&self, dir: &Path, ending: &str) -> Vec<(String, FileState)> {
        let mut listed = Vec::new();
        list(dir, "", ending, &mut listed);
        // What goes meanwhile is gone.
        let look = |listed: Vec<(String, DirEntry)>| -> Vec<(String, FileState)> {
            let look =
                |(path, entry): (String, DirEntry)| Some((path, state(&entry.metadata().ok()?)));
            listed.into_iter().filter_map(look).collect()
        };
        if listed.len() < SCANNED_ALONE_MAX {
            return look(listed);
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let each = listed.len().div_ceil(cores);
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(cores);
            while !listed.is_empty() {
                let part = listed.split_off(listed.len().saturating_sub(each));
                threads.push(scope.spawn(move || look(part)));
            }
            threads.into_iter().rev().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        })
    }

    fn parse(&self, job: Job, bytes: &[u8], room: Room) -> Result<Parsed, ParseFailure> {
        let none = || ParseFailure::Ended("there is no process for parsers".to_owned());
        let parsers = self.parsers.as_ref().ok_or_else(none)?;
        let limits = match room {
            Room::Shared => SHARED,
            Room::Alone => {
                parsers.end_idle();
                ALONE
            }
        };
        parsers.run(&job, bytes, limits).map_err(|failure| {
            let why = failure.to_string();
            match failure {
                Failure::Refused(_) => ParseFailure::Refused(why),
                Failure::TooHungry(_) | Failure::TooLong(_) => ParseFailure::TooLarge(why),
                Failure::TooSlow(_)
                | Failure::Ended(_)
                | Failure::GaveUp
                | Failure::NotStarted(_) => ParseFailure::Ended(why),
            }
        })
    }
}

/// Lists the files of a directory and those below it; what cannot be listed has none for us.
fn list(dir: &Path, below: &str, ending: &str, listed: &mut Vec<(String, DirEntry)>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        if kind.is_dir() {
            list(&entry.path(), &format!("{below}{name}/"), ending, listed);
        } else if kind.is_file() && name.ends_with(ending) {
            listed.push((format!("{below}{name}"), entry));
        }
    }
}

fn error(why: &std::io::Error) -> FileError {
    match why.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => FileError::NotFound,
        _ => FileError::Unreadable(why.to_string()),
    }
}

fn state(found: &Metadata) -> FileState {
    let since = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let nanos = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    FileState { size: found.len(), modified: nanos.unwrap_or(0), is_dir: found.is_dir() }
}

/// Where a walk failed, as far as that is known.
fn place(why: &ignore::Error) -> Option<&Path> {
    match why {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            place(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn walked(dir: &Path, recursive: bool) -> Vec<String> {
        let mut found = Vec::new();
        LocalFiles::default().walk(dir, recursive, &mut |walked| {
            if let Walked::File(path, _) = walked {
                found.push(path.strip_prefix(dir).unwrap().to_string_lossy().into_owned());
            }
            true
        });
        found.sort();
        found
    }

    #[test]
    fn a_walk_leaves_out_what_is_hidden_ignored_or_elsewhere() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.md"), "x").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        for name in ["a.md", "build/out.md", "deep/b.md", ".hidden/c.md", ".d.md", "deep/skip.md"] {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(dir.join(".gitignore"), "build/\n").unwrap();
        fs::write(dir.join("deep/.gitignore"), "skip.md\n").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path(), dir.join("link")).unwrap();
            std::os::unix::fs::symlink(outside.path().join("secret.md"), dir.join("s.md")).unwrap();
            std::os::unix::fs::symlink(&dir, dir.join("deep/loop")).unwrap();
        }
        fs::create_dir(dir.join(".git")).unwrap();
        fs::write(dir.join(".git/config"), "x").unwrap();
        let mut project = Vec::new();
        LocalFiles::default().walk_project(&dir, &mut |path| {
            project.push(path.strip_prefix(&dir).unwrap().to_string_lossy().into_owned());
            true
        });
        project.sort();
        assert_eq!(
            project,
            [".d.md", ".gitignore", ".hidden/c.md", "a.md", "deep/.gitignore", "deep/b.md"]
        );
        assert_eq!(walked(&dir, true), ["a.md", "deep/b.md"]);
        assert_eq!(walked(&dir, false), ["a.md"]);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        assert_eq!(LocalFiles::default().read(&path, 10), Err(FileError::NotFound));
        fs::write(&path, "12345").unwrap();
        assert_eq!(LocalFiles::default().read(&path, 5), Ok(b"12345".to_vec()));
        assert!(matches!(LocalFiles::default().read(&path, 4), Err(FileError::Unreadable(_))));
        assert!(matches!(LocalFiles::default().read(dir.path(), 4), Err(FileError::Unreadable(_))));
        assert!(LocalFiles::default().state(&path).unwrap().modified > 0);
    }
}
