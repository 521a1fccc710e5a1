//! A look at the whole database, for `lorekeep doctor`.

use rusqlite::Connection;

use crate::error::Result;
use crate::{Store, migrate};

/// What a look at the whole database found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The schema's number.
    pub schema: i64,
    /// How many memories there are, archived ones included.
    pub memories: u64,
    /// How many entries the lexical index has.
    pub indexed: u64,
    /// What is wrong, in the database's own words; empty when nothing is.
    pub problems: Vec<String>,
}

impl Store {
    /// Reads the whole database and names what is wrong with it.
    pub fn health(&self) -> Result<Health> {
        self.read(|db| {
            let count = |sql: &str| db.query_row(sql, [], |row| row.get(0));
            Ok(Health {
                schema: migrate::version(db)?,
                memories: count("SELECT count(*) FROM memory")?,
                indexed: count("SELECT count(*) FROM memory_terms_docsize")?,
                problems: problems(db)?,
            })
        })
    }
}

/// What SQLite's own checks say, and whether each memory is in the index exactly once.
pub(crate) fn problems(db: &Connection) -> Result<Vec<String>> {
    let mut problems = rows(db, "PRAGMA integrity_check(20)")?;
    problems.retain(|line| line != "ok");
    problems.extend(rows(
        db,
        "SELECT 'row of ' || \"table\" || ' points nowhere' FROM pragma_foreign_key_check",
    )?);
    problems.extend(rows(
        db,
        "SELECT 'memory ' || lower(hex(id)) || ' is not in the lexical index' FROM memory
         WHERE seq NOT IN (SELECT id FROM memory_terms_docsize) LIMIT 20",
    )?);
    problems.extend(rows(
        db,
        "SELECT 'the lexical index has an entry ' || id || ' without a memory'
         FROM memory_terms_docsize WHERE id NOT IN (SELECT seq FROM memory) LIMIT 20",
    )?);
    Ok(problems)
}

fn rows(db: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = db.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
