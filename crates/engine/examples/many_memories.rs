//! How long it takes to look at many edges, and at the health of many memories:
//! `cargo run --release -p engine --example many_memories`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that prints figures")]

use std::time::Instant;

use engine::graph::{self, Walk};
use engine::memory::{self, Checks};
use engine::testing::{engine, everybody};
use engine::{Engine, Limits};
use model::{
    Change, Direction, IndexedMemory, Kind, Layer, Memory, MemoryId, Metadata, NewEdge, Op, Origin,
    Relation, time,
};

const MEMORIES: usize = 20_000;
const EDGES: usize = 100_000;
const NAMES: [&str; 7] = ["orion", "vega", "rigel", "deneb", "altair", "sirius", "castor"];

/// Texts of which some contradict each other.
fn text(number: usize) -> String {
    let name = NAMES[number % 7];
    match number % 4 {
        0 => format!("The timeout of service {} is {} seconds", number / 40, number % 7 + 1),
        1 => format!("Server {} runs on {name}", number / 9),
        2 => format!("Ticket {number} was closed after a review of the {name} release"),
        _ => format!("User {number} prefers {name} for the weekly report"),
    }
}

/// A memory without vectors.
fn memory(number: usize) -> IndexedMemory {
    let mut bytes = [7; 16];
    bytes[..4].copy_from_slice(&(number as u32).to_be_bytes());
    let at = time::from_micros(1_700_000_000_000_000 + number as i64).unwrap();
    let memory = Memory {
        id: MemoryId::from_random(bytes),
        scope: everybody().identity.scope(Layer::User).unwrap(),
        origin: Origin::Learning,
        kind: Kind::Fact,
        content: text(number),
        category: None,
        tags: Vec::new(),
        importance: 0.5,
        confidence: 0.3,
        metadata: Metadata::new(),
        thread: None,
        archived: false,
        access_count: 0,
        created_at: at,
        updated_at: at,
        accessed_at: at,
        revision: 1,
    };
    IndexedMemory { hash: memory::hash(&memory.content), vectors: Vec::new(), memory }
}

fn fill(engine: &Engine) -> Vec<MemoryId> {
    let memories: Vec<IndexedMemory> = (0..MEMORIES).map(memory).collect();
    let ids: Vec<MemoryId> = memories.iter().map(|new| new.memory.id).collect();
    let insert = memories.into_iter().map(|new| Op::Insert(Box::new(new)));
    let relate = (0..EDGES).map(|number| {
        let target = (number * 7919 + number / MEMORIES + 1) % MEMORIES;
        let (source, target) = (ids[number % MEMORIES], ids[target]);
        Op::Relate(NewEdge { source, target, relation: Relation::RelatesTo, weight: 0.9 })
    });
    let ops = insert.chain(relate).collect();
    assert!(engine.store().apply(Change { guards: Vec::new(), ops }).unwrap().is_done());
    ids
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), Limits::default()).unwrap();
    let ids = fill(&engine);
    let walk = Walk { depth_max: 3, direction: Direction::Both, relations: Vec::new(), decay: 0.7 };
    for id in &ids[..8] {
        let start = Instant::now();
        let graph = graph::inspect(&engine, &everybody(), *id, &walk).unwrap();
        let (nodes, edges, time) = (graph.nodes.len(), graph.edges.len(), start.elapsed());
        println!("{nodes} nodes and {edges} of {EDGES} edges, depth 3: {time:?}");
    }
    let checks = Checks { contradictions: true, low_confidence: true, stale_days: Some(30) };
    for _ in 0..3 {
        let start = Instant::now();
        let scopes = everybody().identity.scopes();
        let health = memory::health(&engine, &everybody(), scopes, checks).unwrap();
        let found = health.contradictions.map_or(0, |found| found.count);
        println!("health of {MEMORIES}, {found} contradictions: {:?}", start.elapsed());
    }
}
