//! What is read from texts, measured on a table, and what holds for any text.

use std::collections::HashSet;

use proptest::prelude::*;

use super::{ENTITIES_MAX, Extracted, RELATIONSHIPS_MAX, extract};

const TABLE: &str = include_str!("sentences.txt");

/// A text of the table, and the facts that it states.
struct Case {
    text: String,
    facts: Vec<String>,
}

/// The cases of a part of the table.
fn cases(part: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut is_wanted = false;
    for line in TABLE.lines() {
        if let Some(name) = line.strip_prefix('[') {
            is_wanted = name.trim_end_matches(']') == part;
        } else if let Some(text) = line.strip_prefix("= ").filter(|_| is_wanted) {
            cases.push(Case { text: text.replace("\\n", "\n"), facts: Vec::new() });
        } else if let Some(fact) = line.strip_prefix("+ ").filter(|_| is_wanted) {
            cases.last_mut().unwrap().facts.push(fact.to_owned());
        }
    }
    cases
}

fn facts(text: &str) -> Vec<String> {
    let found = extract(text).relationships.into_iter();
    found.map(|fact| format!("{} | {} | {}", fact.from, fact.relation, fact.to)).collect()
}

/// Precision and recall on a part of the table; what is wrong is printed.
fn measure(part: &str) -> (f64, f64) {
    let (mut right, mut found, mut wanted) = (0, 0, 0);
    for case in cases(part) {
        let facts = facts(&case.text);
        found += facts.len();
        wanted += case.facts.len();
        right += facts.iter().filter(|fact| case.facts.contains(fact)).count();
        let wrong: Vec<_> = facts.iter().filter(|fact| !case.facts.contains(fact)).collect();
        let missed: Vec<_> = case.facts.iter().filter(|fact| !facts.contains(fact)).collect();
        if !(wrong.is_empty() && missed.is_empty()) {
            println!("{}\n  wrong {wrong:?}\n  missed {missed:?}", case.text);
        }
    }
    let (precision, recall) = (right as f64 / found as f64, right as f64 / wanted as f64);
    println!(
        "{part}: {right} right of {found} found and {wanted} wanted: precision {precision:.3}, recall {recall:.3}"
    );
    (precision, recall)
}

#[test]
fn the_table_is_read_as_a_reader_would() {
    let (precision, recall) = measure("tuned");
    assert!(precision >= 0.9 && recall >= 0.8, "{precision} {recall}");
}

#[test]
fn texts_that_no_rule_was_made_for_are_read_nearly_as_well() {
    let (precision, recall) = measure("held-out");
    assert!(precision >= 0.95 && recall >= 0.95, "{precision} {recall}");
}

#[test]
fn longer_and_freer_texts_give_fewer_facts_and_some_wrong_ones() {
    let (precision, recall) = measure("harder");
    assert!(precision >= 0.75 && recall >= 0.4, "{precision} {recall}");
}

#[test]
fn an_entity_has_its_kind_and_the_sentence_that_says_it() {
    let found = extract("We like Rust. Rust is a language.\n\n# Tokio\n\nTokio uses Rust.");
    let entity = |name: &str| found.entities.iter().find(|entity| entity.name == name).unwrap();
    assert_eq!(entity("Rust").kind.as_deref(), Some("language"));
    assert_eq!(entity("Rust").summary.as_deref(), Some("Rust is a language."));
    assert_eq!(entity("Tokio").kind, None);
    assert_eq!(entity("Tokio").summary.as_deref(), Some("Tokio uses Rust."));
    assert_eq!(found.relationships[1].sentence, "Tokio uses Rust.");
}

#[test]
fn variants_of_a_name_are_one_entity_as_first_written() {
    let found = extract("Acme uses LLMs. The worker calls the LLM. Acme uses LLMs.");
    let facts: Vec<_> = found.relationships.iter().map(|fact| fact.to.as_str()).collect();
    assert_eq!(facts, ["LLMs", "LLMs"]);
    assert_eq!(found.entities.iter().filter(|entity| entity.name.starts_with("LLM")).count(), 1);
}

#[test]
fn names_are_found_where_nothing_is_stated() {
    let found =
        extract("# Spring AI\n\nDoes Acme use `serde_json`, main.rs or the New York Times?");
    let names: Vec<_> = found.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["Spring AI", "Acme", "serde_json", "main.rs", "New York Times"]);
    assert!(found.relationships.is_empty());
    assert!(found.entities.iter().all(|entity| entity.summary.is_none()));
}

#[test]
fn a_pronoun_is_not_followed_into_another_paragraph() {
    assert_eq!(facts("Axum uses Hyper. It uses Tower.").len(), 2);
    assert_eq!(facts("Axum uses Hyper.\n\nIt uses Tower.").len(), 1);
}

#[test]
fn no_more_is_kept_than_the_bounds_allow() {
    let text: String = (0..3_000).map(|at| format!("Alpha{at}x uses Beta{at}x. ")).collect();
    let found = extract(&text);
    assert_eq!(found.entities.len(), ENTITIES_MAX);
    assert_is_sound(&text, &found);
    let text: String = (0..60)
        .flat_map(|from| (0..60).map(move |to| format!("Alpha{from}x uses Beta{to}x. ")))
        .collect();
    let found = extract(&text);
    assert_eq!(found.relationships.len(), RELATIONSHIPS_MAX);
    assert_is_sound(&text, &found);
}

#[test]
fn a_long_text_without_an_end_is_read() {
    let many = format!("{}Zoe use {}Vim. ", "Ana and ".repeat(45), "Git and ".repeat(45));
    let pieces = "also |1 |](|` |\" |A. |(|Ana and |<a|Ana, a tool, |x_|![|**".split('|');
    for piece in pieces.chain([many.as_str()]) {
        let text = piece.repeat(1_100_000 / piece.len());
        assert_is_sound(&text, &extract(&text));
    }
}

/// Holds what must be true of whatever was found in `text`.
fn assert_is_sound(text: &str, found: &Extracted) {
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = in_one_line(text);
    assert!(found.entities.len() <= ENTITIES_MAX && found.relationships.len() <= RELATIONSHIPS_MAX);
    for entity in &found.entities {
        assert!(!entity.name.is_empty() && line.contains(&entity.name), "{:?}", entity.name);
        assert!(entity.kind.as_ref().is_none_or(|kind| line.contains(kind)));
        assert!(entity.summary.as_ref().is_none_or(|summary| line.contains(summary)));
    }
    let names: HashSet<&str> = found.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names.len(), found.entities.len(), "a name twice");
    for fact in &found.relationships {
        assert!(names.contains(fact.from.as_str()) && names.contains(fact.to.as_str()));
        assert!(fact.from != fact.to && line.contains(&fact.sentence), "{fact:?}");
    }
}

/// Texts of pieces that mean something to the rules.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Ana",
        "Acme Corp.",
        "the",
        "a",
        "uses",
        "use",
        "used",
        "is",
        "was",
        "are",
        "not",
        "no",
        "longer",
        "by",
        "of",
        "in",
        "and",
        "or",
        ",",
        ".",
        "?",
        "which",
        "who",
        "that",
        "it",
        "They",
        "`x`",
        "`a b`",
        "\"The End\"",
        "\"",
        "“",
        "”",
        "(",
        ")",
        "[",
        "](",
        "]",
        "2019",
        "1.2.3",
        "main.rs",
        "part of",
        "written in",
        "stores",
        "jobs",
        "tool",
        "fast",
        "framework",
        "if",
        "should",
        "when",
        "but",
        "-",
        ":",
        "\n",
        "\n\n",
        "- ",
        "# ",
        "> ",
        "```",
        "    ",
        "it's",
        "O'Neil’s",
        "&",
        "é",
        "東京",
        "ﬁ",
        "İ",
        "🦀",
        "C++",
        "kind",
        "CEO",
        "called",
        "also",
        "van",
        "**",
        "_",
        "__a",
        "::",
        "std::fs",
        "http://x.y/z",
        "<b>",
        "\u{85}",
        "\u{a0}",
        "\r",
    ]);
    prop::collection::vec((piece, prop::sample::select(vec![" ", "", " "])), 0..40)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| format!("{piece}{gap}")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        assert_is_sound(&text, &extract(&text));
    }

    #[test]
    fn whatever_is_put_together_is_read(text in pieces()) {
        assert_is_sound(&text, &extract(&text));
    }
}
