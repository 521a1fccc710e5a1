//! What an empty answer says: what came near, and which call shows it.
//!
//! An answer has one `hint`, made of sentences. Each is made here, and [`join`] puts them together.

use engine::memory::NEAR_MIN;
use engine::record::Mode;

/// The sentences of an answer as one hint; none if there is nothing to say.
pub(crate) fn join(sentences: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Nothing reaches the threshold, and these scores, best first, come near.
pub(crate) fn below_threshold(tool: &str, threshold: f64, near: &[f64]) -> Option<String> {
    let best = near.first()?;
    Some(format!(
        "No result reaches threshold {threshold}. Best score below it: {} ({}). To see them: \
         {tool} with \"threshold\": {NEAR_MIN}.",
        shown(*best),
        counted(near.len()),
    ))
}

/// Nothing reaches the score that the mode wants, and these scores, best first, come near. The
/// strictest mode that shows the best of them is named.
pub(crate) fn below_mode(tool: &str, mode: Mode, near: &[f64]) -> Option<String> {
    let best = near.first()?;
    let looser = [Mode::Balanced, Mode::Fuzzy].into_iter().find(|mode| *best >= mode.floor())?;
    let count = near.iter().filter(|score| **score >= looser.floor()).count();
    Some(format!(
        "No result reaches {}, the score that mode {} wants. Best score below it: {} ({}). To see \
         them: {tool} with \"mode\": \"{}\".",
        mode.floor(),
        mode.name(),
        shown(*best),
        counted(count),
        looser.name(),
    ))
}

/// Nothing is as important and as sure as the filters of these names want, and what is not has these
/// scores, best first.
pub(crate) fn filtered(tool: &str, filters: &[&str], near: &[f64]) -> Option<String> {
    let best = near.first()?;
    let filters = filters.join(" and ");
    Some(format!(
        "No result passes {filters}. Best score without: {} ({}). To see them: {tool} without {filters}.",
        shown(*best),
        counted(near.len()),
    ))
}

/// A score with two digits, never rounded up to what it does not reach.
fn shown(score: f64) -> f64 {
    (score * 100.0).floor() / 100.0
}

fn counted(results: usize) -> String {
    if results == 1 { "1 result".to_owned() } else { format!("{results} results") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_has_the_best_score_the_count_and_the_call() {
        assert_eq!(
            below_threshold("memory_search", 0.7, &[0.6999, 0.2]).unwrap(),
            "No result reaches threshold 0.7. Best score below it: 0.69 (2 results). To see them: \
             memory_search with \"threshold\": 0.1."
        );
        assert_eq!(below_threshold("memory_search", 0.7, &[]), None);
    }

    #[test]
    fn the_strictest_mode_that_shows_something_is_named() {
        let hint = |near: &[f64]| below_mode("search_decisions", Mode::Strict, near);
        assert_eq!(
            hint(&[0.7, 0.5]).unwrap(),
            "No result reaches 0.8, the score that mode strict wants. Best score below it: 0.7 \
             (1 result). To see them: search_decisions with \"mode\": \"balanced\"."
        );
        assert!(
            hint(&[0.5, 0.4, 0.3])
                .unwrap()
                .ends_with("(2 results). To see them: search_decisions with \"mode\": \"fuzzy\".")
        );
        assert_eq!(hint(&[0.39]), None);
    }

    #[test]
    fn sentences_are_joined_and_nothing_is_no_hint() {
        assert_eq!(join([None, None]), None);
        let one = || Some("One.".to_owned());
        assert_eq!(join([one(), None, one()]).unwrap(), "One. One.");
    }
}
