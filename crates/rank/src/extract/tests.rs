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
        if part == "tuned" && !(wrong.is_empty() && missed.is_empty()) {
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
    assert!(precision >= 0.5 && recall >= 0.5, "{precision} {recall}");
}
