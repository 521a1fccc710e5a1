//! In which lines of the source a chunk stands.

use std::ops::Range;

/// Counts lines as it goes through a text.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Lines { text, at: 0, line: 1 }
    }

    /// The line of a place, from 1. Places are asked for in order.
    pub(super) fn line(&mut self, at: usize) -> u32 {
        if let Some(passed) = self.text.as_bytes().get(self.at..at) {
            self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u32;
            self.at = at;
        }
        self.line
    }

    /// The lines that a part of the text stands in. Parts are given in order.
    pub(super) fn of_part(&mut self, part: &Range<usize>) -> (u32, u32) {
        (self.line(part.start), self.line(part.end))
    }
}
