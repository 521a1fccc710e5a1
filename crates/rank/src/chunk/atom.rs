//! The smallest parts of a text whose tokens add up: words, and single signs between them.
//!
//! The tokenizer ends a word at spaces, before and behind punctuation, and around ideographs. Cut
//! there, a text has exactly as many tokens as its parts have together, so that the chunks are
//! measured in one pass over the text. That this holds for every character is tested.

use unicode_normalization::char::decompose_canonical;

use super::CHUNK_CHARS_MAX;
use crate::embed::{Class, character_class, count_word};

/// A word or a sign, and what it weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Atom {
    /// Where it ends in the text.
    pub(super) end: usize,
    pub(super) chars: usize,
    pub(super) tokens: usize,
}

/// What a character is to the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It ends a word and is none.
    Space,
    /// It is a word of its own.
    Sign,
    /// It is part of a word, or vanishes.
    Part,
    /// It must be looked at as a character.
    Wide,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => Kind::Space,
            sign if sign.is_ascii_punctuation() => Kind::Sign,
            _ => Kind::Part,
        };
        byte += 1;
    }
    kinds
};

fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return KINDS[c as usize];
    }
    match character_class(c) {
        Class::Dropped | Class::Mark => Kind::Part,
        Class::Punctuation | Class::Ideograph => Kind::Sign,
        Class::Plain if c.is_alphanumeric() => Kind::Part,
        Class::Plain if c.is_whitespace() => Kind::Space,
        Class::Plain => {
            // "≠" is a "=" with an accent, and so a sign.
            let mut is_sign = false;
            let is_punctuation = |c| character_class(c) == Class::Punctuation;
            decompose_canonical(c, |part| is_sign |= is_punctuation(part));
            if is_sign { Kind::Sign } else { Kind::Part }
        }
    }
}

/// Spaces from `at` on: where they end, and how many characters they are.
pub(super) fn skip_spaces(text: &str, at: usize) -> (usize, usize) {
    let (bytes, mut end, mut chars) = (text.as_bytes(), at, 0);
    while let Some(byte) = bytes.get(end) {
        match KINDS[usize::from(*byte)] {
            Kind::Space => end += 1,
            Kind::Wide => match text[end..].chars().next() {
                Some(c) if kind(c) == Kind::Space => end += c.len_utf8(),
                _ => break,
            },
            _ => break,
        }
        chars += 1;
    }
    (end, chars)
}

/// How many words [`Words`] remembers, and how long they are at most.
const WORDS: usize = 1_024;
const WORD_BYTES_MAX: usize = 16;

/// How many tokens the words have that came of late. Most words of a text are few words, and to know
/// one again is quicker than to count it.
#[derive(Debug)]
pub(super) struct Words {
    /// The bytes of a word as one number; 0 where there is none.
    keys: Vec<u128>,
    tokens: Vec<u8>,
}

impl Words {
    pub(super) fn new() -> Self {
        Words { keys: vec![0; WORDS], tokens: vec![0; WORDS] }
    }

    /// The atom that starts at `at`, where no space is. It has no more characters than a chunk may
    /// have: a longer word is several, each of which fills a chunk.
    pub(super) fn atom(&mut self, text: &str, at: usize) -> Atom {
        let (bytes, mut end, mut key) = (text.as_bytes(), at, 0_u128);
        let last = bytes.len().min(at + CHUNK_CHARS_MAX);
        while end < last && bytes[end].is_ascii_alphanumeric() {
            key = key << 8 | u128::from(bytes[end]);
            end += 1;
        }
        match bytes.get(end).map(|byte| KINDS[usize::from(*byte)]) {
            Some(Kind::Sign) if end == at => Atom { end: at + 1, chars: 1, tokens: 1 },
            Some(Kind::Part | Kind::Wide) if end < last => wide_atom(text, at),
            _ => Atom { end, chars: end - at, tokens: self.count(&text[at..end], key) },
        }
    }

    fn count(&mut self, word: &str, key: u128) -> usize {
        if word.len() > WORD_BYTES_MAX {
            return count_word(word);
        }
        let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 32) as usize % WORDS;
        if self.keys[place] != key {
            // A word has no more tokens than letters.
            (self.keys[place], self.tokens[place]) = (key, count_word(word) as u8);
        }
        usize::from(self.tokens[place])
    }
}

/// The same where characters are not those of plain English.
fn wide_atom(text: &str, at: usize) -> Atom {
    let (mut end, mut chars) = (at, 0);
    for c in text[at..].chars().take(CHUNK_CHARS_MAX) {
        let kind = kind(c);
        if kind != Kind::Part && chars > 0 {
            break;
        }
        end += c.len_utf8();
        chars += 1;
        if kind == Kind::Sign {
            return Atom { end, chars, tokens: 1 };
        }
    }
    Atom { end, chars, tokens: count_word(&text[at..end]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::count_tokens;
    use proptest::prelude::*;

    fn atoms(text: &str) -> Vec<(&str, usize)> {
        let (mut atoms, mut at) = (Vec::new(), skip_spaces(text, 0).0);
        let mut words = Words::new();
        while at < text.len() {
            let atom = words.atom(text, at);
            assert_eq!(text[at..atom.end].chars().count(), atom.chars, "{text:?}");
            atoms.push((&text[at..atom.end], atom.tokens));
            at = skip_spaces(text, atom.end).0;
        }
        atoms
    }

    #[test]
    fn words_and_signs_are_told_apart() {
        let words: Vec<&str> =
            atoms("It's a_b\u{3000}漢字 naïve≠x\u{200b}y").iter().map(|a| a.0).collect();
        assert_eq!(words, ["It", "'", "s", "a", "_", "b", "漢", "字", "naïve", "≠", "x\u{200b}y"]);
    }

    #[test]
    fn words_are_known_again_and_not_mistaken() {
        let text = include_str!("pack.rs").repeat(2) + include_str!("mod.rs");
        for (word, tokens) in atoms(&text) {
            assert_eq!(tokens, count_tokens(word), "{word}");
        }
    }

    #[test]
    fn a_giant_word_is_cut_at_characters_and_has_few_tokens() {
        for word in ["x", "é", "ж", "한", "\u{301}", "x\u{301}"] {
            let text = word.repeat(2_500);
            for (part, tokens) in atoms(&text) {
                assert!(part.chars().count() <= CHUNK_CHARS_MAX && tokens <= 100, "{word}");
            }
        }
    }

    #[test]
    fn the_tokens_of_every_character_add_up() {
        let sum = |text: &str| atoms(text).iter().map(|atom| atom.1).sum::<usize>();
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            for text in [format!("x{c}y"), format!("{c}{c}\u{301}z")] {
                assert_eq!(sum(&text), count_tokens(&text), "U+{:04X}", u32::from(c));
            }
        }
    }

    proptest! {
        #[test]
        fn the_tokens_of_any_text_add_up(text in "(\\PC|[ -~]|[\\n가-힣ぁ-ん漢字à-ÿ\u{300}-\u{310}]){0,200}") {
            let sum: usize = atoms(&text).iter().map(|atom| atom.1).sum();
            prop_assert_eq!(sum.min(512), count_tokens(&text), "{:?}", text);
        }
    }
}
