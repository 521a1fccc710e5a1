//! Every place in a call of a tool where a text may stand.

use serde_json::{Map, Value, json};

use crate::catalogue::{Catalogue, Selection};
use crate::tool::Definition;

/// Every tool.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new(Selection::all())
}

/// The arguments of the tool's first usage.
pub(crate) fn usage(definition: &Definition) -> Map<String, Value> {
    let usage = definition.doc.usages().first().expect("a usage").to_string();
    serde_json::from_str(&usage).expect("an object")
}

/// A place for a text in a schema: where, and what a call with it would be given.
pub(crate) struct Spot {
    pub(crate) path: String,
    pub(crate) arguments: Map<String, Value>,
}

/// Every place for a text, with `text` in it.
pub(crate) fn spots(definition: &Definition, text: &str) -> Vec<Spot> {
    let mut values = Vec::new();
    let schema = Value::Object(definition.input.clone());
    fill(&schema, "", text, &mut values);
    let usage = usage(definition);
    let spot = |(path, value): (String, Value)| {
        let mut arguments = usage.clone();
        let Value::Object(given) = value else { panic!("{path} is in an object") };
        merge(&mut arguments, given);
        Spot { path, arguments }
    };
    values.into_iter().map(spot).collect()
}

/// Puts the fields of `new` into `old`, objects field by field.
fn merge(old: &mut Map<String, Value>, new: Map<String, Value>) {
    for (name, value) in new {
        match (old.get_mut(&name), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, value) => _ = old.insert(name, value),
        }
    }
}

/// Values of this schema with the text in one place each, and the path of that place.
fn fill(schema: &Value, path: &str, text: &str, all: &mut Vec<(String, Value)>) {
    let is = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&kind.into()))
    };
    if is("string") {
        all.push((path.to_owned(), json!(text)));
    }
    if is("array") {
        let mut items = Vec::new();
        fill(&schema["items"], &format!("{path}[0]"), text, &mut items);
        all.extend(items.into_iter().map(|(path, item)| (path, json!([item]))));
    }
    if !is("object") {
        return;
    }
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut values = Vec::new();
        fill(property, &below(name), text, &mut values);
        all.extend(values.into_iter().map(|(path, value)| (path, json!({name: value}))));
    }
    if schema["properties"].as_object().is_none_or(Map::is_empty) {
        all.push((below("note"), json!({"note": text})));
        all.push((below("deep.list[1]"), json!({"deep": {"list": [1, text]}})));
        all.push((path.to_owned(), json!({text: 1})));
    }
}

/// The names of the tools that write.
pub(crate) fn written() -> Vec<String> {
    let names = catalogue();
    let writes = names.all().filter(|(_, definition)| !definition.spec.effect.read_only);
    writes.map(|(_, definition)| definition.spec.name.to_owned()).collect()
}
