//! Whether two decisions about one target answer the same question.
//!
//! A search asks whether a text answers a query, and one word in common may be enough for that. Two
//! decisions about one target share words anyway. They are in conflict if they answer the same
//! question, with another answer or with the same one again; another aspect of the target is no
//! conflict. So the question that a title answers ("Use Kafka as message broker": message broker) is
//! compared beside the whole text, by the built-in table, whichever model the searches use.

use crate::embed::{Embedding, StaticEmbedder};

/// From this similarity on, two decisions about one target are in conflict.
pub const CONFLICT_MIN: f64 = 0.70;

/// The share of the question in the mean, fitted on `similar.txt` together with the root below: the
/// mean of as many pairs in conflict as not is 0.49, the square of [`CONFLICT_MIN`].
const QUESTION_SHARE: f64 = 0.3;

/// Verbs after which a title names its answer first, and its question behind a [`LINKS`] word.
const CHOOSING: &[&str] = &["use", "choose", "adopt", "prefer", "pick", "select"];

/// Words between question and answer.
const LINKS: &[&str] = &[
    "for", "as", "in", "with", "by", "to", "on", "at", "into", "from", "through", "via", "after",
    "when", "instead", "must", "may", "only", "every",
];

/// Verbs between question and answer: "X is plural" answers what X is, "X is our Y" which Y is ours.
const LINKING_VERBS: &[&str] = &["is", "are", "uses", "runs"];

/// A decision, ready to be compared.
#[derive(Debug, Clone)]
pub struct Side {
    question: Option<Embedding>,
    whole: Option<Embedding>,
}

impl Side {
    /// A decision of this title and rationale.
    pub fn of(title: &str, rationale: &str) -> Self {
        let embed = |text: &str| StaticEmbedder::built_in().embed(text);
        Self { question: embed(&question(title)), whole: embed(&format!("{title}\n{rationale}")) }
    }

    /// How similar the other is, 0..1: 1 for the same text, [`CONFLICT_MIN`] where a conflict is as
    /// likely as none. None if the table knows no word of one of them.
    pub fn similarity(&self, other: &Self) -> Option<f64> {
        let cosine = |one: &Option<Embedding>, other: &Option<Embedding>| {
            let (one, other) = (one.as_ref()?.as_slice(), other.as_ref()?.as_slice());
            Some(one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum::<f64>())
        };
        let whole = cosine(&self.whole, &other.whole)?;
        let question = cosine(&self.question, &other.question).unwrap_or(whole);
        let mean = (1.0 - QUESTION_SHARE) * whole + QUESTION_SHARE * question;
        Some(mean.clamp(0.0, 1.0).sqrt())
    }
}

/// The part of a title that says what is decided, without what it is decided to be; the whole title
/// where the two cannot be told apart.
fn question(title: &str) -> String {
    let lower = title.to_lowercase();
    let is_sign = |c: char| !c.is_alphanumeric();
    let words = lower.split_whitespace().map(|word| word.trim_matches(is_sign));
    let words: Vec<&str> = words.skip_while(|word| *word == "we").collect();
    let chooses = words.first().is_some_and(|word| CHOOSING.contains(word));
    let words = if chooses { &words[1..] } else { &words[..] };
    let is_link = |word: &&str| LINKS.contains(word) || LINKING_VERBS.contains(word);
    let link = words.iter().skip(1).position(is_link).map(|at| at + 1);
    let Some((before, [link, after @ ..])) = link.map(|at| words.split_at(at)) else {
        return words.join(" ");
    };
    let names = after.first().is_some_and(|word| ["our", "the"].contains(word));
    let is_behind = chooses || (LINKING_VERBS.contains(link) && names);
    if is_behind && !after.is_empty() { after.join(" ") } else { before.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was found of the pairs of a part of the table.
    #[derive(Debug, Default)]
    struct Tally {
        pairs: usize,
        of_database: usize,
        conflicts: usize,
        found: usize,
        found_right: usize,
    }

    impl Tally {
        fn precision(&self) -> f64 {
            self.found_right as f64 / self.found as f64
        }

        fn recall(&self) -> f64 {
            self.found_right as f64 / self.conflicts as f64
        }
    }

    fn side(text: &str) -> Side {
        let (title, rationale) = text.split_once(" | ").expect("a title and a rationale");
        Side::of(title, rationale)
    }

    /// The pairs of the part of the table that is called so.
    fn tally(part: &str) -> Tally {
        let mut tally = Tally::default();
        let (mut is_part, mut target) = (false, "");
        for line in include_str!("similar.txt").lines() {
            if let Some(name) = line.strip_prefix("### ") {
                target = name;
            } else if let Some(name) = line.strip_prefix("## ") {
                is_part = name == part;
            } else if is_part && !line.is_empty() {
                let (kind, pair) = line.split_once(" | ").expect("a kind");
                let is_conflict = match kind {
                    "same" | "contradicting" => true,
                    "refining" | "compatible" => false,
                    _ => panic!("{line}"),
                };
                let (one, other) = pair.split_once(" || ").expect("two sides");
                let (one, other) = (side(one), side(other));
                let similarity = one.similarity(&other).expect("known words");
                let back = other.similarity(&one).expect("known words");
                assert!((similarity - back).abs() < 1e-9 && similarity < 0.99, "{line}");
                let is_found = similarity >= CONFLICT_MIN;
                tally.pairs += 1;
                tally.of_database += usize::from(target == "database");
                tally.conflicts += usize::from(is_conflict);
                tally.found += usize::from(is_found);
                tally.found_right += usize::from(is_found && is_conflict);
            }
        }
        tally
    }

    #[test]
    fn conflicts_are_told_from_other_aspects_of_the_target() {
        let (fitted, held_out) = (tally("fitted"), tally("held out"));
        for (tally, pairs, precision, recall) in
            [(&fitted, 150, 0.87, 0.92), (&held_out, 75, 0.85, 0.85)]
        {
            assert!(tally.pairs >= pairs && tally.of_database * 2 >= tally.pairs, "{tally:?}");
            assert!(tally.precision() >= precision, "{} {tally:?}", tally.precision());
            assert!(tally.recall() >= recall, "{} {tally:?}", tally.recall());
        }
    }

    #[test]
    fn only_the_same_text_has_similarity_1() {
        let postgres = Side::of("Use PostgreSQL for production", "ACID compliance under load.");
        let mysql = Side::of("Use MySQL for production", "The team knows MySQL best.");
        let similarity = postgres.similarity(&mysql).expect("known words");
        assert!((CONFLICT_MIN..0.9).contains(&similarity), "{similarity}");
        assert!(postgres.similarity(&postgres).is_some_and(|similarity| similarity > 0.999));
        assert_eq!(postgres.similarity(&Side::of("", "")), None);
    }

    #[test]
    fn a_question_is_what_the_title_answers() {
        for (title, expected) in [
            ("Use Kafka as message broker", "message broker"),
            ("We use row-level security", "row-level security"),
            ("Store timestamps in UTC", "store timestamps"),
            ("Table names are plural.", "table names"),
            ("PostgreSQL is our production database", "our production database"),
            ("Soft deletes", "soft deletes"),
            ("Use X for", "x"),
            ("", ""),
        ] {
            assert_eq!(question(title), expected, "{title}");
        }
    }
}
