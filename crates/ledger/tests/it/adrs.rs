//! Decision records of other tools.

use ledger::item::adr::{Foreign, Style, read};
use model::ItemStatus;

fn adr(name: &str, text: &str) -> Foreign {
    read(name, text).expect("readable").expect("a decision")
}

fn day(text: &str) -> Option<model::Timestamp> {
    format!("{text}T00:00:00Z").parse().ok()
}

#[test]
fn the_lists_of_madr_2_are_read() {
    let text = "# Use Markdown: or not\n\n* Status: superseded by [ADR-0005](0005-example.md)\n\
                * Deciders: Ada, [Grace](x) <!-- optional -->\n* Date: 2020-01-02\n\n\
                Technical Story: x\n\n## Context and Problem Statement\n\nWhy?\n";
    let one = adr("docs/0001-use-markdown.md", text);
    assert_eq!((one.style, one.number), (Style::Madr, Some(1)));
    assert_eq!(one.title, "Use Markdown: or not");
    assert_eq!(one.status, Some(ItemStatus::Superseded));
    assert_eq!(one.status_text, "superseded by [ADR-0005](0005-example.md)");
    assert_eq!((one.date, one.superseded_by.join(" ")), (day("2020-01-02"), "0005-example".into()));
    assert_eq!(one.deciders, ["Ada", "Grace"]);
    assert!(one.body.starts_with("# Use Markdown") && one.body.ends_with("Why?"));
}

#[test]
fn the_front_matter_of_madr_4_is_read() {
    let text = "---\r\n# comment\r\nstatus: \"superseded by ADR-0123\"\r\ndate: 2024-03-04\r\n\
                decision-makers: [Ada, Grace]\r\n---\r\n\r\n# Use\r\n\r\n## Context\r\n";
    let one = adr("0007-use.md", text);
    assert_eq!((one.style, one.number, one.date), (Style::Madr, Some(7), day("2024-03-04")));
    assert_eq!(one.status, Some(ItemStatus::Superseded));
    assert_eq!(one.superseded_by, ["0123"]);
    assert_eq!(one.deciders, ["Ada", "Grace"]);
    assert_eq!(one.body, "# Use\n\n## Context");
    let bad = read("0007-use.md", "---\nstatus: [\n---\n# T\n").expect_err("no YAML");
    assert!(bad.contains("should be YAML"), "{bad}");
}

#[test]
fn the_sections_of_adr_tools_are_read() {
    let text = "# 12. Use one\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\n\
                Supercedes [3. Use two](0003-use-two.md)\n\nAmends [4. X](0004-x.md)\n\n\
                Superseded by [13. Use three](0013-use-three.md)\n\n## Context\n\nWe.\n";
    let one = adr("0012-use-one.md", text);
    assert_eq!((one.style, one.number, one.title.as_str()), (Style::AdrTools, Some(12), "Use one"));
    assert_eq!((one.status, one.status_text.as_str()), (Some(ItemStatus::Superseded), "Accepted"));
    assert_eq!(one.date, day("2016-02-12"));
    assert_eq!(one.supersedes, ["0003-use-two"]);
    assert_eq!(one.superseded_by, ["0013-use-three"]);
}

#[test]
fn the_lists_of_log4brains_are_read() {
    let text = "# Use\n\n- Status: **Accepted** ✅\n- Tags: a, b c\n\n## Decision Outcome\n";
    let one = adr("20200103-use.md", text);
    assert_eq!((one.style, one.number), (Style::Log4brains, None));
    assert_eq!((one.date, one.tags.join("|")), (day("2020-01-03"), "a|b c".into()));
    assert_eq!(one.status, Some(ItemStatus::Accepted));
}

#[test]
fn words_for_a_status_are_known() {
    let status = |text: &str| adr("1-x.md", &format!("# X\n\n## Status\n\n{text}\n")).status;
    for (text, expected) in [
        ("✅ *Approved*", Some(ItemStatus::Accepted)),
        ("In Review", Some(ItemStatus::Proposed)),
        ("RFC until Monday", Some(ItemStatus::Proposed)),
        ("`withdrawn`", Some(ItemStatus::Rejected)),
        ("__Obsolete__.", Some(ItemStatus::Deprecated)),
        ("Replaced by 5", Some(ItemStatus::Superseded)),
        ("draft", Some(ItemStatus::Draft)),
        ("opened", None),
        ("proposed | accepted | rejected", None),
        ("", None),
    ] {
        assert_eq!(status(text), expected, "{text}");
    }
    assert_eq!(adr("1-x.md", "# X\n\n## Decision\n").status, None);
}

#[test]
fn what_is_no_decision_is_none() {
    for (name, text) in [
        ("README.md", "# Decisions\n\n## Status\n"),
        ("template.md", "# T\n\n## Status\n"),
        ("adr-template.md", "# T\n\n## Status\n"),
        ("notes.md", "# Notes\n\nSome text.\n"),
        ("empty.md", ""),
    ] {
        assert_eq!(read(name, text), Ok(None), "{name}");
    }
    assert!(
        read("0001-x.md", "## Status\n\nAccepted\n").is_err_and(|why| why.contains("no title"))
    );
    let names: Vec<&str> = Style::ALL.iter().map(|style| style.name()).collect();
    assert_eq!(names, ["madr", "adr-tools", "log4brains"]);
}
