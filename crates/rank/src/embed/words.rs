//! Single words: which of a text's words is nearest in meaning to a word of the query.
//!
//! A mean over a text blurs what stands in it; a word of the query that the text says otherwise is
//! seen by comparing it with each of the text's tokens.

use std::sync::OnceLock;

use pulp::{Simd, WithSimd};

use super::quantised::dot_by;
use super::table::Token;
use super::{Quantised, StaticEmbedder, TABLE, TOKENS_MAX, wordpiece};
use crate::stopwords::is_stopword;

/// No more of a text's words are compared.
const WORDS_MAX: usize = 64;

/// Words that are no nearer than this have nothing to do with each other.
const COSINE_MIN: f32 = 0.2;

/// The tokens of a text's telling words, none twice.
pub fn word_tokens(text: &str) -> Vec<u16> {
    let mut all = Tokens::default();
    all.extend(&tokens(text));
    all.telling()
}

/// The tokens of a text, in order, without words that come letter by letter. Behind a name of several
/// words that the table does not have (`PostgreSQL`) come those of its words.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    // Parts between spaces are independent of each other: see `Intake`.
    for part in text.split([' ', '\n']).filter(|part| !part.is_empty()) {
        all.extend(wordpiece::tokens(&TABLE, part));
        if let Some(parted) = parted(part) {
            all.extend(wordpiece::tokens(&TABLE, &parted));
        }
        if all.len() >= TOKENS_MAX {
            break;
        }
    }
    without_letters(&all)
}

/// A longer name is no name.
const NAME_BYTES_MAX: usize = 64;

/// The same with spaces where a capital follows a small letter; none if there is no such place, or the
/// table has the whole.
fn parted(part: &str) -> Option<String> {
    let (first, rest) = (part.chars(), part.chars().skip(1));
    let is_seam = |one: char, next: char| one.is_lowercase() && next.is_uppercase();
    let has_seam = first.zip(rest).any(|(one, next)| is_seam(one, next));
    if !has_seam || part.len() > NAME_BYTES_MAX || knows(part) {
        return None;
    }
    let mut parted = String::with_capacity(part.len() + 4);
    for c in part.chars() {
        if parted.chars().next_back().is_some_and(|before| is_seam(before, c)) {
            parted.push(' ');
        }
        parted.push(c);
    }
    Some(parted)
}

/// Whether the table has a word as a whole. It is a table of English: of what it has only in pieces, of
/// words of other languages above all, a vector says how it is spelled and not what it means.
pub fn knows(word: &str) -> bool {
    let tokens = wordpiece::tokens(&TABLE, word);
    let is_word = |token: &Token| {
        let Shape { continues, is_letter } = shape(*token);
        *token != TABLE.unknown() && !continues && !is_letter
    };
    !tokens.is_empty() && tokens.iter().all(is_word)
}

/// The tokens of a text that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Vec<Token>);

impl Tokens {
    /// Adds those of the next part; what stands behind the last that counts does not.
    pub(crate) fn extend(&mut self, tokens: &[Token]) {
        let room = TOKENS_MAX.saturating_sub(self.0.len());
        self.0.extend_from_slice(&tokens[..tokens.len().min(room)]);
    }

    /// Those of telling words, none twice.
    pub(crate) fn telling(self) -> Vec<Token> {
        let mut telling = Vec::new();
        for token in self.0 {
            if telling.len() < WORDS_MAX && is_telling(token) && !telling.contains(&token) {
                telling.push(token);
            }
        }
        telling
    }
}

/// The tokens without those of words that are mostly single letters: pieces behind the first, and
/// characters beyond ASCII that stand for themselves.
pub(super) fn without_letters(tokens: &[Token]) -> Vec<Token> {
    let words = tokens.chunk_by(|_, next| shape(*next).continues);
    let is_kept = |word: &&[Token]| {
        2 * word.iter().filter(|token| shape(**token).is_letter).count() <= word.len()
    };
    words.filter(is_kept).flatten().copied().collect()
}

/// What a token is a part of.
#[derive(Clone, Copy)]
struct Shape {
    /// It continues a word.
    continues: bool,
    /// It is a single letter that is no word of its own.
    is_letter: bool,
}

fn shape(token: Token) -> Shape {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    let shapes = SHAPES.get_or_init(|| {
        let shape = |name: &[u8]| {
            let name = std::str::from_utf8(name).unwrap_or_default();
            let rest = name.strip_prefix("##");
            let text = rest.unwrap_or(name);
            let is_single = text.chars().nth(1).is_none() && text.contains(char::is_alphanumeric);
            let is_letter = is_single && (rest.is_some() || !text.is_ascii());
            Shape { continues: rest.is_some(), is_letter }
        };
        TABLE.names().map(shape).collect()
    });
    let none = Shape { continues: false, is_letter: false };
    shapes.get(usize::from(token)).copied().unwrap_or(none)
}

/// Whether a token is (part of) a word with a meaning of its own.
fn is_telling(token: u16) -> bool {
    static TELLING: OnceLock<Vec<bool>> = OnceLock::new();
    let telling = TELLING.get_or_init(|| {
        let is_telling = |name: &str| name.contains(char::is_alphanumeric) && !is_stopword(name);
        TABLE.names().map(|name| std::str::from_utf8(name).is_ok_and(is_telling)).collect()
    });
    token != TABLE.unknown() && telling.get(usize::from(token)).is_some_and(|telling| *telling)
}

/// One word of a query.
#[derive(Debug, Clone)]
pub struct Word(Quantised);

impl Word {
    /// The word's vector; none if the table knows nothing of it, or if it has a digit in it: a
    /// number, a version or a name is held or not, and its like is something else.
    pub fn of(word: &str) -> Option<Self> {
        if word.contains(char::is_numeric) {
            return None;
        }
        StaticEmbedder::built_in().embed(word).map(|vector| Self(Quantised::of(&vector)))
    }

    #[inline(always)]
    fn cosine(&self, token: Token) -> f32 {
        let codes = TABLE.row(token).codes;
        let dot = dot_by(&self.0.codes, codes, i16::from, |byte| i16::from(byte.cast_signed()));
        dot as f32 * self.0.scale * per_length(token)
    }
}

/// How near the words of a query are to the tokens of some texts. Texts that answer one query share
/// many of their words, so each token is compared only once.
#[derive(Debug)]
pub struct Nearness {
    /// For each token of the table its place among those compared, and [`UNSEEN`] for the others.
    places: Vec<u16>,
    /// One cosine a word, one token behind the other.
    cosines: Vec<f32>,
    words: usize,
}

/// No place. There are fewer tokens than that.
const UNSEEN: u16 = u16::MAX;

impl Nearness {
    /// Compares the words, where there are any, with each of the tokens of the texts.
    pub fn of<'a>(words: &[Option<&Word>], texts: impl Iterator<Item = &'a [u16]>) -> Self {
        let mut places = vec![UNSEEN; TABLE.tokens().count()];
        let mut tokens = Vec::new();
        for token in texts.flatten() {
            if let Some(place) = places.get_mut(usize::from(*token))
                && *place == UNSEEN
            {
                *place = tokens.len() as u16;
                tokens.push(*token);
            }
        }
        let cosines = pulp::Arch::new().dispatch(Compare { words, tokens: &tokens });
        Self { places, cosines, words: words.len() }
    }

    /// How near the nearest of these tokens is to the word of this number, 0..1.
    pub fn likeness(&self, word: usize, tokens: &[u16]) -> f32 {
        let cosine = |token: &u16| {
            let place = self.places.get(usize::from(*token)).map_or(UNSEEN, |place| *place);
            self.cosines.get(usize::from(place) * self.words + word).copied().unwrap_or(0.0)
        };
        let nearest = tokens.iter().map(cosine).fold(0.0, f32::max);
        ((nearest - COSINE_MIN) / (1.0 - COSINE_MIN)).clamp(0.0, 1.0)
    }
}

/// How many rows of the table are waited for at the same time, and the bytes that come at once.
const GROUP: usize = 16;
const CACHE_LINE: usize = 64;

// A type and not a closure: only what is always inlined is compiled for the machine at hand.
struct Compare<'a> {
    words: &'a [Option<&'a Word>],
    tokens: &'a [Token],
}

impl WithSimd for Compare<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
        let mut cosines = Vec::with_capacity(self.words.len() * self.tokens.len());
        for group in self.tokens.chunks(GROUP) {
            let mut touched = 0;
            for token in group {
                for line in TABLE.row(*token).codes.chunks(CACHE_LINE) {
                    touched ^= line[0];
                }
            }
            std::hint::black_box(touched);
            for token in group {
                for word in self.words {
                    cosines.push(if let Some(word) = word { word.cosine(*token) } else { 0.0 });
                }
            }
        }
        cosines
    }
}

/// 1 / the length of a row's codes.
fn per_length(token: u16) -> f32 {
    static LENGTHS: OnceLock<Vec<f32>> = OnceLock::new();
    let lengths = LENGTHS.get_or_init(|| {
        let square = |byte: &u8| i32::from(byte.cast_signed()).pow(2);
        let length = |codes: &[u8]| (codes.iter().map(square).sum::<i32>() as f32).sqrt();
        TABLE.tokens().map(|token| 1.0 / length(TABLE.row(token).codes).max(1.0)).collect()
    });
    lengths.get(usize::from(token)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_to_what_means_the_same_and_nearest_to_itself() {
        let tokens = word_tokens("The user likes dark colour themes in editors.");
        assert_eq!(tokens.len(), word_tokens("user likes dark colour themes editors").len());
        let words = ["dark", "black", "train", "editor"].map(|word| Word::of(word).unwrap());
        let words: Vec<_> = words.iter().map(Some).chain([None]).collect();
        let nearness = Nearness::of(&words, [tokens.as_slice(), &tokens[1..]].into_iter());
        let likeness = |word: usize| nearness.likeness(word, &tokens);
        assert!(likeness(0) > 0.99);
        assert!(likeness(1) > likeness(2) + 0.1);
        assert!(likeness(3) > 0.3);
        assert_eq!(likeness(4), 0.0);
        assert_eq!(nearness.likeness(0, &[]), 0.0);
    }
}
