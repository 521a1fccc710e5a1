//! Single words: which of a text's words is nearest in meaning to a word of the query.
//!
//! A mean over a text blurs what stands in it; a word of the query that the text says otherwise is
//! seen by comparing it with each of the text's tokens.

use std::sync::OnceLock;

use super::quantised::dot_by;
use super::{Quantised, StaticEmbedder, TABLE, wordpiece};
use crate::stopwords::is_stopword;

/// No more of a text's words are compared.
const WORDS_MAX: usize = 64;

/// Words that are no nearer than this have nothing to do with each other.
const COSINE_MIN: f32 = 0.2;

/// The tokens of a text's telling words, none twice.
pub fn word_tokens(text: &str) -> Vec<u16> {
    let mut tokens = wordpiece::tokens(&TABLE, text);
    tokens.retain(|token| is_telling(*token));
    let mut seen = std::collections::HashSet::new();
    tokens.retain(|token| seen.insert(*token));
    tokens.truncate(WORDS_MAX);
    tokens
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

    /// How near the nearest of these tokens is to the word, 0..1.
    #[inline(always)]
    pub fn likeness(&self, tokens: &[u16]) -> f32 {
        let cosine = |token: &u16| {
            let row = TABLE.row(*token);
            let dot =
                dot_by(&self.0.codes, row.codes, i16::from, |byte| i16::from(byte.cast_signed()));
            dot as f32 * self.0.scale * per_length(*token)
        };
        let nearest = tokens.iter().map(cosine).fold(0.0, f32::max);
        ((nearest - COSINE_MIN) / (1.0 - COSINE_MIN)).clamp(0.0, 1.0)
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
        let likeness = |word: &str| Word::of(word).unwrap().likeness(&tokens);
        assert!(likeness("dark") > 0.99);
        assert!(likeness("black") > likeness("train") + 0.1);
        assert!(likeness("editor") > 0.3);
        assert_eq!(Word::of("dark").unwrap().likeness(&[]), 0.0);
    }
}
