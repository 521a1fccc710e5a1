//! The oldest entries of the audit log, moved to a file: written there, read back, checked, and only
//! then taken out, in the transaction that notes it. The chain goes on from the last of them.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use model::audit::{Deed, Entry, NewEntry};
use model::{Actor, Timestamp, TrustLevel, time};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::audit::{self, Attribution, ENTRY, entry};
use crate::backup::sync_dir;
use crate::connection::make_private_file;
use crate::error::{Result, StoreError, at};
use crate::verify::{Beside, Walk};
use crate::{Store, rolling};

/// Which entries stay.
#[derive(Debug, Clone, Copy)]
pub struct Staying {
    /// So many of the newest.
    pub newest: u64,
    /// Those from then on.
    pub since: Option<Timestamp>,
}

/// What was moved to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// How many entries.
    pub entries: u64,
    /// The number and the hash of the last.
    pub last: (i64, [u8; 32]),
    /// The SHA-256 of the file.
    pub sum: String,
}

/// What is taken out, and what the log says of it.
#[derive(Debug)]
pub(crate) struct Cut {
    last: (i64, [u8; 32]),
    noted: NewEntry,
}

/// An entry as a line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    number: i64,
    /// For people; what counts are the microseconds.
    at: String,
    micros: i64,
    who: String,
    client: Option<String>,
    tool: Option<String>,
    trust: String,
    deed: String,
    what: String,
    hash: String,
}

impl Line {
    fn of(entry: &Entry) -> Self {
        let NewEntry { actor, at, deed, what } = entry.noted.clone();
        let Actor { who, client, tool, level, source: _ } = actor;
        let (trust, deed) = (level.name().to_owned(), deed.name().to_owned());
        let (number, hash, micros) = (entry.number, hex(&entry.hash), at.as_microsecond());
        Self { number, at: time::rfc3339(at), micros, who, client, tool, trust, deed, what, hash }
    }

    fn entry(self) -> Option<Entry> {
        let Self { number, micros, who, client, tool, what, .. } = self;
        let level = TrustLevel::named(&self.trust)?;
        let actor = Actor { who, client, tool, level, source: None };
        let (at, deed) = (time::from_micros(micros)?, Deed::named(&self.deed)?);
        let noted = NewEntry { actor, at, deed, what };
        Some(Entry { number, noted, hash: bytes(&self.hash)? })
    }
}

pub(crate) fn hex(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(hash)
}

/// What the log says of entries that went to a file, up to this one.
pub(crate) fn told((number, hash): (i64, [u8; 32])) -> String {
    format!("archive entries up to {number}:{}", hex(&hash))
}

/// The last entries of all files that entries went to, the oldest first.
pub(crate) fn archived(db: &Connection) -> Result<Vec<(i64, [u8; 32])>> {
    // A database that lacks the table is told of elsewhere.
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'audit_archive'";
    if db.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(Vec::new());
    }
    let mut statement = db.prepare("SELECT number, hash FROM audit_archive ORDER BY number")?;
    let all = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(all.collect::<rusqlite::Result<_>>()?)
}

/// Walks through the files that entries went to. The first may go on where an earlier one ended.
pub(crate) fn walk(walk: &mut Walk, gone: &[(i64, [u8; 32])], files: &[PathBuf]) -> Result<()> {
    for (place, path) in files.iter().enumerate() {
        let entries = read(path)?;
        let first = entries.first().map_or(1, |entry| entry.number);
        let before = gone.iter().find(|(number, _)| *number == first - 1);
        if let (0, Some(before)) = (place, before) {
            walk.go_to(*before);
        }
        if !entries.into_iter().all(|entry| walk.step(Ok(entry))) {
            return Ok(());
        }
    }
    let is_last = files.is_empty() || gone.last() == Some(&walk.at());
    if !is_last {
        let (number, _) = walk.at();
        walk.blame(format!(
            "the archive ends with entry {number}, and the store goes on elsewhere"
        ));
    }
    Ok(())
}

/// The entries of a file.
fn read(path: &Path) -> Result<Vec<Entry>> {
    let file = BufReader::new(File::open(path).map_err(at(path))?);
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(file.lines()) {
        let line = line.map_err(at(path))?;
        let entry = serde_json::from_str::<Line>(&line).ok().and_then(Line::entry);
        let wrong = || format!("{}: line {number} is no entry of the audit log", path.display());
        entries.push(entry.ok_or_else(|| StoreError::Damaged(wrong()))?);
    }
    Ok(entries)
}

impl Store {
    /// Moves the oldest entries of the audit log to a file that is not there yet; none if all stay.
    ///
    /// # Errors
    ///
    /// That the log is not whole, or the file cannot be written: then nothing is taken out.
    pub fn archive_audit(
        &self,
        file: &Path,
        staying: Staying,
        by: &Attribution,
    ) -> Result<Option<Archived>> {
        if let Some(fault) = self.verify_audit(&Beside::default())?.fault {
            return Err(StoreError::Damaged(format!("the audit log is not whole: {fault}")));
        }
        let (before, last) = self.read(|db| {
            let before = archived(db)?.last().copied().unwrap_or_default();
            Ok((before, last_to_go(db, staying)?))
        })?;
        let Some(last) = last else { return Ok(None) };
        self.write_archive(file, last)?;
        let entries = read(file)?;
        let (count, mut walk) = (entries.len() as u64, Walk::from(before));
        let is_whole = entries.into_iter().all(|entry| walk.step(Ok(entry)));
        let last = walk.at();
        if !is_whole || last.0 < 1 {
            let why = walk.fault().unwrap_or_default();
            return Err(StoreError::Damaged(format!("{}: {why}", file.display())));
        }
        let sum = rolling::sum_of(file)?;
        let what = format!("{} to {} (sha256 {sum})", told(last), file.display());
        let actor = Actor::clone(&by.actor);
        let noted = NewEntry { actor, at: by.at, deed: Deed::Written, what };
        self.writer()?.archive(Cut { last, noted })?;
        Ok(Some(Archived { entries: count, last, sum }))
    }

    /// Writes the entries up to this number to a file of their own.
    fn write_archive(&self, path: &Path, last: i64) -> Result<()> {
        if path.exists() {
            return Err(at(path)(std::io::Error::from(std::io::ErrorKind::AlreadyExists)));
        }
        make_private_file(path)?;
        let mut file = BufWriter::new(File::options().write(true).open(path).map_err(at(path))?);
        self.read(|db| {
            let mut statement =
                db.prepare(&format!("{ENTRY} WHERE number <= ?1 ORDER BY number"))?;
            let mut rows = statement.query([last])?;
            while let Some(row) = rows.next()? {
                let line = serde_json::to_string(&Line::of(&entry(row)?));
                let line = line.map_err(|why| StoreError::Damaged(why.to_string()))?;
                writeln!(file, "{line}").map_err(at(path))?;
            }
            Ok(())
        })?;
        let file = file.into_inner().map_err(|why| at(path)(why.into_error()))?;
        file.sync_all().map_err(at(path))?;
        sync_dir(path)
    }
}

/// The number of the last entry that does not stay.
fn last_to_go(db: &Connection, staying: Staying) -> Result<Option<i64>> {
    let newest = audit::head(db)?.map_or(0, |(number, _)| number);
    let by_count = newest.saturating_sub(i64::try_from(staying.newest).unwrap_or(i64::MAX));
    let since = staying.since.map_or(i64::MAX, Timestamp::as_microsecond);
    let sql = "SELECT min(number) FROM audit WHERE at >= ?1";
    let first: Option<i64> = db.query_row(sql, [since], |row| row.get(0))?;
    let last = first.map_or(by_count, |first| by_count.min(first - 1));
    let sql = "SELECT count(*) FROM audit WHERE number <= ?1";
    let count: i64 = db.query_row(sql, [last], |row| row.get(0))?;
    Ok((count > 0).then_some(last))
}

/// Takes out what went to a file, and notes it.
pub(crate) fn cut(db: &Connection, cut: &Cut) -> Result<()> {
    audit::note(db, &cut.noted)?;
    let (number, hash) = cut.last;
    let sql = "INSERT INTO audit_archive (number, hash)
               SELECT number, hash FROM audit WHERE number = ?1 AND hash = ?2";
    if db.execute(sql, (number, hash))? != 1 {
        return Err(StoreError::Damaged(format!("entry {number} is not the one in the file")));
    }
    db.execute("DELETE FROM audit WHERE number <= ?1", [number])?;
    Ok(())
}
