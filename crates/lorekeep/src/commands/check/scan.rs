//! All files against the rules, on every core.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use model::time::Date;
use rules::{Extent, Finding, Listed, RuleSet, Seen, Watch, manifest};

use super::Problem;
use super::tree::{Content, Source, Tree};

/// What was seen of a project.
#[derive(Default)]
pub(super) struct Scanned {
    pub(super) seen: Vec<Seen>,
    /// The dependencies; none if no manifest was read.
    pub(super) listed: Option<Vec<Listed>>,
    /// The texts of the manifests, by their paths.
    manifests: BTreeMap<String, String>,
    pub(super) problems: Vec<Problem>,
    /// How many files were looked at.
    pub(super) files: usize,
}

/// Looks at all files.
pub(super) fn scan(rules: &RuleSet, tree: &Tree, sources: &[Source]) -> Scanned {
    let mut parts = on_every_core(
        sources,
        || (Seen::default(), Scanned::default()),
        |part, one| {
            let (seen, scanned) = part;
            look(rules, tree, one, seen, scanned);
        },
    );
    let mut all = Scanned::default();
    for (seen, part) in &mut parts {
        all.seen.push(std::mem::take(seen));
        all.manifests.append(&mut part.manifests);
        all.problems.append(&mut part.problems);
        all.files += part.files;
    }
    let found = manifest::list(&all.manifests, &|path| tree.text(path));
    all.listed = found.listed;
    let why = |why| format!("its dependencies cannot be read: {why}");
    let unread = found.problems.into_iter().map(|(path, it)| Problem::new(path, why(it)));
    all.problems.extend(unread);
    all
}

/// What is found in each file by itself: more than a report on all of them has room for.
pub(super) fn one_by_one(
    rules: &RuleSet,
    tree: &Tree,
    sources: &[&Source],
    today: Date,
) -> (Vec<Finding>, Vec<Problem>) {
    let parts = on_every_core(sources, Default::default, |part: &mut (Vec<_>, Vec<_>), one| {
        let (findings, problems) = part;
        let (mut seen, mut scanned) = (Seen::default(), Scanned::default());
        look(rules, tree, one, &mut seen, &mut scanned);
        let report = rules.conclude(vec![seen], None, Extent::Whole, today);
        problems.extend(report.unfinished.into_iter().map(Problem::from));
        let is_here = |finding: &Finding| finding.location.is_some();
        findings.extend(report.findings.into_iter().filter(is_here));
        if report.left_out > 0 {
            let why = format!("has {} more violations than are compared", report.left_out);
            problems.push(Problem::new(&one.path, why));
        }
    });
    let (findings, problems): (Vec<Vec<Finding>>, Vec<Vec<Problem>>) = parts.into_iter().unzip();
    let mut findings: Vec<Finding> = findings.into_iter().flatten().collect();
    findings.sort_by(|one, other| (&one.location, one.item).cmp(&(&other.location, other.item)));
    (findings, problems.into_iter().flatten().collect())
}

/// Gives every thread a part of its own and all files that it can take.
fn on_every_core<S: Sync, T: Send>(
    sources: &[S],
    part: impl Fn() -> T + Sync,
    each: impl Fn(&mut T, &S) + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut part = part();
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            each(&mut part, source);
        }
        part
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..cores.min(sources.len()).max(1)).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, T>| match thread.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    })
}

fn look(rules: &RuleSet, tree: &Tree, source: &Source, seen: &mut Seen, scanned: &mut Scanned) {
    let path = &source.path;
    let text = match source.read(&tree.root) {
        Ok(Content::Nothing) => return,
        Ok(Content::Text(text)) => Some(text),
        Ok(Content::Binary) => None,
        Ok(Content::Large) => {
            let why = "was not read: it has more than 64 MB";
            scanned.problems.push(Problem::new(path, why));
            None
        }
        Err(why) => {
            scanned.problems.push(Problem::new(path, format!("cannot be read: {why}")));
            None
        }
    };
    scanned.files += 1;
    let Some(text) = text else {
        rules.look_path(seen, path);
        return;
    };
    // It stops for nobody: who does not want to wait ends the program.
    let began = Instant::now();
    rules.look(seen, path, &text, Watch { elapsed: &|| began.elapsed(), ..Watch::NONE });
    if manifest::is_manifest(path) {
        scanned.manifests.insert(path.clone(), text);
    }
}
