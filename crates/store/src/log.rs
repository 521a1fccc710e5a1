//! The log of changes, by which every process's index follows what others write.

use std::hash::{BuildHasher, RandomState};

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Result;

/// So many changes are kept; who is further behind reads everything anew.
const CHANGES_KEPT: i64 = 100_000;

/// After so many changes the oldest are dropped.
const CHANGES_BETWEEN_DROPS: i64 = 4096;

/// A place in the history of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Moment {
    /// The number of the change; 0 before the first.
    pub(crate) at: i64,
    /// Its mark.
    pub(crate) mark: i64,
}

/// Notes that a text was added, changed or deleted.
pub(crate) fn note(db: &Connection, entry: i64) -> Result<()> {
    let mark = RandomState::new().hash_one(entry).cast_signed();
    db.prepare_cached("INSERT INTO change_log (entry, mark) VALUES (?1, ?2)")?
        .execute(params![entry, mark])?;
    let at = db.last_insert_rowid();
    if at % CHANGES_BETWEEN_DROPS == 0 {
        db.prepare_cached("DELETE FROM change_log WHERE at <= ?1")?.execute([at - CHANGES_KEPT])?;
    }
    Ok(())
}

/// The latest moment.
pub(crate) fn latest(db: &Connection) -> Result<Moment> {
    let found = db
        .prepare_cached("SELECT at, mark FROM change_log ORDER BY at DESC LIMIT 1")?
        .query_row([], |row| Ok(Moment { at: row.get(0)?, mark: row.get(1)? }))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// The numbers of the texts that changed since `moment`; none if that is not in the log any more,
/// or was in that of another store.
pub(crate) fn since(db: &Connection, moment: Moment) -> Result<Option<Vec<i64>>> {
    let is_known = if moment.at == 0 {
        let first = db
            .prepare_cached("SELECT min(at) FROM change_log")?
            .query_row([], |row| row.get::<_, Option<i64>>(0))?;
        first.is_none_or(|first| first == 1)
    } else {
        db.prepare_cached("SELECT EXISTS (SELECT 1 FROM change_log WHERE at = ?1 AND mark = ?2)")?
            .query_row(params![moment.at, moment.mark], |row| row.get(0))?
    };
    if !is_known {
        return Ok(None);
    }
    let mut statement =
        db.prepare_cached("SELECT DISTINCT entry FROM change_log WHERE at > ?1 ORDER BY entry")?;
    let changed = statement.query_map([moment.at], |row| row.get(0))?;
    Ok(Some(changed.collect::<rusqlite::Result<_>>()?))
}
