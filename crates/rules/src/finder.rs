//! Which of many patterns can be in a text at all.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};
use regex_syntax::hir::Hir;

use crate::bundle::Bundle;
use crate::literal::FOLDING;

/// Finds in one pass which patterns are worth a search.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// One automaton for all literals; none if it could not be made, and all are worth it.
    automaton: Option<AhoCorasick>,
    /// The patterns that require a literal, for each literal.
    patterns: Vec<Vec<usize>>,
    /// The patterns of which nothing is known.
    always: Vec<usize>,
    /// Patterns without literals that are tried together.
    bundles: Vec<Bundle>,
    count: usize,
}

impl Finder {
    /// Takes what each pattern requires.
    pub(crate) fn new<'a>(required: impl Iterator<Item = Option<&'a [Vec<u8>]>>) -> Self {
        let mut literals: Vec<Vec<u8>> =
            FOLDING.iter().map(|c| c.to_string().into_bytes()).collect();
        let mut patterns: Vec<Vec<usize>> = vec![Vec::new(); literals.len()];
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut always = Vec::new();
        let mut count = 0;
        for required in required {
            match required {
                None => always.push(count),
                Some(required) => {
                    for literal in required {
                        let place = *places.entry(literal).or_insert(literals.len());
                        if place == literals.len() {
                            literals.push(literal.clone());
                            patterns.push(Vec::new());
                        }
                        patterns[place].push(count);
                    }
                }
            }
            count += 1;
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&literals)
            .ok();
        Self { automaton, patterns, always, bundles: Vec::new(), count }
    }

    /// Tries these patterns together, each with its number. Only where the texts are those that they
    /// are searched in, and not several in one.
    pub(crate) fn together(mut self, patterns: &[(usize, &Hir)]) -> Self {
        self.always.retain(|number| patterns.binary_search_by_key(number, |one| one.0).is_err());
        self.bundles = Bundle::all(patterns, &mut self.always);
        self
    }

    /// The patterns that may match the text, in order; all others cannot. None if `stop` said so.
    pub(crate) fn candidates(&self, text: &str, stop: &dyn Fn() -> bool) -> Option<Vec<usize>> {
        if self.count == 0 {
            return Some(Vec::new());
        }
        let everything = || Some((0..self.count).collect());
        let Some(automaton) = &self.automaton else { return everything() };
        let Ok(matches) = automaton.try_find_overlapping_iter(text) else { return everything() };
        let mut found = vec![false; self.patterns.len()];
        let mut missing = self.patterns.len() - FOLDING.len();
        for (nth, one) in matches.enumerate() {
            if nth % POLL_EVERY == POLL_EVERY - 1 && stop() {
                return None;
            }
            let literal = one.pattern().as_usize();
            if literal < FOLDING.len() {
                return everything();
            }
            if !found[literal] {
                found[literal] = true;
                missing -= 1;
                if missing == 0 && self.bundles.is_empty() {
                    return everything();
                }
            }
        }
        let hits = found.iter().zip(&self.patterns).filter(|(found, _)| **found);
        let mut candidates = self.always.clone();
        candidates.extend(hits.flat_map(|(_, patterns)| patterns));
        for bundle in &self.bundles {
            if stop() {
                return None;
            }
            bundle.candidates(text, stop, &mut candidates)?;
        }
        candidates.sort_unstable();
        candidates.dedup();
        Some(candidates)
    }
}

/// After so many literals we ask whether to stop.
const POLL_EVERY: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn finder(required: &[Option<&[&str]>]) -> Finder {
        let bytes = |literals: &&[&str]| literals.iter().map(|l| l.as_bytes().to_vec()).collect();
        let required: Vec<Option<Vec<Vec<u8>>>> =
            required.iter().map(|one| one.as_ref().map(bytes)).collect();
        Finder::new(required.iter().map(Option::as_deref))
    }

    fn candidates(finder: &Finder, text: &str) -> Vec<usize> {
        finder.candidates(text, &|| false).unwrap()
    }

    #[test]
    fn only_patterns_whose_literal_occurs_are_worth_a_search() {
        let finder = finder(&[Some(&["foo"]), None, Some(&["bar", "ba"]), Some(&["quux"])]);
        assert_eq!(candidates(&finder, "nothing"), [1]);
        assert_eq!(candidates(&finder, "a FOO"), [0, 1]);
        assert_eq!(candidates(&finder, "a Bar"), [1, 2]);
    }

    #[test]
    fn a_text_with_a_letter_that_folds_to_ascii_is_searched_for_all() {
        let finder = finder(&[Some(&["kiss"]), Some(&["other"])]);
        assert_eq!(candidates(&finder, "kisſ"), [0, 1]);
        assert_eq!(candidates(&finder, "\u{212a}iss"), [0, 1]);
        assert_eq!(candidates(&finder, "KISS"), [0]);
    }

    #[test]
    fn a_finder_of_nothing_finds_nothing() {
        assert!(candidates(&finder(&[]), "text").is_empty());
        assert!(candidates(&Finder::default(), "text").is_empty());
    }
}
