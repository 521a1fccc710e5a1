//! Rules for everything a host is shown, whatever the tool.

use std::collections::BTreeMap;

use tools::{Catalogue, Definition, Selection, Toolset};

use crate::schemas::{or_null, properties, texts, walk};
use crate::{everything, none};

/// Hosts put a prefix before the name and cut at 64.
const NAME_CHARS_MAX: usize = 40;

/// What the toolsets on by default may cost a model.
const DEFAULT_TOKENS_MAX: usize = 2_500;

/// What all 66 tools may cost together.
const ALL_TOKENS_MAX: usize = 12_000;

/// How many tools there will be.
const TOOLS: usize = 66;

/// Words of JSON Schema that some hosts do not know, or that only cost tokens.
const FORBIDDEN: [&str; 9] =
    ["$ref", "$defs", "$schema", "$id", "anyOf", "oneOf", "allOf", "not", "title"];

/// Arguments without a description: the place, and why.
const UNDESCRIBED: &[(&str, &str)] = &[
    ("update_memory.category", "the contract has none; described in store_memory"),
    ("update_memory.tags", "the contract has none; described in store_memory"),
    ("update_memory.importance", "the contract has none; described in store_memory"),
];

/// Calls `check` with both schemas of every tool.
fn each_schema(mut check: impl FnMut(&str, &serde_json::Map<String, serde_json::Value>)) {
    for (_, definition) in everything().all() {
        walk(definition.spec.name, &definition.input, &mut check);
        walk(definition.spec.name, &definition.output, &mut check);
    }
}

#[test]
fn names_are_unique_short_and_plain() {
    let mut seen = BTreeMap::new();
    for (_, definition) in everything().all() {
        let name = definition.spec.name;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        assert!(!name.is_empty() && name.len() <= NAME_CHARS_MAX, "{name} is too long");
        assert!(name.chars().all(is_plain), "{name} has characters that hosts refuse");
        let other = seen.insert(name.replace('-', "_"), name);
        assert_eq!(other, None, "{name} and another are one name to some hosts");
    }
}

/// Whether any value is meant.
fn is_free(schema: &serde_json::Map<String, serde_json::Value>) -> bool {
    schema.keys().all(|keyword| keyword == "description")
}

#[test]
fn null_is_told_by_two_branches_and_by_no_request() {
    let mut findings = Vec::new();
    for (_, definition) in everything().all() {
        walk(definition.spec.name, &definition.input, &mut |place, schema| {
            if schema.contains_key("anyOf") {
                findings.push(format!("{place}: anyOf in a request"));
            }
        });
        walk(definition.spec.name, &definition.output, &mut |place, schema| {
            let required = texts(schema, "required");
            let absent = properties(schema)
                .filter(|(name, one)| or_null(one).is_some() && !required.contains(name));
            findings.extend(absent.map(|(name, _)| format!("{place}.{name}: absent or null")));
        });
    }
    none(&findings);
}

#[test]
fn schemas_are_plain() {
    let mut findings = Vec::new();
    each_schema(|place, schema| {
        let is_legal = |word: &str| word == "anyOf" && or_null(schema).is_some();
        let words = FORBIDDEN.into_iter().filter(|word| schema.contains_key(*word));
        let words = words.filter(|word| !is_legal(word));
        findings.extend(words.map(|word| format!("{place}: {word}")));
        let kinds = texts(schema, "type");
        let is_number = kinds.contains(&"integer") || kinds.contains(&"number");
        if is_number && schema.contains_key("format") {
            findings.push(format!("{place}: a number with a format"));
        }
        // Some clients map a schema to one of a single type, and drop or refuse a list of types.
        if schema.get("type").is_some_and(|kinds| !kinds.is_string()) {
            findings.push(format!("{place}: a list of types"));
        }
        if or_null(schema).is_none() && !schema.contains_key("type") && !is_free(schema) {
            findings.push(format!("{place}: no type"));
        }
    });
    none(&findings);
}

#[test]
fn comments_for_programmers_stay_out() {
    let mut findings = Vec::new();
    each_schema(|place, schema| {
        if place.ends_with("[]") && schema.contains_key("description") {
            findings.push(format!("{place}: the comment of its type"));
        }
    });
    none(&findings);
}

#[test]
fn requests_and_answers_are_objects() {
    for (_, definition) in everything().all() {
        for schema in [&definition.input, &definition.output] {
            assert_eq!(schema["type"], "object", "{}", definition.spec.name);
            assert!(schema["properties"].is_object(), "{}", definition.spec.name);
        }
    }
}

#[test]
fn every_argument_is_described_or_excused() {
    let mut bare = Vec::new();
    for (_, definition) in everything().all() {
        walk(definition.spec.name, &definition.input, &mut |place, schema| {
            let silent = properties(schema).filter(|(_, property)| {
                property.get("description").and_then(|text| text.as_str()).is_none_or(str::is_empty)
            });
            bare.extend(silent.map(|(name, _)| format!("{place}.{name}")));
        });
    }
    let excused: Vec<&str> = UNDESCRIBED.iter().map(|(place, _)| *place).collect();
    assert_eq!(bare, excused);
}

#[test]
fn nothing_invisible_reaches_a_model() {
    let mut findings = Vec::new();
    let mut check = |place: &str, text: &str| {
        let hidden: Vec<_> = text.chars().filter(|c| is_hidden(*c)).collect();
        if !hidden.is_empty() {
            findings.push(format!("{place}: {hidden:?}"));
        }
    };
    for (_, definition) in everything().all() {
        check(definition.spec.name, definition.spec.name);
        check(definition.spec.name, &definition.doc.description());
    }
    each_schema(|place, schema| {
        let text = serde_json::to_string(schema).unwrap();
        check(place, &text);
        texts(schema, "description").into_iter().for_each(|text| check(place, text));
    });
    none(&findings);
}

/// Control characters (an escape sequence starts with one), what has no width, and what turns the
/// direction of writing.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn hidden_characters_are_known() {
    let hidden = "a\u{1b}[31m\u{200b}\u{202e}\u{feff}\u{2066}\u{e0041}\n";
    assert_eq!(hidden.chars().filter(|c| is_hidden(*c)).count(), 7);
    assert!(!"mem_ä·–“日本” {}".chars().any(is_hidden));
}

#[test]
fn the_default_tools_fit_their_budget() {
    let catalogue = Catalogue::new(Selection::default());
    let tokens: usize = catalogue.all().map(|(_, definition)| definition.tokens()).sum();
    println!("{tokens} tokens by default");
    assert!(tokens < DEFAULT_TOKENS_MAX, "{tokens} tokens by default");
}

#[test]
fn all_tools_fit_their_budget() {
    let catalogue = everything();
    let all: Vec<(Toolset, &Definition)> = catalogue.all().collect();
    for (toolset, definition) in &all {
        println!("{:>5}  {} {}", definition.tokens(), toolset.name(), definition.spec.name);
    }
    let tokens: usize = all.iter().map(|(_, definition)| definition.tokens()).sum();
    let projected = tokens * TOOLS / all.len();
    println!("{tokens:>5}  {} tools; {projected} for {TOOLS} at this rate", all.len());
    assert!(tokens <= ALL_TOKENS_MAX, "{tokens} tokens for {} tools", all.len());
}
