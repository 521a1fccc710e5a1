//! What is found in one pass over all literals is what each pattern finds on its own.

use model::Operator::{MustMatch, MustNotUse};
use model::Target::Code;
use proptest::prelude::*;
use proptest::strategy::Union;

use super::{check, item, place, rule};
use crate::pattern::Pattern;

/// Patterns of all forms over few letters.
fn pattern() -> impl Strategy<Value = String> {
    let word = "[abkKsS]{1,4}".boxed();
    let leaf = Union::new([
        word.clone(),
        word,
        Just(".".to_owned()).boxed(),
        Just(r"\d".to_owned()).boxed(),
        Just("[ab]".to_owned()).boxed(),
        Just("[kK]".to_owned()).boxed(),
        Just(r"\b".to_owned()).boxed(),
        Just("^".to_owned()).boxed(),
        Just("$".to_owned()).boxed(),
        Just("ſ".to_owned()).boxed(),
        Just(r"\s".to_owned()).boxed(),
    ]);
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner.clone(), 0..3_usize, 0..3_usize)
                .prop_map(|(one, min, more)| format!("(?:{one}){{{min},{}}}", min + more)),
            inner.clone().prop_map(|one| format!("(?:{one})+")),
            inner.clone().prop_map(|one| format!("({one})?")),
            inner.prop_map(|one| format!("(?i:{one})")),
        ]
    })
}

/// The lines in which a match begins, each searched for on its own.
fn lines(pattern: &Pattern, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some((start, end)) = pattern.find(text, from) {
        let line = text[..start].matches('\n').count() + 1;
        lines.push(format!("x:{line}"));
        let Some(next) = text[start..].find('\n') else { break };
        from = end.max(start + next + 1);
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_match_is_lost(
        patterns in prop::collection::btree_set(pattern(), 1..12),
        text in "[abkKsS1 \n\r]{0,24}([abſ\u{212a}ksS\n]{0,6})?",
    ) {
        let all = |operator| patterns.iter().map(|one| rule(operator, Code, one)).collect();
        let items = vec![item("p", all(MustNotUse)), item("q", all(MustMatch))];
        let report = check(items, &[("x", &text)], None);
        for (at, pattern) in patterns.iter().enumerate() {
            let found: Vec<String> = report
                .findings
                .iter()
                .filter(|one| one.item == 0 && one.pattern == *pattern)
                .map(place)
                .collect();
            let lacks = report.findings.iter().any(|one| one.item == 1 && one.pattern == *pattern);
            let compiled = Pattern::new(pattern, false).unwrap();
            let expected = lines(&compiled, &text);
            prop_assert_eq!(lacks, expected.is_empty(), "{} {} in {:?}", at, pattern, text);
            prop_assert_eq!(found, expected, "{} {} in {:?}", at, pattern, text);
        }
    }
}
