//! How near two texts of the same kind are: whether they say the same, or stand against each other.
//!
//! A search asks whether a text answers a question, and a single word in common may be enough for
//! that. Two decisions about one thing share words anyway; what counts is whether they decide the same
//! matter. The built-in table's cosines of headings and of whole texts together tell that, whichever
//! model the searches use.

use crate::embed::{Embedding, StaticEmbedder};

/// Where the similarity is one half, and how fast it rises: fitted on `similar.txt`.
const MIDDLE: f64 = 0.4196;
const WIDTH: f64 = 0.03;

/// A text with a heading, ready to be compared.
#[derive(Debug, Clone)]
pub struct Side {
    heading: Option<Embedding>,
    whole: Option<Embedding>,
}

impl Side {
    /// A heading, and what stands below it.
    pub fn of(heading: &str, body: &str) -> Self {
        let embed = |text: &str| StaticEmbedder::built_in().embed(text);
        Self { heading: embed(heading), whole: embed(&format!("{heading}\n{body}")) }
    }

    /// How near the other is, 0..1: 0.7 means that about 70 % of such pairs decide the same matter.
    /// None if the table knows no word of them.
    pub fn similarity(&self, other: &Self) -> Option<f64> {
        let cosine = |one: &Option<Embedding>, other: &Option<Embedding>| {
            let (one, other) = (one.as_ref()?.as_slice(), other.as_ref()?.as_slice());
            Some(one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum::<f64>())
        };
        let heading = cosine(&self.heading, &other.heading)?;
        let whole = cosine(&self.whole, &other.whole)?;
        let mean = f64::midpoint(heading, whole);
        Some(1.0 / (1.0 + (-(mean - MIDDLE) / WIDTH).exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_the_same_matter_is_told_from_what_does_not() {
        let mut counts = [0, 0];
        for line in include_str!("similar.txt").lines().filter(|line| !line.starts_with('#')) {
            let (mark, pair) = line.split_at(2);
            let (one, other) = pair.split_once(" || ").expect("two sides");
            let side = |text: &str| {
                let (heading, body) = text.split_once(" | ").expect("a heading and a body");
                Side::of(heading, body)
            };
            let (one, other) = (side(one), side(other));
            let similarity = one.similarity(&other).expect("known words");
            let is_same = mark.starts_with('=');
            assert_eq!(similarity >= 0.7, is_same, "{similarity:.2} {pair}");
            assert!((similarity - other.similarity(&one).unwrap_or_default()).abs() < 1e-9);
            counts[usize::from(is_same)] += 1;
        }
        assert!(counts.iter().all(|count| *count >= 18), "{counts:?}");
    }

    #[test]
    fn the_same_is_as_near_as_can_be_and_the_unknown_is_unknown() {
        let one = Side::of("Use tabs", "Everybody sets the width they like.");
        assert!(one.similarity(&one).is_some_and(|similarity| similarity > 0.999));
        assert_eq!(one.similarity(&Side::of("", "")), None);
    }
}
