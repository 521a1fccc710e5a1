//! Programs along their functions and classes.
//!
//! A grammar says where the parts of a program begin, how deep they lie and what they are called.
//! It is given up where it takes too long; the text is then parted by its lines, as it is where
//! there is no structure.

mod names;
mod outline;

use std::ops::{ControlFlow, Range};

use tree_sitter::{ParseOptions, Parser, Tree};

use super::lines::Lines;
use super::pack::{Stretch, Style, pack};
use super::{Chunk, Language, path};
use outline::{Outline, Scope};

/// A larger file is parted by its lines: the tree takes many times the space of the text.
const PARSED_BYTES_MAX: usize = 4 << 20;

/// The text is handed to the parser in pieces of this size.
const PIECE_BYTES: usize = 4 << 10;

/// How many times its own length the parser may read a text, looking ahead and beginning anew.
const READINGS_MAX: usize = 16;

/// How many bytes the parser must come forward for each time that it reports.
const BYTES_PER_REPORT: usize = 40;

/// What any text may take beyond that.
const REPORTS_SPARE: usize = 1_000;

/// The chunks of a program.
pub(super) fn chunk(language: Language, text: &str) -> Vec<Chunk> {
    let outline = parse(language, text).map(|tree| Outline::of(&tree, text)).unwrap_or_default();
    let stretch = Stretch {
        range: 0..text.len(),
        heading_end: 0,
        style: Style::Lines,
        marks: &outline.marks,
    };
    let (mut chunks, mut lines) = (Vec::new(), Lines::of(text));
    let mut paths = Paths { ahead: &outline.scopes, around: Vec::new() };
    pack(text, &stretch, &mut |part| {
        let path = paths.of(text, &part);
        chunks.push(lines.chunk(part, path));
    });
    chunks
}

/// The tree of a program; none if that takes too long. No clock is asked: what counts is how often
/// the parser reports, which it does every so many steps, and how much it reads.
fn parse(language: Language, text: &str) -> Option<Tree> {
    if text.len() > PARSED_BYTES_MAX {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).ok()?;
    let bytes = text.as_bytes();
    let mut reports_left = REPORTS_SPARE + bytes.len() / BYTES_PER_REPORT;
    let bytes_left = std::cell::Cell::new(READINGS_MAX * (bytes.len() + PIECE_BYTES));
    let mut read = |at: usize, _| {
        let piece = bytes.get(at..bytes.len().min(at + PIECE_BYTES)).unwrap_or_default();
        bytes_left.set(bytes_left.get().saturating_sub(piece.len()));
        if bytes_left.get() == 0 { &[] } else { piece }
    };
    let mut report = |_: &_| {
        reports_left = reports_left.saturating_sub(1);
        let is_spent = reports_left == 0 || bytes_left.get() == 0;
        if is_spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| bytes_left.get() > 0)
}

fn grammar(language: Language) -> tree_sitter::Language {
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
        Language::Bash => tree_sitter_bash::LANGUAGE,
    };
    grammar.into()
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
        let end = start + inner.trim_end_matches(closes).len();
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
