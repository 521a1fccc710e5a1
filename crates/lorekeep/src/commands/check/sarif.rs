//! A check as SARIF 2.1.0.

use std::collections::HashMap;
use std::sync::Arc;

use engine::knowledge::Catalogue;
use model::{Constraint, Item, Severity};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rules::Finding;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::baseline::Key;
use super::tree::Tree;
use super::{Knowledge, Outcome, Problem, Violation};

/// Where the schema is published.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What stands for the root of the project.
const ROOT: &str = "%SRCROOT%";

/// What a path in an URI does not need to escape.
const PLAIN: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Rules in the order they are listed, by id.
#[derive(Default)]
struct Listing {
    rules: Vec<Value>,
    places: HashMap<String, usize>,
}

impl Listing {
    fn add(&mut self, id: &str, rule: impl FnOnce() -> Value) -> usize {
        let next = self.rules.len();
        let at = *self.places.entry(id.to_owned()).or_insert(next);
        if at == next {
            self.rules.push(rule());
        }
        at
    }
}

pub(super) fn sarif(outcome: &Outcome, tree: &Tree, knowledge: &Knowledge) -> Value {
    let mut listing = Listing::default();
    for item in outcome.rules.items() {
        for (at, constraint) in item.constraints.iter().enumerate() {
            let id = rule_id(item, Some(at));
            listing.add(&id, || rule(&id, item, constraint));
        }
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let places = Places { tree, knowledge, catalogue: knowledge.catalogue() };
    let results: Vec<Value> = outcome
        .violations
        .iter()
        .map(|violation| result(violation, &mut listing, &mut seen, &places))
        .collect();
    let notifications: Vec<Value> = outcome.problems.iter().map(notification).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "lorekeep",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": listing.rules,
            }},
            "invocations": [{
                "executionSuccessful": outcome.failures().next().is_none(),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// `item/N` for its constraint N, from 1; `item/0` for what of it cannot be followed.
fn rule_id(item: &Item, constraint: Option<usize>) -> String {
    format!("{}/{}", item.id, constraint.map_or(0, |at| at + 1))
}

fn rule(id: &str, item: &Item, constraint: &Constraint) -> Value {
    let Constraint { operator, target, pattern, message, .. } = constraint;
    let asked = format!("{} {} {pattern}", operator.name(), target.name());
    let summary = Some(&item.summary).filter(|text| !text.is_empty()).unwrap_or(&item.title);
    json!({
        "id": id,
        "name": item.id,
        "shortDescription": {"text": format!("{}: {asked}", item.title)},
        "fullDescription": {"text": message.as_ref().unwrap_or(summary)},
        "defaultConfiguration": {"level": level(item.severity_of(constraint))},
        "properties": {"tags": item.tags},
    })
}

fn flawed(id: &str, item: &Item) -> Value {
    json!({
        "id": id,
        "name": item.id,
        "shortDescription": {"text": format!("{}: a constraint that cannot be followed", item.title)},
        "fullDescription": {"text": "What an item asks has to be an operator, a target and a pattern."},
        "defaultConfiguration": {"level": level(Severity::Warn)},
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warn => "warning",
        Severity::Block => "error",
    }
}

/// The constraint that a finding is about.
fn constraint_of(item: &Item, finding: &Finding) -> Option<usize> {
    let is_same = |one: &Constraint| {
        one.operator.name() == finding.operator
            && one.target.name() == finding.target
            && one.pattern == finding.pattern
            && one.applies_to == finding.applies_to
    };
    item.constraints.iter().position(is_same)
}

fn result(
    violation: &Violation,
    listing: &mut Listing,
    seen: &mut HashMap<String, usize>,
    places: &Places<'_>,
) -> Value {
    let Violation { item, finding, is_known } = violation;
    let constraint = constraint_of(item, finding);
    let id = rule_id(item, constraint);
    let index = listing.add(&id, || flawed(&id, item));
    let key = Key::of(item, finding).text();
    let number = seen.entry(key.clone()).or_default();
    *number += 1;
    let print = fingerprint(&key, *number);
    let mut result = json!({
        "ruleId": id,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": places.of(item, constraint, finding)}],
        "partialFingerprints": {"lorekeep/v1": print},
    });
    if *is_known {
        result["suppressions"] = json!([{"kind": "external"}]);
    }
    result
}

/// The same for the same violation, however its line moves.
fn fingerprint(key: &str, number: usize) -> String {
    let hash = Sha256::digest(format!("{key}\0{number}"));
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Where findings are shown.
struct Places<'a> {
    tree: &'a Tree,
    knowledge: &'a Knowledge,
    catalogue: Arc<Catalogue>,
}

impl Places<'_> {
    fn of(&self, item: &Item, constraint: Option<usize>, finding: &Finding) -> Value {
        let Some(place) = &finding.location else { return self.of_rule(item, constraint) };
        let mut region = Map::new();
        if let Some(line) = place.line {
            region.insert("startLine".to_owned(), json!(line));
            if let Some(excerpt) = &finding.excerpt {
                region.insert("snippet".to_owned(), json!({"text": excerpt}));
            }
        }
        physical(&place.file, region)
    }

    /// What is about the whole project is shown where the rule stands, because a reader wants a
    /// place; at the root if the rule is not part of the project.
    fn of_rule(&self, item: &Item, constraint: Option<usize>) -> Value {
        let catalogue = &self.catalogue;
        let entry = catalogue.find(&self.knowledge.caller, &item.id);
        let file = entry.map(|entry| catalogue.roots[entry.root].dir.join(&entry.path));
        let below = file.as_deref().and_then(|file| file.strip_prefix(&self.tree.root).ok());
        let Some(below) = below.and_then(|below| below.to_str()) else {
            return physical(".", Map::new());
        };
        let line = constraint.map(|at| ("startLine".to_owned(), json!(item.constraints[at].line)));
        physical(below, line.into_iter().collect())
    }
}

fn physical(path: &str, region: Map<String, Value>) -> Value {
    let mut place = json!({"artifactLocation": {"uri": uri(path), "uriBaseId": ROOT}});
    if !region.is_empty() {
        place["region"] = Value::Object(region);
    }
    place
}

fn uri(path: &str) -> String {
    utf8_percent_encode(path, &PLAIN).to_string()
}

fn notification(problem: &Problem) -> Value {
    let level = if problem.is_failure { "error" } else { "warning" };
    json!({"level": level, "message": {"text": problem.text()}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_an_uri() {
        assert_eq!(uri("src/a-b_c.d~"), "src/a-b_c.d~");
        assert_eq!(uri("my docs/ä%#?:x"), "my%20docs/%C3%A4%25%23%3F%3Ax");
    }

    #[test]
    fn a_fingerprint_tells_repeats_apart() {
        assert_eq!(fingerprint("a", 1), fingerprint("a", 1));
        assert_ne!(fingerprint("a", 1), fingerprint("a", 2));
    }
}
