//! What changed without anybody changing it. Every change counts a memory's revision up, so one that has
//! the revision it had in a backup and says something else was damaged; so is what never changes, as an
//! event or an entry of the audit log.

use std::path::Path;

use rusqlite::Connection;

use crate::error::Result;
use crate::line::Lines;
use crate::repair::Repair;
use crate::rolling;
use crate::{audit, text};

/// What does not change without a new revision.
const COLUMNS: &str = "scope, origin, kind, content, hash, category, tags, importance, confidence, \
     metadata, archived, created_at, updated_at, thread, trust, provenance";

/// All that an entry of the audit log says.
const ENTRY: &str = "at, who, client, tool, trust, deed, what, hash";

/// What does not change, or not without a new revision.
struct Steady {
    table: &'static str,
    /// What names a row.
    name: &'static str,
    /// What makes two rows the same.
    same: &'static str,
    /// What does not change then.
    columns: &'static str,
    /// What keeps anybody from changing it.
    guard: Option<&'static str>,
}

const STEADY: [Steady; 5] = [
    Steady {
        table: "episode",
        name: "'event ' || lower(hex(m.id))",
        same: "seq, id",
        columns: "scope, kind, description, metadata, at",
        guard: Some("episode_stays"),
    },
    Steady {
        table: "memory_event",
        name: "'event of a memory, number ' || m.id",
        same: "id",
        columns: "memory, kind, context, session, at",
        guard: None,
    },
    Steady {
        table: "candidate",
        name: "'candidate ' || m.id",
        same: "id, hash",
        columns: "scope, text, kind, project, client, session, episode, created_at",
        guard: None,
    },
    Steady {
        table: "entity",
        name: "'entity ' || m.name",
        same: "id, mirror, revision",
        columns: "scope, name, kind, summary, created_at, updated_at",
        guard: None,
    },
    Steady {
        table: "link",
        name: "'link number ' || m.id",
        same: "id, mirror",
        columns: "source, relation, target, created_at, valid_at",
        guard: None,
    },
];

impl Steady {
    /// The rows that differ from those of the backup beside the database: numbers and names.
    fn differing(&self, db: &Connection) -> Result<Vec<(i64, String)>> {
        let Self { table, name, same, columns: all, .. } = self;
        let (ours, theirs) = (columns(all, "m"), columns(all, "k"));
        let (our_key, their_key) = (columns(same, "m"), columns(same, "k"));
        let sql = format!(
            "SELECT m.rowid, {name} FROM main.{table} m NOT INDEXED
             JOIN {KEPT}.{table} k ON k.rowid = m.rowid AND ({our_key}) IS ({their_key})
             WHERE ({ours}) IS NOT ({theirs})"
        );
        let mut statement = db.prepare(&sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Takes from the backup what differs; the names.
    fn mend(&self, db: &Connection) -> Result<Vec<String>> {
        let differing = self.differing(db)?;
        let Self { table, columns: all, .. } = self;
        let sql = format!(
            "UPDATE main.{table} SET ({all}) = (SELECT {all} FROM {KEPT}.{table} k
                                                WHERE k.rowid = ?1) WHERE rowid = ?1"
        );
        let put = || {
            differing.iter().try_for_each(|(number, _)| Ok(db.execute(&sql, [number]).map(drop)?))
        };
        match self.guard.filter(|_| !differing.is_empty()) {
            Some(guard) => unguarded(db, guard, put)?,
            None => put()?,
        }
        Ok(differing.into_iter().map(|(_, name)| name).collect())
    }
}

/// Does something while what keeps anybody from it stands aside.
fn unguarded(db: &Connection, guard: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let sql = "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?1";
    let made: String = db.query_row(sql, [guard], |row| row.get(0))?;
    db.execute_batch(&format!("DROP TRIGGER main.{guard}"))?;
    work()?;
    Ok(db.execute_batch(&made)?)
}

/// The name under which a backup stands beside a database.
const KEPT: &str = "kept";

/// Puts a backup beside a database, to be compared with.
pub(crate) fn attach(db: &Connection, backup: &Path) -> Result<()> {
    db.execute(&format!("ATTACH ?1 AS {KEPT}"), [backup.to_string_lossy()])?;
    Ok(())
}

/// The memories of the store in `dir` that are not what they were in its newest backup.
pub(crate) fn found(db: &Connection, dir: &Path, max: usize) -> Result<Vec<String>> {
    let Some(newest) = rolling::measure(dir, &Lines::of(db))? else { return Ok(Vec::new()) };
    attach(db, &newest.path)?;
    let memories = differing(db)?.into_iter().map(|(_, id)| format!("memory {id}"));
    let entries = entries(db)?.into_iter().map(|number| format!("entry {number} of the audit log"));
    let mut others = Vec::new();
    for steady in &STEADY {
        others.extend(steady.differing(db)?.into_iter().map(|(_, name)| name));
    }
    let told = memories
        .chain(entries)
        .chain(others)
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

/// The numbers of the entries of the audit log that differ from the backup beside the database and do
/// not hang together with those before them, while the backup's do.
fn entries(db: &Connection) -> Result<Vec<i64>> {
    let (ours, theirs) = (columns(ENTRY, "a"), columns(ENTRY, "k"));
    let sql = format!(
        "SELECT a.number FROM main.audit a JOIN {KEPT}.audit k ON k.number = a.number
         WHERE ({ours}) IS NOT ({theirs}) ORDER BY a.number"
    );
    let mut statement = db.prepare(&sql)?;
    let numbers = statement.query_map([], |row| row.get(0))?;
    let mut wrong: Vec<i64> = Vec::new();
    for number in numbers.collect::<rusqlite::Result<Vec<i64>>>()? {
        // The one before counts as what it will be.
        let of_kept = wrong.last() == Some(&(number - 1));
        let before = audit::hash_of(db, if of_kept { KEPT } else { "main" }, number - 1)?;
        if !audit::follows(db, "main", number, &before) && audit::follows(db, KEPT, number, &before)
        {
            wrong.push(number);
        }
    }
    Ok(wrong)
}

/// Takes from the backup the entries of the audit log that differ; their numbers. What keeps anybody
/// from changing the log stands aside meanwhile.
fn mend_entries(db: &Connection) -> Result<Vec<i64>> {
    let differing = entries(db)?;
    if differing.is_empty() {
        return Ok(differing);
    }
    let update = format!(
        "UPDATE main.audit SET ({ENTRY}) = (SELECT {ENTRY} FROM {KEPT}.audit k
                                            WHERE k.number = audit.number) WHERE number = ?1"
    );
    unguarded(db, "audit_is_never_changed", || {
        differing.iter().try_for_each(|number| Ok(db.execute(&update, [number]).map(drop)?))
    })?;
    Ok(differing)
}

/// Takes from the backup beside the database what differs. The ids of those memories.
fn mend(db: &Connection) -> Result<Vec<String>> {
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

/// Takes from the backup beside the database what never changes and differs; the names.
fn mend_steady(db: &Connection) -> Result<Vec<String>> {
    let mut mended = Vec::new();
    for steady in &STEADY {
        mended.extend(steady.mend(db)?);
    }
    Ok(mended)
}

/// Takes from the backup beside the database what differs and cannot have been changed.
pub(crate) fn take(db: &Connection, repair: &mut Repair) -> Result<()> {
    let memories = mend(db)?.into_iter().map(|id| format!("memory {id}"));
    let entries = mend_entries(db)?.into_iter();
    let entries = entries.map(|number| format!("entry {number} of the audit log"));
    let mended: Vec<String> = memories.chain(entries).chain(mend_steady(db)?).collect();
    if !mended.is_empty() {
        let named = crate::mend::named(&mended);
        repair.restored.push(format!("as they were in the backup: {named}"));
    }
    Ok(())
}
