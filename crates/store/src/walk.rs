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

#[cfg(test)]
mod tests {

    use model::{Layer, Memory, Op, Order, Scope, time};

    use super::*;
    use crate::edge::hops_sql;
    use crate::tests::{id, memory, write};
    use crate::{FILE_NAME, Store};

    const KEYS: [SortKey; 4] =
        [SortKey::CreatedAt, SortKey::AccessedAt, SortKey::Importance, SortKey::Confidence];

    const ORDERS: [Order; 2] = [Order::Ascending, Order::Descending];

    fn scopes() -> Vec<Scope> {
        let scope = |owner: &str| Scope { layer: Layer::Project, owner: owner.into() };
        ["one", "two", "three"].map(scope).to_vec()
    }

    fn plan(db: &Connection, sql: &str) -> String {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = statement.raw_query().mapped(|row| row.get::<_, String>(3));
        lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn pages_events_and_hops_search_an_index_and_sort_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let read = |sql: &str| store.read(|db| Ok(plan(db, sql))).unwrap();
        for (index, key) in KEYS.map(|key| index(key).unwrap()) {
            for order in ORDERS {
                let plan = read(&cell_sql(index, key, order));
                let expected = format!(
                    "SEARCH memory USING COVERING INDEX {index} (scope=? AND kind=? AND archived=?)"
                );
                assert_eq!(plan, expected);
            }
        }
        let plan = read(crate::event::LATEST);
        assert!(plan.contains("SEARCH memory_event") && !plan.contains("B-TREE"), "{plan}");
        for column in ["source", "target"] {
            let plan = read(&hops_sql(column));
            assert!(
                plan.contains("SEARCH e USING") && plan.contains(&format!("({column}=?)")),
                "{plan}"
            );
            assert!(!plan.contains("SCAN e") && !plan.contains("B-TREE"), "{plan}");
        }
    }

    /// Memories in all places, of all kinds, some archived, with many equals.
    fn fill(store: &Store, count: u32) -> Vec<Memory> {
        let mut all = Vec::new();
        for number in 0..count {
            let mut new = memory(number, &format!("text {number}"));
            let part = |of: u32| (number.wrapping_mul(2_654_435_761) >> 7) % of;
            new.memory.scope = scopes()[part(3) as usize].clone();
            new.memory.kind = Kind::ALL[part(6) as usize];
            new.memory.archived = part(11) == 0;
            new.memory.importance = f64::from(part(4)) / 4.0;
            new.memory.confidence = f64::from(part(10)) / 10.0;
            new.memory.created_at = time::from_micros(i64::from(part(50))).unwrap();
            new.memory.accessed_at = time::from_micros(i64::from(part(7))).unwrap();
            all.push(new.memory.clone());
            write(store, Op::Insert(new));
        }
        all
    }

    fn sorted(all: &[Memory], filter: &MemoryFilter, key: SortKey, order: Order) -> Vec<Memory> {
        let is_meant = |memory: &&Memory| {
            filter.scopes.contains(&memory.scope)
                && (filter.kinds.is_empty() || filter.kinds.contains(&memory.kind))
                && (filter.archived || !memory.archived)
        };
        let mut all: Vec<Memory> = all.iter().filter(is_meant).cloned().collect();
        let place = |memory: &Memory| match key {
            SortKey::CreatedAt => memory.created_at.as_microsecond() as f64,
            SortKey::AccessedAt => memory.accessed_at.as_microsecond() as f64,
            SortKey::Importance => memory.importance,
            _ => memory.confidence,
        };
        all.sort_by(|a, b| place(a).total_cmp(&place(b)));
        if order == Order::Descending {
            all.reverse();
        }
        all
    }

    #[test]
    fn every_page_is_the_part_of_the_whole_that_it_should_be() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let mut all = fill(&store, 150);
        write(&store, Op::Delete(all.remove(7).id));
        let scopes = scopes();
        let filters = [
            MemoryFilter { scopes: scopes.clone(), ..MemoryFilter::default() },
            MemoryFilter { scopes: scopes[1..2].to_vec(), archived: true, ..Default::default() },
            MemoryFilter { scopes, kinds: vec![Kind::Fact, Kind::Pattern], ..Default::default() },
        ];
        for filter in filters {
            for (key, order) in KEYS.iter().flat_map(|key| ORDERS.map(|order| (*key, order))) {
                let expected = sorted(&all, &filter, key, order);
                assert_eq!(store.count_memories(&filter).unwrap(), expected.len() as u64);
                for offset in (0..160).step_by(13) {
                    let paging = Paging { key, order, offset: offset as u64, limit: 13 };
                    let page = store.list_memories(&filter, paging).unwrap();
                    let part: Vec<_> = expected.iter().skip(offset).take(13).collect();
                    assert_eq!(page.items.iter().collect::<Vec<_>>(), part, "{paging:?}");
                    assert_eq!(page.total, expected.len() as u64);
                }
            }
        }
    }

    #[test]
    fn the_tally_follows_every_change() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        fill(&store, 20);
        let mut changed = memory(3, "changed");
        changed.memory.kind = Kind::Decision;
        changed.memory.archived = true;
        write(&store, Op::Replace(changed));
        let at = time::from_micros(1).unwrap();
        write(&store, Op::Rate { id: id(4), kind: Kind::GoldenRule, confidence: 0.9, at });
        write(&store, Op::Delete(id(5)));
        assert_eq!(store.health().unwrap().problems, Vec::<String>::new());
        let db = Connection::open(dir.path().join(FILE_NAME)).unwrap();
        db.execute("UPDATE memory_tally SET count = count + 1", []).unwrap();
        assert!(!store.health().unwrap().problems.is_empty());
    }
}
