//! Reading memories: one by its id, the known text, a page of a list.

use model::{ContentHash, Memory, MemoryFilter, MemoryId, Page, Paging, Scope, SortKey};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use crate::Store;
use crate::error::Result;
use crate::filter::Where;
use crate::row::{MEMORY_COLUMNS, memory, scope};
use crate::walk::{self, direction};
use crate::write;

impl Store {
    /// The memory with this id, if there is one.
    pub fn find_memory(&self, id: MemoryId) -> Result<Option<Memory>> {
        self.read(|db| {
            Ok(db.prepare_cached(&by_id())?.query_row([id.as_bytes()], memory).optional()?)
        })
    }

    /// The memory with this id, if it lies in a place that is open. Of any other nothing is read but
    /// where it lies: neither what became of its text nor its length is told to who may not see it.
    pub fn find_memory_in(
        &self,
        id: MemoryId,
        is_open: impl Fn(&Scope) -> bool,
    ) -> Result<Option<Memory>> {
        let place = "SELECT s.layer, s.owner FROM memory m JOIN scope s ON s.id = m.scope
                     WHERE m.id = ?1";
        self.read(|db| {
            let key = [id.as_bytes()];
            let mut statement = db.prepare_cached(place)?;
            let place = statement.query_row(key, |row| scope(row, 0)).optional()?;
            if !place.is_some_and(|place| is_open(&place)) {
                return Ok(None);
            }
            Ok(db.prepare_cached(&by_id())?.query_row(key, memory).optional()?)
        })
    }

    /// The memories with these ids that are there and whole, in the order of the ids.
    pub fn load_memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.read(|db| {
            let mut load = db.prepare_cached(&by_id())?;
            let found = ids.iter().map(|id| load.query_row([id.as_bytes()], memory).optional());
            self.readable(found.filter_map(Result::transpose))
        })
    }

    /// The oldest memory with this text in this place that is not archived, white space at its ends
    /// aside.
    pub fn known_text(&self, scope: &Scope, hash: &ContentHash) -> Result<Option<MemoryId>> {
        self.read(|db| write::known(db, scope, hash, None))
    }

    /// A page of the memories that `filter` lets through.
    pub fn list_memories(&self, filter: &MemoryFilter, paging: Paging) -> Result<Page<Memory>> {
        if walk::is_plain(filter) && walk::index(paging.key).is_some() {
            return self.read(|db| self.walk_memories(db, filter, paging));
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
            let mut statement = db.prepare_cached(&list)?;
            let items = self.whole(statement.query_map(params_from_iter(&values), memory)?)?;
            Ok(Page { items, total })
        })
    }

    /// The page, by the indexes that are sorted as it is.
    fn walk_memories(
        &self,
        db: &Connection,
        filter: &MemoryFilter,
        paging: Paging,
    ) -> Result<Page<Memory>> {
        let cells = walk::cells(db, filter)?;
        let numbers = walk::page(db, &cells, paging)?.unwrap_or_default();
        let sql = format!(
            "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE m.seq = ?1"
        );
        let mut load = db.prepare_cached(&sql)?;
        let items = numbers.iter().map(|seq| load.query_row([seq], memory));
        Ok(Page { items: self.whole(items)?, total: walk::total(&cells) })
    }

    /// Whether readings are noted that are not yet added to the memories' counts.
    pub fn has_touches(&self) -> Result<bool> {
        self.read(|db| {
            let sql = "SELECT EXISTS (SELECT 1 FROM memory_access)";
            Ok(db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
        })
    }
}

fn by_id() -> String {
    format!("SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE m.id = ?1")
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
