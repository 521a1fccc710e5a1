//! Which line of time a store is on. A restore takes a store back to a moment and begins another line
//! there: what the old line did later is in backups, but is no measure of this store any more.

use std::path::Path;

use rusqlite::Connection;

use crate::error::{Result, at};
use crate::rolling::Kept;
use crate::{FILE_NAME, connection, mark, migrate};

/// From this schema on a store knows its line.
const KNOWN_SINCE: i64 = 10;

/// The lines that a store has come along, with how far each went; the last goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Lines(Vec<(String, Option<i64>)>);

impl Lines {
    /// Those of a database; none if it is older, or too damaged to tell.
    pub(crate) fn of(db: &Connection) -> Self {
        let read = || -> Result<Vec<(String, Option<i64>)>> {
            let mut statement = db.prepare("SELECT id, ended FROM store_line ORDER BY number")?;
            let lines = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(lines.collect::<rusqlite::Result<_>>()?)
        };
        Self(read().unwrap_or_default())
    }

    /// The line that goes on.
    pub(crate) fn current(&self) -> Option<&str> {
        self.0.iter().rev().find(|(_, ended)| ended.is_none()).map(|(id, _)| id.as_str())
    }

    /// Whether the backup is of the line that goes on here.
    pub(crate) fn go_on_in(&self, kept: &Kept) -> bool {
        kept.line.is_some() && kept.line.as_deref() == self.current()
    }

    /// Whether the store was once what the backup is. Where nobody can tell it counts.
    pub(crate) fn lead_from(&self, kept: &Kept) -> bool {
        let Some(line) = &kept.line else {
            return self.0.is_empty() || kept.schema < KNOWN_SINCE;
        };
        let is_before = |ended: Option<i64>| match (ended, kept.reached) {
            (Some(ended), Some(reached)) => reached <= ended,
            (Some(_), None) => false,
            (None, _) => true,
        };
        self.0.is_empty() || self.0.iter().any(|(id, ended)| id == line && is_before(*ended))
    }
}

/// The random id that the store in this folder was created with, and that every copy of it keeps; none
/// if there is no store, or one that does not say.
pub fn id(dir: &Path) -> Result<Option<String>> {
    let path = dir.join(FILE_NAME);
    if !path.exists() {
        return Ok(None);
    }
    let lines = Lines::of(&connection::open_read_only(&path)?);
    Ok(lines.0.into_iter().next().map(|(id, _)| id))
}

/// Begins another line in a database that is about to take a store's place.
pub(crate) fn renew(path: &Path) -> Result<()> {
    let mut db = Connection::open(path)?;
    if migrate::version(&db)? < KNOWN_SINCE {
        return Ok(());
    }
    let reached = mark::reached(&db)?;
    let changes = db.transaction()?;
    changes.execute("UPDATE store_line SET ended = ?1 WHERE ended IS NULL", [reached])?;
    changes.execute("INSERT INTO store_line (id) VALUES (lower(hex(randomblob(16))))", [])?;
    changes.commit()?;
    db.close().map_err(|(_, error)| error)?;
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}
