//! The file of a new item.

use model::time::rfc3339;
use model::{Constraint, Item, Severity, Waiver};

use super::body::{Body, title};
use super::front::KEYS;
use super::rules::Rules;
use super::scalar::{json, list, text};

/// The file of a new item. Whose it is its path says ([`Item::path`]); its flaws are left out.
pub fn write(item: &Item) -> String {
    let body = Body::read(&item.content);
    let mut told = Rules::default();
    if let Some((line, block)) = body.constraints {
        told.read_block(block, line);
    }
    // What the text asks already is not said twice.
    let constraints: Vec<&Constraint> = item
        .constraints
        .iter()
        .filter(|one| !told.constraints.iter().any(|told| is_same(one, told)))
        .collect();
    let is_summed = !item.summary.is_empty() || !body.summary.is_empty();
    let values = [
        Some(text(&item.id)),
        Some(item.kind.name().to_owned()),
        Some(item.layer.name().to_owned()),
        Some(text(&item.title)),
        is_summed.then(|| text(&item.summary)),
        Some(item.status.name().to_owned()),
        Some(item.severity.name().to_owned()),
        (!item.tags.is_empty()).then(|| list(&item.tags)),
        (!item.metadata.is_empty()).then(|| metadata(item)),
        item.created_at.map(rfc3339),
        item.updated_at.map(rfc3339),
        item.version.as_deref().map(text),
        item.supersedes.as_deref().map(text),
        (!item.superseded_by.is_empty()).then(|| list(&item.superseded_by)),
        (!constraints.is_empty()).then(|| entries(constraints.into_iter().map(constraint))),
        (!item.waivers.is_empty()).then(|| entries(item.waivers.iter().map(waiver))),
    ];
    let mut file = "---\n".to_owned();
    for (key, value) in KEYS.iter().zip(values) {
        let Some(value) = value else { continue };
        let space = if value.starts_with('\n') { "" } else { " " };
        file.push_str(&format!("{key}:{space}{value}\n"));
    }
    file.push_str("---\n\n");
    let content = item.content.trim_matches(['\n', '\r']);
    if content.lines().next().and_then(title).is_none() {
        file.push_str(&format!("# {}\n", item.title.replace(['\n', '\r'], " ").trim()));
        file.push_str(if content.is_empty() { "" } else { "\n" });
    }
    if !content.is_empty() {
        file.push_str(content);
        file.push('\n');
    }
    file
}

/// Whether two constraints ask the same, wherever they stand.
fn is_same(one: &Constraint, other: &Constraint) -> bool {
    *one == Constraint { line: one.line, ..other.clone() }
}

fn metadata(item: &Item) -> String {
    let lines =
        item.metadata.iter().map(|(key, value)| format!("\n  {}: {}", text(key), json(value)));
    lines.collect()
}

/// A list of maps, each a line for each key.
fn entries(entries: impl Iterator<Item = Vec<(&'static str, String)>>) -> String {
    let mut written = String::new();
    for entry in entries {
        for (at, (key, value)) in entry.into_iter().enumerate() {
            let lead = if at == 0 { "-" } else { " " };
            written.push_str(&format!("\n  {lead} {key}: {value}"));
        }
    }
    written
}

fn constraint(constraint: &Constraint) -> Vec<(&'static str, String)> {
    let globs = &constraint.applies_to;
    let entry = [
        ("operator", Some(constraint.operator.name().to_owned())),
        ("target", Some(constraint.target.name().to_owned())),
        ("pattern", Some(text(&constraint.pattern))),
        ("appliesTo", (!globs.is_empty()).then(|| list(globs))),
        ("severity", constraint.severity.map(Severity::name).map(str::to_owned)),
        ("message", constraint.message.as_deref().map(text)),
    ];
    entry.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn waiver(waiver: &Waiver) -> Vec<(&'static str, String)> {
    let entry = [
        ("paths", (!waiver.paths.is_empty()).then(|| list(&waiver.paths))),
        ("dependency", waiver.dependency.as_deref().map(text)),
        ("pattern", waiver.pattern.as_deref().map(text)),
        ("reason", Some(text(&waiver.reason))),
        ("until", Some(waiver.until.to_string())),
    ];
    entry.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}
