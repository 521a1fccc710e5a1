//! What the reference implementation answers, written down by `scripts/make-embedding-table`. Only
//! for tests.

use serde_json::Value;

/// Sentences and checksums.
pub(crate) struct Golden {
    pub(crate) sentences: Vec<Sentence>,
    /// One checksum over the tokens of every 1,024 characters.
    pub(crate) blocks: Vec<u32>,
}

/// One text and what becomes of it.
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) tokens: Vec<u16>,
    /// The length of the mean of the rows; none if there is no row.
    pub(crate) norm: Option<f32>,
    /// All dimensions, or the first eight.
    pub(crate) vector: Vec<f32>,
}

pub(crate) fn golden() -> Golden {
    let text = include_str!("../../assets/potion-base-8M-golden.json");
    let value: Value = serde_json::from_str(text).expect("JSON");
    let sentence = |value: &Value| Sentence {
        text: value["text"].as_str().expect("a text").to_owned(),
        tokens: list(&value["tokens"], |token| u16::try_from(token.as_u64()?).ok()),
        norm: value["norm"].as_f64().map(|norm| norm as f32),
        vector: list(&value["vector"], |one| Some(one.as_f64()? as f32)),
    };
    Golden {
        sentences: list(&value["sentences"], |value| Some(sentence(value))),
        blocks: list(&value["blocks"], |sum| u32::try_from(sum.as_u64()?).ok()),
    }
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    value.as_array().expect("a list").iter().map(|one| item(one).expect("an item")).collect()
}
