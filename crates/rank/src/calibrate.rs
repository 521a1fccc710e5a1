//! Raw scores into relevance: a number in 0..1 that a threshold can be compared with.
//!
//! For lexical hits alone relevance follows the coverage of the query; BM25, taken relative to the
//! best hit, only orders texts that cover the same. A text that holds two thirds of the query's
//! weight passes the contracts' usual threshold of 0.7, one that holds half does not.

/// Relevances are rounded to this many parts, so that equals are equal to the last bit.
const STEPS: f64 = 10_000.0;

/// How strongly a partial coverage counts: below 1 it counts for more than its share.
const COVERAGE_EXPONENT: f64 = 0.6;

/// The part of the relevance that BM25 orders equals by.
const ORDER_SHARE: f64 = 0.04;

/// The relevance of a lexical hit with this `coverage` and `bm25`, where `best` is the highest BM25
/// among the query's hits.
pub fn lexical(coverage: f64, bm25: f64, best: f64) -> f64 {
    let relative = if best > 0.0 { (bm25 / best).clamp(0.0, 1.0) } else { 1.0 };
    let relevance = coverage.clamp(0.0, 1.0).powf(COVERAGE_EXPONENT);
    let ordered = relevance * (1.0 - ORDER_SHARE * (1.0 - relative));
    (ordered * STEPS).round() / STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_stays_in_bounds_and_grows_with_coverage() {
        let scores: Vec<f64> = (0..=100).map(|c| lexical(f64::from(c) / 100.0, 1.0, 2.0)).collect();
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
        assert!(scores.is_sorted());
        assert_eq!(lexical(1.0, 3.0, 3.0), 1.0);
    }

    #[test]
    fn two_thirds_of_a_query_pass_and_half_of_it_does_not() {
        assert!(lexical(0.667, 1.0, 1.0) >= 0.7);
        assert!(lexical(0.5, 1.0, 1.0) < 0.7);
        assert!(lexical(1.0, 0.0, 9.0) > 0.9, "all of a query passes, whatever BM25 says");
    }

    #[test]
    fn bm25_orders_what_covers_the_same() {
        assert!(lexical(0.8, 2.0, 3.0) > lexical(0.8, 1.0, 3.0));
    }
}
