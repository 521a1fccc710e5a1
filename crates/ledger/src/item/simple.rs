//! The YAML that nearly every front matter is: keys, texts and lists, one to a line.
//!
//! The parser takes some fifty microseconds for a front matter, this a few; that counts with ten
//! thousand items. Whatever is not simple beyond doubt is left to the parser, so that this never
//! reads anything in another way.

use serde_json::Value;

use super::scalar::{WORDS, is_bare, is_bare_within, is_time};
use super::yaml::{Node, Yaml};

/// Deeper is not simple.
const DEPTH_MAX: usize = 6;

/// A number of more digits is not simple.
const DIGITS_MAX: usize = 15;

/// Reads a text whose first line is the file's line `first`; none if it is not simple.
pub(super) fn read(text: &str, first: usize) -> Option<Node> {
    if text.contains('\t') {
        return None;
    }
    let lines = text.split('\n').enumerate().filter_map(|(number, line)| {
        let content = line.strip_suffix('\r').unwrap_or(line).trim_matches(' ');
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_told = !content.is_empty() && !content.starts_with('#');
        is_told.then_some(Line { number: number + first, indent, content })
    });
    let mut reader = Reader { lines: lines.collect(), at: 0 };
    let start = reader.lines.first().filter(|line| line.indent == 0)?.number;
    let value = reader.map(0, 0)?;
    (reader.at == reader.lines.len()).then_some(Node { line: start, value })
}

/// A line with something in it.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    indent: usize,
    content: &'a str,
}

struct Reader<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn line(&self) -> Option<Line<'a>> {
        self.lines.get(self.at).copied()
    }

    /// The keys from here on that stand at `indent`.
    fn map(&mut self, indent: usize, depth: usize) -> Option<Yaml> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        while let Some(line) = self.line().filter(|line| line.indent >= indent) {
            if line.indent > indent {
                return None;
            }
            // Where a list stands as far left as its key, the list has taken its lines already.
            let (key, rest) = split_key(line.content)?;
            if entries.iter().any(|(known, _)| known == key) {
                return None;
            }
            self.at += 1;
            let node = match rest {
                "" => self.below(indent, line.number, depth)?,
                _ => Node { line: line.number, value: value(rest, line.number)? },
            };
            entries.push((key.to_owned(), node));
        }
        Some(Yaml::Map(entries))
    }

    /// What stands below a key without a value.
    fn below(&mut self, indent: usize, number: usize, depth: usize) -> Option<Node> {
        if depth == DEPTH_MAX {
            return None;
        }
        let nothing = Node { line: number, value: Yaml::Null };
        let Some(line) = self.line() else { return Some(nothing) };
        let is_list = line.content.starts_with("- ");
        let value = match line.indent {
            below if below > indent && is_list => self.list(below, depth + 1)?,
            below if below > indent => self.map(below, depth + 1)?,
            same if same == indent && is_list => self.list(same, depth + 1)?,
            _ => return Some(nothing),
        };
        Some(Node { line: line.number, value })
    }

    /// The items from here on whose dashes stand at `indent`.
    fn list(&mut self, indent: usize, depth: usize) -> Option<Yaml> {
        let mut nodes = Vec::new();
        while let Some(line) = self.line().filter(|line| line.indent >= indent) {
            let Some(rest) = line.content.strip_prefix("- ") else {
                // A key after a list that stands as far left as its own.
                return (line.indent == indent && !nodes.is_empty()).then_some(Yaml::List(nodes));
            };
            if line.indent > indent || depth == DEPTH_MAX {
                return None;
            }
            let content = rest.trim_start_matches(' ');
            let value = if split_key(content).is_some() {
                // The item is a map whose first key stands behind the dash.
                let inner = indent + line.content.len() - content.len();
                self.lines[self.at] = Line { indent: inner, content, ..line };
                self.map(inner, depth + 1)?
            } else {
                self.at += 1;
                value(content, line.number)?
            };
            nodes.push(Node { line: line.number, value });
        }
        Some(Yaml::List(nodes))
    }
}

/// A simple key and what stands behind it.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'))?;
    let (key, rest) = line.split_at(end);
    let rest = rest.strip_prefix(':')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_word(key);
    let is_apart = rest.is_empty() || rest.starts_with(' ');
    (is_key && is_apart).then(|| (key, rest.trim_start_matches(' ')))
}

fn is_word(text: &str) -> bool {
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// A value in one line.
fn value(text: &str, line: usize) -> Option<Yaml> {
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?.trim_matches(' ');
        if inner.is_empty() {
            return Some(Yaml::List(Vec::new()));
        }
        let node = |text: &str| Some(Node { line, value: within(text.trim_matches(' '))? });
        return inner.split(',').map(node).collect::<Option<_>>().map(Yaml::List);
    }
    if let Some(text) = unquoted(text) {
        return Some(Yaml::Text(text.to_owned()));
    }
    match text {
        "true" | "false" => Some(Yaml::Plain(text.to_owned(), Value::Bool(text == "true"))),
        _ if is_bare(text) || is_time(text) => Some(Yaml::Text(text.to_owned())),
        _ => number(text),
    }
}

/// A value within brackets.
fn within(text: &str) -> Option<Yaml> {
    let plain = is_bare_within(text).then_some(text);
    let text =
        plain.or_else(|| unquoted(text).filter(|text| !text.contains(['[', ']', '{', '}'])))?;
    Some(Yaml::Text(text.to_owned()))
}

/// What stands in quotes that hold nothing to be read in another way.
fn unquoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_plain = |c: char| (matches!(c, ' '..='~') || c.is_alphanumeric()) && c != quote;
    let has_escapes = quote == '"' && inner.contains('\\');
    (inner.chars().all(is_plain) && !has_escapes).then_some(inner)
}

fn number(text: &str) -> Option<Yaml> {
    let is_number = (1..=DIGITS_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    let number: u64 = is_number.then(|| text.parse().ok())??;
    Some(Yaml::Plain(text.to_owned(), number.into()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::yaml;
    use super::*;

    #[test]
    fn a_front_matter_as_we_write_it_is_simple() {
        let text = "id: adr-1\r\n# comment\ntitle: 'Use: it'\n\nstatus: draft\ntags: [a, \"b c\"]\n\
                    empty:\nversion: 2\ncreatedAt: 2026-01-31\nmetadata:\n  owner: core\n  \
                    deep: true\nconstraints:\n- operator: must_use\n  pattern: ^\\s+x(y)$\n  \
                    appliesTo:\n    - src/**\n-   operator: a\n    target: b\nlast: x\n";
        let simple = read(text, 2).map(|node| format!("{node:?}"));
        assert_eq!(simple, Some(format!("{:?}", yaml::parse(text, 2).unwrap())));
    }

    proptest! {
        #[test]
        fn what_is_simple_the_parser_reads_alike(
            text in "(( |  |    )?(- |-   )?((a|b|c|yes|null|status)(: |:|:  ))?\
                     (a|- |x y|1|01|1.5|\\[a, b\\]|\\[a,|\\]|'x'|\"y\"|'|\"|#|a #b|true|~|&x|\\*x|\\^x|é|\\\\|,|2026-01-31|nan|a: b|a:|\\{|\\||>|<<|-|\u{85}|\u{2028})?\
                     \r?\n){0,8}"
        ) {
            if let Some(node) = read(&text, 1) {
                let parsed = yaml::parse(&text, 1);
                prop_assert_eq!(parsed.as_ref().ok(), Some(&node), "{}", text);
            }
        }
    }
}
