//! Changing a few lines of a person's file, and leaving every other byte as it is.
//!
//! Every editor takes a text and gives one; none of them reads or writes files. What they do not
//! understand for sure they refuse, and after a change they read the text again: what it says must
//! be what it said before but for what was asked.

pub(crate) mod block;
pub(crate) mod jsonc;
pub(crate) mod toml;
pub(crate) mod value;
pub(crate) mod yaml;

use std::fmt;

/// Why a file stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The line and the column it is about, from 1, if it is about one.
    pub place: Option<(usize, usize)>,
    /// What is wrong, and what would be right.
    pub why: String,
}

impl Refusal {
    /// A refusal that is about a file as a whole.
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { place: None, why: why.into() }
    }

    /// A refusal that is about a place in a text.
    pub(crate) fn at(text: &str, offset: usize, why: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { place: Some((line, column)), why: why.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.why)
    }
}

impl std::error::Error for Refusal {}

/// The mark that some editors put before the text.
const BOM: char = '\u{feff}';

/// A text in two: the mark before it, if there is one, and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 })
}

/// How the lines of a text end.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The blanks that the line of a place starts with.
fn indentation(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What is refused when a change did not do what it should.
fn not_understood() -> Refusal {
    Refusal::new("it is written in a way that we cannot change safely")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_its_place_as_editors_count() {
        let refusal = Refusal::at("one\r\ntwö x", 10, "is odd");
        assert_eq!(refusal.to_string(), "line 2, column 5: is odd");
        assert_eq!(Refusal::new("is odd").to_string(), "is odd");
    }
}
