//! How a connection is opened: WAL, full sync, foreign keys, patience with other processes.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags};

use crate::backup::{part, sync_dir};
use crate::error::{Result, StoreError, at};
use crate::wal;

/// Marks a database as one of ours ("Lore").
pub(crate) const APPLICATION_ID: i64 = 0x4C6F_7265;

/// How long a write waits for another process's write.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long one wait in that time is.
const PAUSE: Duration = Duration::from_micros(500);

/// So many kilobytes of pages each of several readers keeps for itself; the system keeps all of them anyway. A reader
/// that counts a long history fills whatever it is given.
const READER_CACHE_KB: i64 = 512;

/// The write-ahead log is cut back to this size when it is emptied.
const WAL_BYTES_KEPT: i64 = 16 << 20;

/// Makes `dir` if it is not there, readable by its owner alone.
pub fn make_private_dir(dir: &Path) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(at(dir))
}

/// Opens the database for writing, making the file if it is not there.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    make_private_file(path)?;
    let mut connection = Connection::open_with_flags(path, flags())?;
    be_patient(&mut connection)?;
    keep_plans(&connection)?;
    refuse_foreign(&connection, path)?;
    enter_wal(&connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT)?;
    Ok(connection)
}

/// Opens an existing database for reading beside others that write.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    prepare_reader(Connection::open_with_flags(path, flags())?)
}

/// Opens an existing database for reading, even where nothing can be written: SQLite wants to keep
/// a file beside a database with a log, unless it is told that nobody changes it.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection> {
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let usual = Connection::open_with_flags(path, read_only)?;
    match usual.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) {
        Err(error) if is_unwritable(&error) => {
            refuse_log(&part(path, "-wal"))?;
            let path = path.canonicalize().map_err(at(path))?;
            let escaped: String = percent_encode(path.as_os_str().as_encoded_bytes());
            let uri = format!("file:{escaped}?immutable=1");
            let flags = read_only | OpenFlags::SQLITE_OPEN_URI;
            prepare_reader(Connection::open_with_flags(uri, flags)?)
        }
        _ => prepare_reader(usual),
    }
}

/// Refuses a log with changes in it: a database that nobody changes is read without its log, and is an
/// older one then.
fn refuse_log(log: &Path) -> Result<()> {
    match std::fs::read(log) {
        Ok(bytes) if wal::look(&bytes).frames > 0 => {
            Err(StoreError::Unfolded { path: log.to_owned() })
        }
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => Err(at(log)(why)),
        _ => Ok(()),
    }
}

/// Gives an error the name of the file that cannot be opened, if that is why, or of the folder that
/// takes no other: SQLite does not tell which.
pub(crate) fn named(error: StoreError, path: &Path) -> StoreError {
    let is_closed = matches!(&error, StoreError::Database(why) if is_unwritable(why));
    if !is_closed {
        return error.on_disk_of(path);
    }
    let parts = ["", "-wal", "-shm"].map(|ending| part(path, ending));
    let found = parts
        .iter()
        .find_map(|part| refuse_closed(part, OpenOptions::new().read(true).write(true)).err());
    found
        .unwrap_or_else(|| StoreError::Unwritable { path: path.to_owned(), why: error.to_string() })
}

fn refuse_closed(path: &Path, options: &OpenOptions) -> Result<()> {
    match options.open(path) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => Err(at(path)(why)),
        _ => Ok(()),
    }
}

/// Whether SQLite failed for wanting to write beside the database.
fn is_unwritable(error: &rusqlite::Error) -> bool {
    let codes = [rusqlite::ErrorCode::CannotOpen, rusqlite::ErrorCode::ReadOnly];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

fn percent_encode(bytes: &[u8]) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'-' | b'_');
    bytes
        .iter()
        .map(|&b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

fn prepare_reader(mut connection: Connection) -> Result<Connection> {
    be_patient(&mut connection)?;
    keep_plans(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    // A number below zero counts kilobytes, not pages.
    connection.pragma_update(None, "cache_size", -READER_CACHE_KB)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.create_scalar_function(
        "contains_folded",
        3,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
        |row| {
            // One that is no text any more passes: who reads it then leaves it out and tells of it.
            let Ok(text) = row.get_raw(0).as_str() else { return Ok(true) };
            let (text, part) = (text.to_lowercase(), row.get_raw(1).as_str()?);
            Ok(if row.get(2)? { has_word(&text, part) } else { text.contains(part) })
        },
    )?;
    Ok(connection)
}

/// Whether a text contains this as a word of its own: no letter or digit goes on where it ends in one.
fn has_word(text: &str, word: &str) -> bool {
    let goes_on = |one: Option<char>, other: Option<char>| {
        one.zip(other).is_some_and(|(one, other)| is_of_word(one) && is_of_word(other))
    };
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !goes_on(before.chars().next_back(), word.chars().next())
            && !goes_on(word.chars().next_back(), behind.chars().next())
    })
}

/// Whether a word goes on with this character. Chinese and Japanese have no spaces between words, so
/// that each sign stands for itself.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric()
        && !matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// Leaves the log as it is when the connection is closed.
pub(crate) fn leave_log(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

/// Gives up what is asked of the connection from now on once `time` has passed.
pub(crate) fn limit_time(connection: &mut Connection, time: Duration) -> Result<()> {
    const STEPS_BETWEEN_LOOKS: i32 = 100_000;
    let deadline = Instant::now() + time;
    let is_late = move || Instant::now() > deadline;
    Ok(connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_late))?)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Makes the file if it is not there, readable by its owner alone.
pub(crate) fn make_private_file(path: &Path) -> Result<()> {
    private_options().create(true).append(true).open(path).map(drop).map_err(at(path))
}

/// How a file is opened that is its owner's alone if it is made by that.
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Puts `bytes` in the place of the file, whole or not at all, readable by its owner alone.
pub(crate) fn replace_private_file(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_after(path, bytes, |_| Ok(()))
}

/// The same, on disk when it returns.
pub(crate) fn replace_private_file_synced(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_after(path, bytes, File::sync_all)?;
    sync_dir(path)
}

/// The same, after something was done with what is to come there.
fn replace_after(
    path: &Path,
    bytes: &[u8],
    ready: impl FnOnce(&File) -> std::io::Result<()>,
) -> Result<()> {
    // Always the same name, so that a process that dies here leaves one file and not many.
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".tmp");
    let unfinished = PathBuf::from(unfinished);
    make_private_file(&unfinished)?;
    let written = File::create(&unfinished)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| ready(&file)))
        .and_then(|()| std::fs::rename(&unfinished, path))
        .map_err(at(path));
    if written.is_err() {
        // What is left of it is of no use to anybody; the error says why.
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

/// Waits in short steps, so that eight processes that write in turn lose little time to it.
fn be_patient(connection: &mut Connection) -> Result<()> {
    Ok(connection.busy_handler(Some(|waited: i32| {
        std::thread::sleep(PAUSE);
        let waits_max = PATIENCE.as_micros() / PAUSE.as_micros();
        u128::from(waited.unsigned_abs()) < waits_max
    }))?)
}

/// A statement is planned once. Else SQLite plans it anew for each value that is bound to it.
fn keep_plans(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Refuses a database that is not ours.
pub(crate) fn refuse_foreign(connection: &Connection, path: &Path) -> Result<()> {
    // The objects first: another process may be making the store just now, and who sees its tables
    // sees its mark from then on, but not the other way round.
    let objects: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id == APPLICATION_ID || objects == 0 {
        return Ok(());
    }
    // One that has our tables has lost its mark.
    let ours: i64 = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table'
           AND name IN ('scope', 'memory', 'memory_tag', 'memory_access')",
        [],
        |row| row.get(0),
    )?;
    Err(match ours {
        4 => StoreError::Header(format!("its application id is {id:x}, not ours")),
        _ => StoreError::Foreign { path: path.to_owned() },
    })
}

/// Entering WAL takes the file for itself for a moment and does not wait by the busy handler, so
/// that processes starting together have to try again.
fn enter_wal(connection: &Connection) -> Result<()> {
    let tries_max = PATIENCE.as_millis() / 5;
    let mut tries = 0;
    loop {
        let answer = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match answer {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(StoreError::Damaged(format!("journal mode {mode} instead of wal")));
            }
            Err(error) if is_busy(&error) && tries < tries_max => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_without_end_is_given_up_and_the_connection_goes_on() {
        let mut db = Connection::open_in_memory().unwrap();
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                       SELECT count(*) FROM n";
        let count = |db: &Connection, sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0));
        limit_time(&mut db, Duration::from_millis(20)).unwrap();
        let error = StoreError::from(count(&db, endless).unwrap_err());
        assert!(error.is_time_out(), "{error}");
        limit_time(&mut db, Duration::from_secs(60)).unwrap();
        assert_eq!(count(&db, "SELECT 7").unwrap(), 7);
    }
}
