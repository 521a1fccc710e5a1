//! Lexical hits into one list: sums a text's scores over the query's terms, and how much of the
//! query it covers.

use std::collections::HashMap;
use std::hash::Hash;

/// One query term, weighted by how rare it is.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedTerm {
    /// The term.
    pub term: String,
    /// Its inverse document frequency.
    pub weight: f64,
}

/// How telling a term is that `holding` of `all` texts hold. A term that no text holds counts like
/// one that a single text holds: nothing is known of it, so it must not drown the others.
pub fn weight(holding: u64, all: u64) -> f64 {
    let holding = holding.max(1) as f64;
    let all = (all as f64).max(holding);
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
}

/// A text that holds at least one of the query's terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<K> {
    /// Which text.
    pub key: K,
    /// Raw BM25, summed over the terms; comparable within one query only.
    pub bm25: f64,
    /// The share of the query's weight that the text holds, 0..1.
    pub coverage: f64,
}

/// The hits of a query, from each term's own hits (text and BM25 score), in no order.
pub fn gather<K, I>(terms: &[WeightedTerm], hits_by_term: I) -> Vec<Hit<K>>
where
    K: Eq + Hash,
    I: IntoIterator<Item = Vec<(K, f64)>>,
{
    let asked: f64 = terms.iter().map(|term| term.weight).sum();
    let mut sums: HashMap<K, (f64, f64)> = HashMap::new();
    for (term, hits) in terms.iter().zip(hits_by_term) {
        for (key, bm25) in hits {
            let sum = sums.entry(key).or_default();
            sum.0 += bm25;
            sum.1 += term.weight;
        }
    }
    sums.into_iter()
        .map(|(key, (bm25, held))| Hit { key, bm25, coverage: (held / asked).min(1.0) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_term_tells_more_than_a_common_one() {
        assert!(weight(1, 100) > weight(50, 100));
        assert!((weight(0, 100) - weight(1, 100)).abs() < f64::EPSILON);
        assert!(weight(100, 100) > 0.0);
        assert!(weight(0, 0) > 0.0);
    }

    #[test]
    fn coverage_is_the_share_of_the_weight_and_not_of_the_words() {
        let term = |term: &str, weight| WeightedTerm { term: term.into(), weight };
        let terms = [term("rare", 3.0), term("common", 1.0)];
        let mut hits = gather(&terms, [vec![("a", 2.0)], vec![("a", 0.5), ("b", 0.5)]]);
        hits.sort_by_key(|hit| hit.key);
        assert_eq!(hits[0], Hit { key: "a", bm25: 2.5, coverage: 1.0 });
        assert_eq!(hits[1], Hit { key: "b", bm25: 0.5, coverage: 0.25 });
    }
}
