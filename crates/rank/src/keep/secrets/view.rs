//! A text as it is looked at once more, and where each of its bytes stands in the text itself.
//!
//! Without what cannot be seen: a token with a space of no width in it is read by whoever copies it,
//! and so by the rules. And with marks in the place of secrets.

use std::ops::Range;

use super::super::seen::is_hidden;
use super::Found;

/// Signs and letters as wide as those of Chinese, which stand for the ones of ASCII.
const WIDE: Range<u32> = 0xff01..0xff5f;

/// From a wide sign to that of ASCII.
const TO_ASCII: u32 = 0xff01 - 0x21;

/// A piece of both texts: where it begins in each, and how long it is in each. Of the same length it
/// is the same; else it stands for something else as a whole.
struct Piece {
    shown: usize,
    from: usize,
    length: usize,
    was: usize,
}

impl Piece {
    fn is_same(&self) -> bool {
        self.length == self.was
    }
}

/// A text as it is looked at.
pub(super) struct View {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

impl View {
    /// What can be seen of a text; none if all of it can be and nothing is wide.
    pub(super) fn seen(text: &str) -> Option<Self> {
        let is_other = |c: char| is_hidden(c) || WIDE.contains(&u32::from(c));
        if text.is_ascii() || !text.contains(is_other) {
            return None;
        }
        let mut view = Self::empty(text.len());
        for (from, c) in text.char_indices().filter(|(_, c)| !is_hidden(*c)) {
            let is_wide = WIDE.contains(&u32::from(c));
            let narrow = is_wide.then(|| char::from_u32(u32::from(c) - TO_ASCII)).flatten();
            let seen = narrow.unwrap_or(c);
            view.push(seen.encode_utf8(&mut [0; 4]), from, c.len_utf8());
        }
        Some(view)
    }

    /// The text with a mark in the place of each secret.
    pub(super) fn marked(text: &str, found: &[Found]) -> Self {
        let (mut view, mut copied) = (Self::empty(text.len()), 0);
        for secret in found {
            view.push(&text[copied..secret.range.start], copied, secret.range.start - copied);
            view.push(&secret.mark(), secret.range.start, secret.range.len());
            copied = secret.range.end;
        }
        view.push(&text[copied..], copied, text.len() - copied);
        view
    }

    fn empty(length: usize) -> Self {
        Self { text: String::with_capacity(length), pieces: Vec::new() }
    }

    /// Puts a text at the end that stands for the bytes from `from` on.
    fn push(&mut self, text: &str, from: usize, was: usize) {
        let length = text.len();
        match self.pieces.last_mut() {
            Some(last) if last.is_same() && last.from + last.was == from && length == was => {
                last.length += length;
                last.was += was;
            }
            _ => self.pieces.push(Piece { shown: self.text.len(), from, length, was }),
        }
        self.text.push_str(text);
    }

    /// Where these bytes stand in the text itself.
    fn place(&self, range: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| {
            let after = self.pieces.partition_point(|piece| piece.shown <= at);
            &self.pieces[after.saturating_sub(1)]
        };
        let (first, last) = (piece(range.start), piece(range.end.saturating_sub(1)));
        let start = if first.is_same() { range.start - first.shown } else { 0 };
        let end = if last.is_same() { range.end - last.shown } else { last.was };
        first.from + start..last.from + end
    }

    /// What was found in the text itself and in this view of it, in order and each once.
    pub(super) fn joined(&self, mut all: Vec<Found>, more: Vec<Found>) -> Vec<Found> {
        all.extend(more.into_iter().map(|one| Found { range: self.place(&one.range), ..one }));
        all.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
        let mut joined: Vec<Found> = Vec::with_capacity(all.len());
        for found in all {
            match joined.last_mut() {
                Some(last) if found.range.start < last.range.end => {
                    last.range.end = last.range.end.max(found.range.end);
                }
                _ => joined.push(found),
            }
        }
        joined
    }
}
