//! What a schema says, found by position.

use serde_json::{Map, Value, json};

/// Calls `visit` with every schema in `schema` and its place: `tool.list[].field`.
pub(crate) fn walk(
    place: &str,
    schema: &Map<String, Value>,
    visit: &mut dyn FnMut(&str, &Map<String, Value>),
) {
    visit(place, schema);
    for (name, property) in properties(schema) {
        walk(&format!("{place}.{name}"), property, visit);
    }
    if let Some(one) = or_null(schema) {
        walk(place, one, visit);
    }
    let inner = [("items", "[]"), ("additionalProperties", ".*")];
    for (keyword, suffix) in inner {
        if let Some(Value::Object(schema)) = schema.get(keyword) {
            walk(&format!("{place}{suffix}"), schema, visit);
        }
    }
}

/// The properties whose schemas are objects.
pub(crate) fn properties(
    schema: &Map<String, Value>,
) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
    let all = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    all.filter_map(|(name, property)| Some((name.as_str(), property.as_object()?)))
}

/// What a schema allows beside null, if it is `anyOf` that and null.
pub(crate) fn or_null(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    match schema.get("anyOf")?.as_array()?.as_slice() {
        [Value::Object(one), null] if *null == json!({"type": "null"}) => Some(one),
        _ => None,
    }
}

/// A list of texts, or a single text as a list of one.
pub(crate) fn texts<'a>(schema: &'a Map<String, Value>, keyword: &str) -> Vec<&'a str> {
    match schema.get(keyword) {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

/// Whether two values are the same in JSON, where 1 and 1.0 are one number.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => one == other,
    }
}
