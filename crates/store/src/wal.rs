//! A damaged database made readable, on a copy: all frames of its log put into it, and its header set
//! right.
//!
//! SQLite ends a log at the first frame that is not right, and drops it whole if its header is not. Here
//! each frame is looked at by itself, so that those behind a damaged one count. Nothing here changes the
//! file that is damaged.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::connection::APPLICATION_ID;
use crate::error::{Result, at};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Our databases have pages of this size.
const PAGE: usize = 4096;

/// What was in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Folded {
    /// Frames that were put into the database.
    pub(crate) frames: usize,
    /// Those of them that are damaged.
    pub(crate) damaged: usize,
    /// Whether the log's own header is damaged.
    pub(crate) header_is_damaged: bool,
    /// Frames whose pages may not be what was committed: those that are damaged or cannot be told what
    /// page they are of, and whose page no later frame holds whole.
    pub(crate) unread: usize,
}

/// One frame: where its page lies in the log, and what it is of.
struct Frame {
    at: usize,
    page: u32,
    /// The database's pages after it, if it ends a commit.
    pages: u32,
    is_right: bool,
}

/// What a log holds, up to its last commit.
struct Log<'a> {
    bytes: &'a [u8],
    header_is_damaged: bool,
    frames: Vec<Frame>,
    /// How many say of no page that they are its.
    dropped: usize,
}

/// Looks at a log without changing anything.
pub(crate) fn look(bytes: &[u8]) -> Folded {
    Log::read(bytes).map_or_else(Folded::default, |log| log.folded())
}

/// Puts what the log `bytes` holds into the database file `copy`.
pub(crate) fn fold(bytes: &[u8], copy: &Path) -> Result<Folded> {
    let Some(log) = Log::read(bytes) else { return Ok(Folded::default()) };
    let mut file = File::options().write(true).open(copy).map_err(at(copy))?;
    let mut write = || -> std::io::Result<()> {
        for frame in &log.frames {
            file.seek(SeekFrom::Start((u64::from(frame.page) - 1) * PAGE as u64))?;
            file.write_all(log.bytes.get(frame.at..frame.at + PAGE).unwrap_or_default())?;
        }
        match log.frames.last() {
            Some(last) => file.set_len(u64::from(last.pages) * PAGE as u64),
            None => Ok(()),
        }
    };
    write().map_err(at(copy))?;
    Ok(log.folded())
}

impl<'a> Log<'a> {
    /// None if there is no frame of ours in it.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let header = bytes.get(..HEADER)?;
        let is_big = match number(header, 0)? {
            0x377f_0682 => false,
            0x377f_0683 => true,
            // A damaged one; this is what our machines write.
            _ => cfg!(target_endian = "big"),
        };
        let sums = checksum(header.get(..24)?, (0, 0), is_big);
        let is_right = Some(sums) == pair(header, 24) && number(header, 8) == Some(PAGE as u32);
        let salts = |at: usize| pair(bytes, at + 8);
        let first = (HEADER..).step_by(FRAME_HEADER + PAGE);
        let whole = first.take_while(|at| at + FRAME_HEADER + PAGE <= bytes.len());
        let starts: Vec<usize> = whole.collect();
        // Frames of an earlier round may follow; they have other salts.
        let own =
            if is_right { pair(header, 16) } else { salts(first_whole(bytes, &starts, is_big)?) };
        let is_own = |index: usize| starts.get(index).is_some_and(|at| salts(*at) == own);
        let end = (0..starts.len()).rev().find(|index| is_own(*index))? + 1;
        let mut frames = Vec::new();
        let mut before = if is_right { Some(sums) } else { None };
        for (index, start) in starts.iter().take(end).enumerate() {
            let frame = bytes.get(*start..start + FRAME_HEADER + PAGE)?;
            let told = pair(frame, 16);
            // The first of a log without a header cannot be checked.
            let is_right = is_own(index)
                && before.is_none_or(|before| {
                    let sums = checksum(&frame[..8], before, is_big);
                    Some(checksum(&frame[FRAME_HEADER..], sums, is_big)) == told
                });
            // Nothing follows from one that is no frame of ours any more.
            before = told.filter(|_| is_own(index));
            let (page, pages) = (number(frame, 0)?, number(frame, 4)?);
            frames.push(Frame { at: start + FRAME_HEADER, page, pages, is_right });
        }
        let last = frames.iter().rposition(|frame| frame.pages > 0 && frame.is_right)?;
        frames.truncate(last + 1);
        let pages = frames.last()?.pages;
        // What a damaged frame says of itself may be wrong, too.
        let all = frames.len();
        frames.retain(|frame| (1..=pages).contains(&frame.page));
        let dropped = all - frames.len();
        Some(Self { bytes, header_is_damaged: !is_right, frames, dropped })
    }

    fn folded(&self) -> Folded {
        let mut whole = HashSet::new();
        let mut unread = self.dropped;
        for frame in self.frames.iter().rev() {
            match frame.is_right {
                true => _ = whole.insert(frame.page),
                false => unread += usize::from(!whole.contains(&frame.page)),
            }
        }
        Folded {
            unread,
            frames: self.frames.len(),
            damaged: self.frames.iter().filter(|frame| !frame.is_right).count(),
            header_is_damaged: self.header_is_damaged,
        }
    }
}

/// Where the first frame is that follows from the one before it: in a log without a header the first
/// of all may be as broken. Where none does, the first.
fn first_whole(bytes: &[u8], starts: &[usize], is_big: bool) -> Option<usize> {
    let follows = |before: usize, at: usize| {
        let frame = bytes.get(at..at + FRAME_HEADER + PAGE)?;
        let sums = checksum(&frame[..8], pair(bytes, before + 16)?, is_big);
        // Nothing but zeros follows from zeros; no frame is of page 0.
        let is_one = number(frame, 0)? > 0;
        (is_one && Some(checksum(&frame[FRAME_HEADER..], sums, is_big)) == pair(frame, 16))
            .then_some(at)
    };
    let next = starts.windows(2).find_map(|two| follows(two[0], two[1]));
    next.or_else(|| starts.first().copied())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn pair(bytes: &[u8], at: usize) -> Option<(u32, u32)> {
    Some((number(bytes, at)?, number(bytes, at + 4)?))
}

/// SQLite's checksum of a log, from `sums` on.
fn checksum(bytes: &[u8], sums: (u32, u32), is_big: bool) -> (u32, u32) {
    let word = |four: &[u8]| {
        let four = four.try_into().unwrap_or_default();
        if is_big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    };
    bytes.chunks_exact(8).fold(sums, |(one, two), eight| {
        let one = one.wrapping_add(word(&eight[..4])).wrapping_add(two);
        (one, two.wrapping_add(word(&eight[4..])).wrapping_add(one))
    })
}

/// Sets the header of a database file right: in all of ours, all but a few numbers of it are the same.
/// True if something was wrong.
pub(crate) fn mend_header(copy: &Path, known: i64) -> Result<bool> {
    let mut file = File::options().read(true).write(true).open(copy).map_err(at(copy))?;
    let length = file.metadata().map_err(at(copy))?.len();
    let mut header = [0; 100];
    if length < PAGE as u64 {
        return Ok(true);
    }
    file.read_exact(&mut header).map_err(at(copy))?;
    let found = header;
    let pages = u32::try_from(length / PAGE as u64).unwrap_or(u32::MAX);
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"SQLite format 3\0");
    put(16, &[0x10, 0]);
    put(20, &[0, 64, 32, 32]);
    put(44, &4_u32.to_be_bytes());
    put(52, &0_u32.to_be_bytes());
    put(56, &1_u32.to_be_bytes());
    put(64, &0_u32.to_be_bytes());
    put(68, &u32::try_from(APPLICATION_ID).unwrap_or_default().to_be_bytes());
    put(72, &[0; 20]);
    let version = number(&found, 60).map_or(0, i64::from);
    if !(1..=known).contains(&version) {
        put(60, &u32::try_from(known).unwrap_or_default().to_be_bytes());
    }
    let was_wrong = header != found || !matches!(found[18..20], [1, 1] | [2, 2]);
    // What follows need not be right, and is not for a copy without a log: neither log nor free list.
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(18, &[1, 1]);
    put(28, &pages.to_be_bytes());
    put(32, &[0; 8]);
    put(92, &[found[24], found[25], found[26], found[27]]);
    file.rewind().and_then(|()| file.write_all(&header)).map_err(at(copy))?;
    Ok(was_wrong)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// A database in WAL mode with `rows` commits in its log, and the bytes of both files.
    fn written(rows: i64) -> (Vec<u8>, Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        let db = Connection::open(&path).unwrap();
        db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
        db.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)").unwrap();
        for row in 0..rows {
            db.execute("INSERT INTO t VALUES (?1, ?2)", (row, "x".repeat(900))).unwrap();
        }
        (std::fs::read(&path).unwrap(), std::fs::read(path.with_extension("db-wal")).unwrap())
    }

    fn rows(database: &[u8], log: &[u8]) -> (Folded, i64) {
        let dir = tempfile::tempdir().unwrap();
        let copy = dir.path().join("copy.db");
        std::fs::write(&copy, database).unwrap();
        let folded = fold(log, &copy).unwrap();
        mend_header(&copy, 9).unwrap();
        let db = Connection::open(&copy).unwrap();
        let count = db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        (folded, count)
    }

    #[test]
    fn a_whole_log_is_put_into_the_database() {
        let (database, log) = written(40);
        let (folded, count) = rows(&database, &log);
        assert_eq!(count, 40);
        assert!(
            folded.frames >= 40 && (folded.damaged, folded.header_is_damaged) == (0, false),
            "{folded:?}"
        );
        assert_eq!(look(b""), Folded::default());
    }

    #[test]
    fn what_lies_behind_a_damaged_frame_counts() {
        let (database, mut log) = written(40);
        let frame = HEADER + 7 * (FRAME_HEADER + PAGE) + FRAME_HEADER;
        log[frame + PAGE - 8] ^= 0xff;
        let (folded, count) = rows(&database, &log);
        assert_eq!((folded.damaged, count), (1, 40), "{folded:?}");
        assert_eq!(look(&log), folded);
    }

    #[test]
    fn what_no_later_frame_makes_good_is_counted() {
        let (_, log) = written(40);
        assert_eq!(look(&log).unread, 0);
        let frames = look(&log).frames;
        let start = |frame: usize| HEADER + frame * (FRAME_HEADER + PAGE);
        let page = |frame: usize| number(&log, start(frame)).unwrap();
        for frame in 0..frames - 1 {
            let mut damaged = log.clone();
            damaged[start(frame) + FRAME_HEADER + 9] ^= 1;
            let is_made_good = (frame + 1..frames).any(|later| page(later) == page(frame));
            assert_eq!(look(&damaged).unread, usize::from(!is_made_good), "frame {frame}");
            damaged[start(frame)..start(frame + 1)].fill(0);
            assert_eq!(look(&damaged).unread, 1, "frame {frame} says nothing of itself");
        }
    }

    #[test]
    fn a_log_without_its_header_is_read() {
        for at in [0, 5, 9, 17, 25] {
            let (database, mut log) = written(12);
            log[at] ^= 0xff;
            let (folded, count) = rows(&database, &log);
            assert!(folded.header_is_damaged && count == 12, "byte {at}: {folded:?}");
        }
    }

    #[test]
    fn a_log_whose_beginning_is_gone_is_read_from_where_it_is_whole() {
        for zeros in [4096, 3 * 4096] {
            let (database, mut log) = written(40);
            log[..zeros].fill(0);
            let (folded, count) = rows(&database, &log);
            assert!(folded.header_is_damaged && count == 40, "{zeros} zeros: {folded:?}");
        }
    }

    #[test]
    fn frames_of_an_earlier_round_do_not_count_for_many() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        let db = Connection::open(&path).unwrap();
        db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
        db.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)").unwrap();
        let put = |row: i64| {
            db.execute("INSERT INTO t VALUES (?1, ?2)", (row, "x".repeat(900))).unwrap();
        };
        (0..30).for_each(put);
        db.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        (30..33).for_each(put);
        let mut log = std::fs::read(path.with_extension("db-wal")).unwrap();
        let database = std::fs::read(&path).unwrap();
        assert_eq!(rows(&database, &log).1, 33);
        log[..HEADER].fill(0);
        assert_eq!(rows(&database, &log).1, 33);
    }

    #[test]
    fn a_header_is_set_right() {
        let (database, log) = written(12);
        for at in [0, 16, 17, 18, 20, 23, 44, 56, 59] {
            let dir = tempfile::tempdir().unwrap();
            let copy = dir.path().join("copy.db");
            std::fs::write(&copy, &database).unwrap();
            fold(&log, &copy).unwrap();
            let mut bytes = std::fs::read(&copy).unwrap();
            bytes[at] ^= 0xff;
            std::fs::write(&copy, bytes).unwrap();
            assert!(mend_header(&copy, 9).unwrap(), "byte {at}");
            let db = Connection::open(&copy).unwrap();
            let count: i64 = db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
            assert_eq!(count, 12, "byte {at}");
        }
    }
}
