//! Texts in a file: a line that would read as part of its form gets a backslash before it.

use super::flaw::MARKERS;

/// A fence of a code block, at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = line.chars().take_while(|c| *c == mark).count();
        // Three backticks with more of them behind are code within a line.
        let is_inline = mark == '`' && line[length..].contains('`');
        (length >= 3 && !is_inline).then_some(Self { mark, length })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let closing = Self::of(line).filter(|fence| fence.mark == self.mark);
        closing.is_some_and(|fence| {
            fence.length >= self.length && line[fence.length..].trim().is_empty()
        })
    }
}

/// Follows the lines of a text and knows which of them are in a code block.
#[derive(Debug, Default)]
pub(crate) struct Code {
    open: Option<Fence>,
}

impl Code {
    /// Takes the next line; whether it belongs to a code block, its fences included.
    pub(crate) fn is_in(&mut self, line: &str) -> bool {
        match self.open {
            Some(fence) => {
                if fence.is_closed_by(line) {
                    self.open = None;
                }
                true
            }
            None => {
                self.open = Fence::of(line);
                self.open.is_some()
            }
        }
    }
}

/// The name of the section that begins with this line.
pub(crate) fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix("##")?;
    (name.is_empty() || name.starts_with([' ', '\t', '\r'])).then(|| name.trim())
}

fn is_marker(line: &str) -> bool {
    MARKERS.iter().any(|marker| line.starts_with(marker))
}

fn is_form(line: &str) -> bool {
    heading(line).is_some() || Fence::of(line).is_some() || is_marker(line)
}

fn without_backslashes(line: &str) -> &str {
    line.trim_start_matches('\\')
}

/// Whether a backslash before this line means that the line is text.
fn is_escapable(line: &str, is_code: bool) -> bool {
    let rest = without_backslashes(line);
    if is_code { is_marker(rest) } else { is_form(rest) || rest.trim().is_empty() }
}

/// The lines of a text, so that none of them is part of the form.
pub(super) fn escape(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let blocks = code_blocks(&lines);
    let last = lines.len() - 1;
    let written = lines.iter().enumerate().map(|(at, line)| {
        let is_edge = at == 0 || at == last;
        let is_code = blocks[at];
        let is_inner_blank = line.trim().is_empty() && !is_edge;
        let is_fence = is_code && Fence::of(line).is_some();
        if is_escapable(line, is_code) && !is_inner_blank && !is_fence
            || is_edge && line.trim().is_empty()
        {
            format!("\\{line}")
        } else {
            (*line).to_owned()
        }
    });
    written.collect::<Vec<_>>().join("\n")
}

/// Which lines are in code blocks that end. The fence of one that does not is text.
fn code_blocks(lines: &[&str]) -> Vec<bool> {
    let mut blocks = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if let Some(fence) = Fence::of(lines[at]) {
            let end = (at + 1..lines.len()).find(|end| fence.is_closed_by(lines[*end]));
            if let Some(end) = end {
                blocks[at..=end].fill(true);
                at = end;
            }
        }
        at += 1;
    }
    blocks
}

/// The text that was written as these lines. Blank ones around it are the form's.
pub(super) fn unescape(lines: &[&str]) -> String {
    let lines = trim(lines);
    let mut code = Code::default();
    let read = lines.iter().map(|line| {
        let is_code = code.is_in(line);
        let is_escaped = line.starts_with('\\') && is_escapable(line, is_code);
        if is_escaped { &line[1..] } else { line }
    });
    read.collect::<Vec<_>>().join("\n")
}

/// Lines without the blank ones around them.
pub(super) fn trim<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let is_text = |line: &&str| !line.trim().is_empty();
    let start = lines.iter().position(is_text).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_text).map_or(start, |last| last + 1);
    &lines[start..end]
}
