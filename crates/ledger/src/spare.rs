//! Files that were replaced in the work tree, kept to be written over.
//!
//! To make a file costs more than to write into one, so a file that is replaced becomes a spare
//! one. But somebody may still be reading it: it rests before it is used again.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Result, if_there};
use crate::private;

/// So many commits a file rests at least.
const SPARES_MIN: usize = 64;

/// No more are kept.
const SPARES_MAX: usize = 2048;

/// So long a file rests at least.
const REST: Duration = Duration::from_secs(1);

/// The spare files, used one after the other.
pub(crate) struct Spares {
    folder: PathBuf,
    /// How many places there are; none before anybody looked.
    places: Option<usize>,
    next: usize,
}

/// Where a file is written before it gets its name, and where the one it replaces gets to.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// Whether what gets there may stay.
    pub(crate) is_kept: bool,
}

impl Spares {
    pub(crate) fn new(git: &Path) -> Self {
        Self { folder: git.join("lorekeep.spare"), places: None, next: 0 }
    }

    /// The next place: one whose file has rested, or one without a file.
    pub(crate) fn take(&mut self) -> Result<Place> {
        let places = match self.places {
            Some(places) => places,
            None => self.look()?,
        };
        let at = self.next % places;
        let path = self.folder.join(at.to_string());
        let known = fs::symlink_metadata(&path).ok();
        if known.as_ref().is_none_or(has_rested) {
            self.next = at + 1;
            return Ok(Place { path, is_kept: true });
        }
        // It goes on resting; the others come to their turn later.
        if places < SPARES_MAX {
            self.places = Some(places + 1);
            let path = self.folder.join(places.to_string());
            if_there(fs::remove_file(&path), &path)?;
            return Ok(Place { path, is_kept: true });
        }
        let path = self.folder.join("new");
        if_there(fs::remove_file(&path), &path)?;
        Ok(Place { path, is_kept: false })
    }

    fn look(&mut self) -> Result<usize> {
        private::create_dir(&self.folder)?;
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<usize>().ok());
        let last = numbers.max().map_or(0, |last| last.saturating_add(1));
        let places = last.clamp(SPARES_MIN, SPARES_MAX);
        self.places = Some(places);
        Ok(places)
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
