//! A row of the database into a memory.

use std::fmt::Display;

use model::{Kind, Layer, Memory, MemoryId, Origin, Provenance, Scope, TrustLevel, hex, time};
use rusqlite::Row;
use rusqlite::types::{Type, Value, ValueRef};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::{text, write};

/// The columns [`memory`] reads, for `memory m JOIN scope s`.
pub(crate) const MEMORY_COLUMNS: &str = "m.id, s.layer, s.owner, m.origin, m.kind, m.content, \
     m.category, m.tags, m.importance, m.confidence, m.metadata, m.archived, m.access_count, \
     m.created_at, m.updated_at, m.accessed_at, m.revision, m.thread, m.trust, m.provenance, m.hash";

/// The memory in a row of [`MEMORY_COLUMNS`], if its text is the one that was stored.
pub(crate) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let id = memory_id(row, 0)?;
    let name = || format!("memory {}", hex(id.as_bytes()));
    let memory = memory_as_it_is(row).map_err(|why| text::garbled(why, name))?;
    text::compare(row, 20, &memory.content, name)?;
    Ok(memory)
}

/// The memory in a row of [`MEMORY_COLUMNS`], whatever its text has become.
pub(crate) fn memory_as_it_is(row: &Row<'_>) -> rusqlite::Result<Memory> {
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
        provenance: provenance(row, 18)?,
    })
}

/// Who a memory came by and from what, as the column says it.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Trace {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

/// Where something comes from: its level in column `at`, the rest in the next.
pub(crate) fn provenance(row: &Row<'_>, at: usize) -> rusqlite::Result<Provenance> {
    let level = named(row, at, TrustLevel::named)?;
    let is_known = row.get_ref(at + 1)? != ValueRef::Null;
    let Trace { who, client, tool, source } =
        if is_known { json(row, at + 1)? } else { Trace::default() };
    Ok(Provenance { who, client, tool, source, level })
}

/// All that is known of where something comes from but its level, as the column says it.
pub(crate) fn provenance_column(from: &Provenance) -> Result<Value> {
    let Provenance { who, client, tool, source, .. } = from.clone();
    let trace = Trace { who, client, tool, source };
    if trace == Trace::default() {
        return Ok(Value::Null);
    }
    write::json(&trace).map(Value::Text)
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
    let name = str(row, at)?;
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
    serde_json::from_str(str(row, at)?).map_err(|error| damaged(at, error))
}

/// The text in column `at`; an error tells which column it was.
fn str<'a>(row: &'a Row<'_>, at: usize) -> rusqlite::Result<&'a str> {
    row.get_ref(at)?.as_str().map_err(|why| damaged(at, why))
}

pub(crate) fn damaged(at: usize, why: impl Display) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, Type::Text, why.to_string().into())
}
