//! Files that are of no use any more, kept to be written over.
//!
//! To make a file may cost more than to write into one: on ext4 some 0.8 ms instead of
//! 0.02 for a minute after thousands were removed. So a file of the work tree that is replaced becomes a spare one.
//! But somebody may still be reading it: it rests before it is used again. Packs are never written over: git
//! has them mapped for as long as it runs.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Result, at, if_there};
use crate::private;

/// No more are kept.
const SPARES_MAX: usize = 8192;

/// So long a file rests at least.
const REST: Duration = Duration::from_secs(2);

/// The spare files, used in the order they came. Another process may have used some of ours, or left
/// others; what lies there is looked at each time.
pub(crate) struct Spares {
    folder: PathBuf,
    /// Their numbers, oldest first; none before anybody looked.
    known: Option<VecDeque<usize>>,
    next: usize,
}

/// Where a file is written before it gets its name, and where the one it replaces gets to.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    number: usize,
}

impl Spares {
    pub(crate) fn new(git: &Path) -> Self {
        Self { folder: git.join("lorekeep.spare"), known: None, next: 0 }
    }

    /// A place with a file that has rested, or without a file.
    pub(crate) fn take(&mut self) -> Result<Place> {
        match self.rested()? {
            Some(place) => Ok(place),
            None => Ok(self.empty()),
        }
    }

    /// A place with a file that has rested, if there is one.
    fn rested(&mut self) -> Result<Option<Place>> {
        self.look()?;
        while let Some(number) = self.known.as_ref().and_then(|known| known.front()).copied() {
            let path = self.folder.join(number.to_string());
            let found = fs::symlink_metadata(&path).ok();
            if found.as_ref().is_some_and(|found| !has_rested(found)) {
                return Ok(None);
            }
            self.known.as_mut().and_then(VecDeque::pop_front);
            if found.is_some() {
                return Ok(Some(Place { path, number }));
            }
            // Another process has used it.
        }
        Ok(None)
    }

    /// Notes that a file got to a place that was taken.
    pub(crate) fn came(&mut self, place: &Place) -> Result<()> {
        let known = self.known.get_or_insert_default();
        if known.len() >= SPARES_MAX {
            return if_there(fs::remove_file(&place.path), &place.path).map(drop);
        }
        known.push_back(place.number);
        Ok(())
    }

    /// A place without a file.
    fn empty(&mut self) -> Place {
        loop {
            let (number, path) = (self.next, self.folder.join(self.next.to_string()));
            self.next += 1;
            if fs::symlink_metadata(&path).is_err() {
                return Place { path, number };
            }
        }
    }

    fn look(&mut self) -> Result<()> {
        if self.known.is_some() {
            return Ok(());
        }
        private::create_dir(&self.folder)?;
        let entries = fs::read_dir(&self.folder).map_err(at(&self.folder))?.flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<usize>().ok());
        let mut numbers: Vec<usize> = numbers.collect();
        numbers.sort_unstable();
        self.next = numbers.last().map_or(0, |last| last.saturating_add(1));
        self.known = Some(numbers.into());
        Ok(())
    }
}

/// Whether the file got its name long enough ago.
#[cfg(unix)]
fn has_rested(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    use std::time::SystemTime;
    let (seconds, nanos) = (metadata.ctime().try_into(), metadata.ctime_nsec().try_into());
    let (Ok(seconds), Ok(nanos)) = (seconds, nanos) else { return false };
    let since = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
    since.elapsed().is_ok_and(|rested| rested >= REST)
}

#[cfg(not(unix))]
fn has_rested(metadata: &Metadata) -> bool {
    metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|rested| rested >= REST))
}
