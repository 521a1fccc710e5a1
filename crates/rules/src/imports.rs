//! What a source file imports.
//!
//! The languages are read by scanners that know comments, strings and import statements, and
//! nothing else of the language: a file is gone through once, whether or not it would compile.

mod c;
mod go;
mod java;
mod python;
mod rust;
mod scan;
mod script;
#[cfg(test)]
mod tests;

use scan::Found;

/// One import of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The line it begins in, from 1.
    pub line: usize,
    /// The line it ends in.
    pub last_line: usize,
    /// The whole statement, in one line with single spaces.
    pub statement: String,
    /// The modules it names, as far as they can be told.
    pub modules: Vec<String>,
}

/// What `text` imports, in order; none if the language of `path` is not one we read.
pub fn read(path: &str, text: &str) -> Option<Vec<Import>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, extension) = name.rsplit_once('.')?;
    let reader: fn(&mut Found<'_>) = match extension {
        "rs" => rust::read,
        "py" | "pyi" => python::read,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => script::read,
        "vue" | "svelte" => script::read_page,
        "go" => go::read,
        "java" => java::read,
        "c" | "h" => c::read,
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "inl" => c::read_with_modules,
        _ => return None,
    };
    let mut found = Found::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    reader(&mut found);
    Some(found.imports)
}
