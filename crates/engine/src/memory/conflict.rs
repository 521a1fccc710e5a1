//! Memories that stand against each other: what contradicts one, and what it takes the place of.

use std::collections::HashSet;

use model::{
    Caller, Change, Direction, Guard, Layer, Memory, MemoryId, NewEdge, Op, Relation, Scope,
};
use rank::claim::{Claims, contradiction};
use store::EdgesOf;

use super::recall::{Query, Within, nearest};
use super::{DECISIONS_MAX, access, embedded, overtaken, similarity};
use crate::embedders::By;
use crate::{Engine, Result, graph, scope};

/// So many memories that are nearest by words and meaning are compared with one.
const NEAR_MAX: usize = 200;

/// No more characters of a text are searched for.
const QUERY_CHARS_MAX: usize = 2_000;

/// From this similarity on, one memory can take the place of another.
const SAME_MIN: f64 = 0.8;

/// A memory that cannot hold together with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Opponent {
    /// The memory.
    pub memory: Memory,
    /// How much the two mean the same, 0..1.
    pub similarity: f64,
    /// Why not both can hold, in a line that a person can check.
    pub reason: String,
}

/// What contradicts a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradictions {
    /// The memories that do, the most similar first.
    pub found: Vec<Opponent>,
    /// How many edges were drawn.
    pub edges_created: usize,
}

/// Whether what lies in one place can contradict what lies in the other: two projects are worlds
/// apart.
pub(super) fn are_comparable(one: &Scope, other: &Scope) -> bool {
    one == other || one.layer != Layer::Project || other.layer != Layer::Project
}

/// Finds what contradicts a memory, among those that mean at least so much the same or claim
/// something of the same subject and attribute. `draws` an edge to each, once in either direction.
pub fn contradictions(
    engine: &Engine,
    caller: &Caller,
    id: MemoryId,
    similarity_min: f64,
    draws: bool,
) -> Result<Contradictions> {
    let memory = access::get(engine, caller, id)?;
    let mut scopes = scope::open(engine, caller)?;
    scopes.retain(|scope| are_comparable(scope, &memory.scope));
    let (claims, vector) = (Claims::of(&memory.content), embedded(&memory.content));
    let mut found: Vec<Opponent> = near(engine, caller, &memory, scopes)?
        .into_iter()
        .filter_map(|other| {
            let theirs = Claims::of(&other.content);
            let similarity = similarity(vector.as_ref(), embedded(&other.content).as_ref());
            let is_about_the_same = || theirs.keys().iter().any(|key| claims.keys().contains(key));
            if similarity < similarity_min && !is_about_the_same() {
                return None;
            }
            let reason = contradiction(&claims, &theirs)?.reason;
            Some(Opponent { memory: other, similarity, reason })
        })
        .collect();
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let edges_created = if draws { draw(engine, id, &found)? } else { 0 };
    Ok(Contradictions { found, edges_created })
}

/// The memories in these places that are nearest to this one, itself aside.
fn near(
    engine: &Engine,
    caller: &Caller,
    memory: &Memory,
    scopes: Vec<Scope>,
) -> Result<Vec<Memory>> {
    let query = Query {
        text: memory.content.chars().take(QUERY_CHARS_MAX).collect(),
        within: Within::Scopes(scopes),
        tags_any: Vec::new(),
        floor: 0.0,
        limit: NEAR_MAX,
    };
    let mut others = nearest(engine, caller, &query, By::BuiltIn)?;
    others.retain(|other| other.id != memory.id);
    Ok(others)
}

/// Draws an edge to each opponent that has none yet; how many.
fn draw(engine: &Engine, id: MemoryId, found: &[Opponent]) -> Result<usize> {
    for _ in 0..DECISIONS_MAX {
        let edges = engine.store.edges(EdgesOf::Memory(id, Direction::Both))?.into_iter();
        let known: HashSet<MemoryId> = edges
            .map(|placed| placed.edge)
            .filter(|edge| edge.relation == Relation::Contradicts)
            .flat_map(|edge| [edge.source, edge.target])
            .collect();
        let mut change = Change::default();
        for opponent in found.iter().filter(|opponent| !known.contains(&opponent.memory.id)) {
            let (target, relation) = (opponent.memory.id, Relation::Contradicts);
            change.guards.push(Guard::Unrelated { one: id, other: target, relation });
            let weight = opponent.similarity;
            change.ops.push(Op::Relate(NewEdge { source: id, target, relation, weight }));
        }
        let drawn = change.ops.len();
        if drawn == 0 || engine.apply(change)?.is_done() {
            return Ok(drawn);
        }
    }
    Err(overtaken(id))
}

/// An older memory that another takes the place of.
#[derive(Debug, Clone, PartialEq)]
pub struct Superseded {
    /// The older one.
    pub id: MemoryId,
    /// Whether an edge was drawn that was not there.
    pub edge_created: bool,
    /// Why, in a line that a person can check.
    pub reason: String,
}

/// The closest older memory in the same place that says much the same and is less sure. `draws` the
/// edge.
pub fn supersedes(
    engine: &Engine,
    caller: &Caller,
    id: MemoryId,
    draws: bool,
) -> Result<Option<Superseded>> {
    let memory = access::get(engine, caller, id)?;
    let vector = embedded(&memory.content);
    let weaker = |other: &Memory| {
        other.created_at < memory.created_at && other.confidence < memory.confidence
    };
    let close = |other: Memory| {
        let similarity = similarity(vector.as_ref(), embedded(&other.content).as_ref());
        (similarity >= SAME_MIN).then_some((similarity, other))
    };
    let closest = near(engine, caller, &memory, vec![memory.scope.clone()])?
        .into_iter()
        .filter(weaker)
        .filter_map(close)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let Some((similarity, older)) = closest else { return Ok(None) };
    let edge_created = draws && {
        let (source, target) = (id, older.id);
        let edge = NewEdge { source, target, relation: Relation::Supersedes, weight: similarity };
        let edges = engine.store.edges(EdgesOf::Between(source, target))?;
        let is_known = edges.iter().any(|placed| placed.edge.relation == edge.relation);
        !is_known && graph::relate(engine, caller, &edge)?.is_new
    };
    let reason = format!(
        "{} is older, says much the same (similarity {similarity:.2}) and is less sure \
         (confidence {} against {})",
        older.id.prefixed(),
        older.confidence,
        memory.confidence
    );
    Ok(Some(Superseded { id: older.id, edge_created, reason }))
}
