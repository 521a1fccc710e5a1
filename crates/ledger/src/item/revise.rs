//! Some keys of a front matter set anew, and nothing besides.

use model::Timestamp;
use model::time::rfc3339;

use super::Parts;
use super::front::{canonical, entries};
use super::scalar::{list, text};
use super::yaml::{Node, Yaml};
use crate::file::Flaw;
use crate::file::front::{Block, blocks};

/// What a key is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A time.
    Time(Timestamp),
    /// A list of texts.
    List(Vec<String>),
}

impl Value {
    fn written(&self) -> String {
        match self {
            Self::Text(value) => text(value),
            Self::Time(at) => rfc3339(*at),
            Self::List(values) => list(values),
        }
    }

    /// Whether a node says the same.
    fn is(&self, node: &Node) -> bool {
        match (self, &node.value) {
            (Self::Text(text), _) => node.text() == Some(text),
            (Self::Time(at), _) => node.text() == Some(&rfc3339(*at)),
            (Self::List(values), Yaml::List(_)) => node.texts().as_ref() == Some(values),
            (Self::List(_), _) => false,
        }
    }
}

/// The same file with some keys of its front matter set, or removed where there is no value.
/// Everything else stays byte for byte; a new key comes last.
///
/// # Errors
///
/// What is wrong with the file, if it has no front matter or none that can be changed.
pub fn revise(text: &str, changes: &[(&str, Option<Value>)]) -> Result<String, Vec<Flaw>> {
    let parts = Parts::of(text).map_err(|flaw| vec![flaw])?;
    let Some(parts) = parts else {
        let why = "should be `---`: a file begins with its front matter".to_owned();
        return Err(vec![Flaw { line: 1, why }]);
    };
    let before = entries(parts.front).map_err(|flaw| vec![flaw])?;
    let changes: Vec<&(&str, Option<Value>)> = changes
        .iter()
        .filter(|(key, value)| match (find(&before, key), value) {
            (Some(node), Some(value)) => !value.is(node),
            (node, value) => node.is_some() || value.is_some(),
        })
        .collect();
    let mut front = parts.front.to_owned();
    let end = if parts.has_returns { "\r\n" } else { "\n" };
    for (key, value) in &changes {
        front = set(&front, key, value.as_ref(), end);
    }
    let after = entries(&front).ok().filter(|after| is_as_asked(&before, after, &changes));
    if after.is_none() {
        let told: Vec<String> = changes.iter().map(|(key, _)| format!("`{key}`")).collect();
        let why = format!(
            "the front matter is in a form that cannot be changed here: set {} by hand",
            told.join(", ")
        );
        let first = changes.first().and_then(|(key, _)| find(&before, key));
        return Err(vec![Flaw { line: first.map_or(1, |node| node.line), why }]);
    }
    let (head, tail) = (&text[..parts.before], &text[parts.before + parts.front.len()..]);
    Ok([head, &front, tail].concat())
}

fn find<'a>(entries: &'a [(String, Node)], key: &str) -> Option<&'a Node> {
    let found = entries.iter().find(|(name, _)| canonical(name) == canonical(key));
    found.map(|(_, node)| node)
}

/// Whether the keys of `changes` say what they should, and all others what they did.
fn is_as_asked(
    before: &[(String, Node)],
    after: &[(String, Node)],
    changes: &[&(&str, Option<Value>)],
) -> bool {
    let is_set = changes.iter().all(|(key, value)| match (find(after, key), value) {
        (Some(node), Some(value)) => value.is(node),
        (node, value) => node.is_none() && value.is_none(),
    });
    let is_other = |(name, _): &&(String, Node)| {
        changes.iter().all(|(key, _)| canonical(key) != canonical(name))
    };
    is_set && before.iter().filter(is_other).eq(after.iter().filter(is_other))
}

/// The front matter with one key set.
fn set(front: &str, key: &str, value: Option<&Value>, end: &str) -> String {
    let lines: Vec<&str> = front.split_inclusive('\n').collect();
    let (blocks, _) = blocks(&lines);
    let block = blocks.iter().find(|block| canonical(block.key) == canonical(key));
    let Some(block) = block else {
        return match value {
            Some(value) => format!("{front}{key}: {}{end}", value.written()),
            None => front.to_owned(),
        };
    };
    // The first line of a front matter is the second of its file.
    let start = block.line - 2;
    let behind = start + block.lines.len();
    let line = value.map(|value| replaced(block, &value.written())).unwrap_or_default();
    [&lines[..start].concat(), line.as_str(), &lines[behind..].concat()].concat()
}

/// The line of a key with another value; a comment at its end stays.
fn replaced(block: &Block<'_>, value: &str) -> String {
    let line = block.lines.first().copied().unwrap_or_default();
    let quote = usize::from(line.starts_with(['"', '\'']));
    let behind = line.find(block.key).unwrap_or_default() + block.key.len() + quote;
    let colon = line[behind..].find(':').map_or(line.len(), |at| behind + at + 1);
    let (key, old) = line.split_at(colon);
    let end = old.len() - old.trim_end_matches(['\n', '\r']).len();
    let (old, end) = old.split_at(old.len() - end);
    let comment = comment(old).map_or("", |at| &old[at..]);
    format!("{key} {value}{comment}{end}")
}

/// Where a comment begins behind a value, with the spaces before it.
fn comment(text: &str) -> Option<usize> {
    let mut quote: Option<char> = None;
    let mut last = ' ';
    let mut is_escaped = false;
    // Two single quotes within quotes are one that is meant.
    let mut closed = None;
    for (at, c) in text.char_indices() {
        match quote {
            Some('"') if is_escaped => is_escaped = false,
            Some('"') if c == '\\' => is_escaped = true,
            Some(open) if c == open => (quote, closed) = (None, Some((at + 1, c))),
            Some(_) => {}
            None if c == '#' && last.is_whitespace() => return Some(text[..at].trim_end().len()),
            None if closed == Some((at, c)) => quote = Some(c),
            None if matches!(c, '"' | '\'') && " \t[{,:".contains(last) => quote = Some(c),
            None => {}
        }
        last = c;
    }
    None
}
