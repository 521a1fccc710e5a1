//! The oldest entries of the audit log, moved to a file: written there, read back, checked, and only
//! then taken out, in the transaction that notes it. The chain goes on from the last of them.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use model::audit::{Deed, Entry, NewEntry};
use model::{Actor, Timestamp, TrustLevel, hex, of_hex, time};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::audit::{self, Attribution, ENTRY, entry};
use crate::backup::sync_dir;
use crate::connection::private_options;
use crate::error::{Result, StoreError, at};
use crate::verify::{Beside, TIME_MAX, Walk};
use crate::{Store, gap, rolling};

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

    fn text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    fn entry(self) -> Option<Entry> {
        let Self { number, micros, who, client, tool, what, .. } = self;
        let level = TrustLevel::named(&self.trust)?;
        let actor = Actor { who, client, tool, level, source: None };
        let (at, deed) = (time::from_micros(micros)?, Deed::named(&self.deed)?);
        let noted = NewEntry { actor, at, deed, what };
        Some(Entry { number, noted, hash: of_hex(&self.hash)? })
    }
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

/// Walks through the files that entries went to, up to where the store goes on. The first may go on where
/// an earlier one ended.
pub(crate) fn walk(walk: &mut Walk, gone: &[(i64, [u8; 32])], files: &[PathBuf]) -> Result<()> {
    let last = gone.last().copied().unwrap_or_default();
    let Some(first) = files.first() else {
        walk.skip_to(last);
        return Ok(());
    };
    // What a repair told of entries in one file may stand in another.
    for file in files {
        entries(file)?.flatten().for_each(|entry| walk.heed(&entry));
    }
    if let Some(Ok(entry)) = entries(first)?.next() {
        let before = gone.iter().rfind(|(number, _)| *number < entry.number);
        walk.skip_to(before.copied().unwrap_or_default());
    }
    for file in files {
        if !follow(walk, file)? {
            return Ok(());
        }
    }
    if gone.is_empty() {
        let first = first.display();
        walk.blame(format!("the store says that nothing was archived, and {first} was"));
    } else if walk.at() != last {
        let (number, _) = walk.at();
        walk.blame(format!(
            "the archive ends with entry {number}, and the store goes on elsewhere"
        ));
    }
    Ok(())
}

/// Walks through one file; whether all of it is as it should be.
fn follow(walk: &mut Walk, file: &Path) -> Result<bool> {
    for entry in entries(file)? {
        let is_right = match entry {
            Ok(entry) => walk.step(Ok(entry)),
            Err(why) => {
                walk.blame(why);
                false
            }
        };
        if !is_right {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The entries of a file, one after the other, or what is wrong with a line.
fn entries(path: &Path) -> Result<impl Iterator<Item = Result<Entry, String>>> {
    let file = BufReader::new(File::open(path).map_err(at(path))?);
    let shown = path.display().to_string();
    Ok((1..).zip(file.lines()).map(move |(number, line)| {
        let line = line.map_err(|why| format!("{shown}: {why}"))?;
        let wrong = || format!("{shown}: line {number} is no entry as the audit log has them");
        entry_of(&line).ok_or_else(wrong)
    }))
}

/// The entry that a line tells. People read the line, so it says what the hash is made of and no more.
fn entry_of(line: &str) -> Option<Entry> {
    let entry = serde_json::from_str::<Line>(line).ok().and_then(Line::entry)?;
    (Line::of(&entry).text().ok()? == line).then_some(entry)
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
        let (before, lost, last) = self.read(|db| {
            let before = archived(db)?.last().copied().unwrap_or_default();
            Ok((before, gap::told(db)?, last_to_go(db, staying)?))
        })?;
        let Some(last) = last else { return Ok(None) };
        let made = make(file)?;
        let written = self
            .write_archive(made, file, last)
            .and_then(|()| checked(file, Walk::from(before, lost)))
            // Nothing was taken out, and it would only be in the way of the next try.
            .inspect_err(|_| drop(std::fs::remove_file(file)))?;
        let Archived { last, sum, .. } = &written;
        let what = format!("{} to {} (sha256 {sum})", told(*last), file.display());
        let actor = Actor::clone(&by.actor);
        let noted = NewEntry { actor, at: by.at, deed: Deed::Written, what };
        self.writer().and_then(|writer| writer.archive(Cut { last: *last, noted })).inspect_err(
            |error| {
                if is_undone(error) {
                    let _ = std::fs::remove_file(file);
                }
            },
        )?;
        Ok(Some(written))
    }

    /// Writes the entries up to this number to a file of their own.
    fn write_archive(&self, file: File, path: &Path, last: i64) -> Result<()> {
        let mut file = BufWriter::new(file);
        self.read_for(TIME_MAX, |db| {
            let mut statement =
                db.prepare(&format!("{ENTRY} WHERE number <= ?1 ORDER BY number"))?;
            let mut rows = statement.query([last])?;
            while let Some(row) = rows.next()? {
                let line = Line::of(&entry(row)?).text();
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

/// Makes a file that is not there yet, readable by its owner alone.
fn make(path: &Path) -> Result<File> {
    private_options().write(true).create_new(true).open(path).map_err(at(path))
}

/// What a file holds that was just written, read back.
fn checked(file: &Path, mut walk: Walk) -> Result<Archived> {
    let is_whole = follow(&mut walk, file)?;
    let (entries, last) = (walk.entries(), walk.at());
    if !is_whole || entries == 0 {
        let why = walk.fault().unwrap_or_default();
        return Err(StoreError::Damaged(format!("{}: {why}", file.display())));
    }
    Ok(Archived { entries, last, sum: rolling::sum_of(file)? })
}

/// Whether it is certain that nothing was taken out. What ended a transaction may have come after it was
/// on disk: then the file is all there is of the entries.
fn is_undone(error: &StoreError) -> bool {
    match error {
        StoreError::Closed | StoreError::Gone { .. } => false,
        StoreError::Shared(error) => error.is_time_out() || error.is_full_disk(),
        _ => true,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::tests::{by, filled};
    use crate::verify::Verified;
    use crate::verify::tests::guards;

    fn keep(newest: u64) -> Staying {
        Staying { newest, since: None }
    }

    fn verified(
        store: &Store,
        archives: &[PathBuf],
        expected: Option<(i64, [u8; 32])>,
    ) -> Verified {
        store.verify_audit(&Beside { expected, archives: archives.to_vec() }).unwrap()
    }

    fn text(verified: Verified) -> String {
        verified.fault.unwrap().to_string()
    }

    #[test]
    fn old_entries_go_to_a_file_and_the_chain_goes_on_from_the_last() {
        let (dir, store) = filled();
        let files = [dir.path().join("1.jsonl"), dir.path().join("2.jsonl")];
        assert_eq!(store.archive_audit(&files[0], keep(7), &by("ada")).unwrap(), None);
        let gone = store.archive_audit(&files[0], keep(4), &by("ada")).unwrap().unwrap();
        assert_eq!((gone.entries, gone.last.0), (3, 3));
        assert!(store.archive_audit(&files[0], keep(1), &by("ada")).is_err(), "the file is there");
        let again = store.archive_audit(&files[1], keep(1), &by("ada")).unwrap().unwrap();
        assert_eq!((again.entries, again.last.0), (4, 7));
        let alone = store.verify_audit(&Beside::default()).unwrap();
        assert_eq!((alone.entries, alone.fault, alone.unchecked), (2, None, Some((1, 7))));
        let with = |archives: &[PathBuf], expected| verified(&store, archives, expected);
        let both = with(&files, Some(gone.last));
        assert_eq!((both.entries, both.fault, both.unchecked), (9, None, None));
        let second = with(&files[1..], None);
        assert_eq!(
            (second.fault, second.unchecked),
            (None, Some((1, 3))),
            "it goes on from the first"
        );
        assert!(text(with(&files[..1], None)).contains("ends with entry 3"));
        let second = (2, [7; 32]);
        assert!(text(with(&[], Some(second))).contains("--archive FILE"));
        let lines = std::fs::read_to_string(&files[0]).unwrap();
        std::fs::write(&files[0], lines.replacen("ada", "eve", 1)).unwrap();
        assert!(text(with(&files, None)).starts_with("entry 1 is not what was noted"));

        let db = Connection::open(store.path()).unwrap();
        for refused in [
            "DELETE FROM audit",
            "UPDATE audit SET who = 'eve'",
            "DELETE FROM audit_archive",
            "UPDATE audit_archive SET number = 9",
        ] {
            assert!(db.execute_batch(refused).is_err(), "{refused}");
        }
        db.execute_batch(
            "INSERT INTO audit_archive SELECT number, hash FROM audit WHERE number = 8;
             DELETE FROM audit WHERE number <= 8",
        )
        .unwrap();
        assert_eq!(text(with(&[], None)), "entries were taken out, and no entry tells");
    }

    #[test]
    fn what_is_too_young_stays() {
        let (dir, store) = filled();
        let since = by("ada").at;
        let file = dir.path().join("1.jsonl");
        let staying = Staying { newest: 0, since: Some(since) };
        assert_eq!(store.archive_audit(&file, staying, &by("ada")).unwrap(), None);
    }

    #[test]
    fn an_archive_that_the_store_knows_nothing_of_is_a_fault() {
        let (dir, store) = filled();
        let file = dir.path().join("old.jsonl");
        store.archive_audit(&file, keep(0), &by("ada")).unwrap().unwrap();
        let (_other, store) = filled();
        let found = text(verified(&store, std::slice::from_ref(&file), None));
        assert!(found.contains("says that nothing was archived"), "{found}");
        std::fs::write(&file, "no entry\n").unwrap();
        let found = text(verified(&store, std::slice::from_ref(&file), None));
        assert!(
            found.ends_with("old.jsonl: line 1 is no entry as the audit log has them"),
            "{found}"
        );
        let archives = vec![dir.path().join("nowhere.jsonl")];
        let missing = store.verify_audit(&Beside { archives, expected: None }).unwrap_err();
        assert!(missing.to_string().contains("nowhere.jsonl"), "{missing}");
    }

    #[test]
    fn all_that_a_person_reads_in_an_archive_is_checked() {
        let (dir, store) = filled();
        let file = dir.path().join("old.jsonl");
        store.archive_audit(&file, keep(2), &by("ada")).unwrap().unwrap();
        let written = std::fs::read_to_string(&file).unwrap();
        assert_eq!(verified(&store, std::slice::from_ref(&file), None).fault, None);
        let cut = &written[..written.len() - 40];
        for (changed, line) in [
            (written.replacen("\"at\":\"20", "\"at\":\"19", 1), 1),
            (written.replacen('{', "{\"note\":\"approved\",", 1), 1),
            (written.replacen(':', ": ", 1), 1),
            (cut.to_owned(), 5),
        ] {
            assert_ne!(changed, written);
            std::fs::write(&file, &changed).unwrap();
            let found = text(verified(&store, std::slice::from_ref(&file), None));
            assert!(found.contains(&format!("old.jsonl: line {line} is no entry")), "{found}");
        }
    }

    #[test]
    fn a_log_that_lost_entries_in_a_repair_is_archived_and_checked() {
        let (dir, store) = filled();
        let db = Connection::open(store.path()).unwrap();
        let lose = "DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted;
                    DELETE FROM audit WHERE number IN (1, 4, 5);";
        db.execute_batch(&format!("{lose} {}", guards())).unwrap();
        assert_eq!(gap::tell(&db).unwrap().as_deref(), Some("1-2, 4-6"));
        let files = [dir.path().join("1.jsonl"), dir.path().join("2.jsonl")];
        let gone = store.archive_audit(&files[0], keep(4), &by("ada")).unwrap().unwrap();
        assert_eq!((gone.entries, gone.last.0), (2, 3), "the rest of the gap stays");
        assert_eq!(verified(&store, &files[..1], None).fault, None);
        // What was told goes to a file itself.
        let gone = store.archive_audit(&files[1], keep(1), &by("ada")).unwrap().unwrap();
        assert_eq!((gone.entries, gone.last.0), (3, 8));
        for given in [&files[..], &files[1..], &[]] {
            assert_eq!(verified(&store, given, None).fault, None, "{given:?}");
        }
        assert_eq!(verified(&store, &files, None).lost, [(1, 2), (4, 6)]);
    }

    #[test]
    fn nobody_forges_an_archive_by_telling_that_its_entries_were_lost() {
        let (dir, store) = filled();
        let file = dir.path().join("old.jsonl");
        let gone = store.archive_audit(&file, keep(2), &by("ada")).unwrap().unwrap();
        let (last, hash) = gone.last;
        let forged = |number: i64, told: &str, hash: Option<[u8; 32]>| {
            let actor = Actor::agent_of("doctor --repair").calling("doctor --repair");
            let what = format!("entries lost in repair: {told}");
            let noted = NewEntry { actor, at: by("ada").at, deed: Deed::Written, what };
            let hash = hash.unwrap_or_else(|| audit::hash(&[0; 32], number, &noted));
            Line::of(&Entry { number, noted, hash }).text().unwrap()
        };
        for lines in [
            vec![forged(last, "1-5", Some(hash))],
            vec![forged(last - 1, "1-3", None), forged(last, "1-4", Some(hash))],
            vec![forged(99, "1-98", None), forged(last, "1-4", Some(hash))],
        ] {
            std::fs::write(&file, format!("{}\n", lines.join("\n"))).unwrap();
            let found = verified(&store, std::slice::from_ref(&file), None).fault;
            assert!(found.is_some(), "{lines:?}");
        }
    }

    #[test]
    fn an_archive_that_comes_to_nothing_leaves_no_file() {
        let (dir, store) = filled();
        drop(store);
        let store = Store::open_read_only(dir.path()).unwrap();
        let file = dir.path().join("old.jsonl");
        assert!(store.archive_audit(&file, keep(2), &by("ada")).is_err());
        assert!(!file.exists());
        std::fs::write(&file, "another's").unwrap();
        assert!(store.archive_audit(&file, keep(2), &by("ada")).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "another's");
    }

    #[test]
    fn entries_may_be_gone_that_a_commit_failed_to_take_out() {
        let shared = |error| StoreError::Shared(std::sync::Arc::new(error));
        let failed = |code| {
            let code = rusqlite::ffi::Error::new(code);
            shared(rusqlite::Error::SqliteFailure(code, None).into())
        };
        assert!(is_undone(&StoreError::Damaged("another was quicker".to_owned())));
        assert!(is_undone(&failed(rusqlite::ffi::SQLITE_FULL)));
        assert!(
            !is_undone(&failed(rusqlite::ffi::SQLITE_IOERR)) && !is_undone(&StoreError::Closed)
        );
    }
}
