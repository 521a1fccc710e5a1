//! The vectors of each model: writing them, and which memories lack one.

use model::{ContentHash, MemoryId, Outcome, StoredVector};
use rusqlite::{Connection, OptionalExtension, params};

use crate::Store;
use crate::error::Result;
use crate::row::memory_id;

/// How many bytes a code has beside one for each dimension.
const SCALE_BYTES: usize = 4;

/// What the store has of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelState {
    /// The model's id.
    pub name: String,
    /// How many dimensions its vectors have; 0 if there is none yet.
    pub dimensions: usize,
    /// Whether every memory has had a vector of it.
    pub complete: bool,
    /// How many memories have one now.
    pub vectors: u64,
}

/// A text that lacks a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Its number in the store.
    pub key: i64,
    /// Which memory.
    pub id: MemoryId,
    /// The hash of the text.
    pub hash: ContentHash,
    /// The text.
    pub text: String,
}

impl Store {
    /// The models whose vectors are in the store, by name.
    pub fn models(&self) -> Result<Vec<ModelState>> {
        self.read(models)
    }

    /// What the cosines of the model weigh, if every memory has had a vector of it, so that it may
    /// be searched.
    pub fn calibration(&self, model: &str) -> Result<Option<String>> {
        self.read(|db| {
            let sql = "SELECT calibration FROM embedding_model WHERE name = ?1 AND complete = 1";
            let found = db.prepare_cached(sql)?.query_row([model], |row| row.get(0)).optional()?;
            Ok(found.flatten())
        })
    }

    /// How many dimensions the model's vectors have; 0 if there are none.
    pub fn dimensions(&self, model: &str) -> Result<usize> {
        self.read(|db| Ok(find_model(db, model)?.map_or(0, |(_, dimensions)| dimensions)))
    }

    /// How many memories lack a vector of the model.
    pub fn count_unembedded(&self, model: &str) -> Result<u64> {
        self.read(|db| {
            let sql = "SELECT (SELECT count(*) FROM memory) - (SELECT count(*) FROM memory_vector v
                       JOIN embedding_model e ON e.id = v.model WHERE e.name = ?1)";
            Ok(db.prepare_cached(sql)?.query_row([model], |row| row.get(0))?)
        })
    }

    /// The next memories behind `after` that lack a vector of the model, in the order they came.
    pub fn unembedded(&self, model: &str, after: i64, limit: usize) -> Result<Vec<Unembedded>> {
        self.read(|db| {
            let sql = "SELECT m.seq, m.id, m.hash, m.content FROM memory m
                       WHERE m.seq > ?2 AND NOT EXISTS
                         (SELECT 1 FROM memory_vector v JOIN embedding_model e ON e.id = v.model
                          WHERE v.memory = m.seq AND e.name = ?1)
                       ORDER BY m.seq LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let texts = statement.query_map(params![model, after, limit], |row| {
                Ok(Unembedded {
                    key: row.get(0)?,
                    id: memory_id(row, 1)?,
                    hash: ContentHash(row.get(2)?),
                    text: row.get(3)?,
                })
            })?;
            Ok(texts.collect::<rusqlite::Result<_>>()?)
        })
    }
}

pub(crate) fn models(db: &Connection) -> Result<Vec<ModelState>> {
    let sql = "SELECT name, dimensions, complete,
                 (SELECT count(*) FROM memory_vector v WHERE v.model = e.id)
               FROM embedding_model e ORDER BY name";
    let mut statement = db.prepare_cached(sql)?;
    let models = statement.query_map([], |row| {
        Ok(ModelState {
            name: row.get(0)?,
            dimensions: row.get(1)?,
            complete: row.get(2)?,
            vectors: row.get(3)?,
        })
    })?;
    Ok(models.collect::<rusqlite::Result<_>>()?)
}

/// The model's number and dimensions, if the store has heard of it.
pub(crate) fn find_model(db: &Connection, name: &str) -> Result<Option<(i64, usize)>> {
    Ok(db
        .prepare_cached("SELECT id, dimensions FROM embedding_model WHERE name = ?1")?
        .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// Writes a memory's vectors, in place of those it has of the same models.
pub(crate) fn put(db: &Connection, seq: i64, vectors: &[StoredVector]) -> Result<()> {
    for vector in vectors {
        put_one(db, seq, &vector.model, &vector.code)?;
    }
    Ok(())
}

fn put_one(db: &Connection, seq: i64, model: &str, code: &[u8]) -> Result<()> {
    let model = model_id(db, model, code.len())?;
    db.prepare_cached(
        "INSERT INTO memory_vector (memory, model, code) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET code = excluded.code",
    )?
    .execute(params![seq, model, code])?;
    Ok(())
}

fn model_id(db: &Connection, name: &str, code_bytes: usize) -> Result<i64> {
    let dimensions = code_bytes.saturating_sub(SCALE_BYTES);
    match find_model(db, name)? {
        Some((id, known)) if known == dimensions || code_bytes == 0 => Ok(id),
        Some((id, known)) if known > 0 => {
            // The model became another one under the same name: what it said before is worth nothing.
            db.prepare_cached("DELETE FROM memory_vector WHERE model = ?1")?.execute([id])?;
            db.prepare_cached(
                "UPDATE embedding_model SET dimensions = ?2, complete = 0, calibration = NULL
                 WHERE id = ?1",
            )?
            .execute(params![id, dimensions])?;
            Ok(id)
        }
        _ => Ok(db
            .prepare_cached(
                "INSERT INTO embedding_model (name, dimensions) VALUES (?1, ?2)
                 ON CONFLICT DO UPDATE SET dimensions = excluded.dimensions RETURNING id",
            )?
            .query_row(params![name, dimensions], |row| row.get(0))?),
    }
}

/// Adds vectors to those memories that still have the text; the numbers of these.
pub(crate) fn put_many(
    db: &Connection,
    model: &str,
    codes: &[(MemoryId, ContentHash, Vec<u8>)],
) -> Result<Vec<i64>> {
    let mut written = Vec::new();
    for (id, hash, code) in codes {
        let seq = db
            .prepare_cached("SELECT seq FROM memory WHERE id = ?1 AND hash = ?2")?
            .query_row(params![id.as_bytes(), hash.0], |row| row.get(0))
            .optional()?;
        if let Some(seq) = seq {
            put_one(db, seq, model, code)?;
            written.push(seq);
        }
    }
    Ok(written)
}

/// Marks the model as complete if no memory lacks a vector of it.
pub(crate) fn complete(db: &Connection, model: &str, calibration: &str) -> Result<Option<Outcome>> {
    let id = model_id(db, model, 0)?;
    let lacking = db
        .prepare_cached(
            "SELECT m.id FROM memory m WHERE NOT EXISTS
               (SELECT 1 FROM memory_vector v WHERE v.memory = m.seq AND v.model = ?1) LIMIT 1",
        )?
        .query_row([id], |row| memory_id(row, 0))
        .optional()?;
    if let Some(lacking) = lacking {
        return Ok(Some(Outcome::Stale(lacking)));
    }
    db.prepare_cached("UPDATE embedding_model SET complete = 1, calibration = ?2 WHERE id = ?1")?
        .execute(params![id, calibration])?;
    Ok(None)
}
