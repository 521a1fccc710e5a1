//! Whether texts are those that were stored. A byte that flips inside a text breaks no page: only its
//! hash tells.

use std::fmt;

use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use sha2::{Digest, Sha256};

use crate::error::Result;

/// The tables with texts that have a hash: the text's column, and what names a row.
pub(crate) const TEXTS: [(&str, &str, &str); 3] = [
    ("memory", "content", "'memory ' || lower(hex(id))"),
    ("chunk", "content", "'chunk number ' || seq"),
    ("record", "text", "'record ' || lower(hex(id))"),
];

/// A text that is not the one that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) table: &'static str,
    pub(crate) seq: i64,
    /// What it is the text of.
    pub(crate) name: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&told(&self.name))
    }
}

/// How what is wrong with a text ends, which says that nothing else is.
const SIGN: &str = "(its hash is another)";

fn told(name: &str) -> String {
    format!("the text of {name} is not the one that was stored {SIGN}")
}

/// How what is wrong with a row ends, which says the same.
const ROW_SIGN: &str = "(this row alone)";

/// What is told of a row that cannot be read.
pub(crate) fn unreadable(name: &str, why: &rusqlite::Error) -> String {
    format!("{name} cannot be read: {why} {ROW_SIGN}")
}

/// Whether this tells of a text or a row, and not of pages.
pub(crate) fn is_told(why: &str) -> bool {
    why.ends_with(SIGN) || why.ends_with(ROW_SIGN)
}

/// A text that was read and is not the one that was stored.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Altered(String);

/// Compares a text with its hash in column `at`: whoever reads it is told, whatever it is read for.
pub(crate) fn compare(
    row: &Row<'_>,
    at: usize,
    text: &str,
    name: impl FnOnce() -> String,
) -> rusqlite::Result<()> {
    if row.get_ref(at)?.as_blob() == Ok(&hash(text)[..]) {
        return Ok(());
    }
    Err(another(at, &name()))
}

/// A text that is no UTF-8 is not the one that was stored, either: one bit is enough for that. Any other
/// error stays what it is.
pub(crate) fn garbled(why: rusqlite::Error, name: impl FnOnce() -> String) -> rusqlite::Error {
    match why {
        rusqlite::Error::Utf8Error(at, _) => another(at, &name()),
        why => why,
    }
}

fn another(at: usize, name: &str) -> rusqlite::Error {
    let why = Box::new(Altered(told(name)));
    rusqlite::Error::FromSqlConversionFailure(at, Type::Blob, why)
}

/// What is wrong with a text, if that is why it could not be read.
pub(crate) fn altered(error: &rusqlite::Error) -> Option<&Altered> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, why) => why.downcast_ref(),
        _ => None,
    }
}

/// The hash of a text: SHA-256 after trimming, as the engine makes it.
pub(crate) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.trim().as_bytes()).into()
}

/// The texts that are not what their hashes say, so many at the most of each table.
pub(crate) fn faults(db: &Connection, max: usize) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for (table, column, name) in TEXTS {
        let is_there = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)";
        if !db.query_row(is_there, [table], |row| row.get::<_, bool>(0))? {
            continue;
        }
        let sql = format!("SELECT seq, {column}, hash, {name} FROM {table} NOT INDEXED");
        let mut statement = db.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut found = 0;
        while let Some(row) = rows.next()? {
            let is_right = row.get_ref(1)?.as_str().is_ok_and(|text| {
                row.get_ref(2).is_ok_and(|stored| stored.as_blob() == Ok(&hash(text)[..]))
            });
            if !is_right {
                let name = row.get(3).unwrap_or_else(|_| format!("row {table}"));
                faults.push(Fault { table, seq: row.get(0)?, name });
                found += 1;
            }
            if found == max {
                break;
            }
        }
    }
    Ok(faults)
}
