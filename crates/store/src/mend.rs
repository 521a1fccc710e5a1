//! What is set right in a database that was made of salvaged rows: what follows from others is made
//! anew, what points nowhere goes, and texts are compared with their hashes.

use std::path::Path;

use model::confidence::CONFIDENCE_NEW;
use model::{Kind, Origin, TrustLevel};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::error::Result;
use crate::repair::Repair;
use crate::row::{MEMORY_COLUMNS, memory_as_it_is};
use crate::salvage::Gap;
use crate::text::{self, Fault, TEXTS};
use crate::{SCHEMA_VERSION, connection, migrate};

/// No more than this many are named.
const NAMED_MAX: usize = 20;

/// What a person calls what is in the tables; those that they know are counted first.
const NAMES: [(&str, &str); 18] = [
    ("memory", "memories"),
    ("document", "documents"),
    ("chunk", "chunks of documents"),
    ("record", "records of the ledger"),
    ("episode", "events of the ledger"),
    ("memory_event", "events of memories"),
    ("memory_edge", "edges between memories"),
    ("entity", "entities"),
    ("link", "links between entities"),
    ("candidate", "candidates for memories"),
    ("verdict", "verdicts on texts that read like instructions"),
    ("audit", "entries of the audit log"),
    ("episode_link", "links of events to records"),
    ("outbox", "commits that were promised"),
    ("item", "items of knowledge, which the next sync reads again,"),
    ("scope", "places"),
    ("asked_query", "questions that were asked"),
    ("memory_access", "readings of memories"),
];

/// So many of those are counted.
const COUNTED: usize = 10;

/// Tables of which nothing is lost with their rows: they are made anew, or nobody needs them any more.
const SPARE: [&str; 9] = [
    "vector",
    "embedding_model",
    "change_log",
    "episode_unlinked",
    "ledger_state",
    "item_failure",
    "sync_state",
    "store_line",
    "sqlite_sequence",
];

/// What a person calls what is in a table.
fn name_of(table: &str) -> String {
    let name = NAMES.iter().find(|(known, _)| *known == table);
    name.map_or_else(|| format!("rows of {table}"), |(_, name)| (*name).to_owned())
}

/// How many rows of which table there are and where they come from, in a sentence.
pub(crate) fn counted(db: &Connection, from: &str) -> Result<Option<String>> {
    let mut parts = Vec::new();
    for (table, name) in &NAMES[..COUNTED] {
        if has_table(db, table)? {
            let sql = format!("SELECT count(*) FROM {table}");
            let count: i64 = db.query_row(&sql, [], |row| row.get(0))?;
            parts.extend((count > 0).then(|| format!("{count} {name}")));
        }
    }
    Ok((!parts.is_empty()).then(|| format!("{}, from {from}", parts.join(", "))))
}

fn has_table(db: &Connection, name: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    Ok(db.query_row(sql, [name], |row| row.get(0))?)
}

/// The memories that the damaged database's own index knows, with their ids; none if that cannot be
/// read.
pub(crate) fn known(db: &Connection) -> Option<Vec<(i64, String)>> {
    let sql = "SELECT seq, lower(hex(id)) FROM memory INDEXED BY sqlite_autoindex_memory_1";
    let mut statement = db.prepare(sql).ok()?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).ok()?;
    rows.collect::<rusqlite::Result<_>>().ok()
}

/// Drops memories that came from a backup and had been deleted since. How many.
pub(crate) fn forget_unknown(
    target: &Connection,
    gaps: &[Gap],
    known: &[(i64, String)],
) -> Result<usize> {
    let mut known: Vec<i64> = known.iter().map(|(seq, _)| *seq).collect();
    known.sort_unstable();
    let mut dropped = 0;
    for gap in gaps.iter().filter(|gap| gap.table == "memory") {
        let mut statement =
            target.prepare("SELECT seq FROM memory NOT INDEXED WHERE seq BETWEEN ?1 AND ?2")?;
        let there = statement.query_map((gap.from, gap.to), |row| row.get(0))?;
        for seq in there.collect::<rusqlite::Result<Vec<i64>>>()? {
            if known.binary_search(&seq).is_err() {
                dropped += target.execute("DELETE FROM memory WHERE seq = ?1", [seq])?;
            }
        }
    }
    Ok(dropped)
}

/// What could not be read and is not there again.
pub(crate) fn missing(
    target: &Connection,
    gaps: &[Gap],
    known: Option<&[(i64, String)]>,
) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for gap in gaps.iter().filter(|gap| !SPARE.contains(&&*gap.table)) {
        match known.filter(|_| gap.table == "memory") {
            Some(known) => {
                for (seq, id) in known.iter().filter(|(seq, _)| (gap.from..=gap.to).contains(seq)) {
                    let sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE seq = ?1)";
                    if !target.query_row(sql, [seq], |row| row.get::<_, bool>(0))? {
                        missing.push(format!("memory {id}"));
                    }
                }
            }
            None => missing.extend(between(target, gap, &name_of(&gap.table))?),
        }
    }
    let more = missing.len().saturating_sub(NAMED_MAX);
    missing.truncate(NAMED_MAX);
    missing.extend((more > 0).then(|| format!("and {more} more")));
    Ok(missing)
}

/// What may lack in a gap; none if every number in it is there.
fn between(target: &Connection, gap: &Gap, name: &str) -> Result<Option<String>> {
    let nobody = format!("{name}: nobody can tell how many could not be read");
    if gap.from == i64::MIN {
        return Ok(Some(nobody));
    }
    let sql = format!("SELECT count(*) FROM {} WHERE rowid BETWEEN ?1 AND ?2", gap.table);
    let there: i64 = target.query_row(&sql, (gap.from, gap.to), |row| row.get(0))?;
    let numbers = i128::from(gap.to) - i128::from(gap.from) + 1;
    let lacking = numbers - i128::from(there);
    Ok(match lacking {
        ..=0 => None,
        1..=100_000 => Some(format!(
            "{name} with numbers from {} to {}: as many as {lacking} could not be read",
            gap.from, gap.to
        )),
        _ => Some(nobody),
    })
}

/// Sets right what salvaged rows leave open.
pub(crate) fn all(db: &Connection, gaps: &[Gap], repair: &mut Repair) -> Result<()> {
    seed(db)?;
    places(db, repair)?;
    if migrate::version(db)? == SCHEMA_VERSION {
        fields(db, repair)?;
        vectors(db)?;
    }
    documents(db, gaps, repair)?;
    tags(db)?;
    strays(db, repair)?;
    records(db, gaps)
}

/// The rows that a new database has.
fn seed(db: &Connection) -> Result<()> {
    if has_table(db, "ledger_state")? {
        db.execute("INSERT OR IGNORE INTO ledger_state (only) VALUES (1)", [])?;
    }
    if has_table(db, "store_line")? {
        db.execute(
            "INSERT INTO store_line (id) SELECT lower(hex(randomblob(16)))
             WHERE NOT EXISTS (SELECT 1 FROM store_line WHERE ended IS NULL)",
            [],
        )?;
    }
    if has_table(db, "sync_state")? {
        db.execute(
            "INSERT OR IGNORE INTO sync_state (only, syncs, items, micros, succeeded)
             VALUES (1, 0, 0, 0, 1)",
            [],
        )?;
    }
    Ok(())
}

/// What lies in a place that could not be read goes to one that is nobody's, so that nobody sees it who
/// might not.
fn places(db: &Connection, repair: &mut Repair) -> Result<()> {
    let tables = [
        "memory",
        "document",
        "record",
        "episode",
        "entity",
        "candidate",
        "asked_query",
        "verdict",
    ];
    for table in tables {
        if !has_table(db, table)? {
            continue;
        }
        let sql = format!(
            "SELECT scope, count(*) FROM {table} WHERE scope NOT IN (SELECT id FROM scope)
             GROUP BY scope"
        );
        let mut statement = db.prepare(&sql)?;
        let lost = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (scope, count) in lost.collect::<rusqlite::Result<Vec<(i64, i64)>>>()? {
            let owner = format!("recovered-{scope}");
            db.execute(
                "INSERT OR IGNORE INTO scope (id, layer, owner) VALUES (?1, 'user', ?2)",
                (scope, &owner),
            )?;
            repair.lost.push(format!(
                "whose {count} rows of {table} are; they are kept as user {owner:?}: \
                 --identity user={owner}"
            ));
        }
    }
    Ok(())
}

/// Texts that are not what was stored: from the newest of the backups that has them, else they stay as
/// they are.
pub(crate) fn texts<'a>(
    db: &Connection,
    backups: impl Iterator<Item = &'a Path>,
    repair: &mut Repair,
) -> Result<()> {
    let mut faults = text::faults(db, usize::MAX)?;
    let mut restored = Vec::new();
    for backup in backups {
        if faults.is_empty() {
            break;
        }
        let Ok(backup) = connection::open_read_only(backup) else { continue };
        let (found, left) = faults.into_iter().partition(|fault| is_put_back(db, &backup, fault));
        faults = left;
        restored.extend::<Vec<Fault>>(found);
    }
    for fault in &faults {
        accept(db, fault)?;
    }
    if !restored.is_empty() {
        repair.restored.push(format!("the text of {}, from a backup", names(&restored)));
    }
    if !faults.is_empty() {
        repair.lost.push(format!(
            "what was stored as the text of {}: it is kept as it is now; look at it",
            names(&faults)
        ));
    }
    Ok(())
}

/// A text and its hash.
fn text_of(db: &Connection, fault: &Fault) -> Option<(String, Vec<u8>)> {
    let (table, column) = (fault.table, column_of(fault));
    let sql = format!("SELECT {column}, hash FROM {table} WHERE seq = ?1");
    db.query_row(&sql, [fault.seq], |row| Ok((row.get(0)?, row.get(1)?))).ok()
}

fn column_of(fault: &Fault) -> &'static str {
    TEXTS.iter().find(|(name, ..)| *name == fault.table).map_or("", |(_, column, _)| column)
}

fn put_text(db: &Connection, fault: &Fault, text: &str) -> Result<()> {
    let (table, column) = (fault.table, column_of(fault));
    let update = format!("UPDATE {table} SET {column} = ?2, hash = ?3 WHERE seq = ?1");
    db.execute(&update, (fault.seq, text, text::hash(text)))?;
    Ok(())
}

/// Puts back a text that a backup has, if its text or its hash is still ours.
fn is_put_back(db: &Connection, backup: &Connection, fault: &Fault) -> bool {
    let Some(((now, hash), (text, told))) = text_of(db, fault).zip(text_of(backup, fault)) else {
        return false;
    };
    let is_it = told == text::hash(&text) && (told == hash || text == now);
    is_it && put_text(db, fault, &text).is_ok()
}

/// Takes a text as it is now.
fn accept(db: &Connection, fault: &Fault) -> Result<()> {
    let Some((now, _)) = text_of(db, fault) else { return Ok(()) };
    put_text(db, fault, &now)?;
    reread(db, fault)
}

fn names(faults: &[Fault]) -> String {
    named(&faults.iter().map(|fault| fault.name.clone()).collect::<Vec<_>>())
}

/// The first of these, and how many more there are.
pub(crate) fn named(all: &[String]) -> String {
    let shown = all[..all.len().min(NAMED_MAX)].join(", ");
    match all.len().saturating_sub(NAMED_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A document with a damaged chunk is read again when it is next indexed.
fn reread(db: &Connection, fault: &Fault) -> Result<()> {
    if fault.table == "chunk" {
        db.execute(
            "UPDATE document SET hash = zeroblob(32), size = 0
             WHERE id = (SELECT document FROM chunk WHERE seq = ?1)",
            [fault.seq],
        )?;
    }
    Ok(())
}

/// What a field of a memory is set to that cannot be read, by its place in [`MEMORY_COLUMNS`]. None for those
/// that make the memory what it is.
fn usual(at: usize) -> Option<(&'static str, Value)> {
    Some(match at {
        3 => ("origin", Value::Text(Origin::Notes.name().into())),
        4 => ("kind", Value::Text(Kind::Fact.name().into())),
        6 => ("category", Value::Null),
        7 => ("tags", Value::Text("[]".into())),
        8 => ("importance", Value::Real(0.5)),
        9 => ("confidence", Value::Real(CONFIDENCE_NEW)),
        10 => ("metadata", Value::Text("{}".into())),
        11 => ("archived", Value::Integer(0)),
        12 => ("access_count", Value::Integer(0)),
        13 => ("created_at", Value::Integer(0)),
        14 => ("updated_at", Value::Integer(0)),
        15 => ("accessed_at", Value::Integer(0)),
        16 => ("revision", Value::Integer(1)),
        17 => ("thread", Value::Null),
        // Nobody knows whether it was more.
        18 => ("trust", Value::Text(TrustLevel::Web.name().into())),
        19 => ("provenance", Value::Null),
        _ => return None,
    })
}

/// Memories with fields that cannot be read: each such field is set to what is usual, and a memory goes only if
/// that does not help.
fn fields(db: &Connection, repair: &mut Repair) -> Result<()> {
    let (mut set, mut gone) = (Vec::new(), Vec::new());
    for (seq, id) in unreadable(db)? {
        let mut tried = Vec::new();
        while let Some(at) = broken_field(db, seq)? {
            let usual = usual(at).filter(|(column, _)| !tried.contains(column));
            let is_put = |(column, value): (&'static str, Value)| {
                let sql = format!("UPDATE memory SET {column} = ?2 WHERE seq = ?1");
                db.execute(&sql, (seq, value)).ok().map(|_| column)
            };
            let Some(column) = usual.and_then(is_put) else {
                db.execute("DELETE FROM memory WHERE seq = ?1", [seq])?;
                gone.push(id.clone());
                tried.clear();
                break;
            };
            tried.push(column);
        }
        set.extend((!tried.is_empty()).then(|| format!("{} of memory {id}", tried.join(", "))));
    }
    if !set.is_empty() {
        repair.lost.push(format!("{}: set to what is usual", named(&set)));
    }
    if !gone.is_empty() {
        repair.lost.push(format!("memories that cannot be read: {}", named(&gone)));
    }
    Ok(())
}

/// The numbers and ids of memories that cannot be read.
fn unreadable(db: &Connection) -> Result<Vec<(i64, String)>> {
    let sql = format!(
        "SELECT {MEMORY_COLUMNS}, m.seq AS seq, lower(hex(m.id)) AS name
         FROM memory m JOIN scope s ON s.id = m.scope"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map([], |row| {
        let named = (row.get("seq")?, row.get("name")?);
        Ok(memory_as_it_is(row).err().map(|_| named))
    })?;
    Ok(rows.filter_map(rusqlite::Result::transpose).collect::<rusqlite::Result<_>>()?)
}

/// The place of the first field of a memory that cannot be read.
fn broken_field(db: &Connection, seq: i64) -> Result<Option<usize>> {
    let sql = format!(
        "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE m.seq = ?1"
    );
    let read = db.prepare_cached(&sql)?.query_row([seq], |row| Ok(memory_as_it_is(row).err()));
    Ok(read?.map(|error| match error {
        rusqlite::Error::FromSqlConversionFailure(at, ..)
        | rusqlite::Error::InvalidColumnType(at, ..)
        | rusqlite::Error::IntegralValueOutOfRange(at, _) => at,
        _ => usize::MAX,
    }))
}

/// Vectors of no text, of no model or of a wrong length go; a server makes them again.
fn vectors(db: &Connection) -> Result<()> {
    db.execute(
        "DELETE FROM vector WHERE model NOT IN (SELECT id FROM embedding_model)
           OR length(code) NOT IN (0, (SELECT dimensions + 4 FROM embedding_model e
                                       WHERE e.id = vector.model))
           OR entry NOT IN (SELECT seq FROM memory UNION ALL SELECT seq FROM chunk
                            UNION ALL SELECT seq FROM record)",
        [],
    )?;
    Ok(())
}

/// Documents that may lack chunks are read again when they are next indexed.
fn documents(db: &Connection, gaps: &[Gap], repair: &mut Repair) -> Result<()> {
    let is_of = |gap: &&Gap| ["document", "chunk"].contains(&&*gap.table);
    if !gaps.iter().any(|gap| is_of(&gap)) || !has_table(db, "document")? {
        return Ok(());
    }
    db.execute("UPDATE document SET hash = zeroblob(32), size = 0", [])?;
    repair.lost.push("chunks of documents: `lorekeep index` reads the files again".to_owned());
    Ok(())
}

/// The tags once more, one a row.
fn tags(db: &Connection) -> Result<()> {
    db.execute("DELETE FROM memory_tag", [])?;
    db.execute(
        "INSERT OR IGNORE INTO memory_tag (memory, tag)
         SELECT m.seq, j.value FROM memory m, json_each(m.tags) j WHERE json_valid(m.tags)",
        [],
    )?;
    Ok(())
}

/// Rows that point to what is not there, one kind after the other, until there are none.
fn strays(db: &Connection, repair: &mut Repair) -> Result<()> {
    let mut dropped = 0;
    loop {
        let mut statement =
            db.prepare("SELECT DISTINCT \"table\", fkid FROM pragma_foreign_key_check")?;
        let strays = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let strays: Vec<(String, i64)> = strays.collect::<rusqlite::Result<_>>()?;
        let mut gone = 0;
        for (table, key) in strays {
            gone += drop_strays(db, &table, key)?;
        }
        if gone == 0 {
            break;
        }
        dropped += gone;
    }
    if dropped > 0 {
        repair.lost.push(format!("{dropped} rows that belong to what is lost"));
    }
    Ok(())
}

/// Drops the rows of a table by one of its foreign keys, since not every table numbers its rows. How many.
fn drop_strays(db: &Connection, table: &str, key: i64) -> Result<usize> {
    let sql = r#"SELECT "from", "table", "to" FROM pragma_foreign_key_list(?1) WHERE id = ?2"#;
    let [column, parent, other]: [String; 3] =
        db.query_row(sql, (table, key), |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    let sql = format!(
        "DELETE FROM {table} WHERE {column} IS NOT NULL
           AND {column} NOT IN (SELECT {other} FROM {parent})"
    );
    Ok(db.execute(&sql, [])?)
}

/// Where records lack, the view begins anew: git holds them.
fn records(db: &Connection, gaps: &[Gap]) -> Result<()> {
    if gaps.iter().any(|gap| gap.table == "record") {
        db.execute("UPDATE ledger_state SET head = NULL, safe = NULL WHERE only = 1", [])?;
    }
    Ok(())
}
