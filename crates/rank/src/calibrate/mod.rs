//! Evidence into relevance: a number in 0..1 that a threshold can be compared with.
//!
//! What speaks for a text is how much of the query's weight it holds, words that mean the same
//! included (likeness), how well (BM25), how near its meaning is (cosine), and what its neighbours in
//! the same session have of that. The weighted sum of the first three is its *strength*; with a share of the strongest neighbour's it
//! is the *fused* score, by which hits are ordered; the logistic function makes relevance of it.
//! The weights are fitted, per embedder, on pairs that we made ([`data`]), so that 0.7 keeps what
//! answers a query and drops what merely shares its topic.

pub mod data;
mod fit;

use std::fmt;
use std::str::FromStr;

pub use fit::{Asking, Exam, fit, fit_exam};

/// Relevances are rounded to this many parts, so that equals are equal to the last bit.
const STEPS: f64 = 10_000.0;

/// What speaks for a text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The share of the query's weight that the text holds, 0..1.
    pub coverage: f32,
    /// The same where a word that is said otherwise counts as far as it means the same, 0..1; no
    /// less than the coverage.
    pub likeness: f32,
    /// BM25, raw: comparable within one query only.
    pub bm25: f32,
    /// BM25 as a share of what a text could have that is made of the query's words, 0..1.
    pub share: f32,
    /// The cosine of query and text, if both have a vector.
    pub cosine: Option<f32>,
    /// The strength of the strongest neighbour.
    pub lent: f32,
}

/// What a search looked at: the same for all of its candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// How many entries were allowed.
    pub entries: usize,
    /// The highest fused score.
    pub best: f32,
}

/// What each kind of evidence weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// For all of the query's words.
    pub words: f32,
    /// For the most that BM25 can be.
    pub share: f32,
    /// For a cosine of 1.
    pub cosine: f32,
    /// The share of a neighbour's strength that counts.
    pub lent: f32,
    /// How much it counts to be behind the best.
    pub behind: f32,
    /// How much it counts that there are many to choose from: chance is a better finder there.
    pub crowd: f32,
    /// What is left to reach relevance one half.
    pub half: f32,
}

/// Between these numbers of entries, more of them ask for more evidence.
const CROWD: (usize, usize) = (8, 4096);

impl Calibration {
    /// For words alone, without vectors.
    pub const LEXICAL: Self = Self {
        words: 6.92,
        share: 0.346,
        cosine: 0.0,
        lent: 0.3,
        behind: 1.25,
        crowd: 0.533,
        half: -0.574,
    };

    /// For the built-in embedder.
    pub const BUILT_IN: Self = Self {
        words: 3.64,
        share: 0.182,
        cosine: 5.08,
        lent: 0.3,
        behind: 1.449,
        crowd: 0.541,
        half: -0.068,
    };

    /// What a text has to say for itself.
    pub fn strength(&self, evidence: &Evidence) -> f32 {
        self.words * evidence.likeness
            + self.share * evidence.share
            + self.cosine * evidence.cosine.unwrap_or(0.0).max(0.0)
    }

    /// Its strength, and a share of its strongest neighbour's.
    pub fn fused(&self, evidence: &Evidence) -> f32 {
        self.strength(evidence) + self.lent * evidence.lent
    }

    /// How likely a text of this fused score is what was asked for, 0..1.
    pub fn relevance(&self, fused: f32, field: Field) -> f64 {
        let entries = field.entries.clamp(CROWD.0, CROWD.1) as f32;
        let logit =
            fused + self.behind * (fused - field.best) - self.crowd * entries.ln() - self.half;
        (STEPS / (1.0 + (-f64::from(logit)).exp())).round() / STEPS
    }
}

impl Calibration {
    fn numbers(&self) -> [f32; 7] {
        let Self { words, share, cosine, lent, behind, crowd, half } = *self;
        [words, share, cosine, lent, behind, crowd, half]
    }
}

/// Seven numbers with spaces between them: as the store keeps it.
impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.numbers().map(|number| number.to_string());
        f.write_str(&numbers.join(" "))
    }
}

/// The text is no calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotACalibration;

impl FromStr for Calibration {
    type Err = NotACalibration;

    fn from_str(text: &str) -> Result<Self, NotACalibration> {
        let numbers: Result<Vec<f32>, _> = text.split(' ').map(str::parse).collect();
        let numbers = numbers.map_err(|_| NotACalibration)?;
        let [words, share, cosine, lent, behind, crowd, half] =
            numbers[..].try_into().map_err(|_| NotACalibration)?;
        let read = Self { words, share, cosine, lent, behind, crowd, half };
        let is_whole = read.numbers().iter().all(|number| number.is_finite());
        if is_whole { Ok(read) } else { Err(NotACalibration) }
    }
}
