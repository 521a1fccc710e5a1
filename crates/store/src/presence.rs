//! Who has the store open to write, told by a lock that the system takes back from whoever ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::connection::make_private_file;
use crate::error::{Result, StoreError, at};

/// How long who opens a store waits for a repair to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long one wait in that time is.
const PAUSE: Duration = Duration::from_millis(20);

/// The right that lasts as long as this is kept.
#[derive(Debug)]
pub(crate) struct Presence {
    _lock: File,
}

fn path(database: &Path) -> PathBuf {
    database.with_extension("lock")
}

fn open(database: &Path) -> Result<(PathBuf, File)> {
    let path = path(database);
    make_private_file(&path).map_err(hinted)?;
    let file = File::options().read(true).write(true).open(&path).map_err(at(&path))?;
    Ok((path, file))
}

/// Who may not write can read all the same.
fn hinted(error: StoreError) -> StoreError {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match error {
        StoreError::File { path, why }
            if matches!(why.kind(), PermissionDenied | ReadOnlyFilesystem) =>
        {
            let told = format!("{why}; to read without writing anything: --read-only");
            StoreError::File { path, why: std::io::Error::new(why.kind(), told) }
        }
        other => other,
    }
}

/// Among all who write. Waits for a repair or a restore to end.
pub(crate) fn among(database: &Path) -> Result<Presence> {
    let (path, lock) = open(database)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match lock.try_lock_shared() {
            Ok(()) => return Ok(Presence { _lock: lock }),
            Err(TryLockError::Error(why)) => return Err(at(&path)(why)),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(StoreError::InUse);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

/// Alone, after whoever is alone now has ended.
pub(crate) fn alone_in_time(database: &Path) -> Result<Presence> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match alone(database) {
            Err(StoreError::InUse) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
}

/// Alone; refused while anybody has the store open to write.
pub(crate) fn alone(database: &Path) -> Result<Presence> {
    let (path, lock) = open(database)?;
    match lock.try_lock() {
        Ok(()) => Ok(Presence { _lock: lock }),
        Err(TryLockError::Error(why)) => Err(at(&path)(why)),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse),
    }
}
