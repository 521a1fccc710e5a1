//! How telling a word is.

/// How telling a term is that `holding` of `all` texts hold: its inverse document frequency. A term
/// that no text holds counts like one that a single text holds: nothing is known of it, so it must
/// not drown the others.
pub fn weight(holding: u64, all: u64) -> f64 {
    let holding = holding.max(1) as f64;
    let all = (all as f64).max(holding);
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
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
}
