//! `Cargo.toml`.

use std::ops::Range;

use super::tables::{Table, Value, as_table, parse, span, table, text};
use super::{Flaw, Found};

/// The tables that hold dependencies, the old spellings with them.
const KINDS: [&str; 5] = [
    "dependencies",
    "dev-dependencies",
    "dev_dependencies",
    "build-dependencies",
    "build_dependencies",
];

/// Reads a manifest.
pub(super) fn read(source: &str, found: &mut Found) -> Result<(), Flaw> {
    let manifest = parse(source)?;
    kinds(&manifest, found)?;
    if let Some(workspace) = table(&manifest, "workspace")? {
        dependencies(workspace, KINDS[0], found)?;
    }
    if let Some(targets) = table(&manifest, "target")? {
        for (name, target) in targets {
            kinds(as_table(target, name.get_ref())?, found)?;
        }
    }
    Ok(())
}

fn kinds(parent: &Table<'_>, found: &mut Found) -> Result<(), Flaw> {
    KINDS.iter().try_for_each(|kind| dependencies(parent, kind, found))
}

fn dependencies(parent: &Table<'_>, kind: &str, found: &mut Found) -> Result<(), Flaw> {
    let Some(dependencies) = table(parent, kind)? else { return Ok(()) };
    for (name, value) in dependencies {
        dependency(span(&name.span(), value), name.get_ref(), value, found)?;
    }
    Ok(())
}

fn dependency(
    span: Range<usize>,
    name: &str,
    value: &Value<'_>,
    found: &mut Found,
) -> Result<(), Flaw> {
    if let Some(version) = value.get_ref().as_str() {
        found.add(span, name, Some(version));
        return Ok(());
    }
    let Some(details) = value.get_ref().as_table() else {
        return Err(Flaw::new(span.start, format!("`{name}` should be a version or a table")));
    };
    found.add(span, text(details, "package").unwrap_or(name), text(details, "version"));
    Ok(())
}
