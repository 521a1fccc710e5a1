//! Memories that grow surer with use: races, time, edges, and how long looking at many takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use engine::graph;
use engine::memory::{self, Checks, Narrow, Query, Within};
use engine::practice::{self, Told};
use engine::testing::{CountingIds, everybody, setup};
use engine::{Clock, Engine, Meaning, Setup};
use model::{Direction, EventKind, Layer, MemoryId, NewEdge, Relation, Timestamp, time};

use crate::{open, store};

/// A clock that a test moves.
#[derive(Clone, Default)]
struct HandClock(Arc<AtomicI64>);

impl HandClock {
    fn pass_days(&self, days: i64) {
        self.0.fetch_add(days * 24 * 3600 * 1_000_000, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        time::from_micros(1_800_000_000_000_000 + self.0.load(Ordering::Relaxed)).unwrap()
    }
}

fn with_clock(dir: &tempfile::TempDir, clock: &HandClock, made: u64) -> Engine {
    let (clock, ids) = (Box::new(clock.clone()), Box::new(CountingIds::behind(made)));
    Engine::open(dir.path(), Setup { clock, ids, ..setup(Meaning::BuiltIn) }).unwrap()
}

fn history(engine: &Engine, id: MemoryId) -> practice::History {
    practice::history(engine, &everybody(), id, None, 100).unwrap()
}

#[test]
fn validators_that_race_lose_no_step() {
    let dir = tempfile::tempdir().unwrap();
    let engines = [open(&dir, Meaning::BuiltIn), open(&dir, Meaning::BuiltIn)];
    let id = store(&engines[0], Layer::User, "tabs", &[]).id;
    for _ in 0..2 {
        practice::validate(&engines[0], &everybody(), id, false, None).unwrap();
    }
    std::thread::scope(|scope| {
        for engine in engines.iter().chain(&engines).chain(&engines[..1]) {
            scope.spawn(move || {
                for _ in 0..2 {
                    let told = Told::default();
                    practice::validate(engine, &everybody(), id, true, Some(&told)).unwrap();
                }
            });
        }
    });
    let memory = memory::get(&engines[0], &everybody(), id).unwrap();
    assert_eq!(memory.confidence, 1.0);
    assert_eq!(history(&engines[1], id).counts.succeeded, 10);
    assert_eq!(history(&engines[1], id).events.len(), 10);
}

#[test]
fn racing_supersedes_halve_once() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let old = store(&engine, Layer::User, "old", &[]).id;
    let new = store(&engine, Layer::User, "new", &[]).id;
    let edge = NewEdge { source: new, target: old, relation: Relation::Supersedes, weight: 1.0 };
    let drawn: Vec<graph::Drawn> = std::thread::scope(|scope| {
        let draw = || scope.spawn(|| graph::relate(&engine, &everybody(), &edge).unwrap());
        let threads: Vec<_> = (0..4).map(|_| draw()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(drawn.iter().filter(|drawn| drawn.is_new).count(), 1);
    assert!(drawn.iter().all(|other| other.id == drawn[0].id));
    let importance = memory::get(&engine, &everybody(), old).unwrap().importance;
    assert_eq!(importance, 0.25);
}

#[test]
fn contradictions_found_from_both_sides_at_once_have_one_edge() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let one = store(&engine, Layer::User, "The cache is enabled in production", &[]).id;
    let other = store(&engine, Layer::User, "The cache is disabled in production", &[]).id;
    let created: usize = std::thread::scope(|scope| {
        let detect = |id| {
            let engine = &engine;
            scope.spawn(move || {
                memory::contradictions(engine, &everybody(), id, 0.7, true).unwrap().edges_created
            })
        };
        let threads = [detect(one), detect(other), detect(one), detect(other)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(created, 1);
    let deleted = graph::unrelate(
        &engine,
        &everybody(),
        graph::Unwanted::Memory(one, Direction::Both),
        Some(Relation::Contradicts),
    );
    assert_eq!(deleted.unwrap().len(), 1);
}

#[test]
fn what_is_not_used_is_stale_unless_it_is_a_golden_rule() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), HandClock::default());
    let engine = with_clock(&dir, &clock, 0);
    let forgotten = store(&engine, Layer::User, "invoices are paid on fridays", &[]);
    let validated = store(&engine, Layer::User, "deploys go through staging", &[]);
    let recalled = store(&engine, Layer::User, "the kettle is blue", &[]);
    let golden = store(&engine, Layer::User, "always write a test first", &[]);
    for _ in 0..6 {
        practice::validate(&engine, &everybody(), golden.id, true, None).unwrap();
    }
    clock.pass_days(20);
    practice::validate(&engine, &everybody(), validated.id, true, None).unwrap();
    let query = Query {
        text: "blue kettle".into(),
        within: Within::Own,
        tags_any: Vec::new(),
        floor: 0.6,
        limit: 1,
    };
    let hits =
        memory::recall_among(&engine, &everybody(), &query, &Narrow::default()).unwrap().hits;
    assert_eq!(hits[0].memory.id, recalled.id);
    // A reading is noted without waiting; the end of an engine does wait.
    drop(engine);
    let engine = with_clock(&dir, &clock, 10);
    let stale = |days: u64| {
        let checks =
            Checks { contradictions: false, low_confidence: false, stale_days: Some(days) };
        let scopes = everybody().identity.scopes();
        let health = memory::health(&engine, &everybody(), scopes, checks).unwrap();
        let stale = health.stale.unwrap();
        assert_eq!(health.score, 100 - stale.count as u64);
        stale.shown.into_iter().map(|vital| vital.id).collect::<Vec<_>>()
    };
    assert_eq!(stale(30), []);
    clock.pass_days(11);
    assert_eq!(stale(30), [forgotten.id]);
    assert_eq!(stale(31), []);
    clock.pass_days(20);
    assert_eq!(stale(30), [forgotten.id, validated.id, recalled.id]);
}

#[test]
fn events_and_edges_go_with_their_memory() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let one = store(&engine, Layer::User, "one", &[]).id;
    let two = store(&engine, Layer::User, "two", &[]).id;
    let edge = NewEdge { source: one, target: two, relation: Relation::CausedBy, weight: 1.0 };
    let edge = graph::relate(&engine, &everybody(), &edge).unwrap().id;
    practice::apply(&engine, &everybody(), two, Told::default()).unwrap();
    assert_eq!(history(&engine, two).events[0].kind, EventKind::Applied);
    memory::forget(&engine, &everybody(), two).unwrap();
    assert_eq!(engine.store().events(two, None, 10).unwrap(), []);
    assert_eq!(engine.store().edges(store::EdgesOf::Number(edge)).unwrap(), []);
    assert_eq!(engine.store().health().unwrap().problems, Vec::<String>::new());
}
