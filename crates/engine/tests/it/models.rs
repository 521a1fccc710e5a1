//! From one model to another: filled, tried, completed, and used by the next search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::check::{Check, Trial, check};
use engine::index::{self, Progress};
use engine::memory::{explain, recall};
use engine::testing::{CountingIds, FakeModel, everybody, setup};
use engine::{Calibration, Engine, Meaning, Setup};
use model::{Layer, MemoryId};

use crate::{open, query, store};

const BUILT_IN: &str = "potion-base-8M-int8-v1";

/// Words of nobody's language but the fake model's, and one that it takes for something else.
const WORDS: &[(&str, &str)] =
    &[("zorblax", "database"), ("quindle", "holiday"), ("python", "holiday")];

fn fake() -> FakeModel {
    FakeModel { words: WORDS, ..FakeModel::default() }
}

fn with(model: &FakeModel) -> Meaning {
    Meaning::Model(Box::new(model.clone()))
}

fn on(_: &str, _: Progress) -> bool {
    true
}

/// The model that a search compares with, and the text it finds first.
fn search(engine: &Engine, text: &str) -> (String, String) {
    let explained = explain(engine, &everybody(), &query(text), None).unwrap();
    let first = explained.hits.first().map(|found| found.hit.memory.content.clone());
    (explained.model.unwrap_or_default(), first.unwrap_or_default())
}

/// A store of a person who has used the built-in model so far.
fn filled(dir: &tempfile::TempDir) -> Vec<MemoryId> {
    let engine = open(dir, Meaning::BuiltIn);
    let texts = ["PostgreSQL database", "vacation in Norway", "the database of birds", "bicycle"];
    texts.map(|text| store(&engine, Layer::User, text, &[]).id).to_vec()
}

fn tried(engine: &Engine, trials: &[Trial]) -> Check {
    check(engine, engine, &everybody(), trials).unwrap()
}

#[test]
fn a_model_is_filled_tried_completed_and_then_searched() {
    let dir = tempfile::tempdir().unwrap();
    let ids = filled(&dir);
    let model = fake();
    let engine = open(&dir, with(&model));
    assert_eq!(search(&engine, "quindle").0, BUILT_IN, "nothing is there of the new one");

    let mut told = Vec::new();
    let is_done = index::fill(&engine, |model, progress| {
        told.push((model.to_owned(), progress));
        true
    });
    assert_eq!(is_done, Ok(true));
    assert_eq!(told, [(FakeModel::ID.to_owned(), Progress { done: 4, all: 4 })]);
    assert_eq!(search(&engine, "quindle").0, BUILT_IN, "filled, but not switched");

    let trials = [
        Trial { text: "quindle".into(), wanted: vec![ids[1]] },
        Trial { text: "zorblax".into(), wanted: Vec::new() },
    ];
    let tried = tried(&engine, &trials);
    assert_eq!(tried.old.as_deref(), Some(BUILT_IN));
    assert_eq!(tried.new.as_deref(), Some(FakeModel::ID));
    assert_eq!((tried.queries, tried.wanted, tried.found_by_new), (2, 1, 1));
    assert_eq!(search(&engine, "quindle").0, BUILT_IN, "tried, but not switched");
    assert!(
        !engine.store().models().unwrap().iter().any(|m| m.name == FakeModel::ID && m.complete)
    );

    index::complete(&engine, on).unwrap();
    assert_eq!(search(&engine, "quindle"), (FakeModel::ID.into(), "vacation in Norway".into()));
    assert_eq!(search(&open(&dir, with(&model)), "zorblax").0, FakeModel::ID);
    assert_eq!(search(&open(&dir, Meaning::BuiltIn), "zorblax").0, BUILT_IN);
}

#[test]
fn a_check_counts_what_is_found_and_names_what_went_and_came() {
    let dir = tempfile::tempdir().unwrap();
    let mut ids = filled(&dir);
    let setup = Setup { ids: Box::new(CountingIds::behind(100)), ..setup(with(&fake())) };
    let engine = Engine::open(dir.path(), setup).unwrap();
    // Ten that the built-in model takes for what is meant.
    for number in 0..10 {
        let text = format!("ruby scripts and java programs, part {number}");
        ids.push(store(&engine, Layer::Team, &text, &[]).id);
    }
    index::fill(&engine, on).unwrap();
    let trial = |text: &str, wanted| Trial { text: text.into(), wanted };
    let asked = [trial("python", vec![ids[1]]), trial("bicycle", vec![ids[3]])];
    let found = tried(&engine, &asked);
    assert_eq!((found.wanted, found.found_by_old, found.found_by_new), (2, 1, 2), "{found:#?}");
    let changed = &found.changed[0];
    assert_eq!(changed.text, "python");
    assert!(changed.come.iter().any(|memory| memory.id == ids[1]), "{changed:#?}");
    assert_eq!(changed.gone.len(), changed.come.len());
    assert!(found.overlap < 1.0 && found.overlap > 0.0);

    index::complete(&engine, on).unwrap();
    let after = tried(&engine, &asked);
    assert_eq!(after.old.as_deref(), Some(BUILT_IN), "the other one, once it is switched");
    assert_eq!((after.found_by_old, after.found_by_new), (1, 2));

    let same = open(&dir, Meaning::BuiltIn);
    let same = tried(&same, &asked);
    assert_eq!((same.overlap, same.changed.len()), (1.0, 0), "no model but one");
    assert_eq!(same.old, same.new);
}

#[test]
fn no_queries_are_no_change_and_trying_notes_none() {
    let dir = tempfile::tempdir().unwrap();
    filled(&dir);
    let engine = open(&dir, with(&fake()));
    index::fill(&engine, on).unwrap();
    assert_eq!(tried(&engine, &[]).overlap, 1.0);
    tried(&engine, &[Trial { text: "bicycle".into(), wanted: Vec::new() }]);
    drop(engine);
    let engine = open(&dir, Meaning::BuiltIn);
    assert_eq!(engine::memory::queries(&engine, &everybody()).unwrap(), []);
}

#[test]
fn what_is_cut_off_goes_on_where_it_was_and_the_old_index_serves_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    for number in 0..600 {
        store(&engine, Layer::User, &format!("holiday number {number}"), &[]);
    }
    drop(engine);
    let model = fake();
    let engine = open(&dir, with(&model));
    let mut steps = Vec::new();
    index::complete(&engine, |_, progress| {
        steps.push(progress);
        false
    })
    .unwrap();
    assert_eq!(steps, [Progress { done: 256, all: 600 }]);
    assert_eq!(search(&engine, "quindle").0, BUILT_IN);
    drop(engine);

    let before = model.embedded.load(Ordering::Relaxed);
    let engine = open(&dir, with(&model));
    assert_eq!(search(&engine, "holiday number 7").0, BUILT_IN, "after a restart too");
    steps.clear();
    index::complete(&engine, |_, progress| {
        steps.push(progress);
        true
    })
    .unwrap();
    assert_eq!(steps, [Progress { done: 256, all: 344 }, Progress { done: 344, all: 344 }]);
    assert_eq!(model.embedded.load(Ordering::Relaxed) - before, 344, "none twice");
    assert_eq!(search(&engine, "quindle").0, FakeModel::ID);
}

#[test]
fn what_an_engine_without_the_model_writes_gets_its_vector_from_one_that_has_it() {
    let dir = tempfile::tempdir().unwrap();
    filled(&dir);
    let keeping = Setup { keeps_index: true, ..setup(with(&fake())) };
    let first = Engine::open(dir.path(), keeping).unwrap();
    index::complete(&first, on).unwrap();
    let other = Setup { ids: Box::new(CountingIds::behind(100)), ..setup(Meaning::BuiltIn) };
    let second = Engine::open(dir.path(), other).unwrap();
    store(&second, Layer::Team, "holiday in Rome", &[]);
    let lacking = || second.store().count_unembedded(FakeModel::ID).unwrap();
    assert_eq!(lacking(), 1);
    assert_eq!(search(&first, "holiday in Rome").1, "holiday in Rome", "its words find it at once");
    let until = Instant::now() + Duration::from_secs(30);
    while lacking() > 0 {
        assert!(Instant::now() < until, "the keeper should have seen it");
        std::thread::sleep(Duration::from_millis(50));
    }
    let by_meaning = recall(&first, &everybody(), &query("quindle")).unwrap();
    let rome = by_meaning.hits.iter().find(|hit| hit.memory.content == "holiday in Rome").unwrap();
    assert!(rome.evidence.cosine.is_some_and(|cosine| cosine > 0.5), "{:?}", rome.evidence);
}

#[test]
fn a_model_out_of_reach_costs_nothing_but_its_vectors_until_it_is_back() {
    let dir = tempfile::tempdir().unwrap();
    filled(&dir);
    let fails = Arc::new(AtomicBool::new(false));
    let model =
        FakeModel { fails: Arc::clone(&fails), embedded: Arc::new(AtomicU64::new(0)), ..fake() };
    let setup = Setup { ids: Box::new(CountingIds::behind(100)), ..setup(with(&model)) };
    let engine = Engine::open(dir.path(), setup).unwrap();
    index::complete(&engine, on).unwrap();
    assert_eq!(search(&engine, "quindle").0, FakeModel::ID);

    fails.store(true, Ordering::Relaxed);
    store(&engine, Layer::Team, "holiday in Rome", &[]);
    assert_eq!(search(&engine, "holiday in Rome"), (BUILT_IN.into(), "holiday in Rome".into()));
    let error = index::complete(&engine, on).unwrap_err();
    assert_eq!(error.kind, engine::ErrorKind::Outside);
    let trial = [Trial { text: "quindle".into(), wanted: Vec::new() }];
    assert!(check(&engine, &engine, &everybody(), &trial).is_err(), "a check is not about another");

    fails.store(false, Ordering::Relaxed);
    assert_eq!(engine.store().count_unembedded(FakeModel::ID).unwrap(), 1);
    index::complete(&engine, on).unwrap();
    assert_eq!(search(&engine, "quindle").0, FakeModel::ID);
    assert_eq!(engine.store().count_unembedded(FakeModel::ID).unwrap(), 0);
}

#[test]
fn what_nobody_knows_of_a_model_is_found_out_on_our_pairs() {
    let dir = tempfile::tempdir().unwrap();
    filled(&dir);
    let model = FakeModel { is_unweighed: true, words: &[], ..FakeModel::default() };
    let engine = open(&dir, with(&model));
    index::complete(&engine, on).unwrap();
    let written = engine.store().calibration(FakeModel::ID).unwrap().unwrap();
    let (found, known) = (written.parse::<Calibration>().unwrap(), Calibration::BUILT_IN);
    let is_near = |a: f32, b: f32| (a - b).abs() < 0.2;
    assert!(is_near(found.cosine, known.cosine) && is_near(found.words, known.words), "{written}");
}
