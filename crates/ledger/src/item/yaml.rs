//! YAML whose values know their lines.
//!
//! A number keeps the form it was written in: as a version `1.10` is not `1.1`.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::simple;
use crate::file::Flaw;
use crate::file::front::{cut_off, options, yaml_flaw};

/// More than this is read by nobody.
const BYTES_MAX: usize = 1024 * 1024;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    /// In the file, from 1.
    pub(super) line: usize,
    pub(super) value: Yaml,
}

/// A value.
#[derive(Debug, PartialEq)]
pub(super) enum Yaml {
    Null,
    Text(String),
    /// What is no text, as it was written and what it stands for.
    Plain(String, Value),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// The same value, wherever it stands.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Node {
    /// The text of a single value.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Yaml::Text(text) | Yaml::Plain(text, _) => Some(text),
            Yaml::Null | Yaml::List(_) | Yaml::Map(_) => None,
        }
    }

    /// The texts of a list of single values, or of one.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        match &self.value {
            Yaml::List(nodes) => nodes.iter().map(|node| node.text().map(str::to_owned)).collect(),
            _ => self.text().map(|text| vec![text.to_owned()]),
        }
    }

    /// The value as JSON, if it is nested no deeper than `depth`.
    pub(super) fn json(&self, depth: usize) -> Option<Value> {
        Some(match &self.value {
            Yaml::Null => Value::Null,
            Yaml::Text(text) => Value::String(text.clone()),
            Yaml::Plain(_, value) => value.clone(),
            Yaml::List(nodes) => {
                let depth = depth.checked_sub(1)?;
                Value::Array(nodes.iter().map(|node| node.json(depth)).collect::<Option<_>>()?)
            }
            Yaml::Map(entries) => Value::Object(json_map(entries, depth)?),
        })
    }

    /// What it is, for who expected something else.
    pub(super) fn named(&self) -> String {
        match &self.value {
            Yaml::Null => "nothing".to_owned(),
            Yaml::Text(text) | Yaml::Plain(text, _) => format!("{text:?}"),
            Yaml::List(_) => "a list".to_owned(),
            Yaml::Map(_) => "a map".to_owned(),
        }
    }
}

/// A map as JSON, if it is nested no deeper than `depth`.
pub(super) fn json_map(entries: &[(String, Node)], depth: usize) -> Option<Map<String, Value>> {
    let depth = depth.checked_sub(1)?;
    entries.iter().map(|(key, node)| Some((key.clone(), node.json(depth)?))).collect()
}

/// Reads a text; its first line is the file's line `first`.
pub(super) fn read(text: &str, first: usize) -> Result<Node, Flaw> {
    if text.len() > BYTES_MAX {
        return Err(Flaw { line: first, why: format!("should be at most {BYTES_MAX} bytes") });
    }
    if let Some(flaw) = cut_off(text.lines(), first) {
        return Err(flaw);
    }
    simple::read(text, first).map_or_else(|| parse(text, first), Ok)
}

/// Reads any text by the parser.
pub(super) fn parse(text: &str, first: usize) -> Result<Node, Flaw> {
    let read: Result<Spanned<Raw>, _> = serde_saphyr::from_str_with_options(text, options());
    match read {
        Ok(raw) => Ok(node(raw, text, first)),
        Err(error) => Err(yaml_flaw(&error, first, text.lines().count())),
    }
}

fn node(raw: Spanned<Raw>, text: &str, first: usize) -> Node {
    let line = usize::try_from(raw.referenced.line()).unwrap_or(1).max(1) - 1 + first;
    let span = raw.defined.span();
    let written = || {
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let length = usize::try_from(span.byte_len()?).ok()?;
        text.get(start..start.checked_add(length)?).map(|text| text.trim().to_owned())
    };
    let value = match raw.value {
        Raw::Single(Value::Null) => Yaml::Null,
        Raw::Single(Value::String(text)) => Yaml::Text(text),
        Raw::Single(value) => Yaml::Plain(written().unwrap_or_else(|| value.to_string()), value),
        Raw::List(list) => Yaml::List(list.into_iter().map(|raw| node(raw, text, first)).collect()),
        Raw::Map(map) => {
            Yaml::Map(map.into_iter().map(|(key, raw)| (key, node(raw, text, first))).collect())
        }
    };
    Node { line, value }
}

/// A value as it comes from the parser.
enum Raw {
    Single(Value),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(String, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Single(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Single(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Single(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Single(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Raw, E> {
        self.visit_string(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Single(Value::String(value)))
    }

    fn visit_unit<E: Error>(self) -> Result<Raw, E> {
        Ok(Raw::Single(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Raw, E> {
        self.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element()? {
            list.push(value);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = access.next_entry()? {
            map.push(entry);
        }
        Ok(Raw::Map(map))
    }
}
