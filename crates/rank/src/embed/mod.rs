//! Text into a vector whose angle to another says how near the two are in meaning.
//!
//! The model is a table (potion-base-8M: 29,528 tokens, 256 dimensions) that is part of the program:
//! a text is the mean of its tokens' rows, of length 1. There is nothing to download, to load or to
//! wait for, and the same text gives the same bits on every machine. How the table was made says
//! `assets/potion-base-8M.json`; its licence stands beside it.
//!
//! Not here: which texts are compared, and what a cosine means ([`crate::calibrate`]).

#[cfg(test)]
mod golden;
mod quantised;
mod table;
mod wordpiece;
mod words;

pub use quantised::{Quantised, dot_codes};
pub(crate) use table::Class;
pub use words::{Nearness, Word, knows, word_tokens};
pub(crate) use words::{Tokens, tokens};

use pulp::{Simd, WithSimd};
use table::{Table, Token};

/// How many numbers a vector of the built-in model has; other models have other numbers of them.
pub const DIMENSIONS: usize = 256;

/// No more tokens of a text are considered; later ones do not count.
pub const TOKENS_MAX: usize = 512;

/// The name of the model. Vectors of different models cannot be compared, so it is kept with them.
pub const MODEL_ID: &str = "potion-base-8M-int8-v1";

static BYTES: &[u8] = include_bytes!("../../assets/potion-base-8M.bin");
static TABLE: Table = Table::over(BYTES);

/// A vector of length 1, of any model.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Box<[f32]>);

impl Embedding {
    /// The vector of length 1 in the direction of `sum`; none if that has no direction.
    pub fn towards(sum: impl Into<Box<[f32]>>) -> Option<Embedding> {
        let mut sum = sum.into();
        let norm = dot(&sum, &sum).sqrt();
        if !norm.is_normal() {
            return None;
        }
        sum.iter_mut().for_each(|value| *value /= norm);
        Some(Embedding(sum))
    }

    /// The cosine of two vectors of one model, -1 to 1.
    pub fn cosine(&self, other: &Embedding) -> f32 {
        dot(&self.0, &other.0).clamp(-1.0, 1.0)
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

/// The embedder that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct StaticEmbedder(());

impl StaticEmbedder {
    /// Costs nothing: the table lies in the program and was checked when that was compiled.
    pub const fn built_in() -> StaticEmbedder {
        StaticEmbedder(())
    }

    /// The vector of a text; none if the text is empty or has no word of which the table knows
    /// anything.
    ///
    /// ```
    /// let embedder = rank::embed::StaticEmbedder::built_in();
    /// let tea = embedder.embed("She drinks green tea every morning").unwrap();
    /// let coffee = embedder.embed("He prefers coffee").unwrap();
    /// let rust = embedder.embed("cargo build fails with a linker error").unwrap();
    /// assert!(tea.cosine(&coffee) > tea.cosine(&rust));
    /// assert!(embedder.embed("  ").is_none());
    /// ```
    ///
    /// A word that the table has only letter by letter (of another script, or made up) says nothing:
    /// texts would be alike for sharing an alphabet.
    pub fn embed(&self, text: &str) -> Option<Embedding> {
        let tokens = words::without_letters(&wordpiece::tokens(&TABLE, text));
        Embedding::towards(sum_rows(&tokens))
    }
}

/// How many tokens of a text the built-in model considers; at most [`TOKENS_MAX`].
pub fn count_tokens(text: &str) -> usize {
    wordpiece::tokens(&TABLE, text).len()
}

/// How many tokens a word has in which there is no space, and no sign beside it.
pub(crate) fn count_word(word: &str) -> usize {
    wordpiece::count_word(&TABLE, word)
}

/// What the tokenizer does with a character.
pub(crate) fn character_class(c: char) -> Class {
    TABLE.class(c)
}

/// The sum of the rows of the known tokens. Its direction is that of their mean.
fn sum_rows(tokens: &[Token]) -> [f32; DIMENSIONS] {
    pulp::Arch::new().dispatch(SumRows(tokens))
}

/// Work for the vector instructions that this machine has. Each dimension is summed in the order of
/// the tokens and rounded as written, so that the bits are the same with all of them.
struct SumRows<'a>(&'a [Token]);

impl WithSimd for SumRows<'_> {
    type Output = [f32; DIMENSIONS];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut sum = [0.0; DIMENSIONS];
        for token in self.0.iter().filter(|token| **token != TABLE.unknown()) {
            let row = TABLE.row(*token);
            for (sum, code) in sum.iter_mut().zip(row.codes) {
                *sum += row.scale * f32::from(i8::from_le_bytes([*code]));
            }
        }
        sum
    }
}

/// The sum of the products, in 16 sums side by side: the compiler may not reorder additions, so one
/// sum alone could not use vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use golden::golden;
    use proptest::prelude::*;

    fn embed(text: &str) -> Option<Embedding> {
        StaticEmbedder::built_in().embed(text)
    }

    /// As the reference does it, which knows no letters from words.
    fn embed_all(text: &str) -> Option<Embedding> {
        Embedding::towards(sum_rows(&wordpiece::tokens(&TABLE, text)))
    }

    #[test]
    fn words_that_come_letter_by_letter_say_nothing() {
        for text in ["Завтра встреча с командой", "날씨", "暗い色", "xqjz", "item777q2"]
        {
            assert_eq!(embed(text), None, "{text}");
        }
        assert_eq!(embed("погода coffee"), embed("coffee"));
        assert!(embed("a I x").is_some(), "letters that are words");
    }

    #[test]
    fn vectors_are_those_of_the_reference() {
        let mut compared_whole = 0;
        for case in golden().sentences {
            let embedding = embed_all(&case.text);
            let Some(norm) = case.norm else {
                assert_eq!(embedding, None, "{}", case.text);
                continue;
            };
            let known = case.tokens.iter().filter(|token| **token != TABLE.unknown()).count();
            let sum = sum_rows(&case.tokens);
            let mean = dot(&sum, &sum).sqrt() / known as f32;
            assert!((mean / norm - 1.0).abs() < 0.005, "{mean} for {norm}: {}", case.text);
            let embedding = embedding.unwrap();
            for (value, expected) in embedding.0.iter().zip(&case.vector) {
                assert!((value - expected).abs() < 0.003, "{value} {expected}: {}", case.text);
            }
            if case.vector.len() == DIMENSIONS {
                let cosine = embedding.cosine(&Embedding::towards(case.vector).unwrap());
                assert!(cosine > 0.999, "{cosine}: {}", case.text);
                compared_whole += 1;
            }
        }
        assert_eq!(compared_whole, 10);
    }

    #[test]
    fn meaning_is_nearer_than_other_matters() {
        let query = embed("black background preference for the IDE").unwrap();
        let near = query.cosine(&embed("The user likes dark colour themes in editors").unwrap());
        for other in [
            "The quarterly report is due on Friday",
            "Our cat sleeps on the warm radiator",
            "PostgreSQL replicas lag behind by two seconds",
            "She is allergic to peanuts and shellfish",
            "The train to Vienna leaves at seven in the morning",
        ] {
            let far = query.cosine(&embed(other).unwrap());
            assert!(near > far + 0.1, "{near} is not above {far}: {other}");
        }
    }

    #[test]
    fn what_stands_behind_the_last_token_does_not_count() {
        let text = "word ".repeat(TOKENS_MAX);
        assert_eq!(embed(&text), embed(&format!("{text} and something else")));
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector_of_length_1_or_none(text in any::<String>()) {
            let embedding = embed(&text);
            prop_assert_eq!(&embedding, &embed(&text));
            if let Some(Embedding(vector)) = embedding {
                prop_assert!((dot(&vector, &vector).sqrt() - 1.0).abs() < 1e-5);
            }
        }

        #[test]
        fn rounding_keeps_the_direction(text in "[ -~]{1,200}") {
            if let Some(embedding) = embed(&text) {
                let quantised = Quantised::of(&embedding);
                let back: Vec<f32> =
                    quantised.codes.iter().map(|code| f32::from(*code) * quantised.scale).collect();
                prop_assert!(dot(&back, &embedding.0) > 0.999);
                prop_assert!(quantised.cosine(&quantised) > 0.9999);
            }
        }
    }
}
