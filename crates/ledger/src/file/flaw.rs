//! What is wrong with a file.

use std::fmt;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The line, from 1.
    pub line: usize,
    /// What would be right, in words.
    pub why: String,
}

impl Flaw {
    /// The flaw of a file that is not UTF-8; none if it is.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let error = std::str::from_utf8(bytes).err()?;
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Some(Self { line, why: "should be UTF-8; save the file in that encoding".to_owned() })
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

/// What git writes around two versions. The line of `=` between them is no sign of its own: it is
/// also how Markdown underlines a heading.
pub(crate) const MARKERS: [&str; 2] = ["<<<<<<<", ">>>>>>>"];

/// The first line of a conflict that was not resolved.
pub(crate) fn conflict(text: &str) -> Option<Flaw> {
    let is_marker = |line: &str| MARKERS.iter().any(|marker| line.starts_with(marker));
    let line = text.split('\n').position(is_marker)? + 1;
    let why = "a merge conflict: keep one of the two versions and remove the lines \
               `<<<<<<<`, `=======` and `>>>>>>>`";
    Some(Flaw { line, why: why.to_owned() })
}
