//! A look at the whole database, for `lorekeep doctor`.

use model::{Timestamp, time};
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};

use crate::error::Result;
use crate::row::{MEMORY_COLUMNS, memory_as_it_is};
use crate::vector::{self, ModelState};
use crate::{SCHEMA_VERSION, Store, connection, drift, migrate, record, salvage, text, verify};

/// No more than this many problems of one kind are named.
const NAMED_MAX: usize = 20;

/// What a look at the whole database found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The schema's number.
    pub schema: i64,
    /// How many memories there are, archived ones included.
    pub memories: u64,
    /// How many chunks of documents there are.
    pub chunks: u64,
    /// How many records of the ledger there are.
    pub records: u64,
    /// What there is of each model's vectors.
    pub models: Vec<ModelState>,
    /// When anything was last made or changed, by the clock of then.
    pub newest: Option<Timestamp>,
    /// How many memories, records and entities were changed before they were made.
    pub changed_before_made: u64,
    /// What is wrong, in the database's own words; empty when nothing is.
    pub problems: Vec<String>,
}

/// The newest time, and how many things were changed before they were made.
const TIMES: &str = "
    SELECT max(newest), sum(backwards) FROM (
        SELECT max(max(created_at, updated_at)) AS newest,
          count(*) FILTER (WHERE updated_at < created_at) AS backwards FROM memory
        UNION ALL SELECT max(max(created_at, updated_at)),
          count(*) FILTER (WHERE updated_at < created_at) FROM record
        UNION ALL SELECT max(max(created_at, updated_at)),
          count(*) FILTER (WHERE updated_at < created_at) FROM entity
        UNION ALL SELECT max(indexed_at), 0 FROM document)";

impl Store {
    /// Reads the whole database and names what is wrong with it.
    pub fn health(&self) -> Result<Health> {
        let db = connection::open_read_only(self.path())?;
        let health = || {
            let count = |sql: &str| db.query_row(sql, [], |row| row.get(0));
            let (newest, changed_before_made) =
                db.query_row(TIMES, [], |row| Ok((row.get::<_, Value>(0)?, row.get(1)?)))?;
            // A time that is damaged is none.
            let newest = match newest {
                Value::Integer(micros) => time::from_micros(micros),
                _ => None,
            };
            Ok(Health {
                schema: migrate::version(&db)?,
                memories: count("SELECT count(*) FROM memory")?,
                chunks: count("SELECT count(*) FROM chunk")?,
                records: count("SELECT count(*) FROM record")?,
                models: vector::models(&db)?,
                newest,
                changed_before_made,
                problems: self.all_problems(&db)?,
            })
        };
        health().map_err(|error| self.trouble.heed(error))
    }
}

impl Store {
    /// What is wrong, also as against the newest backup.
    fn all_problems(&self, db: &Connection) -> Result<Vec<String>> {
        let mut problems = problems(db)?;
        let is_of_now = migrate::version(db)? == SCHEMA_VERSION;
        if let Some(dir) = self.path().parent().filter(|_| is_of_now) {
            problems.extend(drift::found(db, dir, NAMED_MAX)?);
            problems.extend(verify::otherwise(db)?);
        }
        Ok(problems)
    }
}

/// What is wrong with the database, and with single texts in it.
pub(crate) fn problems(db: &Connection) -> Result<Vec<String>> {
    let mut problems = structure(db)?;
    problems.extend(text::faults(db, NAMED_MAX)?.iter().map(ToString::to_string));
    if migrate::version(db)? == SCHEMA_VERSION {
        let records = record::faults(db, NAMED_MAX)?.into_iter();
        problems.extend(records.map(|(_, id)| format!("record {id} is not what was stored")));
    }
    Ok(problems)
}

/// What SQLite's own checks say, whether each vector has its model's length, and whether each memory
/// can be read. Of an earlier schema, what SQLite says alone.
pub(crate) fn structure(db: &Connection) -> Result<Vec<String>> {
    let mut problems = integrity(db, NAMED_MAX)?;
    problems.extend(rows(
        db,
        &format!(
            "SELECT 'row of ' || \"table\" || ' points nowhere' FROM pragma_foreign_key_check
             LIMIT {NAMED_MAX}"
        ),
    )?);
    if migrate::version(db)? != SCHEMA_VERSION {
        return Ok(problems);
    }
    problems.extend(rows(
        db,
        &format!(
            "SELECT coalesce('memory ' || lower(hex(m.id)), 'record ' || lower(hex(r.id)),
                             'chunk number ' || v.entry)
               || ' has a vector of ' || length(v.code)
               || ' bytes, of a model with ' || e.dimensions || ' dimensions'
             FROM vector v LEFT JOIN memory m ON m.seq = v.entry
             LEFT JOIN record r ON r.seq = v.entry
             JOIN embedding_model e ON e.id = v.model
             WHERE length(v.code) NOT IN (0, e.dimensions + 4) LIMIT {NAMED_MAX}"
        ),
    )?);
    problems.extend(rows(
        db,
        &format!(
            "SELECT 'the tally says ' || coalesce(t.count, 0) || ' of ' || kind || ', and there are '
               || coalesce(m.count, 0)
             FROM (SELECT scope, kind, archived, count(*) AS count FROM memory
                   GROUP BY scope, kind, archived) m
             FULL JOIN memory_tally t USING (scope, kind, archived)
             WHERE coalesce(t.count, 0) IS NOT coalesce(m.count, 0) LIMIT {NAMED_MAX}"
        ),
    )?);
    problems.extend(unreadable(db)?);
    problems.extend(illegible(db)?);
    Ok(problems)
}

/// The tables with texts that are none.
fn illegible(db: &Connection) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for table in salvage::tables(db)? {
        let (name, columns) = (&table.name, table.columns.join(", "));
        let way = if table.is_numbered { "NOT INDEXED" } else { "" };
        let mut statement = db.prepare(&format!("SELECT {columns} FROM {name} {way}"))?;
        let mut rows = statement.query([])?;
        let mut count = 0_u64;
        while let Some(row) = rows.next()? {
            let is_none = |at: usize| {
                let read = row.get_ref(at);
                matches!(read, Ok(ValueRef::Text(bytes)) if std::str::from_utf8(bytes).is_err())
            };
            count += u64::from((0..table.columns.len()).any(is_none));
        }
        if count > 0 {
            found.push(format!("{count} rows of {name} have texts that cannot be read"));
        }
    }
    Ok(found)
}

/// What SQLite's own check says of the file: damage, after which nothing may be written into it.
pub(crate) fn broken(db: &Connection) -> Result<Option<String>> {
    Ok(integrity(db, 1)?.into_iter().next())
}

/// What SQLite's own check says, a line each.
fn integrity(db: &Connection, max: usize) -> Result<Vec<String>> {
    let told = rows(db, &format!("PRAGMA integrity_check({max})"))?;
    let lines = told.iter().flat_map(|told| told.lines());
    let is_news = |line: &&str| *line != "ok" && !line.starts_with("***");
    Ok(lines.filter(is_news).map(str::to_owned).collect())
}

/// The memories whose rows hold what nothing of ours writes.
fn unreadable(db: &Connection) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT {MEMORY_COLUMNS}, lower(hex(m.id)) AS name
         FROM memory m JOIN scope s ON s.id = m.scope"
    );
    let mut statement = db.prepare(&sql)?;
    let faults = statement.query_map([], |row| {
        let name: String = row.get("name")?;
        Ok(memory_as_it_is(row).err().map(|why| format!("memory {name} cannot be read: {why}")))
    })?;
    let faults = faults.filter_map(rusqlite::Result::transpose).take(NAMED_MAX);
    Ok(faults.collect::<rusqlite::Result<_>>()?)
}

fn rows(db: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = db.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
