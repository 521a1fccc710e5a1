//! The verbs on edges between memories: relate, unrelate, inspect.

mod inspect;

use model::{Caller, Change, Direction, Edge, Guard, MemoryId, NewEdge, Op, Outcome, Relation};
use store::{EdgesOf, PlacedEdge};

use crate::memory::{DECISIONS_MAX, get, overtaken};
use crate::{Engine, Error, ErrorKind, Result};

pub use inspect::{Graph, NODES_MAX, Node, Path, Walk, inspect};

/// What became of an edge that was to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    /// The edge's number.
    pub id: i64,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Draws an edge, or gives the one that is there a new weight. What is superseded for the first
/// time by this memory matters half as much from then on.
pub fn relate(engine: &Engine, caller: &Caller, new: &NewEdge) -> Result<Drawn> {
    if new.source == new.target {
        let text = format!("memory {} cannot relate to itself", new.source.prefixed());
        return Err(Error::new(ErrorKind::InvalidValue, text));
    }
    for _ in 0..DECISIONS_MAX {
        get(engine, caller, new.source)?;
        let target = get(engine, caller, new.target)?;
        let between = engine.store.edges(EdgesOf::Between(new.source, new.target))?;
        let is_new = !between.iter().any(|placed| placed.edge.relation == new.relation);
        let mut change = Change::default();
        if is_new && new.relation == Relation::Supersedes {
            // The target changes with the first such edge, so its revision tells who was first.
            let (id, revision) = (target.id, target.revision);
            change.guards.push(Guard::Unchanged { id, revision });
            change.ops.push(Op::Weigh { id, importance: target.importance / 2.0 });
        }
        change.ops.push(Op::Relate(new.clone()));
        if let Outcome::Recorded(id) = engine.apply(change)? {
            return Ok(Drawn { id, is_new });
        }
    }
    Err(overtaken(new.target))
}

/// Which edges are to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwanted {
    /// The one with this number.
    Number(i64),
    /// Those of a memory.
    Memory(MemoryId, Direction),
    /// Those from one memory to another.
    Between(MemoryId, MemoryId),
}

/// Deletes the edges that are meant, of one relation or of all; their numbers. An edge with an end
/// that the caller may not see does not exist for it.
pub fn unrelate(
    engine: &Engine,
    caller: &Caller,
    unwanted: Unwanted,
    relation: Option<Relation>,
) -> Result<Vec<i64>> {
    let of = match unwanted {
        Unwanted::Number(number) => EdgesOf::Number(number),
        Unwanted::Memory(id, direction) => EdgesOf::Memory(get(engine, caller, id)?.id, direction),
        Unwanted::Between(source, target) => {
            EdgesOf::Between(get(engine, caller, source)?.id, get(engine, caller, target)?.id)
        }
    };
    let sees = |placed: &PlacedEdge| {
        caller.identity.sees(&placed.source) && caller.identity.sees(&placed.target)
    };
    let edges = engine.store.edges(of)?.into_iter().filter(sees);
    let edges: Vec<Edge> = edges.map(|placed| placed.edge).collect();
    if let (Unwanted::Number(number), true) = (unwanted, edges.is_empty()) {
        return Err(Error::new(ErrorKind::NotFound, format!("Edge not found: {number}")));
    }
    let is_meant = |edge: &&Edge| relation.is_none_or(|relation| edge.relation == relation);
    let numbers: Vec<i64> = edges.iter().filter(is_meant).map(|edge| edge.id).collect();
    if !numbers.is_empty() {
        engine.apply(Change::of(Op::Unrelate(numbers.clone())))?;
    }
    Ok(numbers)
}
