//! What a source file imports.

/// One import of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The line it begins in, from 1.
    pub line: usize,
    /// The whole statement, in one line with single spaces.
    pub statement: String,
    /// The modules it names, as far as they can be told.
    pub modules: Vec<String>,
}

/// What `text` imports, in order; none if the language of `path` is not one we read.
pub fn read(path: &str, text: &str) -> Option<Vec<Import>> {
    let _ = (path, text);
    None
}
