//! The exclusive right to change the ledger, among threads and processes, and the note in its file
//! that a commit is under way.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{LedgerError, Result, at};
use crate::oid::Oid;
use crate::private;

/// How long [`Ledger::lock`](crate::Ledger::lock) waits.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(30);

/// The first pause between two tries; each is twice as long as the one before.
const PAUSE_MIN: Duration = Duration::from_micros(50);
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// The note that nothing is under way.
const IDLE: &str = "idle";

/// The file of the lock. The system takes the lock back from a process that ends.
pub(crate) struct LockFile {
    path: PathBuf,
    file: File,
}

/// What the note says: a commit on top of this one was under way.
pub(crate) type UnderWay = Option<Oid>;

impl LockFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = private::open(path).map_err(at(path))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Whether it still is the file that others lock.
    #[cfg(unix)]
    pub(crate) fn is_current(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let inode = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let named = std::fs::metadata(&self.path).map(inode);
        matches!((named, self.file.metadata().map(inode)), (Ok(a), Ok(b)) if a == b)
    }

    #[cfg(not(unix))]
    pub(crate) fn is_current(&self) -> bool {
        self.path.exists()
    }

    /// Waits for the lock until `deadline`.
    pub(crate) fn take(&self, deadline: Instant) -> Result<()> {
        let mut pause = PAUSE_MIN;
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(why)) => return Err(at(&self.path)(why)),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                    return Err(busy(&self.path));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Gives the lock back.
    pub(crate) fn release(&self) {
        // If that fails, closing the file does it.
        self.file.unlock().unwrap_or_default();
    }

    /// Notes that a commit on top of `base` begins.
    pub(crate) fn begin(&mut self, base: Option<Oid>) -> Result<()> {
        self.note(&base.map_or("-".to_owned(), |id| id.to_string()))
    }

    /// Notes that nothing is under way.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.note(IDLE)
    }

    /// Always of one length, so that no byte of an earlier note is left.
    fn note(&mut self, text: &str) -> Result<()> {
        self.file.rewind().map_err(at(&self.path))?;
        self.file.write_all(format!("{text:<40}\n").as_bytes()).map_err(at(&self.path))
    }

    /// What was under way when the last holder ended, if anything.
    pub(crate) fn under_way(&mut self) -> Result<Option<UnderWay>> {
        let mut bytes = [0; 41];
        self.file.rewind().map_err(at(&self.path))?;
        let length = self.file.read(&mut bytes).map_err(at(&self.path))?;
        let text = String::from_utf8_lossy(&bytes[..length]);
        let text = text.trim_matches(['\0', ' ', '\n']);
        Ok((!matches!(text, "" | IDLE)).then(|| text.parse().ok()))
    }
}

pub(crate) fn busy(path: &Path) -> LedgerError {
    LedgerError::Busy { path: path.to_owned(), seconds: LOCK_PATIENCE.as_secs() }
}
