//! What is meant to keep us busy for ever ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::Operator::{MustMatch, MustNotMatch, MustNotUse, MustUse};
use model::Target::{Code, Dependency, File};
use model::{Item, Layer, Severity};

use super::{TODAY, applied, check, item, rule, rules};
use crate::{Extent, Watch};

#[test]
fn many_rules_that_all_hit_in_many_files_end_in_a_bounded_report() {
    let constraints = (0..2_000).map(|n| rule(MustNotUse, Code, &format!("bad|never{n}")));
    let files: Vec<String> = (0..150).map(|n| format!("f{n}")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "bad\n")).collect();
    let report = check(vec![item("p", constraints.collect())], &files, None);
    assert_eq!((report.warn, report.findings.len()), (300_000, 10_000));
    let first: Vec<&str> =
        report.findings.iter().map(|one| one.location.as_ref().unwrap().file.as_str()).collect();
    assert!(first[..2_000].iter().all(|file| *file == "f0"));
    assert_eq!(first[9_999], "f101");
}

#[test]
fn many_files_that_all_lack_something_end() {
    let constraints = (0..10).map(|n| rule(MustMatch, Code, &format!("good{n}"))).collect();
    let paths: Vec<String> = (0..3_000).map(|n| format!("f{n:04}")).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "bad\n")).collect();
    let report = check(vec![item("p", constraints)], &files, None);
    assert_eq!((report.warn, report.findings.len()), (30_000, 10_000));
}

#[test]
fn a_line_of_fifty_megabytes_ends() {
    let text = "a".repeat(50_000_000);
    let constraints = vec![rule(MustNotUse, Code, "(a+)+$"), rule(MustNotUse, Code, "aab")];
    let report = check(vec![item("p", constraints)], &[("x", &text)], None);
    assert_eq!(report.warn, 1);
    assert_eq!(report.findings[0].excerpt.as_ref().unwrap().len(), 200);
}

/// A search that looks ahead to the end of the file anew for each of these takes minutes.
#[test]
fn patterns_that_may_go_on_to_the_end_of_a_file_end() {
    for (pattern, line, count) in [
        (r"eval\([^)]*\)|eval", "eval(\n", 40_000),
        (r"(?s)a.*z|a", "aaaaaaaaa\n", 40_000),
        (r"(?s)a.*z|a", "a\n", 200_000),
        (r"a(?:b[^c]*)*", "ab\n", 100_000),
    ] {
        let text = line.repeat(count);
        let report =
            check(vec![item("p", vec![rule(MustNotUse, Code, pattern)])], &[("x", &text)], None);
        assert_eq!((report.warn, report.unfinished.len()), (count, 0), "{pattern}");
    }
}

/// A rule has 5 s for a file, by the clock that is handed in.
#[test]
fn a_search_that_takes_too_long_is_given_up_and_told() {
    let (calls, text) = (AtomicU64::new(0), "bad\n".repeat(100));
    let rules =
        rules(vec![item("p", vec![rule(MustNotUse, Code, "bad"), rule(MustNotUse, Code, "ba")])]);
    let files = [("a", text.as_str()), ("b", "bad\nbad\nbad")];
    let look = |each: u64| {
        let elapsed = || Duration::from_secs(each * calls.fetch_add(1, Ordering::Relaxed));
        let watch = Watch { elapsed: &elapsed, ..Watch::NONE };
        rules.check(&super::files(&files), None, Extent::Whole, TODAY, watch).unwrap()
    };
    let report = look(0);
    assert_eq!((report.warn, report.unfinished.len()), (206, 0));
    let report = look(1);
    assert_eq!(report.warn, 6 + 6 + 3 + 3, "what was found counts");
    let files: Vec<&str> = report.unfinished.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(files, ["a", "a"]);
    let why = &report.unfinished[0].why;
    assert!(why.starts_with("`must_not_use code ba` of p was given up after 5 s"), "{why}");
}

#[test]
fn a_file_of_empty_lines_ends() {
    let text = "\n".repeat(200_000);
    let report = check(vec![item("p", vec![rule(MustNotUse, Code, "^")])], &[("x", &text)], None);
    assert_eq!((report.warn, report.left_out), (200_000, 199_000));
}

#[test]
fn literals_within_each_other_end() {
    let patterns = (2..200).map(|n| rule(MustNotMatch, Code, &format!("{}b", "a".repeat(n))));
    let text = "a".repeat(100_000);
    assert_eq!(check(vec![item("p", patterns.collect())], &[("x", &text)], None).warn, 0);
}

#[test]
fn a_pattern_that_would_be_huge_is_refused() {
    let constraints = vec![rule(MustNotUse, Code, r"\w{1000}{1000}"), rule(MustNotUse, Code, "a")];
    let report = check(vec![item("p", constraints)], &[("x", "a")], None);
    assert_eq!(report.findings.len(), 2);
    assert!(report.findings[0].message.contains("1 MB"));
}

#[test]
fn odd_bytes_and_lone_returns_are_text() {
    let constraints = vec![rule(MustNotUse, Code, r"\x00bad"), rule(MustNotUse, Code, "good$")];
    let text = "x\0bad\rgood\r\rgood\r\n\0bad";
    let report = check(vec![item("p", constraints)], &[("x", text)], None);
    let lines: Vec<_> =
        report.findings.iter().map(|one| one.location.as_ref().unwrap().line).collect();
    assert_eq!(lines, [Some(1), Some(1), Some(2)]);
}

#[test]
fn thousands_of_items_that_contradict_each_other_end() {
    let asking = |n: usize| {
        let (operator, layer) =
            if n.is_multiple_of(2) { (MustUse, Layer::Team) } else { (MustNotUse, Layer::Company) };
        let constraints = vec![
            rule(operator, Dependency, "mysql"),
            applied(operator, Code, "x", &format!("d{}/*", n / 2)),
        ];
        Item { layer, severity: Severity::Block, ..item(&format!("i{n}"), constraints) }
    };
    let report = check((0..4_000).map(asking).collect(), &[("a", "x")], Some(&["mysql"]));
    assert_eq!(report.block, 1);
    assert!(report.findings[0].message.contains(" (and 1996 more)"), "{report:?}");
    assert!(report.findings[0].message.ends_with(" (and others)"), "{report:?}");
}

#[test]
fn many_dependencies_against_many_rules_end() {
    let constraints = (0..300).map(|n| rule(MustMatch, Dependency, &format!("acme-{n}")));
    let names: Vec<String> = (0..1_500).map(|n| format!("p{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let report = check(vec![item("p", constraints.collect())], &[], Some(&names));
    assert_eq!((report.warn, report.findings.len()), (450_000, 10_000));
}

#[test]
fn many_globs_of_paths_end() {
    let constraints = (0..3_000)
        .map(|n| applied(MustNotUse, File, &format!("**/{n}*.{{a,b}}"), &format!("s{n}/")));
    let report = check(vec![item("p", constraints.collect())], &[("s17/x/17y.b", "")], None);
    assert_eq!(report.warn, 1);
}
