//! Text into tokens, as BERT does it: folded, split at spaces and punctuation, then each word into
//! the longest pieces that the table has.
//!
//! The answers are those of the reference implementation, token by token; the one difference is
//! that `[CLS]` in a text is text. Rows and vectors are not known here.

use std::cell::RefCell;

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
    RECENT_WORDS.with_borrow_mut(|recent| {
        // No word, and nothing that is folded, goes beyond a space, and most parts are English.
        for part in text.split([' ', '\n']) {
            if part.bytes().all(|byte| byte.is_ascii_graphic()) {
                pieces.take_ascii(part, recent);
            } else {
                pieces.take(part);
            }
            if pieces.tokens.len() >= TOKENS_MAX {
                break;
            }
        }
    });
    pieces.tokens.truncate(TOKENS_MAX);
    pieces.tokens
}

/// How many words [`RecentWords`] remembers, how long they are at most, and how many tokens they have.
const RECENT_WORDS_MAX: usize = 2_048;
const RECENT_BYTES_MAX: usize = 16;
const RECENT_TOKENS_MAX: usize = 4;

thread_local! {
    static RECENT_WORDS: RefCell<RecentWords> = RefCell::default();
}

/// The tokens of the English words that a thread tokenized last. Texts repeat their words, and a look
/// into the table misses the processor's cache several times, because the rows of the tokens fill it.
#[derive(Default)]
struct RecentWords(Vec<RecentWord>);

#[derive(Clone, Copy, Default)]
struct RecentWord {
    /// The bytes of the word in small letters as one number; 0 where there is none.
    key: u128,
    tokens: [Token; RECENT_TOKENS_MAX],
    count: u8,
}

impl RecentWords {
    /// The number that a word of ASCII is known by; none if it is too long.
    fn key(word: &[u8]) -> Option<u128> {
        let key = |key, byte: &u8| key << 8 | u128::from(byte.to_ascii_lowercase());
        (word.len() <= RECENT_BYTES_MAX).then(|| word.iter().fold(0, key))
    }

    /// Where a word is remembered, if it is.
    fn place(key: u128) -> usize {
        let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize % RECENT_WORDS_MAX
    }

    fn tokens(&self, key: u128) -> Option<&[Token]> {
        let word = self.0.get(Self::place(key)).filter(|word| word.key == key)?;
        word.tokens.get(..usize::from(word.count))
    }

    fn remember(&mut self, key: u128, tokens: &[Token]) {
        let mut word = RecentWord { key, count: tokens.len() as u8, ..RecentWord::default() };
        let Some(room) = word.tokens.get_mut(..tokens.len()) else { return };
        room.copy_from_slice(tokens);
        self.0.resize(RECENT_WORDS_MAX, RecentWord::default());
        self.0[Self::place(key)] = word;
    }
}

/// How many tokens [`tokens`] makes of a word.
pub(crate) fn count_word(table: &Table, word: &str) -> usize {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let key = RecentWords::key(word.as_bytes()).filter(|_| is_plain);
    let count = |key| RECENT_WORDS.with_borrow(|recent| recent.tokens(key).map(<[Token]>::len));
    key.and_then(count).unwrap_or_else(|| tokens(table, word).len())
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
    /// Takes any text.
    fn take(&mut self, text: &str) {
        let table = self.table;
        for c in folded(table, text) {
            if c.is_whitespace() {
                self.end_word();
            } else if table.class(c) == Class::Punctuation {
                self.end_word();
                self.push(c);
                self.end_word();
            } else {
                self.push(c);
            }
            if self.tokens.len() >= TOKENS_MAX {
                break;
            }
        }
        self.end_word();
    }

    /// Takes letters, digits and signs of ASCII: the same as [`Self::take`], many times as fast.
    fn take_ascii(&mut self, text: &str, recent: &mut RecentWords) {
        let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
        for run in text.as_bytes().chunk_by(|one, next| !is_sign(one) && !is_sign(next)) {
            let key = RecentWords::key(run);
            match key.and_then(|key| recent.tokens(key)) {
                Some(tokens) => self.tokens.extend_from_slice(tokens),
                None => {
                    let start = self.tokens.len();
                    self.take_run(run);
                    key.inspect(|key| recent.remember(*key, &self.tokens[start..]));
                }
            }
            if self.tokens.len() >= TOKENS_MAX {
                break;
            }
        }
    }

    /// Takes a word of ASCII, or a sign.
    fn take_run(&mut self, run: &[u8]) {
        let mut hash = FNV_START;
        for byte in run.iter().take(WORD_CHARS_MAX) {
            let lower = byte.to_ascii_lowercase();
            hash = fnv1a(hash, &[lower]);
            self.word.push(char::from(lower));
        }
        self.word_chars = run.len();
        let whole = self.table.find(hash, "", &self.word);
        match whole.filter(|_| run.len() <= WORD_CHARS_MAX) {
            Some(token) => {
                self.tokens.push(token);
                self.word.clear();
                self.word_chars = 0;
            }
            None => self.end_word(),
        }
    }

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

    /// What the general way makes of a text.
    fn tokens_of_any(text: &str) -> Vec<Token> {
        let mut pieces =
            Pieces { table: &TABLE, tokens: Vec::new(), word: String::new(), word_chars: 0 };
        pieces.take(text);
        pieces.tokens.truncate(TOKENS_MAX);
        pieces.tokens
    }

    #[test]
    fn the_quick_way_is_the_general_way() {
        let long = format!("{} {}x {}", "a".repeat(100), "b".repeat(100), "c!".repeat(300));
        for text in
            ["Don't-stop_me (now)!", "x\ty\rz\u{b}w", "caf\u{e9} cafe\u{301} ab\u{0}c", &long]
        {
            assert_eq!(tokens(&TABLE, text), tokens_of_any(text), "{text:?}");
        }
        for first in (0..128).map(char::from) {
            let text = format!("{first} a{first}B {first}{first} \u{301}{first}");
            assert_eq!(tokens(&TABLE, &text), tokens_of_any(&text), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_quick_way_is_the_general_way_for_any_text(
            text in "([ -~]|[a-z]{1,9}|[ \n]|\\PC|[à-ÿ漢\u{300}-\u{310}\t\u{0}-\u{1f}]){0,120}"
        ) {
            proptest::prop_assert_eq!(tokens(&TABLE, &text), tokens_of_any(&text), "{:?}", text);
        }
    }

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
