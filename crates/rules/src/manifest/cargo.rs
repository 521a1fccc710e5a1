//! `Cargo.toml`.

use std::collections::HashMap;
use std::ops::Range;

use model::Dependency;

use super::tables::{Table, Value, as_table, parse, span, table, text};
use super::{Entry, Found};

/// The tables that hold dependencies, the old spellings with them.
const KINDS: [&str; 5] = [
    "dependencies",
    "dev-dependencies",
    "dev_dependencies",
    "build-dependencies",
    "build_dependencies",
];

/// Reads a manifest.
pub(super) fn read(source: &str, found: &mut Found) {
    let manifest = parse(source, found);
    if let Some(package) = table(&manifest, "package", found) {
        found.workspace = text(package, "workspace").map(str::to_owned);
    }
    kinds(&manifest, found);
    if let Some(workspace) = table(&manifest, "workspace", found) {
        dependencies(workspace, KINDS[0], found);
    }
    for (name, target) in table(&manifest, "target", found).into_iter().flatten() {
        if let Some(target) = as_table(target, name.get_ref(), found) {
            kinds(target, found);
        }
    }
}

/// What the root of a workspace offers its members, by their keys; none if it is no root.
pub(super) fn offered(source: &str) -> Option<HashMap<String, Dependency>> {
    let mut found = Found::default();
    let manifest = parse(source, &mut found);
    let workspace = table(&manifest, "workspace", &mut found)?;
    let mut offered = HashMap::new();
    for (key, value) in table(workspace, KINDS[0], &mut found).into_iter().flatten() {
        let mut one = Found::default();
        dependency(0..0, key.get_ref(), value, &mut one);
        offered
            .extend(one.entries.pop().map(|entry| (key.get_ref().to_string(), entry.dependency)));
    }
    Some(offered)
}

fn kinds(parent: &Table<'_>, found: &mut Found) {
    KINDS.iter().for_each(|kind| dependencies(parent, kind, found));
}

fn dependencies(parent: &Table<'_>, kind: &str, found: &mut Found) {
    for (name, value) in table(parent, kind, found).into_iter().flatten() {
        dependency(span(&name.span(), value), name.get_ref(), value, found);
    }
}

fn dependency(span: Range<usize>, name: &str, value: &Value<'_>, found: &mut Found) {
    if let Some(version) = value.get_ref().as_str() {
        return found.add(span, name, Some(version));
    }
    let Some(details) = value.get_ref().as_table() else {
        return found.flaw(span.start, format!("`{name}` should be a version or a table"));
    };
    if details.get("workspace").and_then(|value| value.get_ref().as_bool()) == Some(true) {
        let dependency = Dependency { name: name.to_owned(), version: None };
        return found.entries.push(Entry { span, dependency, is_inherited: true });
    }
    found.add(span, text(details, "package").unwrap_or(name), text(details, "version"));
}
