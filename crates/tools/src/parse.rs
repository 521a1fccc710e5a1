//! Arguments into a request, and what is wrong with them in words an agent can act on: which field,
//! what it got, what it takes. The words come from the advertised schema, so they cannot disagree
//! with it.

use engine::{Error, ErrorKind, Result};
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::coerce;
use crate::tool::Tool;

/// No more of a wrong value than this is repeated in an error.
const QUOTED_CHARS_MAX: usize = 60;

/// Reads a request from `arguments`.
pub(crate) fn arguments<T: Tool>(
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<T> {
    some_known::<T>(schema, &arguments)?;
    let value = Value::Object(arguments);
    serde_path_to_error::deserialize(&value)
        .map_err(|error| explain(&Value::Object(schema.clone()), &value, &error))
}

/// Refuses a call that gives only unknown fields where it must give a known one: nothing of what the
/// caller wanted would happen.
fn some_known<T: Tool>(schema: &Map<String, Value>, arguments: &Map<String, Value>) -> Result<()> {
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|r| r.contains(&name.into()))
    };
    let fields = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = fields.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let read = coerce::names::<T>();
    let needs_one = T::IS_PATCH || names.iter().any(|name| required(name));
    let counts = |name: &&str| !T::IS_PATCH || !required(name);
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        arguments.keys().map(String::as_str).partition(|name| read.contains(name));
    if unknown.is_empty() || !needs_one || known.iter().any(counts) {
        return Ok(());
    }
    let why = format!(
        "{} got only unknown fields: {}; it takes {}",
        T::NAME,
        unknown.join(", "),
        names.join(", ")
    );
    Err(Error::new(ErrorKind::MissingField, why))
}

fn explain(
    schema: &Value,
    arguments: &Value,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> Error {
    let message = error.inner().to_string();
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    let (schema, value) = walk(schema, arguments, error.path());
    if let Some(name) = missing {
        let takes = expects(property(schema, name));
        let field = join(error.path(), Some(name));
        return Error::new(
            ErrorKind::MissingField,
            format!("{field} is missing; it takes {takes}"),
        );
    }
    let field = join(error.path(), None);
    let text = match (field.is_empty(), value) {
        (false, Some(value)) => {
            // A bound that the schema has no word for is told by the type that holds it.
            let told = message.strip_prefix("takes ").map(str::to_owned);
            let takes = told.unwrap_or_else(|| expects(schema));
            format!("{field} got {}; it takes {takes}", quote(value))
        }
        _ => message,
    };
    let is_absent = error.path().iter().count() == 1 && value.is_some_and(Value::is_null);
    let kind = if is_absent { ErrorKind::MissingField } else { ErrorKind::InvalidValue };
    Error::new(kind, text)
}

fn join(path: &Path, last: Option<&str>) -> String {
    let mut text = String::new();
    let keys = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(format!("[{index}]")),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    for key in keys.chain(last.map(str::to_owned)) {
        if !text.is_empty() && !key.starts_with('[') {
            text.push('.');
        }
        text.push_str(&key);
    }
    text
}

/// The schema and the value that the path leads to.
fn walk<'a>(
    schema: &'a Value,
    arguments: &'a Value,
    path: &Path,
) -> (Option<&'a Value>, Option<&'a Value>) {
    let start = (Some(schema), Some(arguments));
    path.iter().fold(start, |(schema, value), segment| match segment {
        Segment::Map { key } => (property(schema, key), value.and_then(|v| v.get(key))),
        Segment::Seq { index } => {
            (schema.and_then(|s| s.get("items")), value.and_then(|v| v.get(index)))
        }
        Segment::Enum { .. } | Segment::Unknown => (schema, value),
    })
}

fn property<'a>(schema: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    schema.and_then(|schema| schema.get("properties")).and_then(|all| all.get(name))
}

/// What a value is, short enough to repeat.
fn quote(value: &Value) -> String {
    let text = value.to_string();
    let length = text.chars().count();
    match value {
        _ if length <= QUOTED_CHARS_MAX => text,
        Value::String(text) => format!("a text of {} characters", text.chars().count()),
        Value::Array(list) => format!("a list of {}", list.len()),
        _ => format!("JSON of {length} characters"),
    }
}

/// What an argument takes, and what it is when it is not given, in words.
pub(crate) fn takes(schema: &Value) -> String {
    let default = schema.get("default").map(|value| format!(", {value} if not given"));
    expects(Some(schema)) + &default.unwrap_or_default()
}

/// What a schema asks for, in words.
fn expects(schema: Option<&Value>) -> String {
    // Only what is taken beside the contract has no schema, and that is an object.
    let Some(schema) = schema else { return "an object".into() };
    if let Some(Value::Array(choices)) = schema.get("enum") {
        let names: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", names.join(", "));
    }
    let number = |key: &str| schema.get(key).map(Value::to_string);
    let span = |low: &str, high: &str| match (number(low), number(high)) {
        (Some(low), Some(high)) => format!(" from {low} to {high}"),
        (Some(low), None) => format!(" from {low}"),
        (None, Some(high)) => format!(" up to {high}"),
        (None, None) => String::new(),
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => match schema.get("pattern").and_then(Value::as_str) {
            Some(pattern) => format!("a text like {pattern}"),
            None => match span("minLength", "maxLength").as_str() {
                "" => "a text".into(),
                span => format!("a text of{} characters", span.trim_start_matches(" from")),
            },
        },
        Some("integer") => format!("a whole number{}", span("minimum", "maximum")),
        Some("number") => format!("a number{}", span("minimum", "maximum")),
        Some("boolean") => "true or false".into(),
        Some("array") => {
            let items = expects(schema.get("items"));
            format!("a list{} of {items}", span("minItems", "maxItems"))
        }
        _ => "an object".into(),
    }
}
