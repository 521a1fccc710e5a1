//! Edges between memories: one by one, and all at the rim of a walk.

use model::{Direction, Edge, Memory, MemoryId, NewEdge, Outcome, Relation, Scope};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::Store;
use crate::error::Result;
use crate::row::{MEMORY_COLUMNS, memory, memory_id, named, scope};

/// Which edges are meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgesOf {
    /// The one with this number.
    Number(i64),
    /// Those of a memory.
    Memory(MemoryId, Direction),
    /// Those from one memory to another.
    Between(MemoryId, MemoryId),
}

/// An edge, and where its ends lie.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedEdge {
    /// The edge.
    pub edge: Edge,
    /// Where the source lies.
    pub source: Scope,
    /// Where the target lies.
    pub target: Scope,
}

/// An edge by its memories' numbers in the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hop {
    /// The edge's number.
    pub id: i64,
    /// The number of the memory where it starts.
    pub source: i64,
    /// The number of the memory where it ends.
    pub target: i64,
    /// What it says.
    pub relation: Relation,
    /// How strongly.
    pub weight: f64,
}

const EDGES: &str =
    "SELECT e.id, a.id, b.id, e.relation, e.weight, p.layer, p.owner, q.layer, q.owner
     FROM memory_edge e JOIN memory a ON a.seq = e.source JOIN memory b ON b.seq = e.target
     JOIN scope p ON p.id = a.scope JOIN scope q ON q.id = b.scope";

impl Store {
    /// The edges that are meant, in the order they were drawn.
    pub fn edges(&self, of: EdgesOf) -> Result<Vec<PlacedEdge>> {
        let of_memory = |column: &str| {
            format!("{EDGES} WHERE e.{column} = (SELECT seq FROM memory WHERE id = ?1)")
        };
        self.read(|db| match of {
            EdgesOf::Number(id) => load(db, &format!("{EDGES} WHERE e.id = ?1"), params![id]),
            EdgesOf::Memory(id, Direction::Outgoing) => {
                load(db, &of_memory("source"), params![id.as_bytes()])
            }
            EdgesOf::Memory(id, Direction::Incoming) => {
                load(db, &of_memory("target"), params![id.as_bytes()])
            }
            EdgesOf::Memory(id, Direction::Both) => {
                let mut edges = load(db, &of_memory("source"), params![id.as_bytes()])?;
                edges.extend(load(db, &of_memory("target"), params![id.as_bytes()])?);
                edges.sort_by_key(|placed| placed.edge.id);
                Ok(edges)
            }
            EdgesOf::Between(source, target) => {
                let sql =
                    of_memory("source") + " AND e.target = (SELECT seq FROM memory WHERE id = ?2)";
                load(db, &sql, params![source.as_bytes(), target.as_bytes()])
            }
        })
    }

    /// The number of a memory in the store.
    pub fn key_of(&self, id: MemoryId) -> Result<Option<i64>> {
        self.read(|db| {
            let sql = "SELECT seq FROM memory WHERE id = ?1";
            Ok(db.prepare_cached(sql)?.query_row([id.as_bytes()], |row| row.get(0)).optional()?)
        })
    }

    /// At most `max` edges in each direction that touch the memories with these numbers.
    pub fn hops(
        &self,
        keys: &[i64],
        direction: Direction,
        relations: &[Relation],
        max: usize,
    ) -> Result<Vec<Hop>> {
        let columns: &[&str] = match direction {
            Direction::Outgoing => &["source"],
            Direction::Incoming => &["target"],
            Direction::Both => &["source", "target"],
        };
        let relations: Vec<&str> = relations.iter().map(|relation| relation.name()).collect();
        let (keys, relations) = (list(keys), list(&relations));
        self.read(|db| {
            let mut hops = Vec::new();
            for column in columns {
                let sql = hops_sql(column);
                let mut statement = db.prepare_cached(&sql)?;
                let found = statement.query_map(params![keys, relations, max], hop)?;
                hops.extend(found.collect::<rusqlite::Result<Vec<Hop>>>()?);
            }
            Ok(hops)
        })
    }

    /// The memories with these numbers that are there and whole, each with its number.
    pub fn load_numbered(&self, keys: &[i64]) -> Result<Vec<(i64, Memory)>> {
        let sql = format!(
            "SELECT {MEMORY_COLUMNS}, m.seq AS key FROM memory m JOIN scope s ON s.id = m.scope
             WHERE m.seq = ?1"
        );
        self.read(|db| {
            let mut load = db.prepare_cached(&sql)?;
            let row = |row: &Row<'_>| Ok((row.get("key")?, memory(row)?));
            let found = keys.iter().map(|key| load.query_row([key], row).optional());
            self.whole(found.filter_map(rusqlite::Result::transpose))
        })
    }
}

/// The edges whose `column` is one of some numbers: one search in the index for each.
pub(crate) fn hops_sql(column: &str) -> String {
    format!(
        "SELECT e.id, e.source, e.target, e.relation, e.weight
         FROM json_each(?1) n CROSS JOIN memory_edge e ON e.{column} = n.value
         WHERE e.relation IN (SELECT value FROM json_each(?2)) LIMIT ?3"
    )
}

fn list<T: serde::Serialize>(values: &[T]) -> String {
    serde_json::to_string(values).unwrap_or_default()
}

fn hop(row: &Row<'_>) -> rusqlite::Result<Hop> {
    Ok(Hop {
        id: row.get(0)?,
        source: row.get(1)?,
        target: row.get(2)?,
        relation: named(row, 3, Relation::named)?,
        weight: row.get(4)?,
    })
}

fn load(db: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<Vec<PlacedEdge>> {
    let mut statement = db.prepare_cached(sql)?;
    let edges = statement.query_map(values, |row| {
        let edge = Edge {
            id: row.get(0)?,
            source: memory_id(row, 1)?,
            target: memory_id(row, 2)?,
            relation: named(row, 3, Relation::named)?,
            weight: row.get(4)?,
        };
        Ok(PlacedEdge { edge, source: scope(row, 5)?, target: scope(row, 7)? })
    })?;
    let mut edges = edges.collect::<rusqlite::Result<Vec<_>>>()?;
    edges.sort_by_key(|placed| placed.edge.id);
    Ok(edges)
}

/// Draws an edge, or gives the one that is there a new weight.
pub(crate) fn put(db: &Connection, source: i64, target: i64, edge: &NewEdge) -> Result<Outcome> {
    let number = db
        .prepare_cached(
            "INSERT INTO memory_edge (source, target, relation, weight) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET weight = excluded.weight RETURNING id",
        )?
        .query_row(params![source, target, edge.relation.name(), edge.weight], |row| row.get(0))?;
    Ok(Outcome::Recorded(number))
}

/// Whether such an edge is there between the two, in either direction.
pub(crate) fn are_related(
    db: &Connection,
    one: MemoryId,
    other: MemoryId,
    relation: Relation,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM memory a, memory b JOIN memory_edge e
                 ON (e.source, e.target) = (a.seq, b.seq) OR (e.source, e.target) = (b.seq, a.seq)
               WHERE a.id = ?1 AND b.id = ?2 AND e.relation = ?3)";
    let values = params![one.as_bytes(), other.as_bytes(), relation.name()];
    Ok(db.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// Deletes the edges with these numbers.
pub(crate) fn remove(db: &Connection, numbers: &[i64]) -> Result<()> {
    let mut delete = db.prepare_cached("DELETE FROM memory_edge WHERE id = ?1")?;
    for number in numbers {
        delete.execute([number])?;
    }
    Ok(())
}
