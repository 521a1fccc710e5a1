//! What the caller asked of late.

use engine::memory::{explain, queries, recall};
use engine::testing::{everybody, setup};
use engine::{Engine, Meaning, Setup};
use model::{Caller, Identity, Layer, Role};
use store::QUERIES_KEPT;

use crate::{open, query};

fn named(user: &str) -> Caller {
    let identity = Identity::default().with(Layer::User, user.parse().unwrap());
    Caller::new(identity, Role::Guest)
}

/// What a fresh process sees of the queries, the latest first.
fn kept(dir: &tempfile::TempDir, caller: &Caller) -> Vec<(String, u64)> {
    let engine = open(dir, Meaning::BuiltIn);
    let kept = queries(&engine, caller).unwrap();
    kept.into_iter().map(|query| (query.text, query.times)).collect()
}

fn pairs(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected.iter().map(|(text, times)| ((*text).to_owned(), *times)).collect()
}

#[test]
fn queries_are_kept_by_person_with_how_often_they_were_asked() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    for text in ["tea", " coffee ", "tea", "", "  "] {
        recall(&engine, &named("ada"), &query(text)).unwrap();
    }
    recall(&engine, &named("bob"), &query("secret")).unwrap();
    explain(&engine, &named("ada"), &query("why"), None).unwrap();
    let nobody = Caller::new(Identity::default(), Role::Guest);
    recall(&engine, &nobody, &query("nobody's")).unwrap();
    drop(engine);
    assert_eq!(kept(&dir, &named("ada")), pairs(&[("tea", 2), ("coffee", 1)]));
    assert_eq!(kept(&dir, &named("bob")), pairs(&[("secret", 1)]));
    assert_eq!(kept(&dir, &nobody), []);
    let engine = open(&dir, Meaning::BuiltIn);
    recall(&engine, &named("ada"), &query("tea")).unwrap();
    drop(engine);
    assert_eq!(kept(&dir, &named("ada")), pairs(&[("tea", 3), ("coffee", 1)]));
}

#[test]
fn many_are_handed_over_together_and_the_oldest_give_way() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    for number in 0..QUERIES_KEPT + 100 {
        recall(&engine, &everybody(), &query(&format!("query {number}"))).unwrap();
    }
    recall(&engine, &everybody(), &query(&"ä".repeat(600))).unwrap();
    drop(engine);
    let kept = kept(&dir, &everybody());
    assert_eq!(kept.len(), QUERIES_KEPT);
    assert_eq!(kept[0].0, "ä".repeat(500), "only so much of a query is kept");
    assert_eq!(kept[1].0, format!("query {}", QUERIES_KEPT + 99));
    assert!(!kept.iter().any(|(text, _)| text == "query 100"));
}

#[test]
fn nothing_is_kept_where_that_is_not_wanted() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(&dir, Meaning::BuiltIn));
    let silent = Setup { keeps_queries: false, ..setup(Meaning::BuiltIn) };
    let reading = Setup { read_only: true, ..setup(Meaning::BuiltIn) };
    for setup in [silent, reading] {
        let engine = Engine::open(dir.path(), setup).unwrap();
        recall(&engine, &everybody(), &query("tea")).unwrap();
    }
    assert_eq!(kept(&dir, &everybody()), []);
}
