//! The vectors of each model: writing them, and which texts lack one.

use model::{ContentHash, Outcome, StoredVector};
use rusqlite::{Connection, OptionalExtension, params};

use crate::Store;
use crate::document::CHUNK_KEYS;
use crate::error::Result;
use crate::record::RECORD_KEYS;

/// What is embedded of memories, and of chunks: see [`model::Chunk::searched`].
const MEMORY_TEXTS: &str = "SELECT seq, hash, content AS text FROM memory";
const CHUNK_TEXTS: &str =
    "SELECT seq, hash, coalesce(header_path || char(10), '') || content AS text FROM chunk";

const RECORD_TEXTS: &str = "SELECT seq, hash, text FROM record";

/// How many bytes a code has beside one for each dimension.
const SCALE_BYTES: usize = 4;

/// What the store has of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelState {
    /// The model's id.
    pub name: String,
    /// How many dimensions its vectors have; 0 if there is none yet.
    pub dimensions: usize,
    /// Whether every text has had a vector of it.
    pub complete: bool,
    /// How many texts have one now.
    pub vectors: u64,
}

/// A text that lacks a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Its number in the store.
    pub key: i64,
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

    /// What the cosines of the model weigh, if every text has had a vector of it, so that it may
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

    /// How many texts lack a vector of the model.
    pub fn count_unembedded(&self, model: &str) -> Result<u64> {
        self.read(|db| {
            let sql = "SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM chunk)
                       + (SELECT count(*) FROM record)
                       - (SELECT count(*) FROM vector v
                          JOIN embedding_model e ON e.id = v.model WHERE e.name = ?1)";
            Ok(db.prepare_cached(sql)?.query_row([model], |row| row.get(0))?)
        })
    }

    /// The next texts behind `after` that lack a vector of the model: memories in the order they came,
    /// then chunks.
    pub fn unembedded(&self, model: &str, after: i64, limit: usize) -> Result<Vec<Unembedded>> {
        self.read(|db| {
            let mut found = Vec::new();
            for texts in [MEMORY_TEXTS, CHUNK_TEXTS, RECORD_TEXTS] {
                let sql = format!(
                    "SELECT t.seq, t.hash, t.text FROM ({texts}) t
                     WHERE t.seq > ?2 AND NOT EXISTS
                       (SELECT 1 FROM vector v JOIN embedding_model e ON e.id = v.model
                        WHERE v.entry = t.seq AND e.name = ?1)
                     ORDER BY t.seq LIMIT ?3"
                );
                let mut statement = db.prepare_cached(&sql)?;
                let texts = params![model, after, limit - found.len()];
                let texts = statement.query_map(texts, |row| {
                    let (key, hash) = (row.get(0)?, ContentHash(row.get(1)?));
                    Ok(Unembedded { key, hash, text: row.get(2)? })
                })?;
                for text in texts {
                    found.push(text?);
                }
            }
            Ok(found)
        })
    }
}

pub(crate) fn models(db: &Connection) -> Result<Vec<ModelState>> {
    let sql = "SELECT name, dimensions, complete,
                 (SELECT count(*) FROM vector v WHERE v.model = e.id)
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

/// Writes a text's vectors, in place of those it has of the same models.
pub(crate) fn put(db: &Connection, key: i64, vectors: &[StoredVector]) -> Result<()> {
    for vector in vectors {
        put_one(db, key, &vector.model, &vector.code)?;
    }
    Ok(())
}

fn put_one(db: &Connection, key: i64, model: &str, code: &[u8]) -> Result<()> {
    let model = model_id(db, model, code.len())?;
    db.prepare_cached(
        "INSERT INTO vector (entry, model, code) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET code = excluded.code",
    )?
    .execute(params![key, model, code])?;
    Ok(())
}

fn model_id(db: &Connection, name: &str, code_bytes: usize) -> Result<i64> {
    let dimensions = code_bytes.saturating_sub(SCALE_BYTES);
    match find_model(db, name)? {
        Some((id, known)) if known == dimensions || code_bytes == 0 => Ok(id),
        Some((id, known)) if known > 0 => {
            // The model became another one under the same name: what it said before is worth nothing.
            db.prepare_cached("DELETE FROM vector WHERE model = ?1")?.execute([id])?;
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

/// Adds vectors to those texts that are still the same; the numbers of these.
pub(crate) fn put_many(
    db: &Connection,
    model: &str,
    codes: &[(i64, ContentHash, Vec<u8>)],
) -> Result<Vec<i64>> {
    let mut written = Vec::new();
    for (key, hash, code) in codes {
        let table = match *key {
            ..CHUNK_KEYS => "memory",
            CHUNK_KEYS..RECORD_KEYS => "chunk",
            RECORD_KEYS.. => "record",
        };
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE seq = ?1 AND hash = ?2)");
        if db.prepare_cached(&sql)?.query_row(params![key, hash.0], |row| row.get(0))? {
            put_one(db, *key, model, code)?;
            written.push(*key);
        }
    }
    Ok(written)
}

/// Marks the model as complete if no text lacks a vector of it.
pub(crate) fn complete(db: &Connection, model: &str, calibration: &str) -> Result<Option<Outcome>> {
    let id = model_id(db, model, 0)?;
    for table in ["memory", "chunk", "record"] {
        let lacks = format!(
            "SELECT EXISTS (SELECT 1 FROM {table} t WHERE NOT EXISTS
               (SELECT 1 FROM vector v WHERE v.entry = t.seq AND v.model = ?1))"
        );
        if db.prepare_cached(&lacks)?.query_row([id], |row| row.get(0))? {
            return Ok(Some(Outcome::Incomplete));
        }
    }
    db.prepare_cached("UPDATE embedding_model SET complete = 1, calibration = ?2 WHERE id = ?1")?
        .execute(params![id, calibration])?;
    Ok(None)
}
