//! Memories that stand against each other: what contradicts one, what it takes the place of, and what
//! it repeats.

use std::cell::OnceCell;
use std::collections::HashSet;

use model::{
    Caller, Change, Direction, Guard, Layer, Memory, MemoryId, NewEdge, Op, Relation, Scope,
};
use rank::claim::{Claims, contradiction};
use rank::terms::query_terms;
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
    /// Similarity of their meaning, 0..1.
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

/// No more conflicts of a write are told.
const CONFLICTS_MAX: usize = 3;

/// From this similarity on, a text nearly repeats another that has the same numbers.
const REPEATED_MIN: f64 = 0.93;

/// The relation of a stored memory to a text just written; the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictRelation {
    /// Not both can hold.
    Contradicts,
    /// The new text takes the place of an older one that is less sure.
    Supersedes,
    /// It says the same, or nearly.
    Duplicates,
}

/// A stored memory that a text which was just written contradicts or repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The stored memory.
    pub memory: Memory,
    /// The relation of the two.
    pub relation: ConflictRelation,
    /// Why, in a line that a person can check.
    pub reason: String,
    /// Similarity of their meaning, 0..1.
    pub similarity: f64,
}

/// The memories in the place of one just written that it contradicts or nearly repeats, the most
/// urgent first. The write is made: what cannot be found out now is no error of it.
pub fn conflicts(engine: &Engine, caller: &Caller, written: &Memory) -> Vec<Conflict> {
    find_conflicts(engine, caller, written).unwrap_or_else(|error| {
        tracing::warn!(%error, "conflicts of a memory were not looked up");
        Vec::new()
    })
}

fn find_conflicts(engine: &Engine, caller: &Caller, written: &Memory) -> Result<Vec<Conflict>> {
    let text: String = written.content.chars().take(QUERY_CHARS_MAX).collect();
    let (terms, scope) = (query_terms(&text), &written.scope);
    let serving = engine.embedders.serving(&engine.store)?;
    let ids = engine.store.overlapping(serving, scope, &terms, written.id)?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut others = engine.store.load_memories(&ids)?;
    others.retain(|other| other.scope == *scope && caller.identity.sees(&other.scope));
    // Reading a text into claims and a vector costs more than the rest, and a copy needs neither.
    let (claims, vector) = (OnceCell::new(), OnceCell::new());
    let conflict = |memory: Memory| {
        let is_copy = memory.content.trim() == written.content.trim();
        let (similarity, found) = if is_copy {
            (1.0, copied(written, &memory))
        } else {
            let vector = vector.get_or_init(|| embedded(&written.content));
            let similarity = similarity(vector.as_ref(), embedded(&memory.content).as_ref());
            let claims = claims.get_or_init(|| Claims::of(&written.content));
            (similarity, relation(written, claims, &memory, similarity)?)
        };
        let (relation, reason) = found;
        Some(Conflict { memory, relation, reason, similarity })
    };
    let mut found: Vec<Conflict> = others.into_iter().filter_map(conflict).collect();
    found.sort_by(|a, b| a.relation.cmp(&b.relation).then(b.similarity.total_cmp(&a.similarity)));
    found.truncate(CONFLICTS_MAX);
    Ok(found)
}

/// The relation of a memory with the same text to one just written, and the reason.
fn copied(written: &Memory, other: &Memory) -> (ConflictRelation, String) {
    if takes_place_of(written, other) {
        return (ConflictRelation::Supersedes, why_superseded(written, other, 1.0));
    }
    (ConflictRelation::Duplicates, "it is the same text".to_owned())
}

/// The relation of a memory to one just written, and the reason; none if they go together.
fn relation(
    written: &Memory,
    claims: &Claims,
    other: &Memory,
    similarity: f64,
) -> Option<(ConflictRelation, String)> {
    if let Some(found) = contradiction(claims, &Claims::of(&other.content)) {
        return Some((ConflictRelation::Contradicts, found.reason));
    }
    if takes_place_of(written, other) && similarity >= SAME_MIN {
        return Some((ConflictRelation::Supersedes, why_superseded(written, other, similarity)));
    }
    let (one, other_text) = (written.content.trim(), other.content.trim());
    let is_repeated = similarity >= REPEATED_MIN && numbers(one) == numbers(other_text);
    let reason = || format!("it says nearly the same (similarity {similarity:.2})");
    is_repeated.then(|| (ConflictRelation::Duplicates, reason()))
}

/// The words of a text that have a digit: two texts that differ in one are about different things.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let mut numbers: Vec<&str> =
        words.filter(|word| word.contains(|c: char| c.is_numeric())).collect();
    numbers.sort_unstable();
    numbers
}

/// Whether a memory is newer than another, and surer.
fn takes_place_of(memory: &Memory, other: &Memory) -> bool {
    other.created_at < memory.created_at && other.confidence < memory.confidence
}

fn why_superseded(memory: &Memory, older: &Memory, similarity: f64) -> String {
    format!(
        "{} is older, says much the same (similarity {similarity:.2}) and is less sure \
         (confidence {} against {})",
        older.id.prefixed(),
        older.confidence,
        memory.confidence
    )
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
    let close = |other: Memory| {
        let similarity = similarity(vector.as_ref(), embedded(&other.content).as_ref());
        (similarity >= SAME_MIN).then_some((similarity, other))
    };
    let closest = near(engine, caller, &memory, vec![memory.scope.clone()])?
        .into_iter()
        .filter(|other| takes_place_of(&memory, other))
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
    let reason = why_superseded(&memory, &older, similarity);
    Ok(Some(Superseded { id: older.id, edge_created, reason }))
}
