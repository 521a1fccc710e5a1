//! The contract of the check, cell by cell.

mod hostile;
mod meaning;
mod same;
mod weight;

use std::sync::Arc;

use model::time::Date;
use model::{
    Constraint, Dependency, Flawed, Item, ItemKind, ItemStatus, Layer, Metadata, Operator,
    Severity, Target, Waiver,
};

use crate::imports::Import;
use crate::{Extent, Finding, Listed, Location, Report, RuleSet, SourceFile, Watch};

pub(super) const TODAY: Date = Date::constant(2026, 2, 1);

/// An item of the company that warns.
pub(super) fn item(id: &str, constraints: Vec<Constraint>) -> Item {
    Item {
        id: id.to_owned(),
        kind: ItemKind::Policy,
        layer: Layer::Company,
        owner: None,
        title: "Title".to_owned(),
        summary: String::new(),
        status: ItemStatus::Accepted,
        severity: Severity::Warn,
        tags: Vec::new(),
        metadata: Metadata::default(),
        created_at: None,
        updated_at: None,
        version: None,
        supersedes: None,
        superseded_by: Vec::new(),
        constraints,
        waivers: Vec::new(),
        flaws: Vec::new(),
        content: String::new(),
    }
}

pub(super) fn rule(operator: Operator, target: Target, pattern: &str) -> Constraint {
    Constraint {
        operator,
        target,
        pattern: pattern.to_owned(),
        applies_to: Vec::new(),
        severity: None,
        message: None,
        line: 7,
    }
}

pub(super) fn applied(operator: Operator, target: Target, pattern: &str, to: &str) -> Constraint {
    Constraint { applies_to: vec![to.to_owned()], ..rule(operator, target, pattern) }
}

pub(super) fn waiver(until: Date) -> Waiver {
    Waiver {
        paths: Vec::new(),
        dependency: None,
        pattern: None,
        reason: "we move in spring".to_owned(),
        until,
        line: 12,
    }
}

pub(super) fn flawed(line: usize, why: &str, constraint: Option<[&str; 3]>) -> Flawed {
    let constraint = constraint.map(|parts| parts.map(str::to_owned));
    Flawed { line, why: why.to_owned(), constraint }
}

/// Reads `import a.b` at the start of a line, in Python.
fn imports(path: &str, text: &str) -> Option<Vec<Import>> {
    let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("import "));
    let import = |(at, line): (usize, &str)| Import {
        line: at + 1,
        last_line: at + 1,
        statement: line.to_owned(),
        modules: vec![line["import ".len()..].replace('.', "::")],
    };
    path.ends_with(".py").then(|| lines.map(import).collect())
}

pub(super) fn rules(items: Vec<Item>) -> RuleSet {
    let mut rules = RuleSet::compile(items.into_iter().map(Arc::new).collect());
    rules.read = imports;
    rules
}

pub(super) fn files<'a>(files: &[(&'a str, &'a str)]) -> Vec<SourceFile<'a>> {
    files.iter().map(|(path, text)| SourceFile { path, text }).collect()
}

/// Dependencies of `name@version` in lines of a manifest.
pub(super) fn listed(dependencies: &[&str]) -> Vec<Listed> {
    let listed = |(at, text): (usize, &&str)| {
        let (name, version) = match text.rsplit_once('@').filter(|(name, _)| !name.is_empty()) {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (*text, None),
        };
        let location = Location { file: "package.json".to_owned(), line: Some(at + 1) };
        Listed {
            dependency: Dependency { name: name.to_owned(), version },
            location: Some(location),
            last_line: Some(at + 1),
        }
    };
    dependencies.iter().enumerate().map(listed).collect()
}

pub(super) fn check(items: Vec<Item>, source: &[(&str, &str)], names: Option<&[&str]>) -> Report {
    let names = names.map(listed);
    rules(items).check(&files(source), names.as_deref(), Extent::Whole, TODAY, Watch::NONE).unwrap()
}

/// Where a finding is: `file:line`, `file`, or nothing.
pub(super) fn place(finding: &Finding) -> String {
    match &finding.location {
        None => String::new(),
        Some(Location { file, line: None }) => file.clone(),
        Some(Location { file, line: Some(line) }) => format!("{file}:{line}"),
    }
}

pub(super) fn places(report: &Report) -> Vec<String> {
    report.findings.iter().map(place).collect()
}
