//! Expected answers: values with holes in them.

use std::collections::HashMap;

use model::MemoryId;
use serde_json::{Map, Value};

/// What `"$name"` stood for so far.
#[derive(Debug, Default)]
pub struct Captures(HashMap<String, Value>);

impl Captures {
    /// `arguments` with every `"$name"` that was captured filled in.
    pub fn fill(&self, arguments: Value) -> Value {
        match arguments {
            Value::String(text) => self.0.get(&text).cloned().unwrap_or(Value::String(text)),
            Value::Array(list) => list.into_iter().map(|value| self.fill(value)).collect(),
            Value::Object(map) => {
                map.into_iter().map(|(key, value)| (key, self.fill(value))).collect()
            }
            other => other,
        }
    }

    /// Holds `value` against `pattern`, capturing as it goes.
    pub fn compare(&mut self, pattern: &Value, value: &Value) -> Result<(), String> {
        match (pattern, value) {
            (Value::String(text), _) if text == "$*" => Ok(()),
            (Value::String(text), value) if text.contains("$*") => {
                let fits = value.as_str().is_some_and(|value| has_parts(text, value));
                fits.then_some(())
                    .ok_or_else(|| format!("{pattern} was expected, and {value} came"))
            }
            (Value::String(name), value) if name.starts_with('$') => self.capture(name, value),
            (Value::Object(pattern), Value::Object(value)) => self.compare_objects(pattern, value),
            (Value::Array(pattern), Value::Array(value)) => self.compare_lists(pattern, value),
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => Ok(()),
            (pattern, value) if pattern == value => Ok(()),
            (pattern, value) => Err(format!("{pattern} was expected, and {value} came")),
        }
    }

    fn capture(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let known = self.0.entry(name.to_owned()).or_insert_with(|| value.clone());
        if same(known, value) {
            Ok(())
        } else {
            Err(format!("{name} was {known}, and {value} came"))
        }
    }

    fn compare_objects(
        &mut self,
        pattern: &Map<String, Value>,
        value: &Map<String, Value>,
    ) -> Result<(), String> {
        for (key, expected) in pattern.iter().filter(|(key, _)| *key != "...") {
            let found = value.get(key).ok_or_else(|| format!("there is no {key:?}"))?;
            self.compare(expected, found).map_err(|why| format!("{key}: {why}"))?;
        }
        let more: Vec<_> = value.keys().filter(|key| !pattern.contains_key(*key)).collect();
        if more.is_empty() || pattern.contains_key("...") {
            Ok(())
        } else {
            Err(format!("there are more keys: {more:?}"))
        }
    }

    fn compare_lists(&mut self, pattern: &[Value], value: &[Value]) -> Result<(), String> {
        let open = pattern.last().is_some_and(|last| last == "...");
        let expected = if open { &pattern[..pattern.len() - 1] } else { pattern };
        if value.len() < expected.len() || (!open && value.len() > expected.len()) {
            return Err(format!("{} were expected, and {} came", expected.len(), value.len()));
        }
        for (index, (expected, found)) in expected.iter().zip(value).enumerate() {
            self.compare(expected, found).map_err(|why| format!("[{index}]: {why}"))?;
        }
        Ok(())
    }
}

/// Whether a text has the parts between the holes of a pattern, in their order, and begins and ends
/// as it does.
fn has_parts(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once("$*") else { return pattern == text };
    let (middle, last) = rest.rsplit_once("$*").unwrap_or(("", rest));
    let Some(text) = text.strip_prefix(first) else { return false };
    let Some(mut text) = text.strip_suffix(last) else { return false };
    middle.split("$*").all(|part| match text.split_once(part) {
        Some((_, after)) => {
            text = after;
            true
        }
        None => false,
    })
}

/// Equal, or two spellings of one memory id.
fn same(a: &Value, b: &Value) -> bool {
    let id = |value: &Value| value.as_str().and_then(|text| text.parse::<MemoryId>().ok());
    a == b || id(a).is_some_and(|id_a| id(b) == Some(id_a))
}
