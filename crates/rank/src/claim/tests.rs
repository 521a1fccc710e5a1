//! The table of pairs, and what holds for any text.

use proptest::prelude::*;

use super::*;

/// A line of the table: whether the texts contradict each other, and the texts.
fn pairs() -> Vec<(bool, &'static str, &'static str)> {
    let read = |line: &'static str| {
        let mut parts = line.split(" | ");
        let (sign, a, b) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        assert!(matches!(sign, "+" | "-") && parts.next().is_none(), "{line}");
        (sign == "+", a, b)
    };
    let lines = include_str!("pairs.txt").lines();
    lines.filter(|line| line.starts_with(['+', '-'])).map(read).collect()
}

fn found(a: &str, b: &str) -> Option<String> {
    contradiction(&Claims::of(a), &Claims::of(b)).map(|found| found.reason)
}

#[test]
fn every_pair_of_the_table_is_judged_right() {
    let mut wrong = Vec::new();
    for (expected, a, b) in pairs() {
        let reason = found(a, b);
        if reason.is_some() != expected {
            wrong.push(format!("{a} | {b} -> {reason:?}"));
        }
        assert_eq!(found(b, a).is_some(), reason.is_some(), "the other way: {a} | {b}");
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_table_is_large_and_half_of_it_are_near_misses() {
    let pairs = pairs();
    let misses = pairs.iter().filter(|(expected, ..)| !expected).count();
    assert!(pairs.len() >= 150, "{}", pairs.len());
    assert!(misses * 2 >= pairs.len(), "{misses} of {}", pairs.len());
}

#[test]
fn texts_that_contradict_each_other_share_a_key() {
    for (_, a, b) in pairs().iter().filter(|(expected, ..)| *expected) {
        let (a, b) = (Claims::of(a), Claims::of(b));
        assert!(a.keys().iter().any(|key| b.keys().contains(key)), "{a:?} {b:?}");
        assert!(a.keys().is_sorted());
    }
}

#[test]
fn a_reason_names_both_values() {
    for (a, b, reason) in [
        (
            "The API rate limit is 100 requests per minute",
            "The API rate limit is 60 requests per minute",
            "API rate limit: 100 requests per minute against 60 requests per minute",
        ),
        (
            "Our default branch is main",
            "The default branch is master",
            "Our default branch: main against master",
        ),
        (
            "Caching is enabled",
            "Caching isn't enabled",
            "Caching: is enabled against isn't enabled",
        ),
    ] {
        assert_eq!(found(a, b).as_deref(), Some(reason));
    }
}

#[test]
fn only_so_much_of_a_text_is_read() {
    let text = "The limit of shard number is 5 MB and it is not 6 GB, but 7. ".repeat(20_000);
    let claims = Claims::of(&text);
    assert!(claims.claims.len() <= CLAIMS_MAX);
}

#[test]
fn memories_that_share_a_topic_are_left_alone() {
    let pairs = crate::calibrate::data::built_in();
    let claims: Vec<Claims> = pairs.memories().into_iter().map(Claims::of).collect();
    assert!(claims.len() > 600);
    for (at, a) in claims.iter().enumerate() {
        for b in &claims[at + 1..] {
            assert_eq!(contradiction(a, b), None);
        }
    }
}

/// Sentences of the words that the reader knows.
fn sentence() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "the",
        "API",
        "rate limit",
        "is",
        "not",
        "are",
        "100",
        "5 MB",
        "v1.2",
        "on",
        "off",
        "Tuesday",
        "enabled",
        "disabled",
        "prefers",
        "tabs",
        "spaces",
        "over",
        "uses",
        "no",
        "never",
        "default",
        "branch",
        "main",
        "until",
        "2025",
        "January 5, 2026",
        "if",
        "when",
        ",",
        "and",
        "but",
        ":",
        "=",
        "from",
        "to",
        "raised",
        "at least",
        "between",
        "per",
        "minute",
        "as",
        "was",
        "will",
        "who",
        "instead of",
        "Ada",
        "Ada's",
        "lives in",
        "Paris",
        "every",
        "one",
        "Node 18",
        "(",
        ")",
        "\"",
        "-",
    ]);
    prop::collection::vec(word, 1..14).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_is_too_odd(a in any::<String>(), b in "[ -~\\n]{0,80}") {
        let (a, b) = (Claims::of(&a), Claims::of(&b));
        prop_assert_eq!(contradiction(&a, &b).is_some(), contradiction(&b, &a).is_some());
    }

    #[test]
    fn a_contradiction_is_one_both_ways(a in sentence(), b in sentence()) {
        let (a, b) = (Claims::of(&a), Claims::of(&b));
        let found = contradiction(&a, &b);
        prop_assert_eq!(found.is_some(), contradiction(&b, &a).is_some());
        if found.is_some() {
            prop_assert!(a.keys().iter().any(|key| b.keys().contains(key)));
        }
    }

    #[test]
    fn a_text_never_contradicts_itself(a in sentence()) {
        let claims = Claims::of(&a);
        prop_assert_eq!(contradiction(&claims, &claims.clone()), None);
        let punctuated = Claims::of(&format!("{a}."));
        prop_assert_eq!(contradiction(&claims, &punctuated), None, "{}", a);
    }
}
