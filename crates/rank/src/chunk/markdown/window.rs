//! A document in windows that the parser sees one by one.
//!
//! Each starts with a block of the outermost level, or with an item of an outermost list, so that
//! its blocks are what they are in the whole document. One thing reaches further: a link can be
//! defined anywhere, and counts in headings.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, OffsetIter, Options, Parser};

/// So much is parsed at once. The parser takes up to 145 bytes of memory for a byte.
pub(super) const WINDOW_BYTES: usize = 512 << 10;

/// So many definitions of links are remembered.
const DEFINITIONS_MAX: usize = 100_000;

/// The windows of a document.
pub(super) struct Windows<'a> {
    pub(super) text: &'a str,
    /// Whether a heading is being read, in which links are looked up.
    pub(super) is_heading: Cell<bool>,
    window_bytes: usize,
    /// Where the first one starts: behind the front matter.
    start: usize,
    at: usize,
    definitions: OnceCell<HashSet<String>>,
}

/// A part of a document.
pub(super) struct Window<'a> {
    pub(super) range: Range<usize>,
    text: &'a str,
    is_last: bool,
}

impl<'a> Windows<'a> {
    pub(super) fn of(text: &'a str, start: usize, window_bytes: usize) -> Self {
        Windows {
            text,
            is_heading: Cell::new(false),
            window_bytes,
            start,
            at: start,
            definitions: OnceCell::new(),
        }
    }

    /// The window that starts where the last one was left. It ends with a line, unless that is too long.
    pub(super) fn next(&mut self) -> Option<Window<'a>> {
        let (start, text) = (self.at, self.text);
        if start >= text.len() {
            return None;
        }
        let limit = start.saturating_add(self.window_bytes).min(text.len());
        let is_end = |at: &usize| text.is_char_boundary(*at);
        let end = (start + 1..=limit).rev().find(is_end);
        // A character may be larger than a window.
        let end = end.or_else(|| (limit..text.len()).find(is_end)).unwrap_or(text.len());
        let is_last = end == text.len();
        let end = match text[start..end].rfind('\n') {
            Some(at) if !is_last => start + at + 1,
            _ => end,
        };
        Some(Window { range: start..end, text, is_last })
    }

    pub(super) fn go_on_at(&mut self, at: usize) {
        self.at = at;
    }

    /// Whether a link of this name is defined somewhere.
    fn defines(&self, label: &str) -> bool {
        let gather = || {
            let names = self.text[self.start..].lines().filter_map(|line| {
                let (label, _) =
                    line.trim_start_matches([' ', '>']).strip_prefix('[')?.split_once("]:")?;
                Some(folded(label))
            });
            names.take(DEFINITIONS_MAX).collect()
        };
        self.definitions.get_or_init(gather).contains(&folded(label))
    }

    /// The link that a name in brackets is, if it is one. What is not in a heading does not matter.
    fn resolve<'b>(&self, link: &BrokenLink<'b>) -> Option<(CowStr<'b>, CowStr<'b>)> {
        let is_link = self.is_heading.get() && self.defines(&link.reference);
        is_link.then_some((CowStr::Borrowed("#"), CowStr::Borrowed("")))
    }
}

/// A name by which a link is defined, as names are compared.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl<'a> Window<'a> {
    /// What the parser finds, with places in the whole document.
    pub(super) fn events(
        &self,
        windows: &'a Windows<'_>,
    ) -> impl Iterator<Item = (Event<'a>, Range<usize>)> {
        let start = self.range.start;
        let is_whole = start == windows.start && self.is_last;
        let resolve = |link: BrokenLink<'a>| windows.resolve(&link);
        let resolve = (!is_whole).then_some(resolve);
        let text = &self.text[self.range.clone()];
        let events: OffsetIter<'a, _> =
            Parser::new_with_broken_link_callback(text, Options::empty(), resolve)
                .into_offset_iter();
        events.map(move |(event, range)| (event, range.start + start..range.end + start))
    }

    /// Where the next window starts if this one's last block starts here: at the line's start, and
    /// not if nothing would be left behind or nothing comes.
    pub(super) fn resume_at(&self, at: usize) -> Option<usize> {
        let before = &self.text[self.range.start..at];
        let line = before.rfind('\n').map_or(self.range.start, |end| self.range.start + end + 1);
        let at = if self.text[line..at].trim().is_empty() { line } else { at };
        (!self.is_last && at > self.range.start).then_some(at)
    }
}
