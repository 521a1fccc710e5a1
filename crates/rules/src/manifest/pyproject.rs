//! `pyproject.toml`, as the standard and Poetry, uv and PDM have it.

use super::tables::{Table, Value, as_table, parse, span, table, text, texts};
use super::{Found, requirement};

/// Reads a manifest.
pub(super) fn read(source: &str, found: &mut Found) {
    let manifest = parse(source, found);
    if let Some(project) = table(&manifest, "project", found) {
        list(project, "dependencies", found);
        lists(project, "optional-dependencies", found);
    }
    lists(&manifest, "dependency-groups", found);
    if let Some(build) = table(&manifest, "build-system", found) {
        list(build, "requires", found);
    }
    let Some(tools) = table(&manifest, "tool", found) else { return };
    if let Some(poetry) = table(tools, "poetry", found) {
        self::poetry(poetry, found);
    }
    if let Some(uv) = table(tools, "uv", found) {
        list(uv, "dev-dependencies", found);
    }
    if let Some(pdm) = table(tools, "pdm", found) {
        lists(pdm, "dev-dependencies", found);
    }
}

/// Reads the list of requirements of this name.
fn list(parent: &Table<'_>, name: &str, found: &mut Found) {
    if let Some(value) = parent.get(name) {
        requirements(value, name, found);
    }
}

/// Reads all lists of requirements in the table of this name.
fn lists(parent: &Table<'_>, name: &str, found: &mut Found) {
    for (group, value) in table(parent, name, found).into_iter().flatten() {
        requirements(value, group.get_ref(), found);
    }
}

fn requirements(value: &Value<'_>, name: &str, found: &mut Found) {
    for (span, written) in texts(value, name, found) {
        match requirement::read(written) {
            Some(requirement) => found.add(span, requirement.name, requirement.version),
            None => found.flaw(span.start, requirement::refusal(written)),
        }
    }
}

fn poetry(poetry: &Table<'_>, found: &mut Found) {
    named(poetry, "dependencies", found);
    named(poetry, "dev-dependencies", found);
    for (name, group) in table(poetry, "group", found).into_iter().flatten() {
        if let Some(group) = as_table(group, name.get_ref(), found) {
            named(group, "dependencies", found);
        }
    }
}

/// Reads a table of Poetry: names, and a version or more for each.
fn named(parent: &Table<'_>, kind: &str, found: &mut Found) {
    for (name, value) in table(parent, kind, found).into_iter().flatten() {
        let span = span(&name.span(), value);
        let name = name.get_ref();
        if name.eq_ignore_ascii_case("python") {
            continue;
        }
        let details = value.get_ref();
        if let Some(version) = details.as_str() {
            found.add(span, name, Some(version));
        } else if let Some(details) = details.as_table() {
            found.add(span, name, text(details, "version"));
        } else if let Some(several) = details.as_array() {
            for one in several.iter() {
                let version = one.get_ref().as_table().and_then(|table| text(table, "version"));
                found.add(one.span(), name, version.or(one.get_ref().as_str()));
            }
        } else {
            found.flaw(span.start, format!("`{name}` should be a version, a table or a list"));
        }
    }
}
