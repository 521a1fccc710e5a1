//! `lorekeep bench learning`: pages of long lists, graphs with many edges, the health of many memories.
//!
//! The stores are filled directly; then the real server is asked over its pipes by one client, one
//! call after the other.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, ensure};
use engine::{Engine, Ids};
use model::{
    Change, IndexedMemory, Kind, Layer, Memory, MemoryId, Metadata, NewEdge, Op, Origin, Relation,
    Scope, time,
};
use providers::RandomIds;
use serde_json::{Value, json};

use super::client::Client;
use super::measure::{Bound, Figure};
use super::scale;
use super::sentences::Sentences;
use super::timing::{median, millis, share, sorted};
use crate::cli::LearningArgs;
use crate::output;

/// Whose memories they are.
const USER: &str = "ada";

/// So many memories are written together.
const BATCH: usize = 5_000;

/// The short list that a long one is compared with, and how much longer its pages may take.
const SHORT: u64 = 1_000;
const WANTED_RATIO: f64 = 3.0;

/// How many memories and edges the graph has, how deep it is looked at, and how long that may take.
const GRAPH_MEMORIES: u64 = 20_000;
const GRAPH_EDGES: usize = 100_000;
const GRAPH_DEPTH: u64 = 3;
const WANTED_GRAPH: f64 = 5.0;

/// How many memories are looked at for their health, and how long that may take.
const HEALTH_MEMORIES: u64 = 10_000;
const WANTED_HEALTH: f64 = 2_000.0;

/// How often each call is made.
const CALLS: usize = 50;
const HEALTH_CALLS: usize = 5;

/// The first memory's time, and how long after it the next one comes.
const BEGIN_MICROS: i64 = 1_700_000_000_000_000;
const STEP_MICROS: i64 = 10_000_000;

pub(crate) fn run(args: &LearningArgs) -> Result<ExitCode> {
    let scratch = super::scratch(args.dir.as_deref())?;
    if cfg!(debug_assertions) {
        output::note("this is a debug build: it says little of a release build");
    }
    let mut figures = pages(scratch.path(), args.memories)?;
    figures.push(graph(&scratch.path().join("graph"))?);
    figures.push(health(&scratch.path().join("health"))?);
    super::print(&figures, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// A page of a short list and of a long one, in each order, and how many there are.
fn pages(scratch: &Path, many: u64) -> Result<Vec<Figure>> {
    let orders = ["created_at", "importance", "confidence", "last_accessed"];
    let asked = |order| ("memory_list", json!({"limit": 100, "order_by": order}));
    let mut calls: Vec<(&str, Value)> = orders.into_iter().map(asked).collect();
    calls
        .push(("memory_list", json!({"limit": 100, "namespace": "global", "memory_type": "fact"})));
    calls.push(("memory_count", json!({"memory_type": "fact"})));
    let mut medians = Vec::new();
    for count in [SHORT, many] {
        let dir = scratch.join(count.to_string());
        fill(&dir, count, sentence)?;
        let mut client = start(&dir)?;
        let times = calls.iter().map(|(tool, given)| median(&mut client, tool, given, CALLS));
        medians.push(times.collect::<Result<Vec<f64>>>()?);
    }
    let mut figures = Vec::new();
    for (at, (tool, given)) in calls.iter().enumerate() {
        let (short, long) = (medians[0][at], medians[1][at]);
        let what = format!("{tool} {given} of {many}, median");
        figures.push(Figure::new(&what, long, "ms", None));
        let wanted = Some((Bound::AtMost, WANTED_RATIO));
        figures.push(Figure::new(&format!("… / of {SHORT}"), long / short, "×", wanted));
    }
    Ok(figures)
}

fn graph(dir: &Path) -> Result<Figure> {
    let ids = fill(dir, GRAPH_MEMORIES, sentence)?;
    let edge = |number: usize| {
        let target = (number * 7919 + number / ids.len() + 1) % ids.len();
        let (source, target) = (ids[number % ids.len()], ids[target]);
        Op::Relate(NewEdge { source, target, relation: Relation::RelatesTo, weight: 0.9 })
    };
    let engine = scale::open(dir)?;
    apply(&engine, (0..GRAPH_EDGES).map(edge).collect())?;
    drop(engine);
    let mut client = start(dir)?;
    let mut times = Vec::new();
    for id in ids.iter().take(CALLS) {
        let asked = json!({"memory_id": id.prefixed(), "max_depth": GRAPH_DEPTH});
        let began = Instant::now();
        client.call("memory_inspect_graph", &asked)?;
        times.push(millis(began));
    }
    let times = sorted(times.into_iter());
    let what = format!("memory_inspect_graph, depth {GRAPH_DEPTH} of {GRAPH_EDGES} edges, median");
    Ok(Figure::new(&what, share(&times, 0.5), "ms", Some((Bound::AtMost, WANTED_GRAPH))))
}

fn health(dir: &Path) -> Result<Figure> {
    // Some of them contradict each other.
    let claim = |sentences: &Sentences, number: u64| match number % 4 {
        0 => format!("The timeout of service {} is {} seconds", number / 40, number % 7 + 1),
        1 => format!("The owner of ticket {} is on leave", number / 2),
        _ => sentences.sentence(number),
    };
    fill(dir, HEALTH_MEMORIES, claim)?;
    let mut client = start(dir)?;
    let time = median(&mut client, "memory_analyze_health", &json!({}), HEALTH_CALLS)?;
    let what = format!("memory_analyze_health of {HEALTH_MEMORIES} memories, median");
    Ok(Figure::new(&what, time, "ms", Some((Bound::AtMost, WANTED_HEALTH))))
}

fn start(dir: &Path) -> Result<Client> {
    Client::start_with(dir, &["--identity", &format!("user={USER}")])
}

fn sentence(sentences: &Sentences, number: u64) -> String {
    sentences.sentence(number)
}

/// A store with so many memories; their ids.
fn fill(dir: &Path, count: u64, text: impl Fn(&Sentences, u64) -> String) -> Result<Vec<MemoryId>> {
    let (engine, sentences) = (scale::open(dir)?, Sentences::new());
    let mut ids = Vec::new();
    for first in (0..count).step_by(BATCH) {
        let numbers = first..count.min(first + BATCH as u64);
        let memories = numbers.map(|number| memory(number, text(&sentences, number)));
        let mut ops = Vec::new();
        for memory in memories {
            ids.push(memory.id);
            let hash = engine::memory::hash(&memory.content);
            ops.push(Op::Insert(Box::new(IndexedMemory { memory, hash, vectors: Vec::new() })));
        }
        apply(&engine, ops)?;
    }
    Ok(ids)
}

fn apply(engine: &Engine, ops: Vec<Op>) -> Result<()> {
    let outcome = engine.store().apply(Change { guards: Vec::new(), ops })?;
    ensure!(outcome.is_done(), "the store answered {outcome:?}");
    Ok(())
}

fn memory(number: u64, content: String) -> Memory {
    let at = time::from_micros(BEGIN_MICROS + number as i64 * STEP_MICROS).unwrap_or_default();
    Memory {
        id: RandomIds.memory_id(),
        scope: Scope { layer: Layer::User, owner: USER.to_owned() },
        origin: Origin::Learning,
        kind: [Kind::Fact, Kind::Pattern, Kind::Session, Kind::Decision][number as usize % 4],
        content,
        category: None,
        tags: Vec::new(),
        importance: (number % 11) as f64 / 10.0,
        confidence: (number % 9) as f64 / 10.0,
        metadata: Metadata::default(),
        thread: None,
        archived: false,
        access_count: 0,
        created_at: at,
        updated_at: at,
        accessed_at: at,
        provenance: model::Provenance::UNKNOWN,
        revision: 1,
    }
}
