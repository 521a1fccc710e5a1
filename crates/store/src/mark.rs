//! How far the store had come when a change was last acknowledged.
//!
//! A damaged frame ends SQLite's log there, and what was committed behind it is gone without a word;
//! so is everything when the log or the database is removed. The tables' counters never go back, so
//! their sum tells how far a store has come. It is kept in a small file beside the database, written
//! after each commit that was synced: a store that opens with less has lost something.
//!
//! The file is not synced itself. After a power cut it may say less than there is, never more.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::backup::part;
use crate::connection::{leave_log, make_private_file, replace_private_file_synced};
use crate::error::Result;
use crate::wal;

/// Makes a file that holds something else no mark.
const SALT: u64 = 0x4C6F_7265_6B65_6570;

/// The file with the mark of a database.
pub(crate) fn path(database: &Path) -> PathBuf {
    database.with_extension("mark")
}

/// How far the database has come.
pub(crate) fn reached(db: &Connection) -> Result<i64> {
    let sql = "SELECT coalesce(sum(seq), 0) FROM sqlite_sequence";
    Ok(db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// How far it had come when a change was last acknowledged; none if nobody wrote that down.
pub(crate) fn acknowledged(database: &Path) -> Option<i64> {
    let bytes: [u8; 16] = std::fs::read(path(database)).ok()?.try_into().ok()?;
    read(bytes)
}

fn read(bytes: [u8; 16]) -> Option<i64> {
    let (number, check) = bytes.split_first_chunk::<8>()?;
    let number = u64::from_le_bytes(*number);
    let check = u64::from_le_bytes(check.try_into().ok()?);
    (number ^ SALT == check).then_some(number.cast_signed())
}

/// The file of the mark, open for who writes.
#[derive(Debug)]
pub(crate) struct Mark(Option<File>);

impl Mark {
    /// Opens the mark of a database. Where that fails there is none, and nothing else lacks.
    pub(crate) fn open(database: &Path) -> Self {
        let path = path(database);
        let open = || File::options().read(true).write(true).open(&path);
        Self(make_private_file(&path).ok().and_then(|()| open().ok()))
    }

    /// Writes down how far the store has come. Another process may have come further meanwhile.
    pub(crate) fn acknowledge(&self, reached: i64) {
        let Some(file) = &self.0 else { return };
        let mut bytes = [0; 16];
        if read_at(file, &mut bytes) && read(bytes).is_some_and(|there| there >= reached) {
            return;
        }
        let number = reached.cast_unsigned();
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&(number ^ SALT).to_le_bytes());
        write_at(file, &bytes);
    }
}

/// What cannot be read is written anew, and what cannot be written says less than it might.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8]) -> bool {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, 0).is_ok()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8]) {
    let _ = std::os::unix::fs::FileExt::write_all_at(file, bytes, 0);
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8]) -> bool {
    use std::io::{Read, Seek};
    file.rewind().and_then(|()| file.read_exact(bytes)).is_ok()
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8]) {
    use std::io::{Seek, Write};
    let _ = file.rewind().and_then(|()| file.write_all(bytes));
}

/// Forgets how far the store had come, for one that takes another's place.
pub(crate) fn forget(database: &Path) {
    let _ = std::fs::remove_file(path(database));
}

/// Changes that were acknowledged are missing. Their log is kept as it is, for it goes when the
/// connection is closed. What there is to say.
pub(crate) fn keep_lost(path: &Path, db: &Connection) -> String {
    let log = part(path, "-wal");
    let bytes = std::fs::read(&log);
    let kept = bytes.as_deref().map_err(|why| why.kind()).map(|bytes| keep_log(path, bytes));
    let is_kept = matches!(kept, Ok(Ok(())) | Err(std::io::ErrorKind::NotFound));
    if !is_kept && let Err(error) = leave_log(db) {
        tracing::warn!(%error, "what is behind the damage of the log may be lost");
    }
    told_lost(path)
}

/// What there is to say where changes that were acknowledged are missing.
pub(crate) fn told_lost(path: &Path) -> String {
    let log = part(path, "-wal");
    let found = wal::look(&std::fs::read(&log).unwrap_or_default());
    let why = match found {
        _ if found.header_is_damaged => {
            format!("the header of its log {} is broken", log.display())
        }
        _ if found.damaged > 0 => {
            format!(
                "{} of {} frames of its log {} are broken",
                found.damaged,
                found.frames,
                log.display()
            )
        }
        _ => {
            format!("its log {} is gone or cut off, or the database is an older one", log.display())
        }
    };
    format!("changes that were acknowledged are missing: {why}")
}

/// Keeps what was in a log, whole or not at all: a part of it would be taken for all there is.
fn keep_log(path: &Path, bytes: &[u8]) -> Result<()> {
    let kept = part(path, "-wal.lost");
    if bytes.is_empty() || kept.exists() {
        return Ok(());
    }
    replace_private_file_synced(&kept, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_goes_forward_and_nonsense_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("lorekeep.db");
        assert_eq!(acknowledged(&database), None);
        let mark = Mark::open(&database);
        for (reached, told) in [(5, 5), (9, 9), (7, 9)] {
            mark.acknowledge(reached);
            assert_eq!(acknowledged(&database), Some(told));
        }
        std::fs::write(path(&database), [7; 16]).unwrap();
        assert_eq!(acknowledged(&database), None);
        Mark::open(&database).acknowledge(3);
        assert_eq!(acknowledged(&database), Some(3));
        forget(&database);
        assert_eq!(acknowledged(&database), None);
    }
}
