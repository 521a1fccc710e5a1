//! `lorekeep check`: a project against the rules of the knowledge.
//!
//! Not here: what rules mean, which the crate `rules` knows.

mod baseline;
mod human;
mod known;
mod lines;
mod narrow;
mod sarif;
mod scan;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use engine::knowledge::{self, Catalogue, Choice};
use engine::{Clock, Engine, Meaning};
use model::{Caller, Item, Severity, time};
use providers::SystemClock;
use rules::{Extent, Finding, Report, RuleSet};
use tempfile::TempDir;

use crate::cli::{CheckArgs, Format};
use crate::output::{self, WARN, styled};
use crate::settings::Settings;
use crate::wiring;
use known::Known;
use narrow::Narrow;
use scan::Scanned;
use tree::{Own, Source, Tree};

/// Something that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    /// The file, if it is one.
    file: String,
    why: String,
    /// Whether something may have been missed, so that the check fails.
    is_failure: bool,
}

impl From<rules::Unfinished> for Problem {
    fn from(rules::Unfinished { file, why }: rules::Unfinished) -> Self {
        Self::new(file, why)
    }
}

impl Problem {
    fn new(file: impl AsRef<str>, why: impl Into<String>) -> Self {
        Self { file: file.as_ref().to_owned(), why: why.into(), is_failure: true }
    }

    fn text(&self) -> String {
        let text = if self.file.is_empty() {
            self.why.clone()
        } else {
            format!("{}: {}", self.file, self.why)
        };
        output::one_line(&text)
    }
}

/// A rule that is broken.
struct Violation {
    item: Arc<Item>,
    finding: Finding,
    /// Whether it is in the baseline.
    is_known: bool,
}

/// What came out of a check.
struct Outcome {
    /// What is told, and what of that is known.
    violations: Vec<Violation>,
    /// How many that are not known weigh `info`, `warn` and `block`, in the list or not.
    counts: [usize; 3],
    /// How many are not in the list.
    left_out: usize,
    baseline: known::Summary,
    problems: Vec<Problem>,
    files: usize,
    dependencies: Option<usize>,
    rules: Arc<RuleSet>,
    took: Duration,
}

impl Outcome {
    fn is_passed(&self) -> bool {
        self.counts[Severity::Block as usize] == 0 && self.failures().next().is_none()
    }

    /// The problems for which the check fails.
    fn failures(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.is_failure)
    }

    /// What is told and not known.
    fn new_ones(&self) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(|violation| !violation.is_known)
    }
}

/// The knowledge of a project.
struct Knowledge {
    engine: Engine,
    caller: Caller,
    /// It keeps what the engine wants to keep: the person's store is not touched.
    _scratch: TempDir,
}

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode> {
    refuse_update(args)?;
    let began = Instant::now();
    let settings = super::settings(&args.store)?;
    let tree = Tree::around(&std::env::current_dir()?)?;
    let knowledge = Knowledge::open(&settings, &tree)?;
    let outcome = check(args, &tree, &knowledge, began)?;
    for problem in &outcome.problems {
        output::note(format!("{}: {}", styled(WARN, "warning"), problem.text()));
    }
    match args.format {
        Format::Human => human::print(&outcome, &tree, &knowledge),
        Format::Json => output::json(&lines::json(&outcome))?,
        Format::Sarif => output::json(&sarif::sarif(&outcome, &tree, &knowledge))?,
        Format::Junit => lines::junit(&outcome).iter().for_each(output::line),
        Format::Github => lines::github(&outcome).iter().for_each(output::line),
    }
    Ok(if outcome.is_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Who looks at a part of a project does not know what of the rest is mended.
fn refuse_update(args: &CheckArgs) -> Result<()> {
    if !args.update_baseline || !is_part(args) {
        return Ok(());
    }
    bail!(
        "--update-baseline takes neither PATHs nor --diff, --staged or --item: the baseline is of the \
         whole project, and a part of it does not tell what of the rest is mended"
    )
}

/// Whether only a part of a project is looked at.
fn is_part(args: &CheckArgs) -> bool {
    !args.paths.is_empty() || args.diff.is_some() || args.staged || !args.items.is_empty()
}

impl Knowledge {
    fn open(settings: &Settings, tree: &Tree) -> Result<Self> {
        let scratch = tempfile::tempdir().context("there is no room for temporary files")?;
        let caller = Caller { here: Some(tree.root.clone()), ..wiring::caller(settings) };
        let mut settings = settings.clone();
        let usual = settings.data_dir.join(knowledge::FOLDER);
        settings.knowledge_dir.get_or_insert(usual);
        settings.data_dir = scratch.path().to_owned();
        settings.selection.read_only = false;
        let engine = wiring::open_with(&settings, Meaning::Words)?;
        Ok(Self { engine, caller, _scratch: scratch })
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        knowledge::listed(&self.engine, &self.caller)
    }

    /// What of the project is knowledge: the folders below its root, and where a folder is the
    /// root or around it, the items.
    fn own(&self, tree: &Tree) -> Own {
        let catalogue = self.catalogue();
        let mut own = Own::default();
        for (at, root) in catalogue.roots.iter().enumerate() {
            let dir = root.dir.canonicalize().unwrap_or_else(|_| root.dir.clone());
            if !tree.root.starts_with(&dir) {
                own.folders.push(dir);
                continue;
            }
            let items = catalogue.entries.iter().filter(|entry| entry.root == at);
            let failed = catalogue.failures.iter().filter(|failure| failure.root == at);
            let paths = items.map(|entry| &entry.path).chain(failed.map(|failure| &failure.path));
            own.files.extend(paths.map(|path| dir.join(path)));
        }
        own
    }

    /// The folders that knowledge lies in.
    fn folders(&self) -> Vec<PathBuf> {
        knowledge::roots(&self.engine, &self.caller).into_iter().map(|root| root.dir).collect()
    }

    fn rules(&self, ids: &[String]) -> Result<Arc<RuleSet>> {
        let choice = if ids.is_empty() { Choice::Binding } else { Choice::Named(ids.to_owned()) };
        Ok(knowledge::rules(&self.engine, &self.caller, &choice)?)
    }

    /// Files that should be items and are none: nobody follows them.
    fn problems(&self) -> Vec<Problem> {
        let catalogue = self.catalogue();
        let failed = catalogue.failed(&self.caller).filter(|failure| failure.item.is_none());
        let problem = |failure: &knowledge::Failure| {
            let file = catalogue.roots[failure.root].dir.join(&failure.path);
            Problem::new(file.to_string_lossy(), &failure.why)
        };
        failed.map(problem).collect()
    }
}

fn check(args: &CheckArgs, tree: &Tree, knowledge: &Knowledge, began: Instant) -> Result<Outcome> {
    let rules = knowledge.rules(&args.items)?;
    let mut problems = knowledge.problems();
    let mut known = Known::open(args, tree)?;
    let narrow = narrow(args, tree)?;
    let sources = sources(args, tree, knowledge, &mut problems)?;
    let mut scanned = scan::scan(&rules, tree, &sources);
    problems.append(&mut scanned.problems);
    let dependencies = scanned.listed.as_ref().map(Vec::len);
    let files = scanned.files;
    let found = Found { args, tree, rules: &rules, narrow: narrow.as_ref() };
    let found = found.all(scanned, &sources, !known.is_idle(), &mut problems);
    for problem in &mut problems {
        // Of what did not change another check tells.
        let below = Path::new(&problem.file).strip_prefix(&tree.root).ok().and_then(Path::to_str);
        let file = below.unwrap_or(&problem.file);
        problem.is_failure &=
            !args.allow_problems && narrow.as_ref().is_none_or(|narrow| narrow.has(file));
    }
    problems.sort_unstable();
    problems.dedup();
    let unsure: Vec<&str> = problems.iter().map(|problem| problem.file.as_str()).collect();
    let is_known = known.mark(rules.items(), &found.findings, &unsure)?;
    let mut outcome = Outcome {
        violations: Vec::new(),
        counts: found.left_out,
        left_out: 0,
        baseline: known::Summary::default(),
        problems,
        files,
        dependencies,
        rules: Arc::clone(&rules),
        took: Duration::default(),
    };
    for ((finding, is_told), is_known) in found.findings.into_iter().zip(is_known) {
        if is_told && !is_known {
            outcome.counts[finding.severity as usize] += 1;
        }
        if is_told && finding.severity >= args.min_severity {
            let item = Arc::clone(&rules.items()[finding.item]);
            outcome.violations.push(Violation { item, finding, is_known });
        }
    }
    for count in &mut outcome.counts[..args.min_severity as usize] {
        *count = 0;
    }
    outcome.left_out = outcome.counts.iter().sum::<usize>() - outcome.new_ones().count();
    let known_here = outcome.violations.len() - outcome.new_ones().count();
    outcome.baseline = known.summary(known_here);
    outcome.took = began.elapsed();
    Ok(outcome)
}

/// What changed, if only that counts.
fn narrow(args: &CheckArgs, tree: &Tree) -> Result<Option<Narrow>> {
    if args.diff.is_none() && !args.staged {
        return Ok(None);
    }
    let git = tree.need_git(if args.staged { "--staged" } else { "--diff" })?;
    Ok(Some(Narrow::new(git.changed(args.diff.as_deref(), args.staged)?)))
}

/// The files that are looked at.
fn sources(
    args: &CheckArgs,
    tree: &Tree,
    knowledge: &Knowledge,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Source>> {
    let mut sources = tree.sources(args.staged, &knowledge.own(tree), problems)?;
    if args.paths.is_empty() {
        return Ok(sources);
    }
    let below = tree.below(&args.paths, &sources)?;
    for path in below.iter().filter(|path| tree.root.join(path).is_file()) {
        if !sources.iter().any(|source| source.path == *path) {
            let why = "was not looked at: git ignores it, it is not staged, or it is knowledge";
            problems.push(Problem { is_failure: false, ..Problem::new(path, why) });
        }
    }
    sources.retain(|source| below.iter().any(|folder| tree::is_below(&source.path, folder)));
    Ok(sources)
}

/// Finds what there is to find.
struct Found<'a> {
    args: &'a CheckArgs,
    tree: &'a Tree,
    rules: &'a RuleSet,
    narrow: Option<&'a Narrow>,
}

/// What was found.
struct Findings {
    /// The findings, and whether each is about what was asked for.
    findings: Vec<(Finding, bool)>,
    /// How many there are besides, by severity.
    left_out: [usize; 3],
}

impl Found<'_> {
    fn all(
        &self,
        scanned: Scanned,
        sources: &[Source],
        is_compared: bool,
        problems: &mut Vec<Problem>,
    ) -> Findings {
        let today = time::day(SystemClock.now());
        let (seen, listed) = (scanned.seen, scanned.listed.as_deref());
        let mut report = self.rules.conclude(seen, listed, Extent::Whole, today);
        problems.extend(report.unfinished.drain(..).map(Problem::from));
        let mut left_out = left_out(&report);
        let mut findings = report.findings;
        if report.left_out > 0 && (is_compared || self.narrow.is_some()) {
            // What is not in the list could be new, so that the files are looked at one by one.
            let is_asked =
                |source: &&Source| self.narrow.is_none_or(|narrow| narrow.has(&source.path));
            let asked: Vec<&Source> = sources.iter().filter(is_asked).collect();
            let (more, unsure) = scan::one_by_one(self.rules, self.tree, &asked, today);
            findings.retain(|finding| finding.location.is_none() || is_dependency(finding));
            findings.extend(more);
            findings.sort_by(|one, other| one.location.cmp(&other.location));
            problems.extend(unsure);
            left_out = [0; 3];
        }
        let is_told = |finding: &Finding| {
            let is_whole = self.args.paths.is_empty() || !finding.global;
            is_whole && self.narrow.is_none_or(|narrow| narrow.keeps(finding))
        };
        let findings = findings.into_iter().map(|finding| {
            let is_told = is_told(&finding);
            (finding, is_told)
        });
        Findings { findings: findings.collect(), left_out }
    }
}

fn is_dependency(finding: &Finding) -> bool {
    finding.target == model::Target::Dependency.name()
}

/// How many findings are not in the list of a report, by severity.
fn left_out(report: &Report) -> [usize; 3] {
    let mut counts = [report.info, report.warn, report.block];
    for finding in &report.findings {
        let count = &mut counts[finding.severity as usize];
        *count = count.saturating_sub(1);
    }
    counts
}
