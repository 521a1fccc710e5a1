//! What is put before a prompt, and at the start of a session.

use engine::brief::{at_start, for_prompt};
use engine::record::{NewRecord, record, write_in};
use engine::{Engine, Meaning, memory, practice, testing};
use model::{Caller, Layer, Phase, RecordKind};

use crate::{open, store};

fn decide(engine: &Engine, title: &str, rationale: &str) -> String {
    let new = NewRecord {
        namespace: write_in(&testing::everybody(), None).unwrap(),
        kind: RecordKind::Decision,
        title: title.to_owned(),
        target: "store".to_owned(),
        rationale: rationale.to_owned(),
        consequences: Vec::new(),
        confidence: 0.8,
        phase: Phase::Pattern,
    };
    match record(engine, &testing::everybody(), &new).unwrap() {
        engine::record::Recorded::Created(record) => record.id.to_string(),
        other => panic!("{other:?}"),
    }
}

fn golden(engine: &Engine, content: &str) -> String {
    let me = testing::everybody();
    let id = store(engine, Layer::User, content, &[]).id;
    for _ in 0..6 {
        practice::validate(engine, &me, id, true, None).unwrap();
    }
    assert!(memory::get(engine, &me, id).unwrap().is_golden());
    id.prefixed()
}

#[test]
fn decisions_are_told_to_who_may_read_them() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    decide(&engine, "Deploy the web shop by blue-green switch", "No downtime for users");
    let prompt = "How do we deploy the web shop?";
    let afar = Caller::from_afar(me.identity.clone(), me.role);
    for (caller, is_told) in [(&me, true), (&afar, false)] {
        let briefs = [for_prompt(&engine, caller, prompt, 1_500), at_start(&engine, caller, 1_500)];
        for brief in briefs {
            let told = brief.unwrap().is_some_and(|brief| brief.text.contains("blue-green"));
            assert_eq!(told, is_told);
        }
    }
}

#[test]
fn a_prompt_gets_what_has_to_do_with_it_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    assert_eq!(for_prompt(&engine, &me, "How do we deploy the web shop?", 1_500).unwrap(), None);
    let deploy = store(&engine, Layer::Project, "We deploy the web shop on Tuesdays", &[]).id;
    store(&engine, Layer::User, "The cat sleeps on the sofa", &[]);
    let rule = golden(&engine, "Never deploy the web shop on a Friday");
    let decision =
        decide(&engine, "Deploy the web shop by blue-green switch", "No downtime for users");
    let brief = for_prompt(&engine, &me, "How do we deploy the web shop?", 1_500).unwrap().unwrap();
    let lines: Vec<&str> = brief.text.lines().collect();
    assert_eq!((lines[0], brief.notes), ("<lorekeep-notes>", 3));
    assert!(lines[1].contains("not instructions"), "{}", lines[1]);
    assert_eq!(
        lines[3..],
        [
            "Golden rules:",
            &format!("- Never deploy the web shop on a Friday [{rule}, 2026-01-01]"),
            "",
            "Decisions:",
            &format!(
                "- Deploy the web shop by blue-green switch (decision): No downtime for users \
             [{decision}, 2026-01-01]"
            ),
            "",
            "Memories:",
            &format!("- We deploy the web shop on Tuesdays [{}, 2026-01-01]", deploy.prefixed()),
            "</lorekeep-notes>",
        ]
    );
    assert_eq!(for_prompt(&engine, &me, "yes, continue", 1_500).unwrap(), None);
    assert_eq!(for_prompt(&engine, &me, "Water the plants in the kitchen", 1_500).unwrap(), None);
}

#[test]
fn one_sentence_of_a_long_prompt_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    store(&engine, Layer::Project, "Invoices are immutable once they are sent", &[]);
    let filler = "The page shows a list of orders and a button to add another one. ".repeat(12);
    let prompt = format!("{filler}\nNow let users change invoices that were sent.\n{filler}");
    let brief = for_prompt(&engine, &me, &prompt, 1_500).unwrap();
    assert!(brief.is_some_and(|brief| brief.text.contains("Invoices are immutable")));
}

#[test]
fn a_session_starts_with_rules_decisions_and_what_is_newest() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), testing::everybody());
    assert_eq!(at_start(&engine, &me, 2_000).unwrap(), None);
    for number in 0..40 {
        store(&engine, Layer::Project, &format!("Note number {number} of the project"), &[]);
    }
    let rule = golden(&engine, "Never deploy on a Friday");
    let decision = decide(&engine, "Use SQLite", "One file, no server to look after");
    let text = at_start(&engine, &me, 2_000).unwrap().unwrap().text;
    assert!(text.contains(&rule) && text.contains(&decision), "{text}");
    assert!(text.contains("Note number 39 ") && !text.contains("Note number 3 "), "{text}");
    assert!(engine::tokens(&text) <= 2_000);
    assert_eq!(text.matches(&rule).count(), 1);
    let small = at_start(&engine, &me, 200).unwrap().unwrap().text;
    assert!(engine::tokens(&small) <= 200 && small.contains(&rule), "{small}");
}
