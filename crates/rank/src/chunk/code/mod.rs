//! Programs along their functions and classes.
//!
//! A grammar says where the parts of a program begin, how deep they lie and what they are called.
//! It is given up where it takes too long; the text is then parted by its lines, as it is where
//! there is no structure.

mod names;
mod outline;
mod shell;

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::atom::Words;
use super::lines::Lines;
use super::pack::{Stretch, Style, pack};
use super::parts::Parts;
use super::{Language, path};
use outline::{Outline, Scope};

/// A larger file is parted by its lines: the tree takes many times the space of the text.
const PARSED_BYTES_MAX: usize = 1 << 20;

/// The text is handed to the parser in pieces of this size.
const PIECE_BYTES: usize = 4 << 10;

/// How many times its own length the parser may read a text, looking ahead and beginning anew.
const READINGS_MAX: usize = 16;

/// How many bytes the parser must come forward for each time that it reports. In programs that were
/// looked at it was 60 to 240.
const BYTES_PER_REPORT: usize = 40;

/// What any text may take beyond that.
const REPORTS_SPARE: usize = 50;

/// How often the parser may report that it does not know how to go on. Steps are slow then.
const LOST_REPORTS_MAX: usize = 40;

/// No program takes that long. Some nonsense does, though the parser comes forward all the while.
const PARSE_TIME_MAX: Duration = Duration::from_secs(2);

/// A text with more brackets open at one place, or closed that were not open, is not parsed: the
/// parser takes a time that grows with the square of them, and does not report.
const NESTING_MAX: usize = 200;

/// What has more signs is no program.
const SIGNS_PER_LETTER_MAX: usize = 3;

/// Nobody writes longer lines; a program has them when it was written by another.
const LINE_BYTES_MAX: usize = 5_000;

/// Takes a program apart.
pub(super) fn read(language: Language, text: &str, parts: &mut Parts) {
    let outline = match grammar(language) {
        None => shell::outline(text),
        Some(grammar) => {
            parse(&grammar, text).map(|tree| Outline::of(&tree, text)).unwrap_or_default()
        }
    };
    let stretch = Stretch {
        range: 0..text.len(),
        heading_end: 0,
        style: Style::Lines,
        marks: &outline.marks,
        units: &outline.units,
    };
    let mut lines = Lines::of(text);
    let mut paths = Paths { ahead: &outline.scopes, around: Vec::new() };
    pack(text, &stretch, &mut Words::new(), &mut |part| {
        let (path, in_lines) = (paths.of(text, &part), lines.of_part(&part));
        parts.push_at(part, in_lines, path.as_deref());
    });
}

/// The tree of a program; none if that takes too long. What counts first is how often the parser
/// reports, which it does every so many steps, and how much it reads: that is the same on every
/// machine.
fn parse(grammar: &tree_sitter::Language, text: &str) -> Option<Tree> {
    if text.len() > PARSED_BYTES_MAX || !looks_written(text) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    let bytes = text.as_bytes();
    let start = Instant::now();
    let mut reports_left = REPORTS_SPARE + bytes.len() / BYTES_PER_REPORT;
    let mut lost_reports_left = LOST_REPORTS_MAX;
    let bytes_left = Cell::new(READINGS_MAX * (bytes.len() + PIECE_BYTES));
    let mut read = |at: usize, _| {
        let piece = bytes.get(at..bytes.len().min(at + PIECE_BYTES)).unwrap_or_default();
        bytes_left.set(bytes_left.get().saturating_sub(piece.len()));
        if bytes_left.get() == 0 { &[] } else { piece }
    };
    let mut report = |state: &ParseState| {
        reports_left = reports_left.saturating_sub(1);
        lost_reports_left = lost_reports_left.saturating_sub(usize::from(state.has_error()));
        let is_spent = reports_left == 0
            || lost_reports_left == 0
            || bytes_left.get() == 0
            || start.elapsed() > PARSE_TIME_MAX;
        if is_spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| bytes_left.get() > 0)
}

/// Whether lines and brackets are those of a program that somebody wrote, and words stand between
/// the signs. What is in strings and comments counts as well.
fn looks_written(text: &str) -> bool {
    let (mut open, mut stray, mut angles) = (0_usize, 0, 0_usize);
    let (mut line_start, mut letters, mut signs) = (0, 0_usize, 0_usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b' ' | b'\t' | b'\r' => continue,
            b'\n' if at - line_start > LINE_BYTES_MAX => return false,
            b'\n' => line_start = at,
            b'(' | b'[' | b'{' => (open, angles) = (open + 1, 0),
            b')' | b']' | b'}' if open == 0 => stray += 1,
            b')' | b']' | b'}' => open -= 1,
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            b';' => angles = 0,
            _ => {}
        }
        if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
            letters += 1;
        } else {
            signs += 1;
        }
        if open.max(stray).max(angles) > NESTING_MAX {
            return false;
        }
    }
    text.len() - line_start <= LINE_BYTES_MAX && SIGNS_PER_LETTER_MAX * letters >= signs
}

/// The grammar of a language; none for shell scripts, where the one that there is goes astray in
/// memory on nonsense.
fn grammar(language: Language) -> Option<tree_sitter::Language> {
    let grammar = match language {
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::C => tree_sitter_c::LANGUAGE,
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        Language::Bash => return None,
    };
    Some(grammar.into())
}

/// Says what chunks stand in, one behind the other.
struct Paths<'a> {
    /// Scopes that start behind the last chunk's start; outer ones first.
    ahead: &'a [Scope],
    /// Those that it lies in.
    around: Vec<&'a Scope>,
}

impl Paths<'_> {
    /// The names of what a part of the text lies in. Brackets that close what stood before, or what
    /// stands around it, do not count.
    fn of(&mut self, text: &str, part: &Range<usize>) -> Option<String> {
        let closes = |c: char| c.is_whitespace() || "})];,".contains(c);
        let inner = text[part.clone()].trim_start_matches(closes);
        let start = part.end - inner.len();
        let mut inner = inner.trim_end_matches(closes);
        // As a bracket is written in Ruby.
        while let Some(before) = inner.strip_suffix("end").filter(|rest| rest.ends_with(closes)) {
            inner = before.trim_end_matches(closes);
        }
        let end = start + inner.len();
        self.around.retain(|scope| scope.end >= end);
        while let Some((scope, rest)) = self.ahead.split_first()
            && scope.start <= start
        {
            if scope.end >= end {
                self.around.push(scope);
            }
            self.ahead = rest;
        }
        path(self.around.iter().map(|scope| scope.name.as_str()))
    }
}

#[cfg(test)]
mod tests;
