//! Walking long lists: a page costs what it shows, not what there is.
//!
//! The memories of one place, kind and shelf lie sorted in an index by each of some keys, and a
//! tally says how many they are. A page of several such lists is a merge of them that ends with the
//! page, and begins at the nearer end.

use std::collections::BinaryHeap;

use model::{Kind, MemoryFilter, Order, Paging, SortKey};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Rows, Statement, params};

use crate::Store;
use crate::error::Result;
use crate::row::named;

/// The memories of one place and kind, archived or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) scope: i64,
    pub(crate) kind: Kind,
    pub(crate) archived: bool,
    pub(crate) count: u64,
}

impl Store {
    /// How many memories are in the filter's scopes, of its kinds. What else it asks is not looked
    /// at.
    pub fn count_memories(&self, filter: &MemoryFilter) -> Result<u64> {
        self.read(|db| Ok(total(&cells(db, filter)?)))
    }
}

/// Whether the filter asks nothing but place, kind and shelf.
pub(crate) fn is_plain(filter: &MemoryFilter) -> bool {
    *filter
        == MemoryFilter {
            scopes: filter.scopes.clone(),
            kinds: filter.kinds.clone(),
            archived: filter.archived,
            ..MemoryFilter::default()
        }
}

/// The cells in the filter's scopes, of its kinds, that hold something.
pub(crate) fn cells(db: &Connection, filter: &MemoryFilter) -> Result<Vec<Cell>> {
    let mut statement = db.prepare_cached(
        "SELECT t.scope, t.kind, t.archived, t.count FROM scope s
         CROSS JOIN memory_tally t ON t.scope = s.id
         WHERE s.layer = ?1 AND s.owner = ?2 AND t.count > 0",
    )?;
    let mut cells = Vec::new();
    for scope in &filter.scopes {
        let found = statement.query_map(params![scope.layer.name(), scope.owner], |row| {
            Ok(Cell {
                scope: row.get(0)?,
                kind: named(row, 1, Kind::named)?,
                archived: row.get(2)?,
                count: row.get(3)?,
            })
        })?;
        for cell in found {
            let cell = cell?;
            let is_wanted = filter.kinds.is_empty() || filter.kinds.contains(&cell.kind);
            if is_wanted && (filter.archived || !cell.archived) && !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    Ok(cells)
}

/// How many the cells hold together.
pub(crate) fn total(cells: &[Cell]) -> u64 {
    cells.iter().map(|cell| cell.count).sum()
}

/// The index that a cell is sorted in by this key, if there is one, and the key's column.
pub(crate) fn index(key: SortKey) -> Option<(&'static str, &'static str)> {
    match key {
        SortKey::CreatedAt => Some(("memory_by_created", "created_at")),
        SortKey::AccessedAt => Some(("memory_by_access", "accessed_at")),
        SortKey::Importance => Some(("memory_by_importance", "importance")),
        SortKey::Confidence => Some(("memory_by_confidence", "confidence")),
        SortKey::UpdatedAt | SortKey::AccessCount => None,
    }
}

/// The numbers of the memories on a page of these cells; none if the key has no index.
pub(crate) fn page(db: &Connection, cells: &[Cell], paging: Paging) -> Result<Option<Vec<i64>>> {
    let Some((index, key)) = index(paging.key) else { return Ok(None) };
    let total = total(cells);
    let limit = paging.limit.min(total.saturating_sub(paging.offset));
    let behind = total.saturating_sub(paging.offset).saturating_sub(limit);
    let is_nearer_behind = behind < paging.offset;
    let (order, skip) = match (paging.order, is_nearer_behind) {
        (order, false) => (order, paging.offset),
        (Order::Ascending, true) => (Order::Descending, behind),
        (Order::Descending, true) => (Order::Ascending, behind),
    };
    if limit == 0 {
        return Ok(Some(Vec::new()));
    }
    let sql = cell_sql(index, key, order);
    let statements = cells.iter().map(|_| db.prepare(&sql));
    let mut statements: Vec<Statement<'_>> = statements.collect::<rusqlite::Result<_>>()?;
    let mut merge = Merge::of(&mut statements, cells, order)?;
    for _ in 0..skip {
        merge.next()?;
    }
    let mut numbers = Vec::new();
    for _ in 0..limit {
        numbers.extend(merge.next()?);
    }
    if is_nearer_behind {
        numbers.reverse();
    }
    Ok(Some(numbers))
}

/// One cell, sorted.
pub(crate) fn cell_sql(index: &str, key: &str, order: Order) -> String {
    let order = direction(order);
    format!(
        "SELECT {key}, seq FROM memory INDEXED BY {index}
         WHERE scope = ?1 AND kind = ?2 AND archived = ?3 ORDER BY {key} {order}, seq {order}"
    )
}

/// The word for a direction.
pub(crate) fn direction(order: Order) -> &'static str {
    match order {
        Order::Ascending => "ASC",
        Order::Descending => "DESC",
    }
}

/// Several sorted cells as one sorted list.
struct Merge<'s> {
    rows: Vec<Rows<'s>>,
    order: Order,
    /// The next of each cell: the greatest comes first.
    heads: BinaryHeap<((i64, i64), usize)>,
}

impl<'s> Merge<'s> {
    fn of(statements: &'s mut [Statement<'_>], cells: &[Cell], order: Order) -> Result<Self> {
        let open = |(statement, cell): (&'s mut Statement<'_>, &Cell)| {
            statement.query(params![cell.scope, cell.kind.name(), cell.archived])
        };
        let rows = statements.iter_mut().zip(cells).map(open).collect::<rusqlite::Result<_>>()?;
        let mut merge = Self { rows, order, heads: BinaryHeap::new() };
        for cell in 0..cells.len() {
            merge.advance(cell)?;
        }
        Ok(merge)
    }

    /// The number of the next memory.
    fn next(&mut self) -> Result<Option<i64>> {
        let Some(((_, seq), cell)) = self.heads.pop() else { return Ok(None) };
        self.advance(cell)?;
        Ok(Some(if self.order == Order::Ascending { !seq } else { seq }))
    }

    fn advance(&mut self, cell: usize) -> Result<()> {
        if let Some(row) = self.rows[cell].next()? {
            let key = match row.get_ref(0)? {
                // Numbers from 0 on sort as their bits do.
                ValueRef::Real(number) => number.to_bits().cast_signed(),
                value => value.as_i64().map_err(rusqlite::Error::from)?,
            };
            let (key, seq) = (key, row.get::<_, i64>(1)?);
            // The complement turns the order round.
            let place = match self.order {
                Order::Ascending => (!key, !seq),
                Order::Descending => (key, seq),
            };
            self.heads.push((place, cell));
        }
        Ok(())
    }
}
