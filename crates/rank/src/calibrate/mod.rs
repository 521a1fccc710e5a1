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
    /// How far the cosine counts, 0..1: by the share of the query's words that its model has as whole
    /// words, or that the text holds. Of others it compares how they are spelled.
    pub understood: f32,
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
    /// For a cosine that is 1 above the floor.
    pub cosine: f32,
    /// The cosine of texts that have nothing to do with each other.
    pub floor: f32,
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
        words: 7.031,
        share: 0.352,
        cosine: 0.0,
        floor: 0.0,
        lent: 0.3,
        behind: 1.235,
        crowd: 0.548,
        half: -0.690,
    };

    /// For the built-in embedder.
    pub const BUILT_IN: Self = Self {
        words: 4.483,
        share: 0.224,
        cosine: 4.660,
        floor: 0.108,
        lent: 0.3,
        behind: 1.294,
        crowd: 0.503,
        half: -0.438,
    };

    /// What a text has to say for itself.
    pub fn strength(&self, evidence: &Evidence) -> f32 {
        self.words * evidence.likeness
            + self.share * evidence.share
            + self.cosine * self.above_floor(evidence)
    }

    /// How far its cosine is above that of texts that have nothing to do with each other, as far as it
    /// counts.
    fn above_floor(&self, evidence: &Evidence) -> f32 {
        let above = |cosine: f32| evidence.understood * (cosine - self.floor).max(0.0);
        evidence.cosine.map_or(0.0, above)
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
        // Only the query itself is certainly what was asked for.
        (STEPS / (1.0 + (-f64::from(logit)).exp())).round().min(STEPS - 1.0) / STEPS
    }
}

impl Calibration {
    fn numbers(&self) -> [f32; 8] {
        let Self { words, share, cosine, floor, lent, behind, crowd, half } = *self;
        [words, share, cosine, floor, lent, behind, crowd, half]
    }
}

/// Eight numbers with spaces between them: as the store keeps it.
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
        let [words, share, cosine, floor, lent, behind, crowd, half] =
            numbers[..].try_into().map_err(|_| NotACalibration)?;
        let read = Self { words, share, cosine, floor, lent, behind, crowd, half };
        let is_whole = read.numbers().iter().all(|number| number.is_finite());
        if is_whole { Ok(read) } else { Err(NotACalibration) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::StaticEmbedder;

    fn assert_near(fitted: &Calibration, used: &Calibration) {
        let mut numbers = fitted.numbers().into_iter().zip(used.numbers());
        let is_near = numbers.all(|(fitted, used)| (fitted - used).abs() < 0.01);
        assert!(is_near, "in use: {used}; fitted: {fitted}");
    }

    #[test]
    fn the_weights_in_use_are_those_that_fit() {
        let pairs = data::built_in();
        let embed = |texts: Vec<&str>| -> Vec<_> {
            texts.iter().map(|text| StaticEmbedder::built_in().embed(text)).collect()
        };
        let (memories, queries) = (embed(pairs.memories()), embed(pairs.queries()));
        assert_near(&fit(&pairs, &memories, &queries), &Calibration::BUILT_IN);
        assert_near(&fit(&pairs, &vec![None; memories.len()], &[]), &Calibration::LEXICAL);
    }

    #[test]
    fn relevance_stays_in_bounds_and_grows_with_the_evidence() {
        let field = Field { entries: 100, best: 12.0 };
        let relevances: Vec<f64> =
            (0..=120).map(|n| Calibration::BUILT_IN.relevance(n as f32 / 10.0, field)).collect();
        assert!(relevances.iter().all(|relevance| (0.0..=1.0).contains(relevance)));
        assert!(relevances.is_sorted());
        let among = |entries| Calibration::BUILT_IN.relevance(4.0, Field { entries, best: 4.0 });
        assert!(among(10) > among(1_000), "among many, chance finds better");
        assert_eq!(among(5_000), among(1_000_000));
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else_is() {
        let written = Calibration::BUILT_IN.to_string();
        assert_eq!(written.parse(), Ok(Calibration::BUILT_IN));
        for wrong in ["", "1 2 3", "1 2 3 4 5 6 7 x", "1 2 3 4 5 6 7 NaN", "1 2 3 4 5 6 7 8 9"] {
            assert_eq!(wrong.parse::<Calibration>(), Err(NotACalibration), "{wrong}");
        }
    }
}
