//! What is found in one pass over all literals is what each pattern finds on its own.

use model::Operator::MustNotUse;
use model::Target::Code;
use proptest::prelude::*;
use proptest::strategy::Union;

use super::{check, item, places, rule};
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
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_match_is_lost(
        patterns in prop::collection::vec(pattern(), 1..5),
        text in "[abkKsS1 \n\r]{0,24}([abſ\u{212a}ksS\n]{0,6})?",
    ) {
        for pattern in &patterns {
            // The others are there so that the automaton has more than one literal.
            let others = patterns.iter().filter(|other| *other != pattern);
            let light = others.map(|other| rule(model::Operator::MustMatch, Code, other));
            let rules = [rule(MustNotUse, Code, pattern)].into_iter().chain(light).collect();
            let report = check(vec![item("p", rules)], &[("x", &text)], None);
            let found: Vec<String> = places(&report).into_iter().filter(|at| at != "x").collect();
            let compiled = Pattern::new(pattern, false).unwrap();
            prop_assert_eq!(found, lines(&compiled, &text), "{} in {:?}", pattern, text);
            let lacking = report.findings.iter().filter(|one| one.operator == "must_match");
            for finding in lacking {
                let pattern = Pattern::new(&finding.pattern, false).unwrap();
                prop_assert!(pattern.find(&text, 0).is_none());
            }
        }
    }
}
