//! Whether something keeps to the rules.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Caller, Dependency, Item, Severity, time};
use rules::{Extent, Finding, Listed, Location, RuleSet, SourceFile, Watch};

use super::{Library, not_found, project, redacted};
use crate::{Engine, Error, ErrorKind, Result};

/// A check that takes longer is given up.
const TIME_MAX: Duration = Duration::from_secs(30);

/// So many violations are told, the heaviest; the counts are of all.
const VIOLATIONS_MAX: usize = 500;

/// Which items are asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// Those that bind.
    #[default]
    Binding,
    /// These, wherever they stand.
    Named(Vec<String>),
}

/// What is to be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Check<'a> {
    /// Paths and texts.
    pub files: &'a [(String, String)],
    /// The dependencies; none if nothing is said of them.
    pub dependencies: Option<&'a [Dependency]>,
    /// The lightest that is told.
    pub severity_min: Severity,
    /// Against which items.
    pub choice: Choice,
}

/// Where something does not keep to a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// Whose rule it is.
    pub item: Arc<Item>,
    /// The rule and the place.
    pub finding: Finding,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Whether nothing blocks.
    pub passed: bool,
    /// What was found and is told: the heaviest, by file and line.
    pub violations: Vec<Violation>,
    /// How many there are of each severity that is told, lightest first.
    pub counts: [usize; 3],
    /// The rules about the whole project that nobody can judge by what was given.
    pub unjudged: Vec<String>,
}

/// The rules of the items that are asked, for the caller.
pub fn rules(engine: &Engine, caller: &Caller, choice: &Choice) -> Result<Arc<RuleSet>> {
    let catalogue = Library::look(engine, caller);
    let chosen = match choice {
        Choice::Binding => {
            let binding = catalogue.open(caller).filter(|(_, entry)| entry.item.is_binding());
            binding.map(|(at, _)| at).collect()
        }
        Choice::Named(ids) => {
            if let Some(unknown) = ids.iter().find(|id| catalogue.find(caller, id).is_none()) {
                return Err(not_found(caller, unknown));
            }
            let named = catalogue.open(caller).filter(|(_, entry)| ids.contains(&entry.item.id));
            named.map(|(at, _)| at).collect()
        }
    };
    Ok(catalogue.rules(chosen))
}

/// Checks files and dependencies.
pub fn check(engine: &Engine, caller: &Caller, check: &Check<'_>) -> Result<Checked> {
    let rules = rules(engine, caller, &check.choice)?;
    let below = |path: &'_ str| below(caller, path);
    let paths: Vec<String> = check.files.iter().map(|(path, _)| below(path)).collect();
    let files = paths.iter().zip(check.files);
    let files: Vec<SourceFile<'_>> =
        files.map(|(path, (_, text))| SourceFile { path, text }).collect();
    let listed = |dependency: &Dependency| Listed {
        dependency: dependency.clone(),
        location: None,
        last_line: None,
    };
    let listed: Option<Vec<Listed>> =
        check.dependencies.map(|all| all.iter().map(listed).collect());
    let began = Instant::now();
    let stop = || began.elapsed() > TIME_MAX;
    let watch = Watch { stop: &stop, elapsed: &|| began.elapsed() };
    let today = time::day(engine.clock.now());
    let judge = |extent: Extent<'_>| {
        rules.check(&files, listed.as_deref(), extent, today, watch).ok_or_else(too_long)
    };
    let mut report = judge(Extent::Part)?;
    let root = caller.here.as_deref().filter(|_| !caller.confined);
    if let Some(root) = root.filter(|_| !report.unjudged.is_empty()) {
        let planned: Vec<(&str, &str)> = files.iter().map(|file| (file.path, file.text)).collect();
        let project = project::read(engine, root, &planned, &stop)?.ok_or_else(too_long)?;
        report = judge(Extent::PartOf(&project))?;
    }
    if let Some(one) = report.unfinished.first() {
        return Err(Error::new(ErrorKind::Timeout, format!("{}: {}", one.file, one.why)));
    }
    let passed = report.block == 0;
    let told = |severity: Severity| severity >= check.severity_min;
    let counts = [
        (Severity::Info, report.info),
        (Severity::Warn, report.warn),
        (Severity::Block, report.block),
    ];
    let as_given = |finding: Finding| as_given(finding, &paths, check.files);
    let told_of = |finding: Finding| redacted::finding(engine.secrets, finding);
    let findings = report.findings.into_iter().filter(|finding| told(finding.severity));
    let violations = heaviest(findings.collect()).into_iter().map(|finding| Violation {
        item: Arc::clone(&rules.items()[finding.item]),
        finding: told_of(as_given(finding)),
    });
    Ok(Checked {
        passed,
        violations: violations.collect(),
        counts: counts.map(|(severity, count)| if told(severity) { count } else { 0 }),
        unjudged: report.unjudged,
    })
}

/// The heaviest, in the order they had.
fn heaviest(findings: Vec<Finding>) -> Vec<Finding> {
    let mut findings: Vec<(usize, Finding)> = findings.into_iter().enumerate().collect();
    findings.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    findings.truncate(VIOLATIONS_MAX);
    findings.sort_by_key(|(at, _)| *at);
    findings.into_iter().map(|(_, finding)| finding).collect()
}

/// A path as rules see it: below the root of the caller's project, if it lies there.
fn below(caller: &Caller, path: &str) -> String {
    let here = caller.here.as_deref();
    let inner = here.and_then(|here| std::path::Path::new(path).strip_prefix(here).ok());
    rules::clean(inner.and_then(|inner| inner.to_str()).unwrap_or(path)).into_owned()
}

/// A finding with its path in the caller's spelling.
fn as_given(finding: Finding, paths: &[String], files: &[(String, String)]) -> Finding {
    let spelt = |location: Location| {
        let at = paths.iter().position(|path| *path == location.file);
        let file = at.map_or(location.file, |at| files[at].0.clone());
        Location { file, ..location }
    };
    Finding { location: finding.location.map(spelt), ..finding }
}

fn too_long() -> Error {
    let seconds = TIME_MAX.as_secs();
    let message = format!("the check took more than {seconds} s; give it fewer files at once");
    Error::new(ErrorKind::Timeout, message)
}
