//! What hangs together with a memory: breadth first, one look at the store a level.

use std::collections::{HashMap, HashSet};

use model::{Caller, Direction, Edge, Memory, MemoryId, Relation};
use store::Hop;

use crate::memory::{get, not_found};
use crate::{Engine, Result};

/// No more memories than this are shown.
pub const NODES_MAX: usize = 500;

/// No more edges than this are read of one level in each direction.
const HOPS_MAX: usize = 20_000;

/// All paths together have no more steps than this; the longest are left out.
const STEPS_MAX: usize = 10_000;

/// So many memories are read at once.
const BATCH: usize = NODES_MAX;

/// How far and which way to go.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    /// No further than so many edges.
    pub depth_max: u64,
    /// Along which edges.
    pub direction: Direction,
    /// Only along these; none means all.
    pub relations: Vec<Relation>,
    /// What a step leaves of the relevance, 0..1.
    pub decay: f64,
}

/// What hangs together with a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The memories, nearest first; the first is where the walk began.
    pub nodes: Vec<Node>,
    /// The edges between them that were walked.
    pub edges: Vec<Edge>,
    /// The way to each memory but the first.
    pub paths: Vec<Path>,
    /// Whether there is more than is shown.
    pub truncated: bool,
}

/// A memory in a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The memory.
    pub memory: Memory,
    /// How many edges away.
    pub depth: u64,
    /// The product of the weights on the way, less what each step takes.
    pub relevance: f64,
}

/// The shortest way to a memory; among equals the one of the greatest weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The memories on it, both ends included.
    pub ids: Vec<MemoryId>,
    /// The relations between them.
    pub relations: Vec<Relation>,
    /// The product of the weights.
    pub weight: f64,
    /// The relevance of its end.
    pub relevance: f64,
}

/// Walks from a memory to what hangs together with it. What the caller may not see is not shown,
/// and nothing behind it.
pub fn inspect(engine: &Engine, caller: &Caller, id: MemoryId, walk: &Walk) -> Result<Graph> {
    let origin = get(engine, caller, id)?;
    let key = engine.store.key_of(id)?.ok_or_else(|| not_found(id))?;
    let mut search = Search::from(key, origin, walk);
    let mut rim = vec![key];
    for depth in 1..=walk.depth_max {
        if rim.is_empty() {
            break;
        }
        let relations = if walk.relations.is_empty() { &Relation::ALL } else { &*walk.relations };
        let hops = engine.store.hops(&rim, walk.direction, relations, HOPS_MAX)?;
        search.truncated |= hops.len() >= HOPS_MAX;
        rim = search.step(engine, caller, depth, &rim, &hops)?;
        search.hops.extend(hops.into_iter().map(|hop| (hop.id, hop)));
    }
    Ok(search.finish())
}

/// How a memory was reached.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// The place of the memory before it.
    from: usize,
    relation: Relation,
    /// The product of the weights up to here.
    weight: f64,
}

/// A walk on its way.
struct Search<'w> {
    walk: &'w Walk,
    nodes: Vec<Node>,
    /// How each node but the first was reached.
    steps: Vec<Option<Step>>,
    places: HashMap<i64, usize>,
    hidden: HashSet<i64>,
    hops: HashMap<i64, Hop>,
    truncated: bool,
}

impl<'w> Search<'w> {
    fn from(key: i64, origin: Memory, walk: &'w Walk) -> Self {
        Self {
            walk,
            nodes: vec![Node { memory: origin, depth: 0, relevance: 1.0 }],
            steps: vec![None],
            places: HashMap::from([(key, 0)]),
            hidden: HashSet::new(),
            hops: HashMap::new(),
            truncated: false,
        }
    }

    /// Takes in what the edges at the rim lead to, the strongest first; the new rim.
    fn step(
        &mut self,
        engine: &Engine,
        caller: &Caller,
        depth: u64,
        rim: &[i64],
        hops: &[Hop],
    ) -> Result<Vec<i64>> {
        let mut next: Vec<(i64, Step)> = self.reached(rim, hops).into_iter().collect();
        next.sort_by(|(a, x), (b, y)| y.weight.total_cmp(&x.weight).then(a.cmp(b)));
        let mut new_rim = Vec::new();
        for batch in next.chunks(BATCH) {
            let steps: HashMap<i64, Step> = batch.iter().copied().collect();
            let keys: Vec<i64> = batch.iter().map(|(key, _)| *key).collect();
            for (key, memory) in engine.store.load_numbered(&keys)? {
                if !caller.identity.sees(&memory.scope) {
                    self.hidden.insert(key);
                } else if self.nodes.len() == NODES_MAX {
                    self.truncated = true;
                    return Ok(new_rim);
                } else if let Some(step) = steps.get(&key) {
                    self.add(key, memory, depth, *step);
                    new_rim.push(key);
                }
            }
        }
        Ok(new_rim)
    }

    /// The memories that the edges lead to for the first time, each by its strongest edge.
    fn reached(&self, rim: &[i64], hops: &[Hop]) -> HashMap<i64, Step> {
        let rim: HashSet<i64> = rim.iter().copied().collect();
        let mut reached: HashMap<i64, Step> = HashMap::new();
        for hop in hops {
            let forth =
                (self.walk.direction != Direction::Incoming).then_some((hop.source, hop.target));
            let back =
                (self.walk.direction != Direction::Outgoing).then_some((hop.target, hop.source));
            for (from, to) in forth.into_iter().chain(back) {
                let is_new = !self.places.contains_key(&to) && !self.hidden.contains(&to);
                let Some(place) = self.places.get(&from).filter(|_| is_new && rim.contains(&from))
                else {
                    continue;
                };
                let before = self.steps[*place].map_or(1.0, |step| step.weight);
                let weight = before * hop.weight;
                let step = Step { from: *place, relation: hop.relation, weight };
                let known = reached.entry(to).or_insert(step);
                if known.weight < weight {
                    *known = step;
                }
            }
        }
        reached
    }

    fn add(&mut self, key: i64, memory: Memory, depth: u64, step: Step) {
        let hops = i32::try_from(depth).unwrap_or(i32::MAX);
        let relevance = step.weight * self.walk.decay.powi(hops);
        self.places.insert(key, self.nodes.len());
        self.nodes.push(Node { memory, depth, relevance });
        self.steps.push(Some(step));
    }

    fn finish(mut self) -> Graph {
        let id = |key: &i64| self.places.get(key).map(|place| self.nodes[*place].memory.id);
        let edge = |hop: &Hop| {
            let (source, target) = (id(&hop.source)?, id(&hop.target)?);
            Some(Edge { id: hop.id, source, target, relation: hop.relation, weight: hop.weight })
        };
        let mut edges: Vec<Edge> = self.hops.values().filter_map(edge).collect();
        edges.sort_by_key(|edge| edge.id);
        let paths = self.paths();
        Graph { nodes: self.nodes, edges, paths, truncated: self.truncated }
    }

    fn paths(&mut self) -> Vec<Path> {
        let mut paths = Vec::new();
        let mut left = STEPS_MAX;
        for place in 1..self.nodes.len() {
            let path = self.path(place);
            match left.checked_sub(path.relations.len()) {
                Some(rest) => left = rest,
                None => {
                    self.truncated = true;
                    break;
                }
            }
            paths.push(path);
        }
        paths
    }

    fn path(&self, place: usize) -> Path {
        let (mut ids, mut relations) = (vec![self.nodes[place].memory.id], Vec::new());
        let mut step = self.steps[place];
        let weight = step.map_or(1.0, |step| step.weight);
        while let Some(Step { from, relation, .. }) = step {
            ids.push(self.nodes[from].memory.id);
            relations.push(relation);
            step = self.steps[from];
        }
        ids.reverse();
        relations.reverse();
        Path { ids, relations, weight, relevance: self.nodes[place].relevance }
    }
}
