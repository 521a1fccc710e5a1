//! `pyproject.toml`, as the standard and Poetry, uv and PDM have it.

use super::tables::{Table, Value, as_table, parse, span, table, text, texts};
use super::{Flaw, Found, requirement};

/// Reads a manifest.
pub(super) fn read(source: &str, found: &mut Found) -> Result<(), Flaw> {
    let manifest = parse(source)?;
    if let Some(project) = table(&manifest, "project")? {
        list(project, "dependencies", found)?;
        lists(project, "optional-dependencies", found)?;
    }
    lists(&manifest, "dependency-groups", found)?;
    if let Some(build) = table(&manifest, "build-system")? {
        list(build, "requires", found)?;
    }
    let Some(tools) = table(&manifest, "tool")? else { return Ok(()) };
    if let Some(poetry) = table(tools, "poetry")? {
        self::poetry(poetry, found)?;
    }
    if let Some(uv) = table(tools, "uv")? {
        list(uv, "dev-dependencies", found)?;
    }
    if let Some(pdm) = table(tools, "pdm")? {
        lists(pdm, "dev-dependencies", found)?;
    }
    Ok(())
}

/// Reads the list of requirements of this name.
fn list(parent: &Table<'_>, name: &str, found: &mut Found) -> Result<(), Flaw> {
    parent.get(name).map_or(Ok(()), |value| requirements(value, name, found))
}

/// Reads all lists of requirements in the table of this name.
fn lists(parent: &Table<'_>, name: &str, found: &mut Found) -> Result<(), Flaw> {
    let Some(groups) = table(parent, name)? else { return Ok(()) };
    groups.iter().try_for_each(|(group, value)| requirements(value, group.get_ref(), found))
}

fn requirements(value: &Value<'_>, name: &str, found: &mut Found) -> Result<(), Flaw> {
    for (span, written) in texts(value, name)? {
        let Some(requirement) = requirement::read(written) else {
            let why = format!("`{written}` should be a requirement like `name>=1.2`");
            return Err(Flaw::new(span.start, why));
        };
        found.add(span, requirement.name, requirement.version);
    }
    Ok(())
}

fn poetry(poetry: &Table<'_>, found: &mut Found) -> Result<(), Flaw> {
    named(poetry, "dependencies", found)?;
    named(poetry, "dev-dependencies", found)?;
    let Some(groups) = table(poetry, "group")? else { return Ok(()) };
    for (name, group) in groups {
        named(as_table(group, name.get_ref())?, "dependencies", found)?;
    }
    Ok(())
}

/// Reads a table of Poetry: names, and a version or more for each.
fn named(parent: &Table<'_>, kind: &str, found: &mut Found) -> Result<(), Flaw> {
    let Some(dependencies) = table(parent, kind)? else { return Ok(()) };
    for (name, value) in dependencies {
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
            return Err(Flaw::new(
                span.start,
                format!("`{name}` should be a version, a table or a list"),
            ));
        }
    }
    Ok(())
}
