//! Reading memories: one by its id, the known text, a page of a list.

use model::{ContentHash, Memory, MemoryFilter, MemoryId, Page, Paging, Scope, SortKey};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use crate::Store;
use crate::error::Result;
use crate::filter::Where;
use crate::row::{MEMORY_COLUMNS, memory};
use crate::walk::{self, direction};
use crate::write;

impl Store {
    /// The memory with this id, if there is one.
    pub fn find_memory(&self, id: MemoryId) -> Result<Option<Memory>> {
        Ok(self.load_memories(&[id])?.pop())
    }

    /// The memories with these ids that are there, in the order of the ids.
    pub fn load_memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let sql = format!(
            "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE m.id = ?1"
        );
        self.read(|db| {
            let mut load = db.prepare_cached(&sql)?;
            let found = ids.iter().map(|id| load.query_row([id.as_bytes()], memory).optional());
            Ok(found.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The oldest memory with this text in this place that is not archived.
    pub fn known_text(&self, scope: &Scope, hash: &ContentHash) -> Result<Option<MemoryId>> {
        self.read(|db| write::known(db, scope, hash))
    }

    /// A page of the memories that `filter` lets through.
    pub fn list_memories(&self, filter: &MemoryFilter, paging: Paging) -> Result<Page<Memory>> {
        if walk::is_plain(filter) && walk::index(paging.key).is_some() {
            return self.read(|db| walk_memories(db, filter, paging));
        }
        let Where { sql, mut values } = Where::of(filter);
        let count = format!("SELECT count(*) FROM memory m WHERE {sql}");
        let (key, order) = (column(paging.key), direction(paging.order));
        let list = format!(
            "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope
             WHERE {sql} ORDER BY m.{key} {order}, m.seq {order} LIMIT ? OFFSET ?"
        );
        self.read(|db| {
            let total = db
                .prepare_cached(&count)?
                .query_row(params_from_iter(&values), |row| row.get(0))?;
            values.push(integer(paging.limit));
            values.push(integer(paging.offset));
            let items = db
                .prepare_cached(&list)?
                .query_map(params_from_iter(&values), memory)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Page { items, total })
        })
    }

    /// Whether readings are noted that are not yet added to the memories' counts.
    pub fn has_touches(&self) -> Result<bool> {
        self.read(|db| {
            let sql = "SELECT EXISTS (SELECT 1 FROM memory_access)";
            Ok(db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
        })
    }
}

/// The page, by the indexes that are sorted as it is.
fn walk_memories(db: &Connection, filter: &MemoryFilter, paging: Paging) -> Result<Page<Memory>> {
    let cells = walk::cells(db, filter)?;
    let numbers = walk::page(db, &cells, paging)?.unwrap_or_default();
    let sql = format!(
        "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE m.seq = ?1"
    );
    let mut load = db.prepare_cached(&sql)?;
    let items = numbers.iter().map(|seq| load.query_row([seq], memory));
    let items = items.collect::<rusqlite::Result<_>>()?;
    Ok(Page { items, total: walk::total(&cells) })
}

fn column(key: SortKey) -> &'static str {
    match key {
        SortKey::CreatedAt => "created_at",
        SortKey::UpdatedAt => "updated_at",
        SortKey::AccessedAt => "accessed_at",
        SortKey::Importance => "importance",
        SortKey::Confidence => "confidence",
        SortKey::AccessCount => "access_count",
    }
}

fn integer(value: u64) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}
