//! A row of the database into a memory.

use std::fmt::Display;

use model::{Kind, Layer, Memory, MemoryId, Origin, Scope, time};
use rusqlite::Row;
use rusqlite::types::Type;

/// The columns [`memory`] reads, for `memory m JOIN scope s`.
pub(crate) const MEMORY_COLUMNS: &str = "m.id, s.layer, s.owner, m.origin, m.kind, m.content, \
     m.category, m.tags, m.importance, m.confidence, m.metadata, m.archived, m.access_count, \
     m.created_at, m.updated_at, m.accessed_at, m.revision, m.thread";

/// The memory in a row of [`MEMORY_COLUMNS`].
pub(crate) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        id: memory_id(row, 0)?,
        scope: scope(row, 1)?,
        origin: named(row, 3, Origin::named)?,
        kind: named(row, 4, Kind::named)?,
        content: row.get(5)?,
        category: row.get(6)?,
        tags: json(row, 7)?,
        importance: row.get(8)?,
        confidence: row.get(9)?,
        metadata: json(row, 10)?,
        archived: row.get(11)?,
        access_count: row.get(12)?,
        created_at: timestamp(row, 13)?,
        updated_at: timestamp(row, 14)?,
        accessed_at: timestamp(row, 15)?,
        revision: row.get(16)?,
        thread: row.get(17)?,
    })
}

/// The memory id in column `at`.
pub(crate) fn memory_id(row: &Row<'_>, at: usize) -> rusqlite::Result<MemoryId> {
    let bytes: [u8; 16] = row.get(at)?;
    MemoryId::from_bytes(bytes).ok_or_else(|| damaged(at, "no version 4 UUID"))
}

/// The scope in columns `at` and `at + 1`.
pub(crate) fn scope(row: &Row<'_>, at: usize) -> rusqlite::Result<Scope> {
    Ok(Scope { layer: named(row, at, Layer::named)?, owner: row.get(at + 1)? })
}

/// What is named in column `at`.
pub(crate) fn named<T>(
    row: &Row<'_>,
    at: usize,
    named: impl Fn(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let name = row.get_ref(at)?.as_str()?;
    named(name).ok_or_else(|| damaged(at, format!("{name:?} is unknown")))
}

/// The time in column `at`.
pub(crate) fn timestamp(row: &Row<'_>, at: usize) -> rusqlite::Result<time::Timestamp> {
    time::from_micros(row.get(at)?).ok_or_else(|| damaged(at, "no time"))
}

/// What column `at` says in JSON.
pub(crate) fn json<T: serde::de::DeserializeOwned>(
    row: &Row<'_>,
    at: usize,
) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(at)?.as_str()?).map_err(|error| damaged(at, error))
}

pub(crate) fn damaged(at: usize, why: impl Display) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, Type::Text, why.to_string().into())
}
