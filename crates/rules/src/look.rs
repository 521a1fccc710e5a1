//! One file against all checks.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use model::Operator;

use crate::book::{Book, Lane};
use crate::glob::clean;
use crate::imports::Import;
use crate::seen::{Class, Seen};

/// An excerpt has no more characters than this.
const EXCERPT_CHARS_MAX: usize = 200;

/// So many characters stand before a match in an excerpt from a long line.
const EXCERPT_CHARS_BEFORE: usize = 40;

/// After so many hits in a row we ask whether to stop.
const POLL_EVERY: usize = 1_024;

/// So long one rule may search in one file; what it has found until then counts.
pub(crate) const RULE_TIME_MAX: Duration = Duration::from_secs(5);

/// What a check asks while it works.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// How long it works already.
    pub elapsed: &'a (dyn Fn() -> Duration + Sync),
}

impl Watch<'static> {
    /// Nobody stops it, and it takes no time.
    pub const NONE: Self = Self { stop: &|| false, elapsed: &|| Duration::ZERO };
}

/// Reads the imports of a file, if its language is known.
pub(crate) type Reader = fn(&str, &str) -> Option<Vec<Import>>;

/// A file that is looked at.
pub(crate) struct Look<'a> {
    book: &'a Book,
    seen: &'a mut Seen,
    path: Arc<str>,
    /// Which globs match its path.
    globs: Vec<bool>,
    /// Which scopes apply to it.
    applies: Vec<bool>,
    watch: Watch<'a>,
}

/// `stop` said so.
struct Stopped;

impl<'a> Look<'a> {
    /// Looks at a file; false if `stop` said so.
    pub(crate) fn at(
        book: &'a Book,
        seen: &'a mut Seen,
        (path, text): (&str, &str),
        read: Reader,
        watch: Watch<'a>,
    ) -> bool {
        let mut look = Self::new(book, seen, path, watch);
        for (count, applies) in look.seen.applicable.iter_mut().zip(&look.applies) {
            *count += usize::from(*applies);
        }
        look.paths();
        look.texts(text).and_then(|()| look.imports(text, read)).is_ok()
    }

    /// Looks at the path of a file whose text says nothing.
    pub(crate) fn at_path(book: &'a Book, seen: &'a mut Seen, path: &str) {
        Self::new(book, seen, path, Watch::NONE).paths();
    }

    fn new(book: &'a Book, seen: &'a mut Seen, path: &str, watch: Watch<'a>) -> Self {
        seen.fit(book);
        let path = clean(path);
        let globs = book.globs.matches(&path);
        let is_in = |scope: &Vec<usize>| scope.is_empty() || scope.iter().any(|glob| globs[*glob]);
        let applies: Vec<bool> = book.scopes.iter().map(is_in).collect();
        seen.files += 1;
        Self { book, seen, path: Arc::from(path), globs, applies, watch }
    }

    fn poll(&self) -> Result<(), Stopped> {
        if (self.watch.stop)() { Err(Stopped) } else { Ok(()) }
    }

    /// Whether a check is for this file and not settled yet.
    fn is_open(&self, check: usize) -> bool {
        self.applies[self.book.checks[check].scope] && !self.seen.has[check]
    }

    fn add(
        &mut self,
        check: usize,
        lines: Option<Range<usize>>,
        excerpt: impl FnOnce() -> Option<String>,
    ) {
        let waivers = self.book.checks[check].waivers.iter().copied().filter(|waiver| {
            let waiver = &self.book.waivers[*waiver];
            waiver.dependency.is_none() && waiver.globs.iter().any(|glob| self.globs[*glob])
        });
        let class = Class { check, waivers: waivers.collect() };
        self.seen.add(self.book, class, &self.path, lines, excerpt);
    }

    fn paths(&mut self) {
        let book = self.book;
        for (check, glob) in &book.paths {
            if !self.is_open(*check) {
                continue;
            }
            let is_match = self.globs[*glob];
            match book.checks[*check].operator {
                Operator::MustExist | Operator::MustUse => self.seen.has[*check] |= is_match,
                Operator::MustMatch if is_match => {}
                Operator::MustMatch => self.add(*check, None, || None),
                _ if is_match => self.add(*check, None, || None),
                _ => {}
            }
        }
    }

    fn texts(&mut self, text: &str) -> Result<(), Stopped> {
        self.poll()?;
        let lane = &self.book.texts;
        let candidates = self.candidates(lane, text)?;
        let mut found = vec![false; lane.entries.len()];
        for at in candidates {
            let entry = &lane.entries[at];
            if !entry.checks.iter().any(|check| self.is_open(*check)) {
                continue;
            }
            self.poll()?;
            let Some(first) = entry.pattern.find(text, 0) else { continue };
            found[at] = true;
            for check in &entry.checks {
                if !self.is_open(*check) {
                    continue;
                }
                match self.book.checks[*check].operator {
                    Operator::MustUse | Operator::MustExist => self.seen.has[*check] = true,
                    Operator::MustMatch => {}
                    Operator::MustNotMatch | Operator::MustNotExist | Operator::MustNotUse => {
                        self.lines(*check, text, first, |from| entry.pattern.find(text, from))?;
                    }
                }
            }
        }
        for (check, entry) in &lane.every {
            if self.is_open(*check) && !found[*entry] {
                self.add(*check, None, || None);
            }
        }
        Ok(())
    }

    /// A hit for each line in which a match begins, but for those within the match before.
    fn lines(
        &mut self,
        check: usize,
        text: &str,
        first: (usize, usize),
        find: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Result<(), Stopped> {
        let (mut line, mut counted) = (1, 0);
        let mut next = Some(first);
        let mut hits = 0;
        let began = (self.watch.elapsed)();
        while let Some((start, end)) = next {
            line += line_breaks(&text.as_bytes()[counted..start]);
            counted = start;
            // A line break that ends a match is of the line before it.
            let inner = &text.as_bytes()[start..start.max(end.saturating_sub(1))];
            let lines = line..line + line_breaks(inner) + 1;
            self.add(check, Some(lines), || Some(excerpt(text, start)));
            hits += 1;
            if hits % POLL_EVERY == 0 {
                self.poll()?;
            }
            let Some(line_break) = text[start..].find('\n') else { break };
            if (self.watch.elapsed)().saturating_sub(began) > RULE_TIME_MAX {
                self.seen.unfinished.push((check, Arc::clone(&self.path)));
                break;
            }
            next = find(end.max(start + line_break + 1));
        }
        Ok(())
    }

    fn imports(&mut self, text: &str, read: Reader) -> Result<(), Stopped> {
        let lane = &self.book.imports;
        if !lane.scopes.iter().any(|scope| self.applies[*scope]) {
            return Ok(());
        }
        self.poll()?;
        let Some(imports) = read(&self.path, text) else { return Ok(()) };
        for (count, applies) in self.seen.readable.iter_mut().zip(&self.applies) {
            *count += usize::from(*applies);
        }
        let texts: Vec<&str> = imports.iter().flat_map(texts_of).collect();
        let mut is_candidate = vec![false; lane.entries.len()];
        for at in self.candidates(lane, &texts.join("\n"))? {
            is_candidate[at] = true;
        }
        for (entry, is_candidate) in lane.entries.iter().zip(is_candidate) {
            let asks_every =
                |check: &usize| self.book.checks[*check].operator == Operator::MustMatch;
            let is_worth = is_candidate || entry.checks.iter().any(asks_every);
            if !is_worth || !entry.checks.iter().any(|check| self.is_open(*check)) {
                continue;
            }
            self.poll()?;
            for import in &imports {
                let is_match =
                    is_candidate && texts_of(import).any(|text| entry.pattern.is_in(text));
                for check in &entry.checks {
                    self.import(*check, import, is_match);
                }
            }
        }
        Ok(())
    }

    fn import(&mut self, check: usize, import: &Import, is_match: bool) {
        if !self.is_open(check) {
            return;
        }
        let is_broken = match self.book.checks[check].operator {
            Operator::MustUse | Operator::MustExist => {
                self.seen.has[check] |= is_match;
                false
            }
            Operator::MustMatch => !is_match,
            Operator::MustNotUse | Operator::MustNotMatch | Operator::MustNotExist => is_match,
        };
        if is_broken {
            let lines = import.line..import.last_line + 1;
            self.add(check, Some(lines), || Some(short(&import.statement)));
        }
    }

    fn candidates(&self, lane: &Lane, text: &str) -> Result<Vec<usize>, Stopped> {
        lane.finder.candidates(text, self.watch.stop).ok_or(Stopped)
    }
}

/// All a pattern can be found in.
fn texts_of(import: &Import) -> impl Iterator<Item = &str> {
    std::iter::once(&import.statement).chain(&import.modules).map(String::as_str)
}

fn line_breaks(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The line that `at` is in; of a long one the part around `at`.
fn excerpt(text: &str, at: usize) -> String {
    let before = text[..at].char_indices().rev().take(EXCERPT_CHARS_MAX);
    let mut start = at;
    let mut is_whole = false;
    let mut chars = 0;
    for (place, c) in before {
        is_whole = c == '\n';
        if is_whole {
            break;
        }
        (start, chars) = (place, chars + 1);
    }
    if is_whole || start == 0 && chars < EXCERPT_CHARS_MAX {
        return short(&text[start..]);
    }
    let before = text[..at].char_indices().rev().take(EXCERPT_CHARS_BEFORE).last();
    let start = before.map_or(at, |(place, _)| place);
    let rest: String =
        text[start..].chars().take_while(|c| *c != '\n').take(EXCERPT_CHARS_MAX - 1).collect();
    format!("…{}", rest.trim())
}

/// The first line of a text, trimmed, if need be cut.
pub(crate) fn short(text: &str) -> String {
    let line: String = text
        .chars()
        .skip_while(|c| c.is_whitespace() && *c != '\n')
        .take_while(|c| *c != '\n')
        .take(EXCERPT_CHARS_MAX)
        .collect();
    line.trim().to_owned()
}
