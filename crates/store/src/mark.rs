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

use crate::connection::make_private_file;
use crate::error::Result;

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
