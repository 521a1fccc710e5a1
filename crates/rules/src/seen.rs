//! What was seen in files, until it is concluded on.
//!
//! It does not grow with the number of files: of each rule only the first hits are kept, and all are
//! counted. Which are the first does not depend on the order in which files were looked at.

use std::collections::HashMap;
use std::sync::Arc;

use crate::book::Book;
use crate::report::{FINDINGS_MAX, FINDINGS_OF_RULE_MAX};

/// When so many hits are kept, those that cannot get into a report are dropped.
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
    kept: usize,
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
        line: Option<usize>,
        excerpt: impl FnOnce() -> Option<String>,
    ) {
        let tally = self.tallies.entry(class).or_default();
        tally.count += 1;
        if tally.is_behind(file, line) {
            return;
        }
        tally.hits.push(Hit { file: Some(Arc::clone(file)), line, excerpt: excerpt() });
        self.kept += 1;
        if tally.hits.len() > 2 * FINDINGS_OF_RULE_MAX {
            self.kept -= tally.hits.len();
            tally.trim();
            self.kept += tally.hits.len();
        }
        if self.kept > HITS_MAX {
            self.prune(book);
        }
    }

    /// Drops what cannot get into a report. Where a waiver may apply nobody knows yet, so that these
    /// hits stay.
    fn prune(&mut self, book: &Book) {
        let mut pruned = Vec::new();
        for (class, tally) in &mut self.tallies {
            let check = &book.checks[class.check];
            if let Some(lead) = check.owners.first().filter(|_| check.waivers.is_empty()) {
                tally.trim();
                let weight = (std::cmp::Reverse(lead.severity), lead.item, lead.constraint);
                pruned.extend(tally.hits.drain(..).map(|hit| (weight, hit, class.clone())));
            }
        }
        if pruned.len() > FINDINGS_MAX {
            pruned.select_nth_unstable_by(FINDINGS_MAX, |(a, one, _), (b, other, _)| {
                (a.0, &one.file, one.line, a.1, a.2, &one.excerpt).cmp(&(
                    b.0,
                    &other.file,
                    other.line,
                    b.1,
                    b.2,
                    &other.excerpt,
                ))
            });
            pruned.truncate(FINDINGS_MAX);
        }
        for (_, hit, class) in pruned {
            self.tallies.entry(class).or_default().hits.push(hit);
        }
        self.kept = self.tallies.values().map(|tally| tally.hits.len()).sum();
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
        for (class, tally) in other.tallies {
            let mine = self.tallies.entry(class).or_default();
            mine.count += tally.count;
            mine.hits.extend(tally.hits);
        }
    }
}
