//! TOML: a table is added, a value replaced, a table taken out, and all else stays byte for byte.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike};

use super::value::{Step, put, take};
use super::{Refusal, line_end, not_understood, split_mark};

/// A file of TOML that is being changed.
#[derive(Debug, Clone)]
pub(crate) struct Toml {
    mark: String,
    text: String,
}

impl Toml {
    /// Reads a text.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let (mark, text) = split_mark(text);
        parsed(text)?;
        Ok(Self { mark: mark.to_owned(), text: text.to_owned() })
    }

    /// The text as it is now.
    pub(crate) fn into_text(self) -> String {
        self.mark + &self.text
    }

    /// What stands at a path of keys.
    pub(crate) fn get(&self, path: &[&str]) -> Option<Value> {
        let document = parsed(&self.text).ok()?;
        item(&document, path).map(value_of)
    }

    /// A refusal at the place of a value.
    pub(crate) fn refusal(&self, path: &[&str], why: impl Into<String>) -> Refusal {
        let document = parsed(&self.text).ok();
        let place = document.and_then(|document| Some(item(&document, path)?.span()?.start));
        match place {
            Some(offset) => Refusal::at(&self.text, offset, why),
            None => Refusal::new(why),
        }
    }

    /// Adds a table of values in `section`, which may be there or not.
    pub(crate) fn add(
        &mut self,
        section: &str,
        name: &str,
        values: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let document = parsed(&self.text)?;
        let text = &self.text;
        let new = match item(&document, &[section]) {
            Some(Item::Value(toml_edit::Value::InlineTable(table))) => {
                let range = table.span().ok_or_else(not_understood)?;
                within_braces(text, &range, name, values)
            }
            None | Some(Item::Table(_) | Item::None) => {
                let end = line_end(text);
                let lines =
                    values.iter().map(|(key, value)| format!("{key} = {}{end}", written(value)));
                let lines: String = lines.collect();
                let gap = match text.as_str() {
                    "" => "",
                    text if text.ends_with('\n') => end,
                    _ => &end.repeat(2),
                };
                format!("{text}{gap}[{section}.{name}]{end}{lines}")
            }
            Some(_) => return Err(self.refusal(&[section], format!("{section} must be a table"))),
        };
        let path = [Step::Key(section), Step::Key(name)];
        self.change(new, |root| put(root, &path, Value::Object(values.clone())))
    }

    /// Puts another value in the place of one that is there.
    pub(crate) fn replace(&mut self, path: &[&str], value: &Value) -> Result<(), Refusal> {
        let document = parsed(&self.text)?;
        let range = item(&document, path).and_then(Item::span).ok_or_else(not_understood)?;
        let new = [&self.text[..range.start], &written(value), &self.text[range.end..]].concat();
        let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
        self.change(new, |root| put(root, &steps, value.clone()))
    }

    /// Takes out a table of `section`, with its lines and the empty line before them.
    pub(crate) fn remove(&mut self, section: &str, name: &str) -> Result<(), Refusal> {
        let document = parsed(&self.text)?;
        let Some(found) = item(&document, &[section, name]) else { return Ok(()) };
        let text = &self.text;
        let parent = item(&document, &[section]).and_then(Item::as_inline_table);
        let new = if let Some(table) = parent.filter(|table| !table.is_dotted()) {
            let key = table.get_key_value(name).and_then(|(key, _)| key.span());
            let (key, value) = key.zip(found.span()).ok_or_else(not_understood)?;
            without_member(text, key.start..value.end)
        } else {
            let table = item(&document, &[section]).and_then(Item::as_table_like);
            let mut parts = Vec::new();
            table.map(|table| collect(table, name, &mut parts)).ok_or_else(not_understood)?;
            without_lines(text, parts)
        };
        // A section that no line of its own made is gone with its last table.
        let is_left = parsed(&new).ok().is_some_and(|after| item(&after, &[section]).is_some());
        let path = [Step::Key(section), Step::Key(name)];
        let gone = if is_left { &path[..] } else { &path[..1] };
        self.change(new, |root| take(root, gone))
    }

    /// Takes a new text if it says what it should.
    fn change(
        &mut self,
        new: String,
        wanted: impl Fn(&mut Value) -> Option<()>,
    ) -> Result<(), Refusal> {
        let mut expected = value_of(parsed(&self.text)?.as_item());
        wanted(&mut expected).ok_or_else(not_understood)?;
        let after = parsed(&new).map_err(|_| not_understood())?;
        if value_of(after.as_item()) != expected {
            return Err(not_understood());
        }
        drop(after);
        self.text = new;
        Ok(())
    }
}

fn parsed(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let why = error.message().lines().next().unwrap_or_default();
        Refusal::at(text, offset, format!("it is no TOML: {why}"))
    })
}

fn item<'d>(document: &'d Document<&str>, path: &[&str]) -> Option<&'d Item> {
    path.iter().try_fold(document.as_item(), |item, key| item.get(*key))
}

fn value_of(item: &Item) -> Value {
    let of_table = |table: &dyn TableLike| {
        table.iter().map(|(key, item)| (key.to_owned(), value_of(item))).collect()
    };
    match item {
        Item::None => Value::Null,
        Item::Table(table) => Value::Object(of_table(table)),
        Item::ArrayOfTables(list) => {
            list.iter().map(|table| Value::Object(of_table(table))).collect()
        }
        Item::Value(toml_edit::Value::InlineTable(table)) => Value::Object(of_table(table)),
        Item::Value(toml_edit::Value::Array(list)) => {
            list.iter().map(|value| value_of(&Item::Value(value.clone()))).collect()
        }
        Item::Value(toml_edit::Value::String(text)) => text.value().as_str().into(),
        Item::Value(toml_edit::Value::Integer(number)) => (*number.value()).into(),
        Item::Value(toml_edit::Value::Float(number)) => number.value().to_string().into(),
        Item::Value(toml_edit::Value::Boolean(truth)) => (*truth.value()).into(),
        Item::Value(toml_edit::Value::Datetime(time)) => time.value().to_string().into(),
    }
}

/// A string or a list of strings; both are written as in JSON.
fn written(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            format!("[{}]", list.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// The text with one more member in the inline table at `range`.
fn within_braces(
    text: &str,
    range: &Range<usize>,
    name: &str,
    values: &Map<String, Value>,
) -> String {
    let values = values.iter().map(|(key, value)| format!("{key} = {}", written(value)));
    let values = values.collect::<Vec<_>>().join(", ");
    let inner = text[range.start + 1..range.end - 1].trim_end();
    let comma = if inner.trim().is_empty() || inner.ends_with(',') { "" } else { "," };
    let at = range.start + 1 + inner.len();
    let (before, after) = (&text[..at], &text[range.end - 1..]);
    format!("{before}{comma} {name} = {{ {values} }} {after}")
}

/// The text without a member of an inline table, and without its comma.
fn without_member(text: &str, member: Range<usize>) -> String {
    let (before, after) = (&text[..member.start], &text[member.end..]);
    if let Some(before) = before.trim_end().strip_suffix(',') {
        return [before, after].concat();
    }
    if after.trim_start().starts_with('}') {
        return [before.trim_end(), after.trim_start()].concat();
    }
    let rest = after.trim_start().strip_prefix(',');
    [before, rest.map_or(after, str::trim_start)].concat()
}

/// Where the headers and the values of a table stand.
fn collect(table: &dyn TableLike, name: &str, parts: &mut Vec<(bool, Range<usize>)>) {
    let Some((key, item)) = table.get_key_value(name) else { return };
    match item {
        Item::Table(inner) => {
            if let Some(header) =
                inner.span().filter(|_| !inner.is_dotted() && !inner.is_implicit())
            {
                parts.push((true, header));
            }
            inner.iter().for_each(|(name, _)| collect(inner, name, parts));
        }
        Item::ArrayOfTables(list) => {
            for inner in list {
                parts.extend(inner.span().map(|header| (true, header)));
                inner.iter().for_each(|(name, _)| collect(inner, name, parts));
            }
        }
        Item::Value(toml_edit::Value::InlineTable(inner)) if inner.is_dotted() => {
            inner.iter().for_each(|(name, _)| collect(inner, name, parts));
        }
        item => {
            let both = key.span().zip(item.span());
            parts.extend(both.map(|(key, value)| (false, key.start..value.end)));
        }
    }
}

/// The text without the lines of these parts, and without an empty line before a header.
fn without_lines(text: &str, mut parts: Vec<(bool, Range<usize>)>) -> String {
    parts.sort_by_key(|(_, range)| range.start);
    let mut kept = String::new();
    let mut from = 0;
    for (is_header, range) in parts {
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
        kept += text.get(from..start).unwrap_or_default();
        if is_header && !kept.is_empty() {
            let blank = if kept.ends_with("\r\n") { "\r\n" } else { "\n" };
            let is_apart = kept.ends_with(&blank.repeat(2)) || kept == blank;
            kept.truncate(kept.len() - if is_apart { blank.len() } else { 0 });
        }
        from = end.max(from);
    }
    kept + &text[from..]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values() -> Map<String, Value> {
        let Value::Object(values) = json!({"command": "/opt/x", "args": ["serve"]}) else {
            unreachable!("it is an object")
        };
        values
    }

    fn added(text: &str) -> String {
        let mut toml = Toml::read(text).expect(text);
        toml.add("servers", "ours", &values()).expect(text);
        assert_eq!(toml.get(&["servers", "ours", "command"]), Some("/opt/x".into()));
        toml.into_text()
    }

    fn removed(text: &str) -> String {
        let mut toml = Toml::read(text).expect(text);
        toml.remove("servers", "ours").expect(text);
        toml.into_text()
    }

    #[test]
    fn a_table_goes_to_the_end_and_away_again() {
        for text in [
            "",
            "# mine\n",
            "model = \"o\"\r\n\r\n[servers.a]\r\ncommand = \"a\" # first\r\n\r\n",
            "\u{feff}a.b = 1\n[servers]\n[servers.b.env]\nX = '''\n[servers.ours]\n'''\n",
            "servers.a.command = \"x\"\nlist = [\n  1, # one\n]\n\n[[runs]]\nat = 1979-05-27\n",
            "servers = { a = { command = \"a\" } }\nb = 1\n",
            "servers = {}\n",
        ] {
            let with = added(text);
            let back = removed(&with);
            assert_eq!(back, text, "{with}");
            assert_eq!(removed(text), text);
        }
        assert_eq!(
            added("a = 1"),
            "a = 1\n\n[servers.ours]\ncommand = \"/opt/x\"\nargs = [\"serve\"]\n"
        );
    }

    #[test]
    fn a_table_is_taken_out_however_it_is_written() {
        for (text, left) in [
            (
                "[servers.ours]\na = 1\n# note\n\n[servers.ours.env]\nB = \"x\"\n\n[c]\nd = 1\n",
                "# note\n\n[c]\nd = 1\n",
            ),
            (
                "servers.ours.command = \"x\"\nservers.ours.args = [\n  \"y\",\n]\nb = 1\n",
                "b = 1\n",
            ),
            ("[servers]\nours = { a = 1 }\nother = { b = 2 }\n", "[servers]\nother = { b = 2 }\n"),
            ("[servers]\nours.a = 1\nours.b.c = 2\nx = 3\n", "[servers]\nx = 3\n"),
            ("servers = { ours = { a = 1 }, b = { c = 1 } }\n", "servers = { b = { c = 1 } }\n"),
        ] {
            assert_eq!(removed(text), left, "{text}");
        }
    }

    #[test]
    fn a_value_is_replaced_in_its_place() {
        let mut toml = Toml::read("[a]\nb = 'x' # why\nc = 1\n").unwrap();
        toml.replace(&["a", "b"], &json!("C:\\y")).unwrap();
        assert_eq!(toml.into_text(), "[a]\nb = \"C:\\\\y\" # why\nc = 1\n");
    }

    #[test]
    fn what_is_broken_or_no_table_is_refused() {
        let refusal = Toml::read("a = 1\nb = \n").unwrap_err().to_string();
        assert!(refusal.starts_with("line 2, column") && refusal.contains("no TOML"), "{refusal}");
        for text in ["servers = 1\n", "[[servers]]\na = 1\n"] {
            let mut toml = Toml::read(text).unwrap();
            let refusal = toml.add("servers", "ours", &values()).unwrap_err().to_string();
            assert!(refusal.contains("must be a table"), "{refusal}");
        }
    }
}
