//! What follows from all that was looked at.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use model::time::Date;
use model::{Dependency, Item, Operator, Severity, Target};

use crate::book::{Book, Broken, Check, Entry, Exception, Owner};
use crate::glob::clean;
use crate::look::{RULE_TIME_MAX, short};
use crate::manifest::{is_python, python_name};
use crate::message::{self, Subject};
use crate::pattern::Pattern;
use crate::report::{
    Extent, FINDINGS_MAX, FINDINGS_OF_RULE_MAX, Finding, Listed, Location, Project, Report,
    Unfinished,
};
use crate::seen::{Class, Hit, Seen, Tally};

/// Concludes on one day.
pub(crate) struct Conclusion<'a> {
    pub(crate) items: &'a [Arc<Item>],
    pub(crate) book: &'a Book,
    pub(crate) extent: Extent<'a>,
    pub(crate) today: Date,
}

/// What becomes of the hits of a check to which the same waivers apply.
struct Verdict<'a> {
    check: &'a Check,
    lead: &'a Owner,
    /// The items that ask the same.
    others: Vec<usize>,
    expired: Option<&'a Exception>,
    /// How many were looked at, if it is about all of them.
    of: Option<usize>,
}

/// A finding before it is worded.
struct Draft<'a> {
    verdict: Rc<Verdict<'a>>,
    hit: Hit,
}

impl Draft<'_> {
    /// Heaviest first, then in the order of a report.
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.verdict.lead, other.verdict.lead);
        let place = (&self.hit.file, self.hit.line, a.item, a.constraint, &self.hit.excerpt);
        let others = (&other.hit.file, other.hit.line, b.item, b.constraint, &other.hit.excerpt);
        b.severity.cmp(&a.severity).then_with(|| place.cmp(&others))
    }
}

/// The findings so far: all counted, as many kept as a report can have.
#[derive(Default)]
struct Drafts<'a> {
    report: Report,
    list: Vec<Draft<'a>>,
}

impl<'a> Drafts<'a> {
    /// Takes what was found by one rule; they are counted already.
    fn take(&mut self, mut found: Vec<Draft<'a>>) {
        limit(&mut found);
        self.list.append(&mut found);
        if self.list.len() > 4 * FINDINGS_MAX {
            self.cut(FINDINGS_MAX);
        }
    }

    /// Keeps the heaviest.
    fn cut(&mut self, max: usize) {
        self.list.sort_unstable_by(Draft::cmp);
        self.list.truncate(max);
    }
}

/// Keeps the first findings of one rule.
fn limit(found: &mut Vec<Draft<'_>>) {
    if found.len() > FINDINGS_OF_RULE_MAX {
        found.sort_unstable_by(|one, other| one.hit.cmp(&other.hit));
        found.truncate(FINDINGS_OF_RULE_MAX);
    }
}

/// Where a waiver may apply.
enum Place<'a> {
    /// Nowhere but where it applies to everything.
    Everywhere,
    /// In a file to which these waivers apply by their paths.
    File(&'a [usize]),
    /// At a dependency, listed in a file that these globs match; whether it is one of Python.
    Dependency(&'a str, Option<&'a [bool]>, bool),
}

impl Place<'_> {
    fn is_covered(&self, number: usize, waiver: &Exception) -> bool {
        let (name, paths) = (waiver.dependency.as_deref(), &waiver.globs);
        match self {
            Self::Everywhere => name.is_none() && paths.is_empty(),
            Self::File(waivers) => {
                name.is_none() && (paths.is_empty() || waivers.contains(&number))
            }
            Self::Dependency(dependency, globs, is_python) => {
                let same = |name: &str| {
                    let canonical = |name| python_name(name, "-");
                    name == *dependency || *is_python && canonical(name) == canonical(dependency)
                };
                name.is_none_or(same)
                    && (paths.is_empty()
                        || globs.is_some_and(|globs| paths.iter().any(|glob| globs[*glob])))
            }
        }
    }
}

impl<'a> Conclusion<'a> {
    pub(crate) fn report(&self, seen: Vec<Seen>, dependencies: Option<&[Listed]>) -> Report {
        let mut all = Seen::default();
        all.fit(self.book);
        seen.into_iter().for_each(|seen| all.merge(seen));
        let mut drafts = Drafts::default();
        self.exists(&mut all);
        drafts.report.unfinished = self.unfinished(&all);
        self.missing(&all, &mut drafts);
        self.files(all, &mut drafts);
        if let Some(listed) = dependencies {
            self.dependencies(listed, &mut drafts);
        }
        self.write(drafts)
    }

    fn unfinished(&self, seen: &Seen) -> Vec<Unfinished> {
        let told = |(check, file): &(usize, Arc<str>)| {
            let check = &self.book.checks[*check];
            let (item, seconds) = (&self.items[check.owners[0].item].id, RULE_TIME_MAX.as_secs());
            let (operator, target) = (check.operator.name(), check.target.name());
            let why = format!(
                "`{operator} {target} {}` of {item} was given up after {seconds} s: it may be broken more \
                 often; make the pattern simpler, or the file smaller",
                check.pattern
            );
            Unfinished { file: file.to_string(), why }
        };
        let mut unfinished: Vec<Unfinished> = seen.unfinished.iter().map(told).collect();
        unfinished.sort_unstable();
        unfinished
    }

    /// Whose finding it is; none if all owners have a waiver.
    fn verdict(&self, check: &'a Check, place: &Place<'_>) -> Option<Verdict<'a>> {
        let mut latest: HashMap<usize, &Exception> = HashMap::new();
        for number in &check.waivers {
            let waiver = &self.book.waivers[*number];
            if place.is_covered(*number, waiver) {
                let held = latest.entry(waiver.item).or_insert(waiver);
                if held.until < waiver.until {
                    *held = waiver;
                }
            }
        }
        let mut lead: Option<(&Owner, Option<&Exception>)> = None;
        let mut others: Vec<usize> = Vec::new();
        for owner in &check.owners {
            let waiver = latest.get(&owner.item).copied();
            match (waiver, lead) {
                (Some(waiver), _) if self.today <= waiver.until => {}
                (_, None) => lead = Some((owner, waiver)),
                (_, Some((lead, _))) if lead.item != owner.item => others.push(owner.item),
                _ => {}
            }
        }
        let mut told = HashSet::new();
        others.retain(|item| told.insert(*item));
        let (lead, expired) = lead?;
        Some(Verdict { check, lead, others, expired, of: None })
    }

    /// What was found in files.
    fn files(&self, seen: Seen, drafts: &mut Drafts<'a>) {
        let mut tallies: Vec<(Class, Tally)> = seen.tallies.into_iter().collect();
        tallies.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for classes in tallies.chunk_by_mut(|(one, _), (other, _)| one.check == other.check) {
            let mut found = Vec::new();
            for (class, tally) in classes {
                let check = &self.book.checks[class.check];
                let Some(verdict) = self.verdict(check, &Place::File(&class.waivers)) else {
                    continue;
                };
                drafts.report.count(verdict.lead.severity, tally.count);
                let verdict = Rc::new(verdict);
                let hits = tally.hits.drain(..);
                found.extend(hits.map(|hit| Draft { verdict: Rc::clone(&verdict), hit }));
            }
            drafts.take(found);
        }
    }

    /// Notes which files there must be are in the project, though they are not checked.
    fn exists(&self, seen: &mut Seen) {
        let Extent::PartOf(project) = self.extent else { return };
        let is_open = |(check, _): &&(usize, usize)| {
            !seen.has[*check] && self.book.checks[*check].operator == Operator::MustExist
        };
        let asked: Vec<_> = self.book.paths.iter().filter(is_open).collect();
        if asked.is_empty() {
            return;
        }
        for path in &project.paths {
            let globs = self.book.globs.matches(&clean(path));
            asked.iter().for_each(|(check, glob)| seen.has[*check] |= globs[*glob]);
        }
    }

    /// A finding about the whole project; where nobody knows that, it is named what cannot be judged.
    fn of_project(&self, check: &'a Check, of: Option<usize>, drafts: &mut Drafts<'a>) {
        if let Some(of) = of {
            return self.global(check, of, drafts);
        }
        if let Some(Verdict { lead, .. }) = self.verdict(check, &Place::Everywhere) {
            let (operator, target) = (check.operator.name(), check.target.name());
            drafts.report.unjudged.push(format!(
                "`{operator} {target} {}` of {} was left out: it is about the whole project, and what \
                 else that has is not known here",
                check.pattern, self.items[lead.item].id
            ));
        }
    }

    /// What was asked for and found nowhere.
    fn missing(&self, seen: &Seen, drafts: &mut Drafts<'a>) {
        for (check, has) in self.book.checks.iter().zip(&seen.has) {
            if *has || !matches!(check.operator, Operator::MustUse | Operator::MustExist) {
                continue;
            }
            let of = match check.target {
                Target::Dependency => 0,
                Target::Code | Target::Config => seen.applicable[check.scope],
                Target::Import => seen.readable[check.scope],
                Target::File => seen.files,
            };
            let of_project = match self.extent {
                Extent::PartOf(project) if check.target == Target::File => {
                    Some(project.paths.len())
                }
                Extent::Part if check.target == Target::File => None,
                _ => Some(of),
            };
            if of > 0 {
                self.of_project(check, of_project, drafts);
            }
        }
    }

    /// A finding about all files or all dependencies.
    fn global(&self, check: &'a Check, of: usize, drafts: &mut Drafts<'a>) {
        let Some(verdict) = self.verdict(check, &Place::Everywhere) else { return };
        drafts.report.count(verdict.lead.severity, 1);
        let verdict = Rc::new(Verdict { of: Some(of), ..verdict });
        drafts.take(vec![Draft { verdict, hit: Hit::default() }]);
    }

    fn dependencies(&self, listed: &[Listed], drafts: &mut Drafts<'a>) {
        let listing = Listing::new(self.book, listed);
        let lane = &self.book.names;
        // Without a literal it requires a pattern matches no name.
        let candidates = lane.finder.candidates(&listing.names(), &|| false);
        let mut is_candidate = vec![false; lane.entries.len()];
        candidates.into_iter().flatten().for_each(|at| is_candidate[at] = true);
        for (entry, is_candidate) in lane.entries.iter().zip(is_candidate) {
            for check in entry.checks.iter().map(|check| &self.book.checks[*check]) {
                let is_match = |at: usize| is_candidate && listing.is_match(at, check, entry);
                match check.operator {
                    Operator::MustUse | Operator::MustExist => {
                        if !(0..listed.len()).any(is_match) {
                            self.needed(check, entry, listed.len(), drafts);
                        }
                    }
                    Operator::MustMatch => self.names(check, &listing, |at| !is_match(at), drafts),
                    _ => self.names(check, &listing, is_match, drafts),
                }
            }
        }
    }

    /// A finding about a dependency that is not among those that are checked, if the project has none
    /// either.
    fn needed(&self, check: &'a Check, entry: &Entry, checked: usize, drafts: &mut Drafts<'a>) {
        let of = match self.extent {
            Extent::Whole => Some(checked),
            Extent::Part => None,
            Extent::PartOf(project) => project.dependencies.as_deref().map(<[Listed]>::len),
        };
        if let Extent::PartOf(Project { dependencies: Some(listed), .. }) = self.extent {
            let listing = Listing::new(self.book, listed);
            if (0..listed.len()).any(|at| listing.is_match(at, check, entry)) {
                return;
            }
        }
        self.of_project(check, of, drafts);
    }

    /// A finding for each dependency that breaks a check.
    fn names(
        &self,
        check: &'a Check,
        listing: &Listing<'_>,
        is_broken: impl Fn(usize) -> bool,
        drafts: &mut Drafts<'a>,
    ) {
        let of = |at: usize| self.verdict(check, &listing.place(at)).map(Rc::new);
        let mut found: Vec<Draft<'a>> = Vec::new();
        let mut last: Option<Rc<Verdict<'a>>> = None;
        for at in (0..listing.listed.len()).filter(|at| is_broken(*at)) {
            // Where there is no waiver, they are all alike.
            let alike = last.take().filter(|_| check.waivers.is_empty());
            let Some(verdict) = alike.or_else(|| of(at)) else { continue };
            drafts.report.count(verdict.lead.severity, 1);
            last = Some(Rc::clone(&verdict));
            found.push(Draft { verdict, hit: listing.hit(at) });
            if found.len() > 2 * FINDINGS_OF_RULE_MAX {
                limit(&mut found);
            }
        }
        drafts.take(found);
    }

    /// Chooses which findings are told, and words them.
    fn write(&self, mut drafts: Drafts<'a>) -> Report {
        drafts.cut(FINDINGS_MAX);
        let Drafts { mut report, list: mut drafts } = drafts;
        let mut broken: Vec<&Broken> = self.book.broken.iter().collect();
        report.count(Severity::Warn, broken.len());
        let total = report.info + report.warn + report.block;
        let blocking =
            drafts.partition_point(|draft| draft.verdict.lead.severity == Severity::Block);
        broken.truncate(FINDINGS_MAX - blocking);
        drafts.truncate(FINDINGS_MAX - broken.len());
        let found = drafts
            .into_iter()
            .map(|draft| (draft.verdict.lead.constraint, self.finding(&draft.verdict, draft.hit)));
        let broken = broken
            .into_iter()
            .map(|broken| (broken.constraint.unwrap_or(usize::MAX), self.refused(broken)));
        let mut findings: Vec<(usize, Finding)> = found.chain(broken).collect();
        findings.sort_by(|(one_at, one), (other_at, other)| {
            (&one.location, one.item, one_at, &one.excerpt).cmp(&(
                &other.location,
                other.item,
                other_at,
                &other.excerpt,
            ))
        });
        report.findings = findings.into_iter().map(|(_, finding)| finding).collect();
        report.left_out = total - report.findings.len();
        report
    }

    /// The finding about what cannot be followed.
    fn refused(&self, broken: &Broken) -> Finding {
        let [operator, target, pattern] = broken.flawed.constraint.clone().unwrap_or_default();
        let constraints = &self.items[broken.item].constraints;
        let applies_to = broken.constraint.map(|at| constraints[at].applies_to.clone());
        Finding {
            item: broken.item,
            operator,
            target,
            pattern,
            severity: Severity::Warn,
            message: message::of_broken(self.items, broken),
            location: None,
            last_line: None,
            excerpt: None,
            global: false,
            applies_to: applies_to.unwrap_or_default(),
        }
    }

    fn finding(&self, verdict: &Verdict<'_>, hit: Hit) -> Finding {
        let Verdict { check, lead, others, expired, of } = verdict;
        let is_global = of.is_some();
        let message = Subject {
            items: self.items,
            book: self.book,
            check,
            lead,
            others,
            expired: *expired,
            hit: Some(&hit).filter(|_| !is_global),
            of: of.unwrap_or_default(),
        }
        .message();
        let constraint = &self.items[lead.item].constraints[lead.constraint];
        Finding {
            item: lead.item,
            operator: check.operator.name().to_owned(),
            target: check.target.name().to_owned(),
            pattern: check.pattern.clone(),
            severity: lead.severity,
            message,
            location: hit.file.map(|file| Location { file: file.to_string(), line: hit.line }),
            last_line: hit.last_line,
            excerpt: hit.excerpt,
            global: is_global,
            applies_to: constraint.applies_to.clone(),
        }
    }
}

/// The dependencies that are listed.
struct Listing<'a> {
    listed: &'a [Listed],
    /// Their names with their versions.
    versioned: Vec<String>,
    /// The ways to write the name of each that is a package of Python.
    spellings: Vec<Vec<String>>,
    /// Which globs match the files they are listed in.
    globs: HashMap<&'a str, Vec<bool>>,
}

impl<'a> Listing<'a> {
    fn new(book: &Book, listed: &'a [Listed]) -> Self {
        let mut globs: HashMap<&str, Vec<bool>> = HashMap::new();
        for location in listed.iter().filter_map(|one| one.location.as_ref()) {
            let matches = || book.globs.matches(&clean(&location.file));
            globs.entry(&location.file).or_insert_with(matches);
        }
        let versioned = listed.iter().map(|one| joined(&one.dependency, '@')).collect();
        let spellings = listed.iter().map(spellings).collect();
        Self { listed, versioned, spellings, globs }
    }

    /// All that a pattern can be found in.
    fn names(&self) -> String {
        let spellings = self.spellings.iter().flatten();
        self.versioned.iter().chain(spellings).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Whether the pattern is the name; if it has an `@`, it may be the name and the version.
    fn is_match(&self, at: usize, check: &Check, entry: &Entry) -> bool {
        let Dependency { name, version } = &self.listed[at].dependency;
        let is_versioned = check.pattern.contains('@');
        let is_python = |pattern: &Pattern| {
            self.spellings[at].iter().any(|name| {
                let versioned = || version.as_ref().map(|version| format!("{name}@{version}"));
                pattern.is_in(name)
                    || is_versioned && versioned().is_some_and(|text| pattern.is_in(&text))
            })
        };
        entry.pattern.is_in(name)
            || is_versioned && entry.pattern.is_in(&self.versioned[at])
            || entry.caseless.as_ref().is_some_and(is_python)
    }

    fn place(&self, at: usize) -> Place<'_> {
        let Listed { dependency, location, .. } = &self.listed[at];
        let globs = location.as_ref().and_then(|at| self.globs.get(at.file.as_str()));
        let is_python = !self.spellings[at].is_empty();
        Place::Dependency(&dependency.name, globs.map(Vec::as_slice), is_python)
    }

    fn hit(&self, at: usize) -> Hit {
        let Listed { dependency, location, last_line } = &self.listed[at];
        Hit {
            file: location.as_ref().map(|at| Arc::from(at.file.as_str())),
            line: location.as_ref().and_then(|at| at.line),
            last_line: *last_line,
            excerpt: Some(short(&joined(dependency, ' '))),
        }
    }
}

/// The ways to write a name that mean the same package of Python; none for other packages.
fn spellings(listed: &Listed) -> Vec<String> {
    match &listed.location {
        Some(location) if is_python(&location.file) => {
            ["-", "_", "."].map(|separator| python_name(&listed.dependency.name, separator)).into()
        }
        _ => Vec::new(),
    }
}

/// The name and the version, if it has one.
fn joined(dependency: &Dependency, by: char) -> String {
    let Dependency { name, version } = dependency;
    version.as_ref().map_or_else(|| name.clone(), |version| format!("{name}{by}{version}"))
}
