//! What embedders behind an address have in common: which texts are sent in one request, and which
//! answers are vectors.
//!
//! A text without a word is not sent. An answer counts as a whole or not at all, and all vectors of
//! one embedder have the same number of numbers.

use std::sync::OnceLock;
use std::time::Duration;

use engine::{Embedding, Purpose};
use serde_json::Value;

use crate::http::{Bounds, Endpoint, Failure, Patience};

/// No more texts are sent at once.
const BATCH_TEXTS: usize = 64;

/// No more characters are sent at once, unless one text alone has more.
const BATCH_CHARS: usize = 64_000;

/// What stands behind these characters of a text does not count: models read no more than some
/// thousand tokens, and some servers refuse what is longer.
const TEXT_CHARS: usize = 8_000;

/// Vectors as they came, one a text and in their order.
pub(super) type Rows = Vec<Vec<f32>>;

/// How long and how much; tests are less patient.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Of each connection.
    pub(super) bounds: Bounds,
    /// When texts are embedded to be found.
    pub(super) passage: Patience,
    /// When somebody waits for what a query finds.
    pub(super) query: Patience,
}

impl Limits {
    pub(super) const DEFAULT: Self = Self {
        bounds: Bounds {
            connect: Duration::from_secs(5),
            pause: Duration::from_millis(250),
            body_max: 64 * 1024 * 1024,
        },
        passage: Patience {
            whole: Duration::from_secs(30),
            attempts_max: u32::MAX,
            pauses_max: Duration::from_secs(10),
        },
        query: Patience {
            whole: Duration::from_secs(5),
            attempts_max: 2,
            pauses_max: Duration::from_secs(1),
        },
    };
}

/// How a kind of server is asked and understood.
pub(super) trait Dialect {
    /// The document that asks for the vectors of texts.
    fn request(&self, texts: &[&str]) -> Value;

    /// The vectors in an answer; what is wrong with it otherwise.
    fn rows(&self, body: &[u8], count: usize) -> Result<Rows, String>;

    /// What would help, if there is something better to say.
    fn help(&self, failure: &Failure) -> Option<String>;
}

/// An embedder behind an address.
#[derive(Debug)]
pub(super) struct Remote {
    endpoint: Endpoint,
    limits: Limits,
    /// How many numbers a vector has: as was asked, or as the first answer had.
    dimensions: OnceLock<usize>,
}

impl Remote {
    pub(super) fn new(endpoint: Endpoint, limits: Limits, dimensions: Option<usize>) -> Self {
        let dimensions = dimensions.map(OnceLock::from).unwrap_or_default();
        Self { endpoint, limits, dimensions }
    }

    /// One vector a text; none for a text without a word.
    pub(super) fn embed(
        &self,
        dialect: &impl Dialect,
        texts: &[&str],
        purpose: Purpose,
    ) -> Result<Vec<Option<Embedding>>, String> {
        let mut vectors = vec![None; texts.len()];
        for batch in batches(texts) {
            let sent: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let rows = self.rows(dialect, &sent, purpose).map_err(|mut failure| {
                failure.help = dialect.help(&failure).unwrap_or(failure.help);
                self.endpoint.sentence(&failure)
            })?;
            for ((at, _), row) in batch.into_iter().zip(rows) {
                vectors[at] = Embedding::towards(row);
            }
        }
        Ok(vectors)
    }

    fn rows(
        &self,
        dialect: &impl Dialect,
        texts: &[&str],
        purpose: Purpose,
    ) -> Result<Rows, Failure> {
        let patience = match purpose {
            Purpose::Query => self.limits.query,
            Purpose::Passage => self.limits.passage,
        };
        let body = self.endpoint.post(&dialect.request(texts), patience)?;
        let rows = dialect.rows(&body, texts.len()).map_err(|what| {
            Failure::new(what, "check that the server speaks this protocol and the model embeds")
        })?;
        if rows.len() != texts.len() {
            let what = format!("answered {} vectors for {} texts", rows.len(), texts.len());
            return Err(Failure::new(
                what,
                "check that the server can embed several texts at once",
            ));
        }
        if rows.iter().flatten().any(|number| !number.is_finite()) {
            let what = "answered a vector with a number that is none (NaN or infinite)";
            return Err(Failure::new(what, "check the model, or choose another one"));
        }
        let first = rows.first().map_or(0, Vec::len);
        let dimensions = self.dimensions.get().copied().unwrap_or(first);
        if let Some(other) = rows.iter().map(Vec::len).find(|len| *len != dimensions || *len == 0) {
            let what = format!("answered a vector of {other} numbers instead of {dimensions}");
            let help = "check the dimensions, and that one and the same model answers each time";
            return Err(Failure::new(what, help));
        }
        // Who was first decides; another thread has seen the same number or fails the next time.
        self.dimensions.get_or_init(|| dimensions);
        Ok(rows)
    }
}

/// The texts that have a word, with their places, as they are sent together.
fn batches<'a>(texts: &[&'a str]) -> Vec<Vec<(usize, &'a str)>> {
    let mut batches: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut chars = usize::MAX;
    for (at, text) in texts.iter().enumerate() {
        let text = beginning(text.trim());
        let length = text.chars().count();
        if length == 0 {
            continue;
        }
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH_TEXTS && chars + length <= BATCH_CHARS => {
                batch.push((at, text));
                chars += length;
            }
            _ => {
                batches.push(vec![(at, text)]);
                chars = length;
            }
        }
    }
    batches
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(TEXT_CHARS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_leave_out_what_is_blank() {
        let long = "é".repeat(TEXT_CHARS + 1);
        let mut texts = vec!["a"; 130];
        texts[1] = " \n";
        texts.extend(vec![long.as_str(); 17]);
        let batches = batches(&texts);
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [64, 64, 8, 8, 2]);
        assert_eq!(batches[0][1].0, 2);
        assert_eq!(batches[4][1].0, 146);
        assert_eq!(batches[4][1].1.chars().count(), TEXT_CHARS);
        assert!(super::batches(&["", "  "]).is_empty());
    }
}
