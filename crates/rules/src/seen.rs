//! What was seen in files, until it is concluded on.
//!
//! It does not grow with the number of files: of each rule only the first hits are kept, and all are
//! counted. Which are the first does not depend on the order in which files were looked at.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use model::Severity;

use crate::book::{Book, Check};
use crate::report::{FINDINGS_MAX, FINDINGS_OF_RULE_MAX};

/// When so many more hits are kept, those that cannot get into a report are dropped.
const HITS_MAX: usize = 20 * FINDINGS_MAX;

/// What was seen in some files.
#[derive(Debug, Default)]
pub struct Seen {
    pub(crate) files: usize,
    /// The files that each scope applies to.
    pub(crate) applicable: Vec<usize>,
    /// Those of them whose imports can be read.
    pub(crate) readable: Vec<usize>,
    /// The checks that found what they ask for.
    pub(crate) has: Vec<bool>,
    pub(crate) tallies: HashMap<Class, Tally>,
    /// The checks whose search in a file took too long, with that file.
    pub(crate) unfinished: Vec<(usize, Arc<str>)>,
    /// How many hits are kept.
    kept: usize,
    /// How many were when those were dropped that cannot get into a report.
    spared: usize,
    /// What ranks behind this one cannot get into a report.
    last: Option<Rank>,
}

/// How soon a hit gets into a report if there are too many: heaviest first, then as they are told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    severity: Reverse<Severity>,
    file: Option<Arc<str>>,
    line: Option<usize>,
    item: usize,
    constraint: usize,
}

impl Rank {
    /// None where a waiver may apply.
    fn of(check: &Check, file: Option<&Arc<str>>, line: Option<usize>) -> Option<Self> {
        let lead = check.owners.first().filter(|_| check.waivers.is_empty())?;
        Some(Self {
            severity: Reverse(lead.severity),
            file: file.cloned(),
            line,
            item: lead.item,
            constraint: lead.constraint,
        })
    }
}

/// Hits of one check to which the same waivers apply by their paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class {
    pub(crate) check: usize,
    pub(crate) waivers: Box<[usize]>,
}

/// The hits of a class: all counted, the first kept.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: usize,
    pub(crate) hits: Vec<Hit>,
    /// What comes behind this one is not kept.
    last: Option<(Option<Arc<str>>, Option<usize>)>,
}

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Hit {
    pub(crate) file: Option<Arc<str>>,
    pub(crate) line: Option<usize>,
    pub(crate) excerpt: Option<String>,
    /// Where the match that begins in `line` ends.
    pub(crate) last_line: Option<usize>,
}

impl Tally {
    fn is_behind(&self, file: &Arc<str>, line: Option<usize>) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|(last, last_line)| (Some(file), line) > (last.as_ref(), *last_line))
    }

    /// Keeps the first hits and no more.
    pub(crate) fn trim(&mut self) {
        if self.hits.len() > FINDINGS_OF_RULE_MAX {
            self.hits.sort_unstable();
            self.hits.truncate(FINDINGS_OF_RULE_MAX);
            self.last = self.hits.last().map(|hit| (hit.file.clone(), hit.line));
        }
    }
}

impl Seen {
    /// Makes room for what the book asks for.
    pub(crate) fn fit(&mut self, book: &Book) {
        self.applicable.resize(book.scopes.len().max(self.applicable.len()), 0);
        self.readable.resize(book.scopes.len().max(self.readable.len()), 0);
        self.has.resize(book.checks.len().max(self.has.len()), false);
    }

    /// Takes a hit; what it looks like is asked for only if it is kept.
    pub(crate) fn add(
        &mut self,
        book: &Book,
        class: Class,
        file: &Arc<str>,
        lines: Option<Range<usize>>,
        excerpt: impl FnOnce() -> Option<String>,
    ) {
        let line = lines.as_ref().map(|lines| lines.start);
        let rank = Rank::of(&book.checks[class.check], Some(file), line);
        let tally = self.tallies.entry(class).or_default();
        tally.count += 1;
        if tally.is_behind(file, line)
            || rank.is_some_and(|rank| self.last.as_ref().is_some_and(|last| *last < rank))
        {
            return;
        }
        let last_line = lines.map(|lines| lines.end - 1);
        let file = Some(Arc::clone(file));
        tally.hits.push(Hit { file, line, excerpt: excerpt(), last_line });
        self.kept += 1;
        if tally.hits.len() > 2 * FINDINGS_OF_RULE_MAX {
            self.kept -= tally.hits.len();
            tally.trim();
            self.kept += tally.hits.len();
        }
        if self.kept > self.spared + HITS_MAX {
            self.prune(book);
        }
    }

    /// Drops what cannot get into a report. Where a waiver may apply nobody knows yet, so that these
    /// hits stay.
    fn prune(&mut self, book: &Book) {
        let mut ranked: Vec<(Rank, Class, Hit)> = Vec::new();
        for (class, tally) in &mut self.tallies {
            let check = &book.checks[class.check];
            if check.waivers.is_empty() {
                tally.trim();
                ranked.extend(tally.hits.drain(..).filter_map(|hit| {
                    let rank = Rank::of(check, hit.file.as_ref(), hit.line)?;
                    Some((rank, class.clone(), hit))
                }));
            }
        }
        if ranked.len() > FINDINGS_MAX {
            let last = ranked.select_nth_unstable_by(FINDINGS_MAX - 1, |one, other| {
                (&one.0, &one.2.excerpt).cmp(&(&other.0, &other.2.excerpt))
            });
            self.last = Some(last.1.0.clone());
            ranked.truncate(FINDINGS_MAX);
        }
        for (_, class, hit) in ranked {
            self.tallies.entry(class).or_default().hits.push(hit);
        }
        self.kept = self.tallies.values().map(|tally| tally.hits.len()).sum();
        self.spared = self.kept;
    }

    /// Takes what another has seen.
    pub(crate) fn merge(&mut self, other: Self) {
        self.files += other.files;
        let sum = |mine: &mut Vec<usize>, others: Vec<usize>| {
            mine.resize(mine.len().max(others.len()), 0);
            mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
        };
        sum(&mut self.applicable, other.applicable);
        sum(&mut self.readable, other.readable);
        self.has.resize(self.has.len().max(other.has.len()), false);
        self.has.iter_mut().zip(other.has).for_each(|(mine, other)| *mine |= other);
        self.unfinished.extend(other.unfinished);
        for (class, tally) in other.tallies {
            let mine = self.tallies.entry(class).or_default();
            mine.count += tally.count;
            mine.hits.extend(tally.hits);
        }
    }
}
