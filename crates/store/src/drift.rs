//! What changed without anybody changing it. Every change counts a memory's revision up, so one that has
//! the revision it had in a backup and says something else was damaged; and an entry of the audit log
//! never changes.

use std::path::Path;

use rusqlite::Connection;

use crate::error::Result;
use crate::rolling;
use crate::{SCHEMA_VERSION, text};

/// What does not change without a new revision.
const COLUMNS: &str = "scope, origin, kind, content, hash, category, tags, importance, confidence, \
     metadata, archived, created_at, updated_at, thread, trust, provenance";

/// All that an entry of the audit log says.
const ENTRY: &str = "at, who, client, tool, trust, deed, what, hash";

/// The name under which a backup stands beside a database.
const KEPT: &str = "kept";

/// Puts a backup beside a database, to be compared with.
pub(crate) fn attach(db: &Connection, backup: &Path) -> Result<()> {
    db.execute(&format!("ATTACH ?1 AS {KEPT}"), [backup.to_string_lossy()])?;
    Ok(())
}

/// The memories of the store in `dir` that are not what they were in its newest backup.
pub(crate) fn found(db: &Connection, dir: &Path, max: usize) -> Result<Vec<String>> {
    let all = rolling::backups(dir)?;
    let newest = all.iter().find(|kept| kept.schema == SCHEMA_VERSION && kept.is_whole());
    let Some(newest) = newest else { return Ok(Vec::new()) };
    attach(db, &newest.path)?;
    let memories = differing(db)?.into_iter().map(|(_, id)| format!("memory {id}"));
    let entries = entries(db)?.into_iter().map(|number| format!("entry {number} of the audit log"));
    let told = memories
        .chain(entries)
        .take(max)
        .map(|what| format!("{what} is not what it was in the backup, and nobody changed it"));
    let told = told.collect();
    db.execute(&format!("DETACH {KEPT}"), [])?;
    Ok(told)
}

/// The numbers and ids of memories that differ from the backup beside the database.
pub(crate) fn differing(db: &Connection) -> Result<Vec<(i64, String)>> {
    let (ours, theirs) = (columns(COLUMNS, "m"), columns(COLUMNS, "k"));
    let sql = format!(
        "SELECT m.seq, lower(hex(m.id)), k.content, k.hash FROM main.memory m NOT INDEXED
         JOIN {KEPT}.memory k ON k.seq = m.seq AND k.id = m.id AND k.revision = m.revision
         WHERE ({ours}) IS NOT ({theirs})"
    );
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        // What is wrong in the backup itself is nobody's measure.
        let content: String = row.get(2)?;
        if row.get_ref(3)?.as_blob() == Ok(&text::hash(&content)[..]) {
            found.push((row.get(0)?, row.get(1)?));
        }
    }
    Ok(found)
}

fn columns(all: &str, of: &str) -> String {
    all.split(", ").map(|column| format!("{of}.{column}")).collect::<Vec<_>>().join(", ")
}

/// The numbers of the entries of the audit log that differ from the backup beside the database.
fn entries(db: &Connection) -> Result<Vec<i64>> {
    let (ours, theirs) = (columns(ENTRY, "a"), columns(ENTRY, "k"));
    let sql = format!(
        "SELECT a.number FROM main.audit a JOIN {KEPT}.audit k ON k.number = a.number
         WHERE ({ours}) IS NOT ({theirs})"
    );
    let mut statement = db.prepare(&sql)?;
    let numbers = statement.query_map([], |row| row.get(0))?;
    Ok(numbers.collect::<rusqlite::Result<_>>()?)
}

/// Takes from the backup the entries of the audit log that differ; their numbers. What keeps anybody
/// from changing the log stands aside meanwhile.
pub(crate) fn mend_entries(db: &Connection) -> Result<Vec<i64>> {
    let differing = entries(db)?;
    if differing.is_empty() {
        return Ok(differing);
    }
    let guard = "audit_is_never_changed";
    let sql = "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?1";
    let made: String = db.query_row(sql, [guard], |row| row.get(0))?;
    db.execute_batch(&format!("DROP TRIGGER main.{guard}"))?;
    let update = format!(
        "UPDATE main.audit SET ({ENTRY}) = (SELECT {ENTRY} FROM {KEPT}.audit k
                                            WHERE k.number = audit.number) WHERE number = ?1"
    );
    for number in &differing {
        db.execute(&update, [number])?;
    }
    db.execute_batch(&made)?;
    Ok(differing)
}

/// Takes from the backup beside the database what differs. The ids of those memories.
pub(crate) fn mend(db: &Connection) -> Result<Vec<String>> {
    let differing = differing(db)?;
    let sql = format!(
        "UPDATE main.memory SET ({COLUMNS}) = (SELECT {COLUMNS} FROM {KEPT}.memory k
                                               WHERE k.seq = memory.seq) WHERE seq = ?1"
    );
    for (seq, _) in &differing {
        db.execute(&sql, [seq])?;
    }
    Ok(differing.into_iter().map(|(_, id)| id).collect())
}
