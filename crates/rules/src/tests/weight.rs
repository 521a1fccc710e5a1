//! How much a finding weighs, what it says, and whether it is told at all.

use model::Operator::{MustExist, MustMatch, MustNotExist, MustNotUse, MustUse};
use model::Target::{Code, Config, Dependency, File};
use model::time::Date;
use model::{Constraint, Item, Layer, Severity, Waiver};

use super::{TODAY, applied, check, files, flawed, item, listed, places, rule, rules, waiver};
use crate::{Extent, FINDINGS_MAX, FINDINGS_OF_RULE_MAX, Finding, Watch, flaws};

const YESTERDAY: Date = Date::constant(2026, 1, 31);

fn of(layer: Layer, severity: Severity, item: Item) -> Item {
    Item { layer, severity, ..item }
}

fn messages(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.message.as_str()).collect()
}

#[test]
fn a_finding_weighs_what_its_constraint_or_else_its_item_says() {
    let heavy = Constraint { severity: Some(Severity::Block), ..rule(MustNotUse, Code, "a") };
    let items = vec![
        item("p", vec![heavy, rule(MustNotUse, Code, "b")]),
        of(Layer::Team, Severity::Info, item("q", vec![rule(MustNotUse, Code, "c")])),
    ];
    let report = check(items, &[("x", "a\nb\nc\nc")], None);
    assert_eq!((report.block, report.warn, report.info, report.left_out), (1, 1, 2, 0));
    let weights: Vec<Severity> = report.findings.iter().map(|one| one.severity).collect();
    assert_eq!(weights, [Severity::Block, Severity::Warn, Severity::Info, Severity::Info]);
}

#[test]
fn a_message_is_said_word_for_word_and_one_is_made_if_there_is_none() {
    let own = Constraint { message: Some("use pg".to_owned()), ..rule(MustNotUse, Code, "mysql_") };
    let items = vec![item(
        "p",
        vec![
            own,
            rule(MustNotUse, Dependency, "mysql|mysql2"),
            rule(MustUse, Dependency, "pg"),
            rule(MustMatch, Code, "Copyright"),
            rule(MustNotUse, Config, "mysql_c"),
            rule(MustExist, File, "README.md"),
            rule(MustUse, Code, "strict"),
        ],
    )];
    let report = check(items, &[("a.c", "mysql_connect")], Some(&["mysql2@3.0.0"]));
    assert_eq!(
        messages(&report.findings),
        [
            "must use `pg` as a dependency: none of the 1 listed matches",
            "`README.md` must exist as a file: none of the 1 files matches",
            "must use `strict` in code: none of the 1 files it is for has it",
            "must match `Copyright` in code: a.c does not match",
            "use pg",
            "must not use `mysql_c` in configuration: line 1 of a.c",
            "must not use `mysql|mysql2` as a dependency: mysql2 3.0.0",
        ]
    );
}

#[test]
fn findings_come_by_file_line_item_and_constraint() {
    let items = vec![
        item("p", vec![rule(MustNotUse, Code, "b"), rule(MustNotUse, Code, "[ab]")]),
        item("q", vec![rule(MustNotUse, Code, "a|b"), rule(MustUse, Code, "c")]),
    ];
    let report = check(items, &[("z", "a\nb"), ("y", "b")], None);
    let order: Vec<(usize, String)> =
        report.findings.iter().map(|one| one.item).zip(places(&report)).collect();
    let expected = [
        (1, ""),
        (0, "y:1"),
        (0, "y:1"),
        (1, "y:1"),
        (0, "z:1"),
        (1, "z:1"),
        (0, "z:2"),
        (0, "z:2"),
        (1, "z:2"),
    ];
    assert_eq!(order, expected.map(|(item, place)| (item, place.to_owned())));
}

#[test]
fn a_broken_constraint_is_one_finding_and_the_others_hold() {
    let broken = Item {
        flaws: vec![
            flawed(3, "severity `heavy` should be info, warn or block", None),
            flawed(9, "operator `may_use` is none", Some(["may_use", "code", "x"])),
        ],
        waivers: vec![Waiver { paths: vec!["[".to_owned()], ..waiver(TODAY) }],
        ..item(
            "p",
            vec![
                rule(MustNotUse, Code, "(a"),
                rule(MustNotUse, Code, "a"),
                rule(MustUse, File, "*.c"),
                applied(MustNotUse, Code, "a", "src/["),
                rule(MustExist, File, "{a"),
                rule(MustExist, Code, "a"),
            ],
        )
    };
    let found = flaws(&broken);
    assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), [3, 7, 7, 7, 7, 7, 9, 12]);
    let report = check(vec![broken], &[("x", "a"), ("y", "a")], None);
    assert_eq!((report.warn, report.findings.len()), (10, 10));
    assert_eq!(places(&report)[8..], ["x:1", "y:1"]);
    let all = messages(&report.findings);
    assert!(all[0].starts_with("constraint in line 7 of `p`: `(a` is no pattern"), "{all:?}");
    assert_eq!(
        all[1],
        "constraint in line 7 of `p`: must_use does not go with file; it takes must_not_use, \
         must_match, must_not_match, must_exist, must_not_exist"
    );
    assert!(all[2].contains("`src/[` is no glob"), "{all:?}");
    assert!(all[3].contains("`{a` is no glob"), "{all:?}");
    assert!(all[4].contains("must_exist does not go with code"), "{all:?}");
    assert_eq!(all[5], "line 3 of `p`: severity `heavy` should be info, warn or block");
    assert_eq!(all[6], "constraint in line 9 of `p`: operator `may_use` is none");
    assert!(all[7].starts_with("line 12 of `p`: the waiver does not hold: `[`"), "{all:?}");
    assert_eq!(report.findings[6].operator, "may_use");
    assert_eq!(report.findings[5].operator, "");
    assert!(report.findings[..8].iter().all(|one| one.severity == Severity::Warn && !one.global));
}

#[test]
fn an_item_that_can_be_followed_has_no_flaws() {
    assert!(flaws(&item("p", vec![rule(MustNotUse, Code, "a")])).is_empty());
}

/// Where rules against `bad` and `mysql` are broken in spite of a waiver.
fn waived(waiver: Waiver) -> Vec<String> {
    let constraints = vec![
        rule(MustNotUse, Code, "bad"),
        rule(MustNotUse, Dependency, "mysql|mysql2"),
        rule(MustUse, Code, "good"),
    ];
    let items = vec![Item { waivers: vec![waiver], ..item("p", constraints) }];
    places(&check(items, &[("src/a", "bad"), ("lib/a", "bad")], Some(&["mysql", "mysql2"])))
}

#[test]
fn a_waiver_drops_what_it_is_for_and_nothing_else() {
    let all = ["", "lib/a:1", "package.json:1", "package.json:2", "src/a:1"];
    assert!(waived(waiver(TODAY)).is_empty());
    assert_eq!(waived(waiver(YESTERDAY)), all);
    let paths = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
    assert_eq!(waived(Waiver { paths: paths(&["src/"]), ..waiver(TODAY) }), all[..4]);
    assert_eq!(waived(Waiver { paths: paths(&["**"]), ..waiver(TODAY) }), [""]);
    assert_eq!(
        waived(Waiver { paths: paths(&["*.json"]), ..waiver(TODAY) }),
        ["", "lib/a:1", "src/a:1"]
    );
    let dependency = Some("mysql2".to_owned());
    assert_eq!(
        waived(Waiver { dependency, ..waiver(TODAY) }),
        ["", "lib/a:1", "package.json:1", "src/a:1"]
    );
    let pattern = Some("bad".to_owned());
    assert_eq!(
        waived(Waiver { pattern, ..waiver(TODAY) }),
        ["", "package.json:1", "package.json:2"]
    );
    let pattern = Some("ba".to_owned());
    assert_eq!(waived(Waiver { pattern, ..waiver(TODAY) }), all);
}

#[test]
fn a_waiver_that_ran_out_is_named() {
    let items = vec![Item {
        waivers: vec![
            waiver(Date::constant(2025, 1, 1)),
            Waiver { paths: vec!["src/".to_owned()], ..waiver(YESTERDAY) },
        ],
        ..item("p", vec![rule(MustNotUse, Code, "bad")])
    }];
    let report = check(items, &[("src/a", "bad"), ("lib/a", "bad")], None);
    assert_eq!(
        messages(&report.findings),
        [
            "must not use `bad` in code: line 1 of lib/a \
         (a waiver ran out on 2025-01-01: we move in spring)",
            "must not use `bad` in code: line 1 of src/a \
         (a waiver ran out on 2026-01-31: we move in spring)",
        ]
    );
}

#[test]
fn a_waiver_is_for_its_own_item_only() {
    let items = vec![
        Item { waivers: vec![waiver(TODAY)], ..item("p", vec![rule(MustNotUse, Code, "bad")]) },
        item("q", vec![rule(MustNotUse, Code, "bad")]),
    ];
    let report = check(items, &[("a", "bad")], None);
    assert_eq!(messages(&report.findings), ["must not use `bad` in code: line 1 of a"]);
    assert_eq!(report.findings[0].item, 1);
}

#[test]
fn the_same_constraint_of_several_items_is_reported_once_by_the_heaviest() {
    let bad = || vec![rule(MustNotUse, Code, "bad"), rule(MustUse, Dependency, "pg")];
    let items = vec![
        of(Layer::Project, Severity::Info, item("p", bad())),
        of(Layer::Company, Severity::Block, item("c", bad())),
        of(Layer::Team, Severity::Block, item("t", bad())),
    ];
    let report = check(items, &[("a", "bad")], Some(&[]));
    assert_eq!((report.block, report.warn, report.info), (2, 0, 0));
    assert_eq!(
        messages(&report.findings),
        [
            "must use `pg` as a dependency: none is listed (also t of team) (also p of project)",
            "must not use `bad` in code: line 1 of a (also t of team) (also p of project)",
        ]
    );
    assert!(report.findings.iter().all(|one| one.item == 1));
}

#[test]
fn the_same_pattern_for_other_files_is_another_constraint() {
    let items = vec![
        item("p", vec![rule(MustNotUse, Code, "bad")]),
        item("q", vec![applied(MustNotUse, Code, "bad", "a")]),
    ];
    assert_eq!(check(items, &[("a", "bad")], None).findings.len(), 2);
}

#[test]
fn a_narrower_layer_cannot_weaken_what_a_wider_one_blocks() {
    let items = |wide: Severity, layer: Layer| {
        vec![
            of(Layer::Company, wide, item("wide", vec![rule(MustNotUse, Dependency, "mysql")])),
            of(layer, Severity::Block, item("near", vec![rule(MustUse, Dependency, "mysql")])),
        ]
    };
    let report = check(items(Severity::Block, Layer::Team), &[], Some(&["pg"]));
    assert_eq!((report.block, report.warn), (0, 1));
    assert_eq!(
        messages(&report.findings),
        ["must use `mysql` as a dependency: none of the 1 listed matches \
         (wide of company asks for the opposite: must_not_use) \
         (set aside: wide of company blocks the opposite)"]
    );
    let report = check(items(Severity::Block, Layer::Team), &[], Some(&["mysql"]));
    assert_eq!((report.block, report.warn), (1, 0));
    assert_eq!(
        messages(&report.findings),
        [
            "must not use `mysql` as a dependency: mysql (near of team asks for the opposite: must_use)"
        ]
    );
    for items in [items(Severity::Warn, Layer::Team), items(Severity::Block, Layer::Company)] {
        let report = check(items, &[], Some(&["pg"]));
        assert_eq!((report.block, report.warn), (1, 0));
        assert!(!report.findings[0].message.contains("set aside"));
        assert!(report.findings[0].message.contains("asks for the opposite"));
    }
}

#[test]
fn only_the_same_target_pattern_and_files_contradict() {
    let named = |one: Constraint, other: Constraint| {
        let items = vec![
            of(Layer::Company, Severity::Block, item("wide", vec![one])),
            of(Layer::Project, Severity::Block, item("near", vec![other])),
        ];
        check(items, &[("a", "x")], None)
            .findings
            .iter()
            .any(|one| one.message.contains("opposite"))
    };
    assert!(named(rule(MustNotUse, Code, "x"), rule(MustMatch, Code, "x")));
    assert!(named(rule(MustNotUse, Code, "x"), applied(MustUse, Code, "x", "a")));
    assert!(named(applied(MustNotUse, Code, "x", "a"), rule(MustUse, Code, "x")));
    assert!(named(applied(MustNotUse, Code, "x", "a"), applied(MustUse, Code, "x", "a")));
    assert!(!named(applied(MustNotUse, Code, "x", "a"), applied(MustUse, Code, "x", "b")));
    assert!(!named(rule(MustNotUse, Code, "x"), rule(MustUse, Config, "x")));
    assert!(!named(rule(MustNotUse, Code, "x"), rule(MustUse, Code, "x|y")));
    assert!(!named(rule(MustNotUse, File, "a"), rule(MustNotExist, File, "a")));
    let own = vec![item("p", vec![rule(MustNotUse, Code, "x"), rule(MustUse, Code, "x")])];
    let report = check(own, &[("a", "x")], None);
    assert!(!report.findings[0].message.contains("opposite"));
}

#[test]
fn all_findings_are_counted_and_the_heaviest_are_kept() {
    let many = |n: usize, severity| Constraint {
        severity: Some(severity),
        ..rule(MustNotUse, Code, &format!("a{{0}}b{{{n}}}"))
    };
    let light = (1..=12).map(|n| many(n, Severity::Info));
    let heavy = [many(13, Severity::Block)];
    let text = format!("{}\n", "b".repeat(13)).repeat(2_000);
    let report = check(vec![item("p", light.chain(heavy).collect())], &[("x", &text)], None);
    assert_eq!((report.block, report.info), (2_000, 24_000));
    assert_eq!(report.findings.len(), FINDINGS_MAX);
    assert_eq!(report.left_out, 16_000);
    let blocking: Vec<usize> = report
        .findings
        .iter()
        .filter(|one| one.severity == Severity::Block)
        .filter_map(|one| one.location.as_ref()?.line)
        .collect();
    assert_eq!(blocking, (1..=FINDINGS_OF_RULE_MAX).collect::<Vec<_>>());
}

#[test]
fn what_is_reported_does_not_depend_on_the_order_or_on_who_looked() {
    let constraints = vec![rule(MustNotUse, Code, "bad"), rule(MustMatch, Code, "good")];
    let all = Item {
        waivers: vec![Waiver { paths: vec!["*7".to_owned()], ..waiver(TODAY) }],
        ..item("p", constraints)
    };
    let rules = rules(vec![all]);
    let texts: Vec<(String, String)> =
        (0..700).map(|n| (format!("f{n}"), "bad\n".repeat(n % 9))).collect();
    let pairs: Vec<(&str, &str)> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let names = listed(&["a"]);
    let whole =
        rules.check(&files(&pairs), Some(&names), Extent::Whole, TODAY, Watch::NONE).unwrap();
    let mut seen = vec![crate::Seen::default(), crate::Seen::default(), crate::Seen::default()];
    for (nth, (path, text)) in pairs.iter().rev().enumerate() {
        assert!(rules.look(&mut seen[nth % 3], path, text, Watch::NONE));
    }
    assert_eq!(rules.conclude(seen, Some(&names), Extent::Whole, TODAY), whole);
    assert!(whole.left_out > 0);
}

#[test]
fn nothing_is_concluded_when_someone_said_stop() {
    let rules = rules(vec![item("p", vec![rule(MustNotUse, Code, "bad")])]);
    assert_eq!(
        rules.check(
            &files(&[("a", "bad")]),
            None,
            Extent::Whole,
            TODAY,
            Watch { stop: &|| true, ..Watch::NONE }
        ),
        None
    );
    assert!(!rules.look(
        &mut crate::Seen::default(),
        "a",
        "bad",
        Watch { stop: &|| true, ..Watch::NONE }
    ));
}
