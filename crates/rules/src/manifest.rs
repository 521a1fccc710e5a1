//! What a manifest says a project depends on.
//!
//! Each format is read as its own tool reads it, as far as names and versions go. What a manifest
//! refers to elsewhere (a parent, a workspace, another file) is not here.

mod cargo;
mod go;
mod maven;
mod npm;
mod pyproject;
mod requirement;
mod requirements;
mod tables;
#[cfg(test)]
mod tests;

use std::ops::Range;

use model::Dependency;

/// A dependency as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The dependency.
    pub dependency: Dependency,
    /// The line of the manifest that it begins in, from 1.
    pub line: usize,
    /// The line it ends in.
    pub last_line: usize,
}

/// Whether we read the manifest of this path.
pub fn is_manifest(path: &str) -> bool {
    reader(path).is_some()
}

/// Whether the manifest of this path names packages of Python.
pub(crate) fn is_python(path: &str) -> bool {
    let python: [Reader; 2] = [pyproject::read, requirements::read];
    reader(path)
        .is_some_and(|reader| python.iter().any(|known| std::ptr::fn_addr_eq(*known, reader)))
}

/// The name of a Python package as the index compares it: in small letters, with `separator` for each
/// run of `-`, `_` and `.` (PEP 503).
pub(crate) fn python_name(name: &str, separator: &str) -> String {
    let parts = name.split(['-', '_', '.']).enumerate();
    let parts = parts.filter(|(at, part)| *at == 0 || !part.is_empty()).map(|(_, part)| part);
    parts.collect::<Vec<_>>().join(separator).to_lowercase()
}

/// What a manifest declares, in order; an error says in one sentence where it cannot be read.
pub fn read(path: &str, text: &str) -> Result<Vec<Declared>, String> {
    let Some(reader) = reader(path) else { return Ok(Vec::new()) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Found::default();
    reader(text, &mut found).map_err(|flaw| {
        let line = line_of(text, flaw.at);
        format!("line {line}: {}", flaw.why)
    })?;
    Ok(found.in_order(text))
}

/// Reads a manifest of one format.
type Reader = fn(&str, &mut Found) -> Result<(), Flaw>;

fn reader(path: &str) -> Option<Reader> {
    let mut parts = path.rsplit('/');
    let name = parts.next()?;
    let reader: Reader = match name {
        "Cargo.toml" => cargo::read,
        "package.json" => npm::read,
        "pyproject.toml" => pyproject::read,
        "go.mod" => go::read,
        "pom.xml" => maven::read,
        _ => {
            let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".in"))?;
            let is_one = stem.starts_with("requirements") || parts.next() == Some("requirements");
            return is_one.then_some(requirements::read);
        }
    };
    Some(reader)
}

/// Why a manifest cannot be read, and where.
#[derive(Debug)]
struct Flaw {
    at: usize,
    why: String,
}

impl Flaw {
    fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }
}

/// What was found in a manifest, in any order.
#[derive(Debug, Default)]
struct Found {
    entries: Vec<(Range<usize>, Dependency)>,
}

impl Found {
    /// Adds a dependency that stands here; an empty version is none.
    fn add(&mut self, span: Range<usize>, name: &str, version: Option<&str>) {
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        let (name, version) = (name.trim().to_owned(), version.map(str::to_owned));
        self.entries.push((span, Dependency { name, version }));
    }

    fn in_order(mut self, text: &str) -> Vec<Declared> {
        self.entries.sort_by_key(|(span, _)| span.start);
        let (mut line, mut counted) = (1, 0);
        let declared = self.entries.into_iter().map(|(span, dependency)| {
            line += newlines(text, counted, span.start);
            counted = span.start;
            // A line break that ends an entry is of the line before it.
            let last_line = line + newlines(text, span.start, span.end.saturating_sub(1));
            Declared { dependency, line, last_line }
        });
        declared.collect()
    }
}

fn line_of(text: &str, at: usize) -> usize {
    1 + newlines(text, 0, at)
}

fn newlines(text: &str, from: usize, to: usize) -> usize {
    let part = text.as_bytes().get(from..to.min(text.len())).unwrap_or_default();
    part.iter().filter(|byte| **byte == b'\n').count()
}
