//! Why a search answered as it did.

use engine::memory::{self, Explanation, Query, Verdict, WhyNot, Within, archive, explain};
use engine::testing::everybody;
use engine::{Engine, Meaning};
use model::{Caller, Identity, Layer, MemoryId, Role};

use crate::{open, query, store};

fn why_not(engine: &Engine, query: &Query, id: MemoryId) -> WhyNot {
    explain(engine, &everybody(), query, Some(id)).unwrap().asked_about.unwrap()
}

fn verdict(engine: &Engine, query: &Query, id: MemoryId) -> Verdict {
    why_not(engine, query, id).verdict
}

fn asked(text: &str) -> Explanation {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    store(&engine, Layer::User, "The user likes dark colour themes in editors", &[]);
    store(&engine, Layer::Project, "Deploys happen on Tuesdays", &[]);
    explain(&engine, &everybody(), &query(text), None).unwrap()
}

#[test]
fn the_hits_are_those_of_the_search_and_each_has_its_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    for text in ["dark themes", "dark roast coffee", "light themes in the evening", "trains"] {
        store(&engine, Layer::User, text, &[]);
    }
    for limit in [1, 2, 10] {
        let query = Query { limit, ..query("dark theme for the editor") };
        let found = memory::recall(&engine, &everybody(), &query).unwrap();
        let explained = explain(&engine, &everybody(), &query, None).unwrap();
        let hits: Vec<_> = explained.hits.iter().map(|explained| explained.hit.clone()).collect();
        assert_eq!(
            (hits, explained.total, explained.layers),
            (found.hits, found.total, found.layers)
        );
    }
}

#[test]
fn reasons_name_the_ranks_and_the_words() {
    let explained = asked("black themes");
    assert_eq!(explained.model.as_deref(), Some("potion-base-8M-int8-v1"));
    let terms =
        [("black".to_owned(), "black".to_owned()), ("themes".to_owned(), "theme".to_owned())];
    assert_eq!(explained.terms, terms);
    assert_eq!((explained.allowed, explained.candidates), (2, explained.total));
    let first = &explained.hits[0];
    assert!(first.hit.memory.content.contains("dark colour themes"));
    assert_eq!(first.reasons.rank_by_words, Some(1));
    assert_eq!(first.reasons.rank_by_meaning, Some(1));
    let [black, themes] = &first.reasons.words[..] else { panic!("{:?}", first.reasons) };
    assert!(!black.is_held && black.likeness > 0.3 && black.likeness < 1.0, "{black:?}");
    assert!(themes.is_held && themes.likeness == 1.0, "{themes:?}");
    assert!((black.share + themes.share - 1.0).abs() < 1e-5);
    let sum = black.share * black.likeness + themes.share;
    assert!((first.hit.evidence.likeness - sum).abs() < 1e-5, "the words make the likeness");
}

#[test]
fn without_a_vector_there_is_no_model_and_no_rank_by_meaning() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::Words);
    store(&engine, Layer::User, "dark themes", &[]);
    let explained = explain(&engine, &everybody(), &query("themes"), None).unwrap();
    assert_eq!(explained.model, None);
    assert_eq!(explained.hits[0].reasons.rank_by_meaning, None);
    assert_eq!(explained.hits[0].reasons.rank_by_words, Some(1));
}

#[test]
fn what_is_not_there_and_what_is_not_the_callers_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let mine = store(&engine, Layer::User, "dark themes", &[]).id;
    let other = "other".parse().unwrap();
    let other = Caller::new(Identity::default().with(Layer::User, other), Role::Admin);
    let ask = |id| {
        let about = explain(&engine, &other, &query("dark themes"), Some(id)).unwrap().asked_about;
        let WhyNot { verdict, scored, .. } = about.unwrap();
        (verdict, scored)
    };
    assert_eq!(ask(mine), (Verdict::Unknown, None));
    assert_eq!(ask(MemoryId::from_random([9; 16])), (Verdict::Unknown, None));
}

#[test]
fn what_a_filter_keeps_out_is_named_before_anything_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let id = store(&engine, Layer::Project, "dark themes", &["look"]).id;
    let dark = query("dark themes");
    let elsewhere = Query { within: Within::Layers(vec![Layer::User]), ..dark.clone() };
    assert_eq!(verdict(&engine, &elsewhere, id), Verdict::OtherLayer(Layer::Project));
    let tagged = |tag: &str| Query { tags_any: vec![tag.to_owned()], ..dark.clone() };
    assert_eq!(verdict(&engine, &tagged("feel"), id), Verdict::NoTag);
    assert_eq!(verdict(&engine, &tagged("look"), id), Verdict::Hit { place: 1 });
    archive(&engine, &everybody(), id).unwrap();
    assert_eq!(verdict(&engine, &elsewhere, id), Verdict::Archived);
}

#[test]
fn what_becomes_of_a_candidate_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let first = store(&engine, Layer::User, "deploy on Tuesday", &[]).id;
    let second = store(&engine, Layer::Team, "deploy on Friday", &[]).id;
    let same = store(&engine, Layer::Project, " deploy on Tuesday\n", &[]).id;
    let mute = store(&engine, Layer::Company, "🦀🦀🦀", &[]).id;
    let deploy = query("deploy on Tuesday");
    assert_eq!(verdict(&engine, &deploy, first), Verdict::Hit { place: 1 });
    assert_eq!(verdict(&engine, &deploy, second), Verdict::Hit { place: 2 });
    assert_eq!(verdict(&engine, &deploy, same), Verdict::SameText { id: first, place: 1 });
    assert_eq!(verdict(&engine, &deploy, mute), Verdict::NothingSpeaks);
    let short = Query { limit: 1, ..deploy.clone() };
    let beyond = why_not(&engine, &short, second);
    assert_eq!(beyond.verdict, Verdict::Beyond { place: 2, limit: 1 });
    let scored = beyond.scored.unwrap();
    assert_eq!(scored.reasons.words.len(), 2, "its words are told though it is no hit");
    let strict = Query { floor: 0.99, ..deploy };
    let below = verdict(&engine, &strict, second);
    assert_eq!(below, Verdict::Below { relevance: scored.relevance, floor: 0.99 });
}

#[test]
fn where_many_compete_it_is_told_that_others_had_more() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    for number in 0..1_200 {
        store(&engine, Layer::User, &format!("deploy {number}"), &[]);
    }
    let text = "The cook had nothing left to deploy but carrots, onions and a very old fish";
    let id = store(&engine, Layer::Project, text, &[]).id;
    let deploy = query("deploy");
    let Verdict::NoCandidate(evidence) = verdict(&engine, &deploy, id) else {
        panic!("{:?}", verdict(&engine, &deploy, id))
    };
    assert_eq!(evidence.coverage, 1.0);
    let mute = store(&engine, Layer::Company, "🦀🦀🦀", &[]).id;
    assert_eq!(verdict(&engine, &deploy, mute), Verdict::NothingSpeaks);
    let explained = explain(&engine, &everybody(), &deploy, None).unwrap();
    assert_eq!(explained.allowed, 1_202);
    assert!(explained.candidates < 1_202);
}
