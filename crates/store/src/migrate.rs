//! Migrations by number, all in one transaction; a newer database is refused untouched.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::connection::APPLICATION_ID;
use crate::error::{Result, StoreError};
use crate::rolling::{self, Rolled};
use crate::{graft, salvage};

/// One script a schema version, in order.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_memories.sql"),
    include_str!("migrations/0002_search.sql"),
    include_str!("migrations/0003_queries.sql"),
    include_str!("migrations/0004_learning.sql"),
    include_str!("migrations/0005_documents.sql"),
    include_str!("migrations/0006_ledger.sql"),
    include_str!("migrations/0007_knowledge.sql"),
    include_str!("migrations/0008_graph.sql"),
    include_str!("migrations/0009_candidate.sql"),
    include_str!("migrations/0010_trust.sql"),
];

/// The schema this version writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// No version is further ahead than this; such a number is damage.
const NEWER_MAX: i64 = 1_000;

/// The schema a database has.
pub(crate) fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Refuses a schema that this version does not know.
pub(crate) fn refuse_newer(found: i64) -> Result<()> {
    let known = SCHEMA_VERSION;
    if !(0..known + NEWER_MAX).contains(&found) {
        return Err(StoreError::Header(format!("it says schema {found}, which no version writes")));
    }
    if found > known { Err(StoreError::Newer { found, known }) } else { Ok(()) }
}

/// Refuses a file of a schema that this version does not know, without touching it: whoever opens a
/// database to write puts its log into it at the end.
pub(crate) fn refuse_newer_file(path: &Path) -> Result<()> {
    let mut header = [0; 72];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header));
    if read.is_err() {
        return Ok(());
    }
    let number = |at: usize| {
        i64::from(i32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]))
    };
    // What else is wrong is told where it is opened.
    let newer = |found: i64| match refuse_newer(found) {
        Err(error @ StoreError::Newer { .. }) => Err(error),
        _ => Ok(()),
    };
    if number(68) == APPLICATION_ID {
        newer(number(60))?;
    }
    let log = crate::backup::part(path, "-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        let found = crate::connection::open_read_only(path).and_then(|db| version(&db));
        found.ok().map_or(Ok(()), newer)?;
    }
    Ok(())
}

/// Refuses any schema but this version's own, for who may not bring it up to date.
pub(crate) fn refuse_other(found: i64) -> Result<()> {
    refuse_newer(found)?;
    let known = SCHEMA_VERSION;
    if found < known { Err(StoreError::Older { found, known }) } else { Ok(()) }
}

/// Brings the database at `path` up to date, or leaves it as it was. One with anything in it is copied
/// before; that there is no room for that keeps nobody from going on.
pub(crate) fn run(connection: &mut Connection, path: &Path) -> Result<()> {
    let found = version(connection)?;
    refuse_newer(found)?;
    if (1..SCHEMA_VERSION).contains(&found) {
        match rolling::before_migration(path, found) {
            Ok(Rolled::NoRoom { needed, free }) => tracing::warn!(
                needed,
                free,
                "the store is brought up to date without a backup: too little room on the disk"
            ),
            Ok(_) => {}
            Err(error) if error.is_damage() => {
                let why = format!("it has schema {found} and is not brought up to date: {error}");
                return Err(StoreError::Harmed { path: path.to_owned(), why });
            }
            Err(error) => {
                tracing::warn!(%error, "the store is brought up to date without a backup");
            }
        }
    }
    run_all(connection, MIGRATIONS)
}

/// Makes a database of this schema, for what was written by that version.
pub(crate) fn run_to(connection: &mut Connection, version: i64) -> Result<()> {
    let count = usize::try_from(version).unwrap_or(0).min(MIGRATIONS.len());
    run_all(connection, MIGRATIONS.get(..count).unwrap_or(MIGRATIONS))
}

fn run_all(connection: &mut Connection, migrations: &[&str]) -> Result<()> {
    let known = migrations.len() as i64;
    if version(connection)? == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for script in migrations.iter().skip(usize::try_from(found).unwrap_or(0)) {
        let Err(why) = transaction.execute_batch(script) else { continue };
        if has_all_tables(&transaction)? {
            let why = format!("it says schema {found}, and has the tables of {SCHEMA_VERSION}");
            return Err(StoreError::Header(why));
        }
        return Err(StoreError::Migration { from: found, to: known, why });
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", known)?;
    Ok(transaction.commit()?)
}

/// Whether all tables of this version are there already: then the number is what is wrong.
fn has_all_tables(db: &Connection) -> Result<bool> {
    let newest = Connection::open_in_memory()?;
    MIGRATIONS.iter().try_for_each(|script| newest.execute_batch(script))?;
    Ok(graft::has_tables(db, &salvage::tables(&newest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement =
            connection.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'm_' ").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_failing_migration_leaves_the_database_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        run_all(&mut connection, &["CREATE TABLE m1 (a INTEGER) STRICT"]).unwrap();
        let broken = ["", "CREATE TABLE m2 (a INTEGER) STRICT", "CREATE TABLE m3 (nonsense"];
        assert!(run_all(&mut connection, &broken).is_err());
        assert_eq!(version(&connection).unwrap(), 1);
        assert_eq!(tables(&connection), ["m1"]);
        run_all(&mut connection, &broken[..2]).unwrap();
        assert_eq!(tables(&connection), ["m1", "m2"]);
    }

    #[test]
    fn a_newer_database_is_refused_with_both_numbers() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
        let error = run(&mut connection, Path::new("")).unwrap_err().to_string();
        assert!(error.contains("newer version; update lorekeep"), "{error}");
        assert_eq!(version(&connection).unwrap(), SCHEMA_VERSION + 1);
    }
}
