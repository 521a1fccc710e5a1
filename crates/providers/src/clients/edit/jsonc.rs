//! JSON with comments and trailing commas: a member is set, added to a list or taken out, and all
//! else stays byte for byte.
//!
//! New lines are written as those around them are: their indentation, their ends, a trailing comma
//! where the list has one, on one line where everything is.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::value::{Step, put, take};
use super::{Refusal, indentation, line_end, not_understood, split_mark};

/// A file of JSON that is being changed.
#[derive(Debug, Clone)]
pub(crate) struct Jsonc {
    mark: String,
    text: String,
}

impl Jsonc {
    /// Reads a text; one without a value is an object without members.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let (mark, text) = split_mark(text);
        let jsonc = Self { mark: mark.to_owned(), text: text.to_owned() };
        match parsed(text)?.value {
            None | Some(ast::Value::Object(_)) => Ok(jsonc),
            Some(other) => {
                Err(Refusal::at(text, other.range().start, "the file must be a JSON object"))
            }
        }
    }

    /// The text as it is now.
    pub(crate) fn into_text(self) -> String {
        self.mark + &self.text
    }

    /// What stands at a path.
    pub(crate) fn get(&self, path: &[Step<'_>]) -> Option<Value> {
        let parsed = parsed(&self.text).ok()?;
        let root = parsed.value?;
        let steps = path.iter().try_fold(&root, |value, step| child(value, *step));
        steps.map(value_of)
    }

    /// Where the value at a path stands, for a refusal.
    pub(crate) fn refusal(&self, path: &[Step<'_>], why: impl Into<String>) -> Refusal {
        let place = || {
            let parsed = parsed(&self.text).ok()?;
            let root = parsed.value?;
            let value = path.iter().try_fold(&root, |value, step| child(value, *step))?;
            Some(value.range().start)
        };
        match place() {
            Some(offset) => Refusal::at(&self.text, offset, why),
            None => Refusal::new(why),
        }
    }

    /// Puts a value at a path of keys, and makes the objects on the way to it.
    pub(crate) fn set(&mut self, path: &[Step<'_>], value: &Value) -> Result<(), Refusal> {
        self.change(
            path,
            |text, parsed| insertion(text, parsed, path, value, false),
            |root| put(root, path, value.clone()),
        )
    }

    /// Adds a value to the end of the list at a path, and makes the list.
    pub(crate) fn push(&mut self, path: &[Step<'_>], value: &Value) -> Result<(), Refusal> {
        let length = match self.get(path) {
            None => 0,
            Some(Value::Array(list)) => list.len(),
            Some(_) => return Err(self.refusal(path, "it must be a list")),
        };
        let end = [path, &[Step::At(length)]].concat();
        self.change(
            &end,
            |text, parsed| insertion(text, parsed, path, value, true),
            |root| put(root, &end, value.clone()),
        )
    }

    /// Takes out what stands at a path; what is not there need not be taken out.
    pub(crate) fn remove(&mut self, path: &[Step<'_>]) -> Result<(), Refusal> {
        if self.get(path).is_none() {
            return Ok(());
        }
        self.change(path, |text, parsed| removal(text, parsed, path), |root| take(root, path))
    }

    /// Makes a change and looks whether the text says what it should afterwards.
    fn change(
        &mut self,
        path: &[Step<'_>],
        splice: impl Fn(&str, &Parsed<'_>) -> Result<Splice, Refusal>,
        wanted: impl Fn(&mut Value) -> Option<()>,
    ) -> Result<(), Refusal> {
        let before = parsed(&self.text)?;
        refuse_twins(&self.text, &before, path)?;
        let mut expected =
            before.value.as_ref().map_or_else(|| Value::Object(Map::new()), value_of);
        let Splice { range, with } = splice(&self.text, &before)?;
        let text = [&self.text[..range.start], &with, &self.text[range.end..]].concat();
        wanted(&mut expected).ok_or_else(not_understood)?;
        let after = parsed(&text).map_err(|_| not_understood())?;
        if after.value.as_ref().map(value_of) != Some(expected) {
            return Err(not_understood());
        }
        self.text = text;
        Ok(())
    }
}

/// A part of a text and what comes in its place.
struct Splice {
    range: Range<usize>,
    with: String,
}

struct Parsed<'a> {
    value: Option<ast::Value<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

fn parsed(text: &str) -> Result<Parsed<'_>, Refusal> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let options = ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &collect, &options) {
        Ok(result) => Ok(Parsed { value: result.value, tokens: result.tokens.unwrap_or_default() }),
        Err(error) => {
            let why = error.kind().to_string();
            Err(Refusal::at(text, error.range().start, format!("it is no JSON: {why}")))
        }
    }
}

fn child<'v, 'a>(value: &'v ast::Value<'a>, step: Step<'_>) -> Option<&'v ast::Value<'a>> {
    match (value, step) {
        (ast::Value::Object(object), Step::Key(key)) => Some(&object.get(key)?.value),
        (ast::Value::Array(list), Step::At(at)) => list.elements.get(at),
        _ => None,
    }
}

fn value_of(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(string) => Value::String(string.value.clone().into_owned()),
        ast::Value::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| number.value.into())
        }
        ast::Value::BooleanLit(truth) => Value::Bool(truth.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(list) => list.elements.iter().map(value_of).collect(),
        ast::Value::Object(object) => {
            let members = object.properties.iter();
            members.map(|one| (one.name.as_str().to_owned(), value_of(&one.value))).collect()
        }
    }
}

/// Refuses an object on the way that has the next key twice: clients differ in which of them counts.
fn refuse_twins(text: &str, parsed: &Parsed<'_>, path: &[Step<'_>]) -> Result<(), Refusal> {
    let mut value = parsed.value.as_ref();
    for step in path {
        if let (Some(ast::Value::Object(object)), Step::Key(key)) = (value, step) {
            let mut twins = object.properties.iter().filter(|one| one.name.as_str() == *key);
            if let (Some(_), Some(twin)) = (twins.next(), twins.next()) {
                let why = format!("{key:?} stands here a second time: keep one of them");
                return Err(Refusal::at(text, twin.range.start, why));
            }
        }
        value = value.and_then(|value| child(value, *step));
    }
    Ok(())
}

/// An object or a list, and where what it holds stands.
struct Container {
    range: Range<usize>,
    members: Vec<Range<usize>>,
}

impl Container {
    fn of(value: &ast::Value<'_>) -> Option<Self> {
        let span = |range: jsonc_parser::common::Range| range.start..range.end;
        let members = match value {
            ast::Value::Object(object) => {
                object.properties.iter().map(|one| span(one.range)).collect()
            }
            ast::Value::Array(list) => list.elements.iter().map(|one| span(one.range())).collect(),
            _ => return None,
        };
        Some(Self { range: span(value.range()), members })
    }

    /// Where its closing bracket stands.
    fn close(&self) -> usize {
        self.range.end - 1
    }

    /// What it is made of, brackets included.
    fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range.clone()]
    }
}

/// How new lines are written in a text.
struct Style<'a> {
    line_end: &'static str,
    unit: &'a str,
    is_inline: bool,
    is_tight: bool,
}

impl<'a> Style<'a> {
    /// The style of a container; `root` is the one around all.
    fn of(text: &'a str, root: Option<&Container>, container: Option<&Container>) -> Self {
        let has_line = |one: &Container| one.text(text).contains('\n');
        let is_one_line = |one: &Container| !one.members.is_empty() && !has_line(one);
        let first = root.and_then(|root| root.members.first());
        let unit = first.map_or("", |first| indentation(text, first.start));
        let is_inline = root.is_some_and(is_one_line) || container.is_some_and(is_one_line);
        let around = root.map_or("", |root| root.text(text));
        Self {
            line_end: line_end(text),
            unit: if unit.is_empty() { "  " } else { unit },
            is_inline,
            is_tight: around.contains("\":") && !around.contains("\": "),
        }
    }

    /// A value as it is written behind so many blanks.
    fn write(&self, value: &Value, indent: &str) -> String {
        let is_flat = |value: &Value| !value.is_array() && !value.is_object();
        let parts: Vec<String> = match value {
            Value::Object(object) => {
                let inner = format!("{indent}{}", self.unit);
                object.iter().map(|(key, value)| self.member(key, value, &inner)).collect()
            }
            Value::Array(list) => {
                let inner = format!("{indent}{}", self.unit);
                list.iter().map(|value| self.write(value, &inner)).collect()
            }
            flat => return flat.to_string(),
        };
        let (open, close) = if value.is_array() { ("[", "]") } else { ("{", "}") };
        let is_list_of_words = value.as_array().is_some_and(|list| list.iter().all(is_flat));
        if parts.is_empty() || self.is_inline || is_list_of_words {
            let comma = if self.is_tight { "," } else { ", " };
            return format!("{open}{}{close}", parts.join(comma));
        }
        let end = self.line_end;
        let inner = format!("{end}{indent}{}", self.unit);
        let lines = parts.join(&format!(",{inner}"));
        format!("{open}{inner}{lines}{end}{indent}{close}")
    }

    fn member(&self, key: &str, value: &Value, indent: &str) -> String {
        let colon = if self.is_tight { ":" } else { ": " };
        format!("{}{colon}{}", Value::from(key), self.write(value, indent))
    }
}

/// The change that puts a value at a path, or at the end of the list there.
fn insertion(
    text: &str,
    parsed: &Parsed<'_>,
    path: &[Step<'_>],
    value: &Value,
    is_pushed: bool,
) -> Result<Splice, Refusal> {
    let root = parsed.value.as_ref();
    let outer = root.and_then(Container::of);
    let mut deepest = root;
    let mut left = path;
    while let (Some(found), Some((step, rest))) = (deepest, left.split_first()) {
        let Some(next) = child(found, *step) else { break };
        (deepest, left) = (Some(next), rest);
    }
    let Some(deepest) = deepest else {
        return Ok(whole(text, &nested(path, value, is_pushed)));
    };
    let container = Container::of(deepest);
    if left.is_empty() && !is_pushed {
        let style = Style::of(text, outer.as_ref(), None);
        let range = deepest.range().start..deepest.range().end;
        let with = style.write(value, indentation(text, range.start));
        return Ok(Splice { range, with });
    }
    let is_open = match left.first() {
        None | Some(Step::At(_)) => matches!(deepest, ast::Value::Array(_)),
        Some(Step::Key(_)) => matches!(deepest, ast::Value::Object(_)),
    };
    let Some(container) = container.filter(|_| is_open) else {
        let what = if left.is_empty() { "a list" } else { "an object" };
        return Err(Refusal::at(text, deepest.range().start, format!("it must be {what}")));
    };
    let style = Style::of(text, outer.as_ref(), Some(&container));
    let write = |indent: &str| match left.split_first() {
        Some((Step::Key(key), rest)) => style.member(key, &nested(rest, value, is_pushed), indent),
        _ => style.write(value, indent),
    };
    Ok(appended(text, &parsed.tokens, &container, &style, write))
}

/// A value within the objects, and the list, that are not there yet.
fn nested(path: &[Step<'_>], value: &Value, is_pushed: bool) -> Value {
    let last = if is_pushed { Value::Array(vec![value.clone()]) } else { value.clone() };
    path.iter().rev().fold(last, |inner, step| match step {
        Step::Key(key) => Value::Object(Map::from_iter([((*key).to_owned(), inner)])),
        Step::At(_) => Value::Array(vec![inner]),
    })
}

/// The first value of a text that has none, behind its comments.
fn whole(text: &str, value: &Value) -> Splice {
    let style = Style::of(text, None, None);
    let kept = text.trim_end();
    let end = style.line_end;
    let before = if kept.is_empty() { "" } else { end };
    let with = format!("{before}{}{end}", style.write(value, ""));
    Splice { range: kept.len()..text.len(), with }
}

/// The change that adds a member at the end of a container.
fn appended(
    text: &str,
    tokens: &[TokenAndRange<'_>],
    container: &Container,
    style: &Style<'_>,
    write: impl Fn(&str) -> String,
) -> Splice {
    let close = container.close();
    let last = container.members.last();
    let start = last.map_or(container.range.start + 1, |last| last.end);
    let has_comma = last.is_some_and(|last| comma_after(tokens, last.end).is_some());
    let tail = text[start..close].trim_end();
    let blanks = &text[start + tail.len()..close];
    let comma = if last.is_some() && !has_comma { "," } else { "" };
    let trailing = if has_comma { "," } else { "" };
    let with = if style.is_inline {
        let gap = if style.is_tight || last.is_none() { "" } else { " " };
        format!("{comma}{tail}{gap}{}{trailing}{blanks}", write(""))
    } else {
        let outer = indentation(text, container.range.start);
        let is_first_on_line =
            |one: &&Range<usize>| text[..one.start].trim_end_matches([' ', '\t']).ends_with('\n');
        let indent = last.filter(is_first_on_line).map_or_else(
            || format!("{outer}{}", style.unit),
            |last| indentation(text, last.start).to_owned(),
        );
        let end = style.line_end;
        let closing =
            if blanks.contains('\n') { blanks.to_owned() } else { format!("{end}{outer}") };
        format!("{comma}{tail}{end}{indent}{}{trailing}{closing}", write(&indent))
    };
    Splice { range: start..close, with }
}

/// The end of the comma that comes next, comments aside.
fn comma_after(tokens: &[TokenAndRange<'_>], offset: usize) -> Option<usize> {
    let is_comment =
        |token: &Token<'_>| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_));
    let first = tokens.partition_point(|one| one.range.start < offset);
    let next = tokens[first..].iter().find(|one| !is_comment(&one.token))?;
    (next.token == Token::Comma).then_some(next.range.end)
}

/// The change that takes out what stands at a path, with its comma and its line.
fn removal(text: &str, parsed: &Parsed<'_>, path: &[Step<'_>]) -> Result<Splice, Refusal> {
    let (last, way) = path.split_last().ok_or_else(not_understood)?;
    let root = parsed.value.as_ref().ok_or_else(not_understood)?;
    let parent = way.iter().try_fold(root, |value, step| child(value, *step));
    let parent = parent.ok_or_else(not_understood)?;
    let place = match (parent, last) {
        (ast::Value::Object(object), Step::Key(key)) => {
            object.properties.iter().position(|one| one.name.as_str() == *key)
        }
        (ast::Value::Array(_), Step::At(at)) => Some(*at),
        _ => None,
    };
    let container = Container::of(parent).ok_or_else(not_understood)?;
    let place = place.filter(|at| *at < container.members.len()).ok_or_else(not_understood)?;
    let member = container.members[place].clone();
    let before = place.checked_sub(1).map(|at| container.members[at].end);

    // What stays of the container: its text up to the member, and behind it.
    let kept_to = text[..member.start].trim_end().len();
    let (head, rest) = match (comma_after(&parsed.tokens, member.end), before) {
        (Some(comma), _) => (text[container.range.start..kept_to].to_owned(), comma),
        (None, Some(before)) => {
            let comma = comma_after(&parsed.tokens, before).ok_or_else(not_understood)?;
            let head = [&text[container.range.start..comma - 1], &text[comma..kept_to]].concat();
            (head, member.end)
        }
        (None, None) => (text[container.range.start..kept_to].to_owned(), member.end),
    };
    let is_line = |one: &&TokenAndRange<'_>| matches!(one.token, Token::CommentLine(_));
    let in_comment =
        |one: &TokenAndRange<'_>| one.range.start < kept_to && one.range.end >= kept_to;
    let is_comment_open = parsed.tokens.iter().filter(is_line).any(in_comment);
    let mut tail = &text[rest..container.range.end];
    let is_alone = container.members.len() == 1;
    let gap = if is_comment_open && !tail.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
        line_end(text)
    } else {
        ""
    };
    if place == 0 && !is_alone && !text[container.range.start..member.start].contains('\n') {
        tail = tail.trim_start_matches(' ');
    }
    let mut with = format!("{head}{gap}{tail}");
    if is_alone && with[1..with.len() - 1].trim().is_empty() {
        with.replace_range(1..with.len() - 1, "");
    }
    Ok(Splice { range: container.range.clone(), with })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: [Step<'static>; 2] = [Step::Key("servers"), Step::Key("ours")];

    fn set(text: &str) -> String {
        let mut jsonc = Jsonc::read(text).expect(text);
        jsonc.set(&PATH, &json!({"command": "x", "args": ["serve"]})).expect(text);
        jsonc.into_text()
    }

    fn removed(text: &str, path: &[Step<'_>]) -> String {
        let mut jsonc = Jsonc::read(text).expect(text);
        jsonc.remove(path).expect(text);
        jsonc.into_text()
    }

    #[test]
    fn a_member_is_written_as_those_around_it_are() {
        for (before, after) in [
            (
                "",
                "{\n  \"servers\": {\n    \"ours\": {\n      \"command\": \"x\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
            ),
            (
                "{\n\t\"servers\": {}\n}",
                "{\n\t\"servers\": {\n\t\t\"ours\": {\n\t\t\t\"command\": \"x\",\n\t\t\t\"args\": [\"serve\"]\n\t\t}\n\t}\n}",
            ),
            (
                "{\"a\":1}",
                "{\"a\":1,\"servers\":{\"ours\":{\"command\":\"x\",\"args\":[\"serve\"]}}}",
            ),
            (
                "{ \"servers\": { \"b\": 1 } }",
                "{ \"servers\": { \"b\": 1, \"ours\": {\"command\": \"x\", \"args\": [\"serve\"]} } }",
            ),
            (
                "{\r\n    \"servers\": {\r\n        \"b\": 1, // last\r\n    },\r\n}",
                "{\r\n    \"servers\": {\r\n        \"b\": 1, // last\r\n        \"ours\": {\r\n            \"command\": \"x\",\r\n            \"args\": [\"serve\"]\r\n        },\r\n    },\r\n}",
            ),
            (
                "{\n  \"servers\": {\n    \"b\": 1 // last\n    /* \"c\": 2 */\n  }\n}",
                "{\n  \"servers\": {\n    \"b\": 1, // last\n    /* \"c\": 2 */\n    \"ours\": {\n      \"command\": \"x\",\n      \"args\": [\"serve\"]\n    }\n  }\n}",
            ),
        ] {
            assert_eq!(set(before), after, "{before}");
            assert_eq!(set(after), after, "a second time: {before}");
        }
    }

    #[test]
    fn what_is_taken_out_leaves_no_trace() {
        for before in [
            "{\n  \"servers\": {\n    \"b\": 1\n  }\n}\n",
            "\u{feff}{\n  \"servers\": {\n    \"b\": 1, // last\n  }\n}\n",
            "{\"servers\":{\"b\":1}}",
            "{ \"servers\": { \"b\": 1 } }",
            "{\n  \"servers\": { // none\n  }\n}",
            "{\n  \"servers\": {},\n  // end\n}",
            "{\r\n\t\"servers\": {\r\n\t\t\"b\": 1 // x\r\n\t\t// y\r\n\t}\r\n}",
        ] {
            assert_eq!(removed(&set(before), &PATH), before);
        }
    }

    #[test]
    fn a_member_is_taken_out_from_any_place() {
        let path = [Step::Key("b")];
        for (before, after) in [
            ("{\"b\": 1, \"c\": 2}", "{\"c\": 2}"),
            ("{\"a\": 1, \"b\": 1, \"c\": 2}", "{\"a\": 1, \"c\": 2}"),
            ("{\"a\": 1 /* x */, \"b\": 1}", "{\"a\": 1 /* x */}"),
            ("{ // all\n  \"b\": 1 }", "{ // all\n }"),
            ("{\n  // ours\n  \"b\": 1,\n  \"c\": 2\n}", "{\n  // ours\n  \"c\": 2\n}"),
            ("{ \"b\": 1 }", "{}"),
        ] {
            assert_eq!(removed(before, &path), after, "{before}");
        }
        assert_eq!(removed("{\"a\": 1}", &path), "{\"a\": 1}");
        let inner = [Step::Key("l"), Step::At(1)];
        assert_eq!(removed("{\"l\": [1, 2, 3]}", &inner), "{\"l\": [1, 3]}");
    }

    #[test]
    fn a_list_grows_at_its_end() {
        let path = [Step::Key("hooks"), Step::Key("Stop")];
        let mut jsonc = Jsonc::read("{\n  \"hooks\": {}\n}").unwrap();
        jsonc.push(&path, &json!({"a": 1})).unwrap();
        jsonc.push(&path, &json!({"b": []})).unwrap();
        assert_eq!(jsonc.get(&path), Some(json!([{"a": 1}, {"b": []}])));
        jsonc.remove(&[path[0], path[1], Step::At(0)]).unwrap();
        assert_eq!(jsonc.get(&path), Some(json!([{"b": []}])));
        let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"b\": []\n      }\n    ]\n  }\n}";
        assert_eq!(jsonc.into_text(), text);
    }

    #[test]
    fn what_is_broken_is_refused_with_its_place() {
        for (text, why) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column 9: it is no JSON: Expected comma"),
            ("{\"a\": ", "line 1, column 7: it is no JSON"),
            ("[1]", "line 1, column 1: the file must be a JSON object"),
            ("{} {}", "more than one JSON value"),
            ("{'a': 1}", "it is no JSON"),
            ("{a: 1}", "it is no JSON"),
        ] {
            let refusal = Jsonc::read(text).expect_err(text).to_string();
            assert!(refusal.contains(why), "{text}: {refusal}");
        }
        for (text, why) in [
            ("{\"servers\": 1}", "line 1, column 13: it must be an object"),
            ("{\"servers\": []}", "line 1, column 13: it must be an object"),
            (
                "{\"servers\": {},\n \"servers\": {}}",
                "line 2, column 2: \"servers\" stands here a second time",
            ),
        ] {
            let mut jsonc = Jsonc::read(text).unwrap();
            let refusal = jsonc.set(&PATH, &json!(1)).expect_err(text).to_string();
            assert!(refusal.contains(why), "{text}: {refusal}");
            assert_eq!(jsonc.into_text(), text);
        }
    }
}
