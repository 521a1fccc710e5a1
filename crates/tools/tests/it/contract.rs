//! The tools against `contracts/tools.json`: what the five systems published of their 66 tools,
//! reduced to facts. Where an original showed only an example of an answer, its shape stands there;
//! where it showed none, null.
//!
//! What we publish differs only where a table below says so, with the reason; an entry that is no
//! longer needed fails, too.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tools::{Definition, Toolset};

use crate::schemas::{or_null, properties, same, texts};
use crate::{everything, none};

const FACTS: &str = include_str!("../../contracts/tools.json");

/// How many tools each toolset has.
const COUNTS: [(Toolset, usize); 9] = [
    (Toolset::Layers, 3),
    (Toolset::Knowledge, 5),
    (Toolset::Notes, 5),
    (Toolset::Ledger, 15),
    (Toolset::Documents, 9),
    (Toolset::Learning, 16),
    (Toolset::Graph, 6),
    (Toolset::Files, 4),
    (Toolset::Web, 3),
];

/// Keywords of requests that must be the same; `description` and `additionalProperties` aside.
const KEYWORDS: [&str; 11] = [
    "type",
    "enum",
    "default",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
];

const LIMIT: &str = "everything has a limit; the contract names none";
const RANGE: &str = "the contract says 0.0-1.0 in words";
const SPELLINGS: &str = "a memory id is taken in every spelling: a UUID, or mem_ and 32 hex digits";
const NO_PATH: &str = "an empty path names no file";
const NULL: &str = "null is taken, and means that it was not given";
const EMPTY: &str = "null in an empty store (settled for 001)";

/// Where a request differs from its contract: the place, the keyword, and why.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("memory_add.content", "minLength", "an empty memory is a mistake"),
    ("memory_add.content", "maxLength", LIMIT),
    ("memory_add.tags", "maxItems", LIMIT),
    ("memory_add.tags[]", "minLength", "an empty tag is a mistake"),
    ("memory_add.tags[]", "maxLength", LIMIT),
    ("memory_search.tags", "maxItems", LIMIT),
    ("memory_search.tags[]", "maxLength", LIMIT),
    ("knowledge_query.tags", "maxItems", LIMIT),
    ("knowledge_query.tags[]", "maxLength", LIMIT),
    ("knowledge_check.knowledgeItemIds", "maxItems", LIMIT),
    ("knowledge_check.knowledgeItemIds[]", "maxLength", LIMIT),
    ("get_memory_object.as_of", "property", "beyond the seed: what held at another time"),
    ("add_memory_link.summary", "maxLength", LIMIT),
    ("build_memory_from_text.content", "minLength", "an empty text tells nothing"),
    ("build_memory_from_text.content", "maxLength", LIMIT),
    ("build_memory_from_text.previousMessages", "maxLength", LIMIT),
    ("update_memory_object.newSummary", "maxLength", LIMIT),
    ("update_memory_object.newType", "maxLength", LIMIT),
    ("query_memories.tags", "maxItems", LIMIT),
    ("query_memories.tags[]", "maxLength", LIMIT),
    ("store_memory.id", "pattern", SPELLINGS),
    ("update_memory.id", "pattern", SPELLINGS),
    ("delete_memory.id", "pattern", SPELLINGS),
    ("index_file.file_path", "minLength", NO_PATH),
    ("index_file.file_path", "maxLength", LIMIT),
    ("index_directory.dir_path", "minLength", NO_PATH),
    ("index_directory.dir_path", "maxLength", LIMIT),
    ("search_with_filters.filters.doc_type", "enum", "settled for 004"),
    ("search_with_filters.n_results", "minimum", "as in search"),
    ("search_with_filters.n_results", "maximum", "as in search"),
    ("search_with_budget.max_tokens", "minimum", "settled for 004"),
    ("delete_chunks.ids", "maxItems", LIMIT),
    ("delete_chunks.ids[]", "maxLength", LIMIT),
    ("delete_file.source_file", "minLength", NO_PATH),
    ("delete_file.source_file", "maxLength", LIMIT),
    ("memory_store.content", "minLength", "an empty memory is a mistake"),
    ("memory_store.content", "maxLength", LIMIT),
    ("memory_store.importance", "minimum", RANGE),
    ("memory_store.importance", "maximum", RANGE),
    ("memory_recall.n_results", "minimum", LIMIT),
    ("memory_recall.n_results", "maximum", LIMIT),
    ("memory_recall.min_importance", "minimum", RANGE),
    ("memory_recall.min_importance", "maximum", RANGE),
    ("memory_recall.min_confidence", "minimum", RANGE),
    ("memory_recall.min_confidence", "maximum", RANGE),
    ("memory_validate.context", "maxLength", LIMIT),
    ("memory_forget.n_results", "minimum", LIMIT),
    ("memory_forget.n_results", "maximum", LIMIT),
    ("memory_context.token_budget", "minimum", "nothing fits a budget below 1"),
    ("memory_apply.context", "maxLength", LIMIT),
    ("memory_apply.session_id", "maxLength", LIMIT),
    ("memory_outcome.error_msg", "maxLength", LIMIT),
    ("memory_outcome.session_id", "maxLength", LIMIT),
    ("record_decision.allow_conflict", "property", "settled for 003: records beside a conflict"),
    ("record_decision.title", "maxLength", LIMIT),
    ("record_decision.rationale", "maxLength", LIMIT),
    ("record_decision.consequences[]", "maxLength", LIMIT),
    ("record_decision.consequences", "maxItems", LIMIT),
    ("supersede_decision.title", "maxLength", LIMIT),
    ("supersede_decision.rationale", "maxLength", LIMIT),
    ("supersede_decision.consequences[]", "maxLength", LIMIT),
    ("supersede_decision.consequences", "maxItems", LIMIT),
    ("grz_read_file.file_path", "minLength", NO_PATH),
    ("grz_read_file.file_path", "maxLength", LIMIT),
    ("grz_write_file.file_path", "minLength", NO_PATH),
    ("grz_write_file.file_path", "maxLength", LIMIT),
    ("grz_edit_file.file_path", "minLength", NO_PATH),
    ("grz_edit_file.file_path", "maxLength", LIMIT),
    ("search_decisions.kind", "enum", NULL),
    ("search_decisions.kind", "default", NULL),
    ("search_decisions.target", "default", NULL),
    ("get_recent_events.kind", "enum", NULL),
    ("get_recent_events.kind", "default", NULL),
    ("grz_execute_command.command", "minLength", "an empty command does nothing"),
    ("grz_execute_command.command", "maxLength", LIMIT),
    ("grz_execute_command.working_directory", "maxLength", LIMIT),
    ("grz_execute_command.timeout_seconds", "maximum", LIMIT),
    ("brave_web_search.query", "minLength", "an empty query asks for nothing"),
    ("brave_web_search.query", "maxLength", "Brave takes no more"),
    ("brave_local_search.query", "minLength", "an empty query asks for nothing"),
    ("brave_local_search.query", "maxLength", "Brave takes no more"),
    ("jina_read_url.url", "minLength", "an empty address names no page"),
    ("jina_read_url.url", "maxLength", LIMIT),
];

/// Where an answer differs from its contract: the place, the keyword, and why.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("get_memory_stats.oldest_memory", "type", EMPTY),
    ("get_memory_stats.newest_memory", "type", EMPTY),
    ("get_memory_stats.most_accessed", "type", EMPTY),
];

fn facts() -> Map<String, Value> {
    serde_json::from_str(FACTS).expect("contracts/tools.json is an object")
}

/// Findings, less those that a table excuses.
struct Report {
    excuses: &'static [(&'static str, &'static str, &'static str)],
    used: RefCell<BTreeSet<usize>>,
    findings: RefCell<Vec<String>>,
}

impl Report {
    fn new(excuses: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        Self { excuses, used: RefCell::default(), findings: RefCell::default() }
    }

    fn differs(&self, place: &str, keyword: &str, what: &str) {
        let excuse = self.excuses.iter().position(|(p, k, _)| (*p, *k) == (place, keyword));
        match excuse {
            Some(index) => _ = self.used.borrow_mut().insert(index),
            None => self.findings.borrow_mut().push(format!("{place}: {keyword} {what}")),
        }
    }

    #[track_caller]
    fn finish(self) {
        let mut findings = self.findings.into_inner();
        let used = self.used.into_inner();
        let stale = self.excuses.iter().enumerate().filter(|(index, _)| !used.contains(index));
        findings.extend(stale.map(|(_, (p, k, _))| format!("{p}: {k} needs no excuse any more")));
        none(&findings);
    }
}

/// Calls `check` with every tool that is built and its facts.
fn each(check: impl Fn(&str, &Map<String, Value>, Toolset, &Definition)) {
    let facts = facts();
    for (toolset, definition) in everything().all() {
        let name = definition.spec.name;
        let fact = facts.get(name).and_then(Value::as_object);
        check(name, fact.unwrap_or_else(|| panic!("{name}: no contract")), toolset, definition);
    }
}

#[test]
fn the_facts_name_66_tools_in_nine_toolsets() {
    let mut counts = BTreeMap::<String, usize>::new();
    for fact in facts().values() {
        *counts.entry(fact["toolset"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let expected = COUNTS.map(|(toolset, count)| (toolset.name().to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));
    assert_eq!(counts.values().sum::<usize>(), 66);
}

#[test]
fn a_toolset_that_is_built_has_every_tool_of_its_contract() {
    let facts = facts();
    for toolset in Toolset::ALL.into_iter().filter(|toolset| !toolset.tools().is_empty()) {
        let of_toolset = |(_, fact): &(&String, &Value)| fact["toolset"] == toolset.name();
        let expected: BTreeSet<&str> =
            facts.iter().filter(of_toolset).map(|(name, _)| name.as_str()).collect();
        let built: BTreeSet<&str> = toolset.tools().iter().map(|spec| spec.name).collect();
        assert_eq!(built, expected, "{}", toolset.name());
    }
}

#[test]
fn every_tool_stands_in_its_toolset_with_its_role_and_hints() {
    each(|name, fact, toolset, definition| {
        let (spec, hints) = (definition.spec, &fact["annotations"]);
        assert_eq!(toolset.name(), fact["toolset"], "{name}");
        assert_eq!(toolset.dialect().system(), fact["system"], "{name}");
        assert_eq!(definition.dialect, toolset.dialect(), "{name}");
        assert_eq!(spec.role.name(), fact["role"], "{name}: the least role");
        let hint = |hint: &str| hints[hint].as_bool().unwrap_or(false);
        assert_eq!(spec.effect.read_only, hint("readOnlyHint"), "{name}: readOnlyHint");
        assert_eq!(spec.effect.destructive, hint("destructiveHint"), "{name}: destructiveHint");
        if hint("openWorldHint") {
            assert!(spec.effect.open_world, "{name}: openWorldHint");
        }
    });
}

#[test]
fn every_request_is_the_one_of_its_contract() {
    let report = Report::new(REQUESTS);
    each(|name, fact, _, definition| {
        request(name, fact["input"].as_object().unwrap(), &definition.input, &report);
    });
    report.finish();
}

fn request(place: &str, fact: &Map<String, Value>, ours: &Map<String, Value>, report: &Report) {
    for keyword in KEYWORDS {
        match (fact.get(keyword), ours.get(keyword)) {
            (None, None) => {}
            (Some(fact), Some(ours)) if same(fact, ours) => {}
            (Some(fact), Some(ours)) => {
                report.differs(place, keyword, &format!("is {ours}; the contract has {fact}"));
            }
            (Some(fact), None) => report.differs(place, keyword, &format!("misses {fact}")),
            (None, Some(ours)) => report.differs(place, keyword, &format!("{ours} is new")),
        }
    }
    let words = fact.get("description");
    if let Some(words) = words.filter(|words| ours.get("description") != Some(words)) {
        report.differs(place, "description", &format!("is not {words}"));
    }
    // Open is what an object is when nothing is said.
    let closed = |schema: &Map<String, Value>| {
        schema.get("additionalProperties").cloned().filter(|value| value != &Value::Bool(true))
    };
    if closed(fact) != closed(ours) {
        report.differs(place, "additionalProperties", "differ");
    }
    let required = |schema| texts(schema, "required").into_iter().collect::<BTreeSet<_>>();
    if required(fact) != required(ours) {
        let (fact, ours) = (required(fact), required(ours));
        report.differs(place, "required", &format!("{ours:?}; the contract has {fact:?}"));
    }
    let known: BTreeMap<_, _> = properties(fact).collect();
    let built: BTreeMap<_, _> = properties(ours).collect();
    for name in known.keys().chain(built.keys()).collect::<BTreeSet<_>>() {
        let place = format!("{place}.{name}");
        match (known.get(name), built.get(name)) {
            (Some(fact), Some(ours)) => request(&place, fact, ours, report),
            (Some(_), _) => report.differs(&place, "property", "is missing"),
            _ => report.differs(&place, "property", "is new"),
        }
    }
    match (fact.get("items"), ours.get("items")) {
        (Some(Value::Object(fact)), Some(Value::Object(ours))) => {
            request(&format!("{place}[]"), fact, ours, report);
        }
        (None, None) => {}
        _ => report.differs(place, "items", "differ"),
    }
}

#[test]
fn every_answer_keeps_what_its_contract_promises() {
    let report = Report::new(ANSWERS);
    each(|name, fact, _, definition| {
        if let Value::Object(fact) = &fact["output"] {
            answer(name, fact, &definition.output, &report);
        }
    });
    report.finish();
}

/// An answer may say more than the contract, never less, and never another type.
fn answer(place: &str, fact: &Map<String, Value>, ours: &Map<String, Value>, report: &Report) {
    let (promised, mut given) = (texts(fact, "type"), texts(ours, "type"));
    let ours = match or_null(ours) {
        Some(one) => {
            given = texts(one, "type");
            given.push("null");
            one
        }
        None => ours,
    };
    let fits =
        |kind: &&str| promised.contains(kind) || *kind == "integer" && promised.contains(&"number");
    if !promised.is_empty() && (given.is_empty() || !given.iter().all(fits)) {
        report.differs(place, "type", &format!("is {given:?}; the contract has {promised:?}"));
    }
    for keyword in ["enum", "minimum", "maximum", "format"] {
        let Some(fact) = fact.get(keyword) else { continue };
        if !ours.get(keyword).is_some_and(|ours| same(fact, ours)) {
            report.differs(place, keyword, &format!("is not {fact}"));
        }
    }
    let required = texts(ours, "required");
    for name in texts(fact, "required").into_iter().filter(|name| !required.contains(name)) {
        report.differs(&format!("{place}.{name}"), "required", "is promised and may be absent");
    }
    let built: BTreeMap<_, _> = properties(ours).collect();
    for (name, fact) in properties(fact) {
        let place = format!("{place}.{name}");
        match built.get(name) {
            Some(ours) => answer(&place, fact, ours, report),
            None => report.differs(&place, "property", "is missing"),
        }
    }
    match (fact.get("items"), ours.get("items")) {
        (Some(Value::Object(fact)), Some(Value::Object(ours))) => {
            answer(&format!("{place}[]"), fact, ours, report);
        }
        (Some(_), _) => report.differs(place, "items", "are missing"),
        (None, _) => {}
    }
}
