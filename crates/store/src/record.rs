//! Records of the ledger.

use model::{
    Evidence, IndexedRecord, Namespace, Outcome, Phase, Provenance, Record, RecordId, RecordKind,
    Rest, Status, Trust, time,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde_json::json;

use crate::Store;
use crate::error::Result;
use crate::row::{damaged, json, named, provenance, provenance_column, scope, timestamp};
use crate::write::scope_id;
use crate::{log, text, vector};

/// The numbers of records count from here on; those of chunks lie below.
pub(crate) const RECORD_KEYS: i64 = 1 << 57;

/// A record as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRecord {
    /// The record.
    pub record: Record,
    /// Counts its changes.
    pub revision: u64,
    /// Its file below the ledger's directory.
    pub path: String,
    /// The git id of what its file says.
    pub blob: String,
    /// Where what it says comes from.
    pub provenance: Provenance,
}

/// Which records are asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordFilter {
    /// Where.
    pub namespace: Namespace,
    /// Only of this kind.
    pub kind: Option<RecordKind>,
    /// Only of this status.
    pub status: Option<Status>,
    /// Only of this target.
    pub target: Option<String>,
}

const COLUMNS: &str = "r.id, s.layer, s.owner, r.kind, r.status, r.phase, r.trust, r.title, r.target,
     r.rationale, r.consequences, r.confidence, r.evidence, r.supersedes, r.superseded_by,
     r.superseded_at, r.created_at, r.updated_at, r.rest_front, r.rest_body, r.revision, r.path, r.blob,
     r.hash, r.level, r.provenance";

/// The record in a row, if what is searched of it is what was stored.
fn record(row: &Row<'_>) -> rusqlite::Result<StoredRecord> {
    let id = record_id(row, 0)?;
    let name = || format!("record {id}");
    let stored = record_as_it_is(row).map_err(|why| text::garbled(why, name))?;
    text::compare(row, 23, &stored.record.searched(), name)?;
    Ok(stored)
}

fn record_as_it_is(row: &Row<'_>) -> rusqlite::Result<StoredRecord> {
    let place = scope(row, 1)?;
    let namespace = Namespace::of_scope(&place).ok_or_else(|| damaged(2, "no namespace"))?;
    Ok(StoredRecord {
        record: Record {
            id: record_id(row, 0)?,
            namespace,
            kind: named(row, 3, RecordKind::named)?,
            status: named(row, 4, Status::named)?,
            phase: named(row, 5, Phase::named)?,
            trust: named(row, 6, Trust::named)?,
            title: row.get(7)?,
            target: row.get(8)?,
            rationale: row.get(9)?,
            consequences: json(row, 10)?,
            confidence: row.get(11)?,
            evidence: evidence(row, 12)?,
            supersedes: row.get::<_, Option<_>>(13)?.map(RecordId),
            superseded_by: row.get::<_, Option<_>>(14)?.map(RecordId),
            superseded_at: row.get::<_, Option<i64>>(15)?.and_then(time::from_micros),
            created_at: timestamp(row, 16)?,
            updated_at: timestamp(row, 17)?,
            rest: Rest { front: row.get(18)?, body: row.get(19)? },
        },
        revision: row.get(20)?,
        path: row.get(21)?,
        blob: row.get(22)?,
        provenance: provenance(row, 24)?,
    })
}

/// The record's id in column `at`.
pub(crate) fn record_id(row: &Row<'_>, at: usize) -> rusqlite::Result<RecordId> {
    row.get(at).map(RecordId)
}

/// Evidence is kept as JSON: `{"id", "at", "text"}` or `{"note"}`.
fn evidence(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<Evidence>> {
    let list: Vec<serde_json::Value> = json(row, at)?;
    let one = |entry: &serde_json::Value| {
        let text = |key: &str| entry.get(key).and_then(serde_json::Value::as_str);
        if let Some(note) = text("note") {
            return Some(Evidence::Note(note.to_owned()));
        }
        let at = entry.get("at").and_then(serde_json::Value::as_i64).and_then(time::from_micros);
        let (id, text) = (text("id")?.parse().ok()?, text("text")?.to_owned());
        Some(Evidence::Episode { id, at, text })
    };
    let read: Option<Vec<Evidence>> = list.iter().map(one).collect();
    read.ok_or_else(|| damaged(at, "no evidence"))
}

fn evidence_json(evidence: &[Evidence]) -> String {
    let list = evidence.iter().map(|one| match one {
        Evidence::Note(note) => json!({"note": note}),
        Evidence::Episode { id, at, text } => {
            json!({"id": id.to_string(), "at": at.map(|at| at.as_microsecond()), "text": text})
        }
    });
    serde_json::Value::Array(list.collect()).to_string()
}

/// A title as it is compared: in small letters, with single spaces.
fn title_key(title: &str) -> String {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

impl Store {
    /// The record of this id, wherever it lies.
    pub fn record(&self, id: RecordId) -> Result<Option<StoredRecord>> {
        self.read(|db| find(db, id))
    }

    /// The record of this id, if it lies in this namespace. Nothing is read of any other.
    pub fn record_in(&self, namespace: &Namespace, id: RecordId) -> Result<Option<StoredRecord>> {
        let sql = format!("{} AND s.layer = ?2 AND s.owner = ?3", by_id());
        let place = namespace.scope();
        let values = params![id.0, place.layer.name(), place.owner];
        self.read(|db| Ok(db.prepare_cached(&sql)?.query_row(values, record).optional()?))
    }

    /// The records of these ids, in their order; those that are not there or not whole are left out.
    pub fn load_records(&self, ids: &[RecordId]) -> Result<Vec<StoredRecord>> {
        self.read(|db| {
            let mut load = db.prepare_cached(&by_id())?;
            let found = ids.iter().map(|id| load.query_row([id.0], record).optional());
            self.readable(found.filter_map(rusqlite::Result::transpose))
        })
    }

    /// The newest records that the filter lets through, and how many there are of them.
    pub fn records(&self, filter: &RecordFilter, max: u64) -> Result<(Vec<StoredRecord>, u64)> {
        let place = filter.namespace.scope();
        let mut values = vec![Value::Text(place.layer.name().to_owned()), Value::Text(place.owner)];
        let mut condition =
            "r.scope = (SELECT id FROM scope WHERE layer = ? AND owner = ?)".to_owned();
        let conditions = [
            ("kind", filter.kind.map(|kind| kind.name().to_owned())),
            ("status", filter.status.map(|status| status.name().to_owned())),
            ("target", filter.target.clone()),
        ];
        for (column, value) in conditions {
            if let Some(value) = value {
                condition.push_str(&format!(" AND r.{column} = ?"));
                values.push(Value::Text(value));
            }
        }
        self.read(|db| {
            let count = format!("SELECT count(*) FROM record r WHERE {condition}");
            let total = db
                .prepare_cached(&count)?
                .query_row(params_from_iter(&values), |row| row.get(0))?;
            let sql = format!(
                "SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope
                 WHERE {condition} ORDER BY r.created_at DESC, r.seq DESC LIMIT {max}"
            );
            let mut statement = db.prepare_cached(&sql)?;
            let records = statement.query_map(params_from_iter(&values), record)?;
            Ok((self.whole(records)?, total))
        })
    }

    /// The records that say that they took this one's place.
    pub fn successors(&self, id: RecordId) -> Result<Vec<StoredRecord>> {
        self.read(|db| {
            let sql = format!(
                "SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope
                 WHERE r.supersedes = ?1 ORDER BY r.seq"
            );
            let mut statement = db.prepare_cached(&sql)?;
            self.whole(statement.query_map([id.0], record)?)
        })
    }

    /// The active record of this kind with this title, in any spelling.
    pub fn titled(
        &self,
        namespace: &Namespace,
        kind: RecordKind,
        title: &str,
    ) -> Result<Option<RecordId>> {
        self.read(|db| titled(db, namespace, kind, title))
    }

    /// The record whose file this is.
    pub fn record_at(&self, path: &str) -> Result<Option<StoredRecord>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope
             WHERE r.path = ?1 ORDER BY r.seq LIMIT 1"
        );
        self.read(|db| Ok(db.prepare_cached(&sql)?.query_row([path], record).optional()?))
    }

    /// All records that can be read, in all namespaces, whatever their texts have become: for who
    /// compares them with what git holds.
    pub fn records_as_they_are(&self) -> Result<Vec<StoredRecord>> {
        self.read(|db| {
            let sql = format!("SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope");
            let mut statement = db.prepare_cached(&sql)?;
            let records = statement.query_map([], |row| Ok(record_as_it_is(row).ok()))?;
            Ok(records.filter_map(rusqlite::Result::transpose).collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The ids and paths of all records, in all namespaces.
    pub fn record_paths(&self) -> Result<Vec<(RecordId, String)>> {
        self.read(|db| {
            let mut statement = db.prepare_cached("SELECT id, path FROM record ORDER BY seq")?;
            let paths = statement.query_map([], |row| Ok((record_id(row, 0)?, row.get(1)?)))?;
            Ok(paths.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// The records that cannot be read, or are not what was stored: number and name of each.
pub(crate) fn faults(db: &Connection, max: usize) -> Result<Vec<(i64, String)>> {
    let sql = format!(
        "SELECT {COLUMNS}, r.title_key, r.seq, lower(hex(r.id)) AS name
         FROM record r JOIN scope s ON s.id = r.scope"
    );
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()?.filter(|_| found.len() < max) {
        let key: rusqlite::Result<String> = row.get("title_key");
        let is_right = record(row)
            .is_ok_and(|stored| key.is_ok_and(|key| key == title_key(&stored.record.title)));
        if !is_right {
            found.push((row.get("seq")?, row.get("name")?));
        }
    }
    Ok(found)
}

/// Takes the record as it is now; git has it as it was, and whoever asked for this compares the two.
/// One that cannot be read goes.
pub(crate) fn accept(db: &Connection, seq: i64) -> Result<()> {
    let sql =
        format!("SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope WHERE r.seq = ?1");
    match db.query_row(&sql, [seq], |row| Ok(record_as_it_is(row).ok()))? {
        Some(StoredRecord { record, .. }) => {
            let text = record.searched();
            let (hash, key) = (text::hash(&text), title_key(&record.title));
            let sql = "UPDATE record SET text = ?2, hash = ?3, title_key = ?4 WHERE seq = ?1";
            db.execute(sql, params![seq, text, hash, key])?;
        }
        None => drop(db.execute("DELETE FROM record WHERE seq = ?1", [seq])?),
    }
    Ok(())
}

fn by_id() -> String {
    format!("SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope WHERE r.id = ?1")
}

fn find(db: &Connection, id: RecordId) -> Result<Option<StoredRecord>> {
    Ok(db.prepare_cached(&by_id())?.query_row([id.0], record).optional()?)
}

/// The active record of this kind with this title.
pub(crate) fn titled(
    db: &Connection,
    namespace: &Namespace,
    kind: RecordKind,
    title: &str,
) -> Result<Option<RecordId>> {
    let place = namespace.scope();
    let values = params![place.layer.name(), place.owner, kind.name(), title_key(title)];
    Ok(db
        .prepare_cached(
            "SELECT r.id FROM record r JOIN scope s ON s.id = r.scope
             WHERE s.layer = ?1 AND s.owner = ?2 AND r.kind = ?3 AND r.title_key = ?4
               AND r.status = 'active' ORDER BY r.seq LIMIT 1",
        )?
        .query_row(values, |row| record_id(row, 0))
        .optional()?)
}

/// Refuses unless the record is at this revision.
pub(crate) fn unchanged(db: &Connection, id: RecordId, revision: u64) -> Result<Option<Outcome>> {
    let found: Option<u64> = db
        .prepare_cached("SELECT revision FROM record WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    Ok((found != Some(revision)).then_some(Outcome::StaleRecord(id)))
}

/// Puts a record in, in place of the one with its id.
pub(crate) fn put(db: &Connection, new: &IndexedRecord) -> Result<()> {
    let record = &new.record;
    let known = known(db, new)?;
    if let Some(Known { key, has_text: true, is_placed: true }) = known {
        return rate(db, key, new);
    }
    let values = values(db, new)?;
    let key = match known {
        Some(Known { key, has_text, .. }) => {
            if !has_text {
                // Vectors are of a text: they go with it.
                db.prepare_cached("DELETE FROM vector WHERE entry = ?1")?.execute([key])?;
            }
            db.prepare_cached(
                "UPDATE record SET scope = ?, kind = ?, status = ?, phase = ?, trust = ?, title = ?,
                   title_key = ?, target = ?, rationale = ?, consequences = ?, confidence = ?,
                   evidence = ?, supersedes = ?, superseded_by = ?, superseded_at = ?,
                   created_at = ?, updated_at = ?, rest_front = ?, rest_body = ?, path = ?,
                   blob = ?, text = ?, hash = ?, marks = ?, level = ?, provenance = ?,
                   revision = revision + 1
                 WHERE seq = ?",
            )?
            .execute(params_from_iter(values.into_iter().chain([Value::Integer(key)])))?;
            key
        }
        None => {
            db.prepare_cached(
                "INSERT INTO record (scope, kind, status, phase, trust, title, title_key, target,
                   rationale, consequences, confidence, evidence, supersedes, superseded_by,
                   superseded_at, created_at, updated_at, rest_front, rest_body, path, blob, text,
                   hash, marks, level, provenance, id, revision)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                         1)",
            )?
            .execute(params_from_iter(
                values.into_iter().chain([Value::Blob(record.id.0.to_vec())]),
            ))?;
            db.last_insert_rowid()
        }
    };
    vector::put(db, key, &new.vectors)?;
    log::note(db, key)
}

/// What is there of a record.
#[derive(Clone, Copy)]
struct Known {
    key: i64,
    /// It says the same.
    has_text: bool,
    /// It stands where it stood, in every index.
    is_placed: bool,
}

fn known(db: &Connection, new: &IndexedRecord) -> Result<Option<Known>> {
    let record = &new.record;
    let values = params![
        record.id.0,
        new.hash.0,
        record.kind.name(),
        record.status.name(),
        record.target,
        new.path,
        record.supersedes.map(|id| id.0),
        record.created_at.as_microsecond()
    ];
    Ok(db
        .prepare_cached(
            "SELECT seq, hash = ?2, (kind, status, target, path, supersedes, created_at)
               IS (?3, ?4, ?5, ?6, ?7, ?8) FROM record WHERE id = ?1",
        )?
        .query_row(values, |row| {
            Ok(Known { key: row.get(0)?, has_text: row.get(1)?, is_placed: row.get(2)? })
        })
        .optional()?)
}

/// Writes what no index holds, neither here nor in memory: what link after link changes.
fn rate(db: &Connection, key: i64, new: &IndexedRecord) -> Result<()> {
    let record = &new.record;
    db.prepare_cached(
        "UPDATE record SET phase = ?2, trust = ?3, confidence = ?4, evidence = ?5,
           superseded_by = ?6, superseded_at = ?7, updated_at = ?8, rest_front = ?9,
           rest_body = ?10, blob = ?11, level = ?12, provenance = ?13, revision = revision + 1
         WHERE seq = ?1",
    )?
    .execute(params![
        key,
        record.phase.name(),
        record.trust.name(),
        record.confidence,
        evidence_json(&record.evidence),
        record.superseded_by.map(|id| id.0),
        record.superseded_at.map(|at| at.as_microsecond()),
        record.updated_at.as_microsecond(),
        record.rest.front,
        record.rest.body,
        new.blob,
        new.provenance.level.name(),
        provenance_column(&new.provenance)?
    ])?;
    Ok(())
}

/// The columns in the order both statements name them.
fn values(db: &Connection, new: &IndexedRecord) -> Result<[Value; 26]> {
    let record = &new.record;
    let text = |text: &str| Value::Text(text.to_owned());
    let id = |id: Option<RecordId>| id.map_or(Value::Null, |id| Value::Blob(id.0.to_vec()));
    let time = |at: Option<time::Timestamp>| {
        at.map_or(Value::Null, |at| Value::Integer(at.as_microsecond()))
    };
    Ok([
        Value::Integer(scope_id(db, &record.namespace.scope())?),
        text(record.kind.name()),
        text(record.status.name()),
        text(record.phase.name()),
        text(record.trust.name()),
        text(&record.title),
        Value::Text(title_key(&record.title)),
        text(&record.target),
        text(&record.rationale),
        Value::Text(json!(record.consequences).to_string()),
        Value::Real(record.confidence),
        Value::Text(evidence_json(&record.evidence)),
        id(record.supersedes),
        id(record.superseded_by),
        time(record.superseded_at),
        time(Some(record.created_at)),
        time(Some(record.updated_at)),
        text(&record.rest.front),
        text(&record.rest.body),
        text(&new.path),
        text(&new.blob),
        Value::Text(record.searched()),
        Value::Blob(new.hash.0.to_vec()),
        Value::Text(json!(record.marks()).to_string()),
        text(new.provenance.level.name()),
        provenance_column(&new.provenance)?,
    ])
}

/// Deletes a record; one that is not there is gone already.
pub(crate) fn delete(db: &Connection, id: RecordId) -> Result<()> {
    let key: Option<i64> = db
        .prepare_cached("DELETE FROM record WHERE id = ?1 RETURNING seq")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    key.map_or(Ok(()), |key| log::note(db, key))
}
