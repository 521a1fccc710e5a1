//! Arguments as models and frameworks really send them, brought to the types of the advertised schema.
//!
//! `""` for an optional field is the field left out, a number or truth value as text is that value, a
//! list or object as JSON text is that list or object. What was understood is reported, and so is a
//! field that nobody knows. Everything else stays as it is, so that the parser rejects it by its name.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde_json::{Map, Value};

/// No more of one kind is named in the warnings.
const NAMED_MAX: usize = 20;

/// No more characters of a field's name are repeated.
const NAME_CHARS_MAX: usize = 60;

/// How a tool's arguments are read.
pub(crate) struct Fields<'a> {
    /// The advertised schema.
    pub(crate) schema: &'a Map<String, Value>,
    /// What the tool reads beside the schema: other names of fields, and where a text is from.
    pub(crate) is_hidden: &'a dyn Fn(&str) -> bool,
    /// Other names of fields, each with the field's own name.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
    /// Whether an empty text is a value of its own.
    pub(crate) empty_is_a_value: bool,
}

impl Fields<'_> {
    /// The arguments as the schema wants them, and what the answer says of it.
    pub(crate) fn coerce(
        &self,
        mut arguments: Map<String, Value>,
    ) -> (Map<String, Value>, Vec<String>) {
        for (alias, name) in self.aliases {
            if !arguments.contains_key(*name)
                && let Some(value) = arguments.remove(*alias).filter(|value| !value.is_null())
            {
                arguments.insert((*name).to_owned(), value);
            }
        }
        let mut notes = Notes::default();
        let arguments = self.object(self.schema, arguments, "", &mut notes);
        (arguments, notes.into_warnings())
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        given: Map<String, Value>,
        path: &str,
        notes: &mut Notes,
    ) -> Map<String, Value> {
        let Some(Value::Object(properties)) = schema.get("properties") else { return given };
        let required = schema.get("required").and_then(Value::as_array);
        let is_optional = |name: &str| required.is_none_or(|all| !all.contains(&name.into()));
        let mut fields = Map::new();
        for (name, value) in given {
            let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match properties.get(&name).and_then(Value::as_object) {
                None => {
                    if !(path.is_empty() && (self.is_hidden)(&name)) {
                        notes.unknown.push(unknown(&place, &name, path, properties));
                    }
                    fields.insert(name, value);
                }
                Some(_) if value.is_null() && is_optional(&name) => {}
                Some(_) if value == "" && is_optional(&name) && !self.empty_is_a_value => {
                    notes.empty.push(place);
                }
                Some(schema) => {
                    fields.insert(name, self.value(schema, value, &place, notes));
                }
            }
        }
        fields
    }

    fn value(
        &self,
        schema: &Map<String, Value>,
        value: Value,
        place: &str,
        notes: &mut Notes,
    ) -> Value {
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
        match meant(kind, value, place, notes) {
            Value::Object(given) => Value::Object(self.object(schema, given, place, notes)),
            Value::Array(items) => match schema.get("items").and_then(Value::as_object) {
                Some(of) => {
                    let item = |(at, item)| self.value(of, item, &format!("{place}[{at}]"), notes);
                    items.into_iter().enumerate().map(item).collect()
                }
                None => Value::Array(items),
            },
            other => other,
        }
    }
}

/// The value that is meant where a schema asks for `kind`.
fn meant(kind: &str, given: Value, place: &str, notes: &mut Notes) -> Value {
    let understood = match (kind, &given) {
        ("integer", Value::String(text)) => {
            text.parse::<i64>().ok().filter(|number| number.to_string() == *text).map(Value::from)
        }
        ("integer", Value::Number(number)) if number.is_f64() => {
            number.as_f64().filter(|float| float.fract() == 0.0).map(|float| (float as i64).into())
        }
        ("boolean", Value::String(text)) => text.parse::<bool>().ok().map(Value::from),
        ("array", Value::String(text)) => serde_json::from_str(text).ok().map(Value::Array),
        ("object", Value::String(text)) => serde_json::from_str(text).ok().map(Value::Object),
        _ => None,
    };
    let Some(value) = understood else { return given };
    notes.read.push(match &value {
        Value::Array(_) => format!("{place}: JSON text was read as a list"),
        Value::Object(_) => format!("{place}: JSON text was read as an object"),
        plain => format!("{place}: {given} was read as {plain}"),
    });
    value
}

/// What is said of a field that nobody knows.
fn unknown(place: &str, name: &str, path: &str, known: &Map<String, Value>) -> String {
    let place: String = place.chars().take(NAME_CHARS_MAX).collect();
    let nearest = known.keys().min_by_key(|known| distance(name, known));
    let nearest = match nearest {
        Some(nearest) if path.is_empty() => format!("the nearest known field is {nearest}"),
        Some(nearest) => format!("the nearest known field is {path}.{nearest}"),
        None => "there are no fields".to_owned(),
    };
    format!("{place} is unknown and was ignored; {nearest}")
}

/// How many letters must be put in, taken out or changed to make one name of the other, letter case
/// and `_` aside.
fn distance(one: &str, other: &str) -> usize {
    let letters = |name: &str| -> Vec<char> {
        let plain = name.chars().filter(|c| c.is_alphanumeric()).take(NAME_CHARS_MAX);
        plain.flat_map(char::to_lowercase).collect()
    };
    let other = letters(other);
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, one) in letters(one).into_iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, letter) in other.iter().enumerate() {
            let changed = diagonal + usize::from(*letter != one);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// What is to be said of arguments.
#[derive(Default)]
struct Notes {
    unknown: Vec<String>,
    empty: Vec<String>,
    read: Vec<String>,
}

impl Notes {
    fn into_warnings(self) -> Vec<String> {
        let mut warnings = bounded(self.unknown);
        if !self.empty.is_empty() {
            let fields = bounded(self.empty).join(", ");
            warnings.push(format!("an empty text was read as not given: {fields}"));
        }
        warnings.extend(bounded(self.read));
        warnings
    }
}

/// As many as are named, and how many more there are.
fn bounded(mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED_MAX);
    if more > 0 {
        all.truncate(NAMED_MAX);
        all.push(format!("and {more} more"));
    }
    all
}

/// The names of the fields that a request type reads, those beside its schema among them.
pub(crate) fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // It takes the names and refuses to be read, which is all that was wanted of it.
    _ = T::deserialize(Probe(&mut names));
    names
}

/// A deserializer that only looks at which fields are asked for.
struct Probe<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only looked at"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests;
