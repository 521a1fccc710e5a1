//! The front matter of Markdown, and the sections below it.

use model::Metadata;
use serde_json::Value;

/// Front matter is no longer than this.
const FRONT_BYTES_MAX: usize = 256 << 10;

/// A Markdown text in its parts.
pub(super) struct Note<'a> {
    /// What its front matter says.
    pub(super) front: Metadata,
    /// Why its front matter could not be read.
    pub(super) flaw: Option<String>,
    /// The rest, with the number of its first line.
    pub(super) body: &'a str,
    pub(super) first_line: usize,
}

/// Takes the front matter off a text.
pub(super) fn note(text: &str) -> Note<'_> {
    let plain = Note { front: Metadata::new(), flaw: None, body: text, first_line: 1 };
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return plain;
    };
    let mut length = 0;
    for (line, at) in rest.split_inclusive('\n').zip(2..) {
        if matches!(line.trim_end(), "---" | "...") {
            let (yaml, body) = (&rest[..length], &rest[length + line.len()..]);
            let (front, flaw) = match read(yaml) {
                Ok(front) => (front, None),
                Err(why) => (Metadata::new(), Some(why)),
            };
            return Note { front, flaw, body, first_line: at + 1 };
        }
        length += line.len();
        if length > FRONT_BYTES_MAX {
            break;
        }
    }
    plain
}

/// Reads YAML within bounds, so that no text can make much of itself.
fn read(yaml: &str) -> Result<Metadata, String> {
    if yaml.trim().is_empty() {
        return Ok(Metadata::new());
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 32, max_aliases: 32, max_anchors: 32, max_events: 20_000, max_nodes: 10_000 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 200 },
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(front)) => Ok(front),
        Ok(_) => Err("its front matter has no keys".to_owned()),
        Err(error) => {
            let told = error.without_snippet().to_string();
            let told = told.lines().next().unwrap_or_default().to_owned();
            Err(format!("its front matter is no YAML: {told}"))
        }
    }
}

/// A part of a text below one heading.
pub(super) struct Section {
    /// The headings it stands under, outermost first.
    pub(super) headings: Vec<String>,
    /// Its text, without the heading.
    pub(super) text: String,
    /// The line it begins in.
    pub(super) line: usize,
}

impl Section {
    /// The headings in one line.
    pub(super) fn path(&self) -> String {
        self.headings.join(" > ")
    }
}

/// The sections of a body; what stands before the first heading is one too. Lines within fences of code
/// are no headings.
pub(super) fn sections(body: &str, first_line: usize) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut current = Section { headings: Vec::new(), text: String::new(), line: first_line };
    let mut fence = None;
    for (line, at) in body.lines().zip(first_line..) {
        follow(&mut fence, line);
        let heading = if fence.is_none() { heading(line) } else { None };
        let Some((level, title)) = heading else {
            current.text.push_str(line);
            current.text.push('\n');
            continue;
        };
        open.retain(|(other, _)| *other < level);
        open.push((level, title.to_owned()));
        let headings = open.iter().map(|(_, title)| title.clone()).collect();
        let next = Section { headings, text: String::new(), line: at };
        sections.push(std::mem::replace(&mut current, next));
    }
    sections.push(current);
    sections.retain(|section| !section.text.trim().is_empty());
    sections
}

/// Follows where code begins and ends.
pub(super) fn follow(fence: &mut Option<&'static str>, line: &str) {
    let line = line.trim_start();
    match *fence {
        Some(mark) if line.starts_with(mark) => *fence = None,
        Some(_) => {}
        None => *fence = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark)),
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

/// The tags in a line: `#` and a word, not within a word.
pub(super) fn inline_tags(line: &str) -> Vec<String> {
    let is_tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let words = line.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    let tags = words.map(|word| word.chars().take_while(|c| is_tag(*c)).collect::<String>());
    tags.filter(|tag| tag.chars().any(char::is_alphabetic)).collect()
}

/// The targets of `[[links]]` in a line, without alias and heading.
pub(super) fn wiki_links(line: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("[[") {
        let Some((inner, behind)) = after.split_once("]]") else { break };
        let target = inner.split(['|', '#', '^']).next().unwrap_or_default().trim();
        if !target.is_empty() && !target.contains('[') {
            links.push(target.to_owned());
        }
        rest = behind;
    }
    links
}
