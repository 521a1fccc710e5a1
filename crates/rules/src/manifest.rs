//! What a manifest says a project depends on.
//!
//! Each format is read as its own tool reads it, as far as names and versions go. An entry that cannot
//! be read hides no other: it is a problem, and the rest is there. Of what a manifest refers to
//! elsewhere only the workspace of Cargo is looked up, not a parent or another file.

mod cargo;
mod go;
mod list;
mod maven;
mod npm;
mod pyproject;
mod requirement;
mod requirements;
mod tables;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use list::{Dependencies, list};
use model::Dependency;

/// So many problems of one manifest are named.
const PROBLEMS_MAX: usize = 10;

/// A dependency as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The dependency.
    pub dependency: Dependency,
    /// The line of the manifest that it begins in, from 1.
    pub line: usize,
    /// The line it ends in.
    pub last_line: usize,
    /// Whether the name is a key of the dependencies of its Cargo workspace, which have the rest.
    is_inherited: bool,
}

/// What a manifest says, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    /// What it declares, in order.
    pub declared: Vec<Declared>,
    /// What of it cannot be read: each in one sentence, with its line.
    pub problems: Vec<String>,
    /// Where it says that the root of its Cargo workspace lies.
    workspace: Option<String>,
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

/// Reads the manifest of this path; any other file declares nothing.
pub fn read(path: &str, text: &str) -> Manifest {
    let Some(reader) = reader(path) else { return Manifest::default() };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Found::default();
    reader(text, &mut found);
    found.in_order(text)
}

/// Reads a manifest of one format.
type Reader = fn(&str, &mut Found);

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

/// What was found in a manifest, in any order.
#[derive(Debug, Default)]
struct Found {
    entries: Vec<Entry>,
    /// What cannot be read, and where.
    flaws: Vec<(usize, String)>,
    workspace: Option<String>,
}

/// A dependency, and where it stands.
#[derive(Debug)]
struct Entry {
    span: Range<usize>,
    dependency: Dependency,
    is_inherited: bool,
}

impl Found {
    /// Adds a dependency that stands here; an empty version is none.
    fn add(&mut self, span: Range<usize>, name: &str, version: Option<&str>) {
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        let (name, version) = (name.trim().to_owned(), version.map(str::to_owned));
        let dependency = Dependency { name, version };
        self.entries.push(Entry { span, dependency, is_inherited: false });
    }

    /// Notes what cannot be read, and why.
    fn flaw(&mut self, at: usize, why: impl Into<String>) {
        self.flaws.push((at, why.into()));
    }

    fn in_order(mut self, text: &str) -> Manifest {
        self.entries.sort_by_key(|entry| entry.span.start);
        let (mut line, mut counted) = (1, 0);
        let declared = self.entries.into_iter().map(|Entry { span, dependency, is_inherited }| {
            line += newlines(text, counted, span.start);
            counted = span.start;
            // A line break that ends an entry is of the line before it.
            let last_line = line + newlines(text, span.start, span.end.saturating_sub(1));
            Declared { dependency, line, last_line, is_inherited }
        });
        let declared = declared.collect();
        self.flaws.sort();
        let more = self.flaws.len().saturating_sub(PROBLEMS_MAX);
        let told = self.flaws.iter().take(PROBLEMS_MAX);
        let mut problems: Vec<String> =
            told.map(|(at, why)| format!("line {}: {why}", line_of(text, *at))).collect();
        if let Some(last) = problems.last_mut().filter(|_| more > 0) {
            last.push_str(&format!(" (and {more} more)"));
        }
        Manifest { declared, problems, workspace: self.workspace }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    1 + newlines(text, 0, at)
}

fn newlines(text: &str, from: usize, to: usize) -> usize {
    let part = text.as_bytes().get(from..to.min(text.len())).unwrap_or_default();
    part.iter().filter(|byte| **byte == b'\n').count()
}
