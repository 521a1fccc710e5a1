//! Patterns of which no literal is known, tried in one pass over a text.

use std::fmt;

use regex_automata::hybrid::dfa::{Cache, DFA, OverlappingState};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::{Input, MatchKind};
use regex_syntax::hir::Hir;

/// So many patterns are tried together.
const TOGETHER_MAX: usize = 32;

/// Fewer patterns are quicker each on its own.
const TOGETHER_MIN: usize = 3;

/// Patterns that are tried together are no larger than this, in bytes.
const SIZE_MAX: usize = 4 << 20;

/// What is remembered of a pass is no larger than this, in bytes.
const CACHE_MAX: usize = 2 << 20;

/// A pass that finds more than one match in so many bytes is not worth it.
const BYTES_OF_MATCH: usize = 16;

/// After so many matches we ask whether to stop.
const POLL_EVERY: usize = 1 << 12;

/// Some patterns that are tried together.
pub(crate) struct Bundle {
    dfa: DFA,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync>>,
    patterns: Vec<usize>,
}

impl fmt::Debug for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bundle").field("patterns", &self.patterns).finish_non_exhaustive()
    }
}

impl Bundle {
    /// Puts patterns together, each with its number. Those left over are quicker on their own.
    pub(crate) fn all(patterns: &[(usize, &Hir)], alone: &mut Vec<usize>) -> Vec<Self> {
        let mut bundles = Vec::new();
        for some in patterns.chunks(TOGETHER_MAX) {
            Self::add(some, &mut bundles, alone);
        }
        bundles
    }

    /// Adds one bundle, or two if they are too large together.
    fn add(patterns: &[(usize, &Hir)], bundles: &mut Vec<Self>, alone: &mut Vec<usize>) {
        if patterns.len() < TOGETHER_MIN {
            alone.extend(patterns.iter().map(|(number, _)| *number));
            return;
        }
        if let Some(bundle) = Self::new(patterns) {
            bundles.push(bundle);
            return;
        }
        let (some, others) = patterns.split_at(patterns.len() / 2);
        Self::add(some, bundles, alone);
        Self::add(others, bundles, alone);
    }

    fn new(patterns: &[(usize, &Hir)]) -> Option<Self> {
        let hirs: Vec<&Hir> = patterns.iter().map(|(_, hir)| *hir).collect();
        let config = thompson::Config::new()
            .nfa_size_limit(Some(SIZE_MAX))
            .which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(config).build_many_from_hir(&hirs).ok()?;
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .cache_capacity(CACHE_MAX)
            .minimum_cache_clear_count(Some(2))
            .minimum_bytes_per_state(Some(10));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let of_caches = dfa.clone();
        let caches: Box<dyn Fn() -> Cache + Send + Sync> =
            Box::new(move || of_caches.create_cache());
        let patterns = patterns.iter().map(|(number, _)| *number).collect();
        Some(Self { dfa, caches: Pool::new(caches), patterns })
    }

    /// Adds the patterns that may match the text; all others of the bundle cannot. None if `stop`
    /// said so.
    pub(crate) fn candidates(
        &self,
        text: &str,
        stop: &dyn Fn() -> bool,
        candidates: &mut Vec<usize>,
    ) -> Option<()> {
        let mut cache = self.caches.get();
        let mut state = OverlappingState::start();
        let mut found = vec![false; self.patterns.len()];
        let mut missing = found.len();
        let input = Input::new(text);
        for matches in 1_usize.. {
            if self.dfa.try_search_overlapping_fwd(&mut cache, &input, &mut state).is_err() {
                // Nothing can be said of the rest of the text.
                missing = 0;
            }
            let Some(one) = state.get_match().filter(|_| missing > 0) else { break };
            let found = &mut found[one.pattern().as_usize()];
            missing -= usize::from(!*found);
            *found = true;
            if matches > POLL_EVERY && matches > text.len() / BYTES_OF_MATCH {
                missing = 0;
            }
            if missing == 0 {
                break;
            }
            if matches % POLL_EVERY == 0 && stop() {
                return None;
            }
        }
        let hits = self.patterns.iter().zip(found).filter(|(_, found)| *found || missing == 0);
        candidates.extend(hits.map(|(number, _)| number));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(patterns: &[&str], text: &str) -> Vec<usize> {
        let hirs: Vec<Hir> = patterns.iter().map(|one| regex_syntax::parse(one).unwrap()).collect();
        let numbered: Vec<(usize, &Hir)> = hirs.iter().enumerate().collect();
        let mut candidates = Vec::new();
        for bundle in Bundle::all(&numbered, &mut candidates) {
            bundle.candidates(text, &|| false, &mut candidates).unwrap();
        }
        candidates.sort_unstable();
        candidates
    }

    #[test]
    fn what_cannot_match_is_no_candidate() {
        let patterns = [r"\d{4}", r"[xyz]{2}", r"\b[ab]\b", r"^\s*$"];
        assert_eq!(candidates(&patterns, "12345 x"), [0]);
        assert_eq!(candidates(&patterns, "123 yz a"), [1, 2]);
        assert_eq!(candidates(&patterns, " "), [3]);
    }

    #[test]
    fn where_nothing_can_be_said_all_are_candidates() {
        // Of the edges of words next to other letters than ASCII nothing is known.
        assert_eq!(candidates(&[r"\b\d{4}", "[ab]", "[cd]"], "äöü"), [0, 1, 2]);
        assert_eq!(candidates(&[".", r"\d", "[cd]"], &"x".repeat(10_000)), [0, 1, 2]);
    }

    #[test]
    fn a_few_patterns_are_left_alone() {
        assert_eq!(candidates(&[r"\d{4}", "[ab]"], ""), [0, 1]);
    }
}
