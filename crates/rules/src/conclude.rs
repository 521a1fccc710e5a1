//! What follows from all that was looked at.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use model::time::Date;
use model::{Dependency, Item, Operator, Severity, Target};

use crate::book::{Book, Check, Exception, Owner};
use crate::glob::clean;
use crate::message::{self, Subject};
use crate::report::{FINDINGS_MAX, FINDINGS_OF_RULE_MAX, Finding, Listed, Location, Report};
use crate::seen::{Class, Hit, Seen, Tally};

/// Concludes on one day.
pub(crate) struct Conclusion<'a> {
    pub(crate) items: &'a [Arc<Item>],
    pub(crate) book: &'a Book,
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
struct Draft {
    verdict: usize,
    hit: Hit,
}

/// Where a waiver may apply.
enum Place<'a> {
    /// Nowhere but where it applies to everything.
    Everywhere,
    /// In a file to which these waivers apply by their paths.
    File(&'a [usize]),
    /// At a dependency, listed in a file that these globs match.
    Dependency(&'a str, Option<&'a [bool]>),
}

impl Place<'_> {
    fn is_covered(&self, number: usize, waiver: &Exception) -> bool {
        let (name, paths) = (waiver.dependency.as_deref(), &waiver.globs);
        match self {
            Self::Everywhere => name.is_none() && paths.is_empty(),
            Self::File(waivers) => {
                name.is_none() && (paths.is_empty() || waivers.contains(&number))
            }
            Self::Dependency(dependency, globs) => {
                name.is_none_or(|name| name == *dependency)
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
        let mut report = Report::default();
        let mut verdicts: Vec<Verdict<'a>> = Vec::new();
        let mut drafts: Vec<Draft> = Vec::new();
        self.files(&mut all, &mut report, &mut verdicts, &mut drafts);
        self.missing(&all, &mut report, &mut verdicts, &mut drafts);
        if let Some(listed) = dependencies {
            self.dependencies(listed, &mut report, &mut verdicts, &mut drafts);
        }
        self.write(report, &verdicts, drafts)
    }

    /// Whose finding it is; none if all owners have a waiver.
    fn verdict(&self, check: &'a Check, place: &Place<'_>) -> Option<Verdict<'a>> {
        let covering = |owner: &Owner| {
            let waivers = check.waivers.iter().map(|number| (*number, &self.book.waivers[*number]));
            let own = waivers.filter(move |(_, waiver)| waiver.item == owner.item);
            own.filter(|(number, waiver)| place.is_covered(*number, waiver))
                .map(|(_, waiver)| waiver)
                .max_by_key(|waiver| waiver.until)
        };
        let mut lead: Option<(&Owner, Option<&Exception>)> = None;
        let mut others: Vec<usize> = Vec::new();
        for owner in &check.owners {
            let waiver = covering(owner);
            match (waiver, lead) {
                (Some(waiver), _) if self.today <= waiver.until => {}
                (_, None) => lead = Some((owner, waiver)),
                (_, Some((lead, _))) if lead.item != owner.item => others.push(owner.item),
                _ => {}
            }
        }
        others.dedup();
        let (lead, expired) = lead?;
        Some(Verdict { check, lead, others, expired, of: None })
    }

    /// What was found in files.
    fn files(
        &self,
        seen: &mut Seen,
        report: &mut Report,
        verdicts: &mut Vec<Verdict<'a>>,
        drafts: &mut Vec<Draft>,
    ) {
        let mut tallies: Vec<(Class, Tally)> = seen.tallies.drain().collect();
        tallies.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for classes in tallies.chunk_by_mut(|(one, _), (other, _)| one.check == other.check) {
            let mut found = Vec::new();
            for (class, tally) in classes {
                let check = &self.book.checks[class.check];
                let Some(verdict) = self.verdict(check, &Place::File(&class.waivers)) else {
                    continue;
                };
                report.count(verdict.lead.severity, tally.count);
                let hits = tally.hits.drain(..);
                found.extend(hits.map(|hit| Draft { verdict: verdicts.len(), hit }));
                verdicts.push(verdict);
            }
            found.sort_unstable_by(|one, other| one.hit.cmp(&other.hit));
            found.truncate(FINDINGS_OF_RULE_MAX);
            drafts.append(&mut found);
        }
    }

    /// What was asked for and found nowhere.
    fn missing(
        &self,
        seen: &Seen,
        report: &mut Report,
        verdicts: &mut Vec<Verdict<'a>>,
        drafts: &mut Vec<Draft>,
    ) {
        for (at, check) in self.book.checks.iter().enumerate() {
            if !matches!(check.operator, Operator::MustUse | Operator::MustExist) || seen.has[at] {
                continue;
            }
            let of = match check.target {
                Target::Dependency => 0,
                Target::Code | Target::Config => seen.applicable[check.scope],
                Target::Import => seen.readable[check.scope],
                Target::File => seen.files,
            };
            if of > 0 {
                self.global(check, of, report, verdicts, drafts);
            }
        }
    }

    /// A finding about all files or all dependencies.
    fn global(
        &self,
        check: &'a Check,
        of: usize,
        report: &mut Report,
        verdicts: &mut Vec<Verdict<'a>>,
        drafts: &mut Vec<Draft>,
    ) {
        let Some(verdict) = self.verdict(check, &Place::Everywhere) else { return };
        report.count(verdict.lead.severity, 1);
        drafts.push(Draft { verdict: verdicts.len(), hit: Hit::default() });
        verdicts.push(Verdict { of: Some(of), ..verdict });
    }

    fn dependencies(
        &self,
        listed: &[Listed],
        report: &mut Report,
        verdicts: &mut Vec<Verdict<'a>>,
        drafts: &mut Vec<Draft>,
    ) {
        let names: Vec<String> = listed.iter().map(|one| versioned(&one.dependency)).collect();
        let mut globs: HashMap<&str, Vec<bool>> = HashMap::new();
        for file in listed.iter().filter_map(|one| one.location.as_ref()).map(|at| &at.file) {
            globs.entry(file).or_insert_with(|| self.book.globs.matches(&clean(file)));
        }
        let lane = &self.book.names;
        let candidates = lane.finder.candidates(&names.join("\n"), &|| false).unwrap_or_default();
        let mut is_candidate = vec![false; lane.entries.len()];
        candidates.into_iter().for_each(|at| is_candidate[at] = true);
        for (entry, is_candidate) in lane.entries.iter().zip(is_candidate) {
            let is_match = |at: usize, has_at: bool| {
                is_candidate
                    && (entry.pattern.is_in(&listed[at].dependency.name)
                        || has_at && entry.pattern.is_in(&names[at]))
            };
            for check in entry.checks.iter().map(|check| &self.book.checks[*check]) {
                let has_at = check.pattern.contains('@');
                let matches = (0..listed.len()).map(|at| is_match(at, has_at));
                let asks_one = matches!(check.operator, Operator::MustUse | Operator::MustExist);
                if asks_one {
                    if !matches.into_iter().any(|is_match| is_match) {
                        self.global(check, listed.len(), report, verdicts, drafts);
                    }
                    continue;
                }
                let is_wrong = check.operator != Operator::MustMatch;
                let mut found: Vec<Draft> = Vec::new();
                let wrong = matches.enumerate().filter(|(_, is_match)| *is_match == is_wrong);
                for (at, _) in wrong {
                    let Listed { dependency, location } = &listed[at];
                    let of_file = location.as_ref().and_then(|at| globs.get(at.file.as_str()));
                    let place = Place::Dependency(&dependency.name, of_file.map(Vec::as_slice));
                    let Some(verdict) = self.verdict(check, &place) else { continue };
                    report.count(verdict.lead.severity, 1);
                    let file = location.as_ref().map(|at| Arc::from(at.file.as_str()));
                    let line = location.as_ref().and_then(|at| at.line);
                    let excerpt = Some(spoken(dependency));
                    found.push(Draft { verdict: verdicts.len(), hit: Hit { file, line, excerpt } });
                    verdicts.push(verdict);
                }
                found.sort_unstable_by(|one, other| one.hit.cmp(&other.hit));
                found.truncate(FINDINGS_OF_RULE_MAX);
                drafts.append(&mut found);
            }
        }
    }

    /// Chooses which findings are told, and words them.
    fn write(
        &self,
        mut report: Report,
        verdicts: &[Verdict<'a>],
        mut drafts: Vec<Draft>,
    ) -> Report {
        let mut broken: Vec<_> = self.book.broken.iter().collect();
        report.count(Severity::Warn, broken.len());
        let total = report.info + report.warn + report.block;
        let lead = |draft: &Draft| verdicts[draft.verdict].lead;
        drafts.sort_by(|one, other| {
            let order = |draft: &Draft| {
                (Reverse(lead(draft).severity), lead(draft).item, lead(draft).constraint)
            };
            let (a, b) = (order(one), order(other));
            a.0.cmp(&b.0).then_with(|| {
                (&one.hit.file, one.hit.line, a.1, a.2, &one.hit.excerpt).cmp(&(
                    &other.hit.file,
                    other.hit.line,
                    b.1,
                    b.2,
                    &other.hit.excerpt,
                ))
            })
        });
        let heavy = drafts.partition_point(|draft| lead(draft).severity == Severity::Block);
        broken.truncate(FINDINGS_MAX.saturating_sub(heavy));
        drafts.truncate(FINDINGS_MAX - broken.len());
        let mut findings: Vec<(usize, Finding)> = drafts
            .into_iter()
            .map(|draft| {
                (lead(&draft).constraint, self.finding(&verdicts[draft.verdict], draft.hit))
            })
            .collect();
        findings.extend(broken.into_iter().map(|broken| {
            let [operator, target, pattern] = broken.flawed.constraint.clone().unwrap_or_default();
            let constraint = broken.constraint;
            let globs = constraint.map(|at| &self.items[broken.item].constraints[at].applies_to);
            let finding = Finding {
                item: broken.item,
                operator,
                target,
                pattern,
                severity: Severity::Warn,
                message: message::of_broken(self.items, broken),
                location: None,
                excerpt: None,
                global: false,
                applies_to: globs.cloned().unwrap_or_default(),
            };
            (constraint.unwrap_or(usize::MAX), finding)
        }));
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
            excerpt: hit.excerpt,
            global: is_global,
            applies_to: constraint.applies_to.clone(),
        }
    }
}

/// `name@version`, or the name alone.
fn versioned(dependency: &Dependency) -> String {
    let Dependency { name, version } = dependency;
    version.as_ref().map_or_else(|| name.clone(), |version| format!("{name}@{version}"))
}

/// The dependency as it is told.
fn spoken(dependency: &Dependency) -> String {
    let Dependency { name, version } = dependency;
    let text = version.as_ref().map_or_else(|| name.clone(), |version| format!("{name} {version}"));
    text.chars().take(200).collect()
}
