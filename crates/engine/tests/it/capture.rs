//! What is kept of what was said, and what becomes of the sentences in it.

use engine::capture::{self, Captured, Interaction};
use engine::{Engine, ErrorKind, Meaning, memory, record, testing};
use model::{Kind, Layer};

use crate::{open, store};

fn said(prompt: &str, response: &str) -> Interaction {
    Interaction {
        client: "claude-code".to_owned(),
        session: Some("s1".to_owned()),
        prompt: prompt.to_owned(),
        response: response.to_owned(),
    }
}

fn record(engine: &Engine, prompt: &str, response: &str) -> Option<Captured> {
    capture::record(engine, &testing::everybody(), &said(prompt, response)).unwrap()
}

fn events(engine: &Engine) -> Vec<model::Episode> {
    record::recent(engine, &record::read_in(&testing::everybody(), None), None, 100).unwrap().0
}

fn pending(engine: &Engine) -> Vec<String> {
    let pending = capture::pending(engine, &testing::everybody()).unwrap();
    pending.into_iter().map(|one| one.candidate.found.text).collect()
}

#[test]
fn an_exchange_is_kept_once_and_nothing_becomes_a_memory_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    let prompt = "Fix the login form. We use pnpm, not npm.";
    let captured = record(&engine, prompt, "I fixed it.").unwrap();
    assert_eq!(captured.candidates, 1);
    assert_eq!(record(&engine, prompt, "I fixed it."), None);
    let events = events(&engine);
    assert_eq!((events.len(), events[0].id), (1, captured.episode));
    assert_eq!(events[0].description, format!("Prompt: {prompt} → Response: I fixed it."));
    assert_eq!(events[0].metadata["client"], "claude-code");
    assert_eq!(events[0].metadata["session"], "s1");
    let me = testing::everybody();
    assert_eq!(memory::count(&engine, &me, model::MemoryFilter::default()).unwrap(), 0);
    assert_eq!(pending(&engine), ["We use pnpm, not npm."]);
    let other = Interaction { session: Some("s2".to_owned()), ..said(prompt, "") };
    assert!(capture::record(&engine, &me, &other).unwrap().is_some());
    assert_eq!(pending(&engine).len(), 1);
}

#[test]
fn what_nobody_said_is_not_kept() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&dir, Meaning::BuiltIn);
    for prompt in [
        "",
        "yes, continue",
        "/compact",
        "<lorekeep-notes>\n- We use pnpm, not npm. [mem_1]\n</lorekeep-notes>",
        "<system-reminder>We use pnpm, not npm.</system-reminder>",
        "# AGENTS.md instructions for ./x\n\nWe use pnpm, not npm.",
    ] {
        assert_eq!(record(&engine, prompt, "ok"), None, "{prompt}");
    }
    assert!(events(&engine).is_empty() && pending(&engine).is_empty());
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    let prompt = format!(
        "Remember that the deploy key is {key}.\n<lorekeep-notes>We use x</lorekeep-notes>\n{}",
        "word ".repeat(5_000)
    );
    record(&engine, &prompt, &format!("password: hunter2 and {key}")).unwrap();
    let event = &events(&engine)[0];
    assert!(!event.description.contains(&key[..10]), "{}", event.description);
    assert!(!event.description.contains("hunter2") && !event.description.contains("We use x"));
    assert!(event.description.chars().count() < 1_100);
    assert_eq!(event.metadata["redacted"], 3);
    assert!(pending(&engine).is_empty());
}

#[test]
fn a_candidate_is_kept_where_it_belongs_with_where_it_comes_from() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    let captured =
        record(&engine, "We use pnpm, not npm. I prefer small commits.", "Noted.").unwrap();
    let ids: Vec<i64> =
        capture::pending(&engine, &me).unwrap().iter().map(|one| one.candidate.id).collect();
    let kept: Vec<_> = ids.iter().map(|id| capture::keep(&engine, &me, *id).unwrap()).collect();
    let memories: Vec<_> = kept.iter().map(|id| memory::get(&engine, &me, *id).unwrap()).collect();
    assert_eq!((memories[0].kind, memories[0].scope.layer), (Kind::Pattern, Layer::Project));
    assert_eq!((memories[1].kind, memories[1].scope.layer), (Kind::Preference, Layer::User));
    assert_eq!(memories[0].metadata["source"], "review");
    assert_eq!(memories[0].metadata["event"], captured.episode.to_string());
    assert_eq!(memories[0].thread.as_deref(), Some("s1"));
    assert!(pending(&engine).is_empty());
    let again = capture::keep(&engine, &me, ids[0]).unwrap_err();
    assert_eq!(
        (again.kind, again.to_string()),
        (ErrorKind::Conflict, "candidate 1 was kept already".to_owned())
    );
    assert_eq!(capture::drop(&engine, &me, 99).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn what_was_dropped_or_is_known_never_comes_again() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    store(&engine, Layer::Project, "We use Postgres for everything.", &[]);
    record(&engine, "We use pnpm, not npm! We use Postgres for everything.", "").unwrap();
    assert_eq!(pending(&engine), ["We use pnpm, not npm!"]);
    capture::drop(&engine, &me, 1).unwrap();
    record(&engine, "Now the header. we use pnpm,  not npm", "").unwrap();
    assert!(pending(&engine).is_empty());
}

#[test]
fn what_is_nearly_known_is_merged_if_it_says_more() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    let known = store(&engine, Layer::Project, "We use pnpm and not npm", &[]).id;
    record(&engine, "We use pnpm, not npm. I prefer tabs in Go code.", "").unwrap();
    let pending = capture::pending(&engine, &me).unwrap();
    let similar = |at: usize| pending[at].similar.as_ref().map(|memory| memory.id);
    assert_eq!((similar(0), similar(1)), (Some(known), None));
    let none = capture::merge(&engine, &me, pending[1].candidate.id).unwrap_err();
    assert!(none.to_string().contains("keep it or drop it"), "{none}");
    assert_eq!(capture::merge(&engine, &me, pending[0].candidate.id).unwrap(), known);
    assert_eq!(memory::get(&engine, &me, known).unwrap().content, "We use pnpm and not npm");
}
