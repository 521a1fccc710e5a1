//! What is kept of an output, however long it gets: its beginning and its end.

use std::collections::VecDeque;

/// The first and the last characters of what was written.
#[derive(Debug)]
pub(super) struct Kept {
    first_max: usize,
    last_max: usize,
    first: String,
    first_chars: usize,
    last: VecDeque<char>,
    cut: u64,
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl Kept {
    /// Keeps no more than `max` characters.
    pub(super) fn new(max: usize) -> Self {
        let first_max = max.div_ceil(2);
        Self {
            first_max,
            last_max: max - first_max,
            first: String::new(),
            first_chars: 0,
            last: VecDeque::new(),
            cut: 0,
            begun: Vec::new(),
        }
    }

    /// Takes what was written next.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.keep(chunk.valid());
            match chunk.invalid() {
                [] => {}
                rest if chunks.peek().is_none() && is_begun(rest) => self.begun = rest.to_vec(),
                _ => self.keep("\u{fffd}"),
            }
        }
    }

    /// The output, and how many characters were cut out of it.
    pub(super) fn finish(mut self) -> (String, u64) {
        if !self.begun.is_empty() {
            self.keep("\u{fffd}");
        }
        self.first.extend(self.last);
        (self.first, self.cut)
    }

    fn keep(&mut self, text: &str) {
        for c in text.chars().filter(|c| *c != '\0') {
            if self.first_chars < self.first_max {
                self.first.push(c);
                self.first_chars += 1;
                continue;
            }
            if self.last.len() == self.last_max {
                self.cut += 1;
                self.last.pop_front();
            }
            if self.last_max > 0 {
                self.last.push_back(c);
            }
        }
    }
}

/// Whether bytes that are no character may become one with those that follow.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(max: usize, pieces: &[&[u8]]) -> (String, u64) {
        let mut kept = Kept::new(max);
        for piece in pieces {
            kept.push(piece);
        }
        kept.finish()
    }

    #[test]
    fn what_fits_is_whole_and_what_does_not_is_cut_in_the_middle() {
        for (max, expected, cut) in [
            (0, "", 10),
            (1, "a", 9),
            (2, "aj", 8),
            (5, "abcij", 5),
            (9, "abcdeghij", 1),
            (10, "abcdefghij", 0),
            (99, "abcdefghij", 0),
        ] {
            assert_eq!(kept(max, &[b"abcd", b"", b"efghij"]), (expected.to_owned(), cut), "{max}");
        }
    }

    #[test]
    fn characters_are_whole_wherever_a_read_ends() {
        let text = "aä€😀\u{fffd}z";
        for max in [3, 6, 100] {
            let whole = kept(max, &[text.as_bytes()]);
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(kept(max, &bytes), whole, "{max}");
        }
        assert_eq!(kept(100, &[text.as_bytes()]).0, text);
    }

    #[test]
    fn what_is_no_text_is_marked_and_nuls_are_left_out() {
        assert_eq!(kept(9, &[b"a\xffb\0c"]).0, "a\u{fffd}bc");
        assert_eq!(kept(9, &[b"a\xe2\x82", b"b"]).0, "a\u{fffd}b");
        assert_eq!(kept(9, &[b"a\xe2\x82"]).0, "a\u{fffd}");
        assert_eq!(kept(9, &[b"\xe2", b"\x82", b"\xac"]).0, "€");
    }

    #[test]
    fn memory_stays_bounded() {
        let mut kept = Kept::new(1_000);
        let piece = "ä".repeat(10_000);
        for _ in 0..100 {
            kept.push(piece.as_bytes());
        }
        assert!(kept.first.capacity() <= 4_096 && kept.last.capacity() <= 1_024);
        let (output, cut) = kept.finish();
        assert_eq!((output.chars().count(), cut), (1_000, 999_000));
    }
}
