//! Text into tokens, as BERT does it: folded, split at spaces and punctuation, then each word into
//! the longest pieces that the table has.
//!
//! The answers are those of the reference implementation, token by token; the one difference is
//! that `[CLS]` in a text is text. Rows and vectors are not known here.

use unicode_normalization::UnicodeNormalization;

use super::TOKENS_MAX;
use super::table::{Class, FNV_START, Table, Token, fnv1a};

/// A longer word is unknown as a whole.
const WORD_CHARS_MAX: usize = 100;

/// What the pieces of a word have in front, the first aside.
const CONTINUATION: &str = "##";

/// The tokens of a text in order, unknown words included; at most [`TOKENS_MAX`].
pub(crate) fn tokens(table: &Table, text: &str) -> Vec<Token> {
    let mut pieces = Pieces { table, tokens: Vec::new(), word: String::new(), word_chars: 0 };
    for c in folded(table, text) {
        if c.is_whitespace() {
            pieces.end_word();
        } else if table.class(c) == Class::Punctuation {
            pieces.end_word();
            pieces.push(c);
            pieces.end_word();
        } else {
            pieces.push(c);
        }
        if pieces.tokens.len() >= TOKENS_MAX {
            break;
        }
    }
    pieces.end_word();
    pieces.tokens.truncate(TOKENS_MAX);
    pieces.tokens
}

/// How many tokens [`tokens`] makes of a word of letters and digits, quickly if it is English.
pub(crate) fn count_word(table: &Table, word: &str) -> usize {
    if !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return tokens(table, word).len();
    }
    let mut lower = [0; WORD_CHARS_MAX];
    let Some(lower) = lower.get_mut(..word.len()) else { return 1 };
    let mut hash = FNV_START;
    for (lower, byte) in lower.iter_mut().zip(word.bytes()) {
        *lower = byte.to_ascii_lowercase();
        hash = fnv1a(hash, &[*lower]);
    }
    let lower = std::str::from_utf8(lower).unwrap_or_default();
    if table.find(hash, "", lower).is_some() {
        return 1;
    }
    let (mut prefix, mut count) = ("", 0);
    let mut rest = lower;
    while !rest.is_empty() {
        let Some((_, length)) = table.longest(prefix, rest) else { return 1 };
        count += 1;
        (prefix, rest) = (CONTINUATION, &rest[length..]);
    }
    count
}

/// The characters of a text without control characters, accents and capitals, and with spaces around
/// ideographs.
fn folded(table: &Table, text: &str) -> impl Iterator<Item = char> {
    let cleaned = text.chars().flat_map(|c| match table.class(c) {
        Class::Dropped => [None, None, None],
        Class::Ideograph => [Some(' '), Some(c), Some(' ')],
        _ => [Some(c), None, None],
    });
    let stripped = cleaned.flatten().nfd().filter(|c| table.class(*c) != Class::Mark);
    stripped.flat_map(char::to_lowercase)
}

/// The tokens so far, and the word that is being read.
struct Pieces<'a> {
    table: &'a Table,
    tokens: Vec<Token>,
    word: String,
    word_chars: usize,
}

impl Pieces<'_> {
    /// A word that is too long is counted on, but not kept.
    fn push(&mut self, c: char) {
        self.word_chars += 1;
        if self.word_chars <= WORD_CHARS_MAX {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.word_chars > 0 {
            let start = self.tokens.len();
            if self.word_chars > WORD_CHARS_MAX || !self.split_word() {
                self.tokens.truncate(start);
                self.tokens.push(self.table.unknown());
            }
        }
        self.word.clear();
        self.word_chars = 0;
    }

    /// Whether the word consists of pieces of the table; its first ones are noted either way.
    fn split_word(&mut self) -> bool {
        let (mut prefix, mut rest) = ("", self.word.as_str());
        while !rest.is_empty() {
            let Some((token, length)) = self.table.longest(prefix, rest) else { return false };
            self.tokens.push(token);
            (prefix, rest) = (CONTINUATION, &rest[length..]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::TABLE;
    use crate::embed::golden::golden;

    #[test]
    fn tokens_are_those_of_the_reference() {
        for case in golden().sentences {
            assert_eq!(tokens(&TABLE, &case.text), case.tokens, "{}", case.text);
        }
    }

    #[test]
    fn every_character_is_treated_as_the_reference_does() {
        let blocks = golden().blocks;
        assert_eq!(blocks.len(), 128, "two planes");
        let mut differing = Vec::new();
        for (block, sum) in blocks.into_iter().enumerate() {
            let start = block as u32 * 0x400;
            let chars = (start..start + 0x400).filter_map(char::from_u32);
            let hash = chars.fold(FNV_START, |hash, c| {
                let tokens = tokens(&TABLE, &format!("{c} x{c}Y"));
                tokens.iter().fold(hash, |hash, token| fnv1a(hash, &token.to_le_bytes()))
            });
            if hash != sum {
                differing.push(format!("U+{start:04X}"));
            }
        }
        assert!(differing.is_empty(), "blocks of 1,024 characters: {differing:?}");
    }

    #[test]
    fn words_are_counted_as_they_are_split() {
        let long = "x".repeat(100);
        for word in ["word", "Chunking", "ErrorKind", "x86", "xqjz", "naïve", "", &long, "日本"]
        {
            assert_eq!(count_word(&TABLE, word), tokens(&TABLE, word).len(), "{word}");
            let longer = format!("{word}{long}");
            assert_eq!(count_word(&TABLE, &longer), tokens(&TABLE, &longer).len(), "{longer}");
        }
    }

    #[test]
    fn what_is_too_long_is_bounded() {
        assert_eq!(tokens(&TABLE, &"x".repeat(1_000_000)), [TABLE.unknown()]);
        assert_eq!(tokens(&TABLE, &"!".repeat(1_000_000)).len(), TOKENS_MAX);
        assert_eq!(tokens(&TABLE, &"supercalifragilistic ".repeat(5_000)).len(), TOKENS_MAX);
    }
}
