//! What the text of an item says by itself: its title, its first words, its constraints.

use crate::file::escape::{Code, heading};

/// A summary taken from the text has no more characters than this.
const SUMMARY_CHARS_MAX: usize = 300;

/// What a text says by itself.
#[derive(Debug, Default)]
pub(super) struct Body<'a> {
    pub(super) title: Option<&'a str>,
    pub(super) summary: String,
    /// The YAML of its section of constraints, and the text's line it begins in, from 0.
    pub(super) constraints: Option<(usize, &'a str)>,
}

impl<'a> Body<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let mut body = Self::default();
        let mut code = Code::default();
        let mut prose = Prose::default();
        let mut block = Block::default();
        let mut at = 0;
        for (number, line) in text.split('\n').enumerate() {
            let start = at;
            at += line.len() + 1;
            let line = line.trim_end();
            let is_code = code.is_in(line);
            block.take(line, is_code, number, start..at.min(text.len()));
            prose.take(line, is_code);
            if body.title.is_none() && !is_code {
                body.title = title(line);
            }
        }
        body.summary = cut(&plain(&prose.lines.join(" ")));
        body.constraints =
            block.found.map(|(number, range)| (number, text.get(range).unwrap_or_default()));
        body
    }
}

/// The title that a line is.
pub(super) fn title(line: &str) -> Option<&str> {
    line.strip_prefix("# ").map(str::trim).filter(|title| !title.is_empty())
}

/// Looks for the first block of YAML in a section of constraints.
#[derive(Debug, Default)]
struct Block {
    is_section: bool,
    is_open: bool,
    found: Option<(usize, std::ops::Range<usize>)>,
    is_closed: bool,
}

impl Block {
    fn take(&mut self, line: &str, is_code: bool, number: usize, place: std::ops::Range<usize>) {
        if !is_code {
            if let Some(name) = heading(line) {
                self.is_section = name.eq_ignore_ascii_case("constraints");
            } else if line.starts_with("# ") {
                self.is_section = false;
            }
            self.is_open = false;
            return;
        }
        if !self.is_open {
            let info = line.trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
            let is_yaml = matches!(info.as_str(), "yaml" | "yml");
            if self.found.is_some() {
                self.is_closed = true;
            } else if self.is_section && is_yaml {
                self.found = Some((number + 1, place.end..place.end));
            }
            self.is_open = true;
            return;
        }
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        self.is_closed |= self.found.is_some() && is_fence;
        if let Some((_, range)) = &mut self.found
            && !self.is_closed
        {
            range.end = place.end;
        }
    }
}

/// Gathers the first paragraph of prose.
#[derive(Debug, Default)]
struct Prose<'a> {
    lines: Vec<&'a str>,
    is_done: bool,
    /// What stands here is something else, up to the next blank line.
    is_other: bool,
    is_list: bool,
}

impl<'a> Prose<'a> {
    fn take(&mut self, line: &'a str, is_code: bool) {
        if self.is_done {
            return;
        }
        let is_blank = line.trim().is_empty();
        if is_blank || is_code || is_heading(line) {
            self.is_done = !self.lines.is_empty();
            self.is_other = false;
            self.is_list &= is_blank;
            return;
        }
        if is_underline(line) {
            // The lines above were a heading.
            self.lines.clear();
            return;
        }
        let is_item = is_item(line);
        let is_inner = line.starts_with([' ', '\t']) && (self.is_list || is_deep(line));
        if is_item || is_inner || line.trim_start().starts_with(['>', '|', '<']) {
            self.is_done = !self.lines.is_empty();
            self.is_other = true;
            self.is_list |= is_item;
        } else if !self.is_other {
            self.is_list = false;
            self.lines.push(line.trim());
        }
    }
}

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    rest.len() < line.len() && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    ["=", "-", "*", "_"].iter().any(|mark| line.len() >= 2 && line.replace(mark, "").is_empty())
}

fn is_deep(line: &str) -> bool {
    line.starts_with('\t') || line.starts_with("    ")
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let rest = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < line.len()).then(|| rest.strip_prefix(['.', ')']))?
    });
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// A line of Markdown without its signs: links are their words.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[', '!', '\\', '_']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let image = rest.starts_with("![").then(|| link(&rest[1..])).flatten();
        if let Some((words, behind)) = image.or_else(|| link(rest)) {
            plain.push_str(&self::plain(words));
            rest = behind;
            continue;
        }
        let sign = rest.chars().next().unwrap_or_default();
        rest = &rest[sign.len_utf8()..];
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_kept = match sign {
            '!' | '[' => true,
            '_' => is_word(plain.chars().next_back()) && is_word(rest.chars().next()),
            '*' => plain.ends_with(' ') && rest.starts_with(' '),
            '\\' => !rest.starts_with(|c: char| c.is_ascii_punctuation()),
            _ => false,
        };
        if is_kept {
            plain.push(sign);
        } else if let ('\\', Some(next)) = (sign, rest.chars().next()) {
            plain.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    plain.push_str(rest);
    plain
}

/// The words of a link `[words](address)` at the start of a text, and what is behind it.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, behind) = rest.split_once(')')?;
    (!words.contains('[')).then_some((words, behind))
}

/// A text of no more characters than a summary may have, cut between words.
fn cut(text: &str) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(SUMMARY_CHARS_MAX) else {
        return text.to_owned();
    };
    let kept = text.char_indices().nth(SUMMARY_CHARS_MAX - 1).map_or(end, |(at, _)| at);
    let kept = &text[..kept];
    let words = kept.rsplit_once(char::is_whitespace).map_or(kept, |(words, _)| words);
    format!("{}…", words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_prose_is_the_summary() {
        let text = "# Title\n\n- a list\n  of two lines\n\n  and a paragraph of it\n\n> said\n\n\
                    ```\ncode\n```\n\nUse **one** [database](http://x/y_z), `snake_case` it\nis.\nMore.\n\nNo.\n";
        assert_eq!(Body::read(text).summary, "Use one database, snake_case it is. More.");
        assert_eq!(Body::read(text).title, Some("Title"));
    }

    #[test]
    fn a_text_without_prose_has_no_summary() {
        assert_eq!(
            Body::read("# Title\n\nHeading\n=======\n\n1. one\n2) two\n| a | b |\n").summary,
            ""
        );
    }

    #[test]
    fn a_long_summary_is_cut_between_words() {
        let summary = Body::read(&"wörter ".repeat(100)).summary;
        assert!(summary.chars().count() <= SUMMARY_CHARS_MAX && summary.ends_with("wörter…"));
        assert_eq!(Body::read(&"ö".repeat(400)).summary.chars().count(), SUMMARY_CHARS_MAX);
    }

    #[test]
    fn a_heading_in_code_is_no_title() {
        assert_eq!(Body::read("```\n# no\n```\n# Yes\n").title, Some("Yes"));
    }

    #[test]
    fn only_the_block_below_its_heading_holds_constraints() {
        let text =
            "```yaml\na\n```\n## Constraints\n\nwords\n\n```YAML\nb\nc\n```\n\n```yaml\nd\n```\n";
        assert_eq!(Body::read(text).constraints, Some((8, "b\nc\n")));
        assert_eq!(Body::read("## Constraints\n## Other\n```yaml\na\n```").constraints, None);
        assert_eq!(Body::read("## Constraints\n```yaml\na").constraints, Some((2, "a")));
    }
}
