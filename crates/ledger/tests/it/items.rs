//! Knowledge items and their files.

use ledger::file::Flaw;
use ledger::item::{Value, read, revise, write};
use model::{
    Constraint, Item, ItemKind, ItemStatus, Layer, Operator, Severity, Target, Timestamp, Waiver,
};
use proptest::prelude::*;

const FULL: &str = "---
id: adr-042
type: ADR
layer: org
title: 'Use: PostgreSQL'
summary: One database.
status: Accepted
severity: block
tags: database, storage
metadata:
  owner: platform
  cost: 1.50
  deep: {list: [1, true, ~]}
created_at: 2026-01-31
updatedAt: 2026-02-01T10:00:00+02:00
version: 1.10
supersedes: [adr-001]
superseded_by: adr-043
unknown: [1, 2]
constraints:
  - operator: must_not_use
    target: dependency
    pattern: ^mysql
    appliesTo: src/**
    severity: info
    message: no
  # a bad one
  - operator: should_use
    target: code
    pattern: x
  - {operator: must_use, target: dependency, pattern: pg, extra: 1}
waivers:
  - paths: [legacy/**]
    dependency: mysql2
    reason: it goes
    until: 2026-12-31
  - reason: for ever
---

# Use PostgreSQL

Because.

## Constraints

```yaml
- operator: must_exist
  target: file
  pattern: docs/*.md
- operator: must_use
  target: code
```
";

fn item(path: &str, text: &str) -> Item {
    read(path, None, text).unwrap_or_else(|flaws| panic!("{flaws:?}")).expect("an item")
}

fn flaws(path: &str, text: &str) -> Vec<String> {
    let flaws = read(path, None, text).expect_err("flaws");
    flaws.iter().map(Flaw::to_string).collect()
}

#[test]
fn a_file_that_says_everything_is_read() {
    let item = item("orgs/acme/adrs/x.md", FULL);
    assert_eq!((item.id.as_str(), item.kind, item.layer), ("adr-042", ItemKind::Adr, Layer::Org));
    assert_eq!(item.owner.as_deref(), Some("acme"));
    assert_eq!((item.title.as_str(), item.summary.as_str()), ("Use: PostgreSQL", "One database."));
    assert_eq!((item.status, item.severity), (ItemStatus::Accepted, Severity::Block));
    assert_eq!(item.tags, ["database", "storage"]);
    let metadata = serde_json::Value::Object(item.metadata.clone());
    let expected = r#"{"owner":"platform","cost":1.5,"deep":{"list":[1,true,null]}}"#;
    assert_eq!(metadata.to_string(), expected);
    assert_eq!(item.created_at, "2026-01-31T00:00:00Z".parse().ok());
    assert_eq!(item.updated_at, "2026-02-01T08:00:00Z".parse().ok());
    assert_eq!(item.version.as_deref(), Some("1.10"));
    assert_eq!(item.supersedes.as_deref(), Some("adr-001"));
    assert_eq!(item.superseded_by, ["adr-043"]);
    assert!(
        item.content.starts_with("# Use PostgreSQL\n\nBecause.") && item.content.ends_with("```")
    );
}

#[test]
fn constraints_stand_in_the_front_matter_and_in_the_text() {
    let item = item("orgs/acme/adrs/x.md", FULL);
    let told: Vec<_> =
        item.constraints.iter().map(|one| (one.operator, one.target, one.line)).collect();
    assert_eq!(
        told,
        [
            (Operator::MustNotUse, Target::Dependency, 21),
            (Operator::MustUse, Target::Dependency, 31),
            (Operator::MustExist, Target::File, 47),
        ]
    );
    let first = &item.constraints[0];
    assert_eq!(first.applies_to, ["src/**"]);
    assert_eq!(first.severity, Some(Severity::Info));
    assert_eq!((first.pattern.as_str(), first.message.as_deref()), ("^mysql", Some("no")));
    assert_eq!(item.waivers.len(), 1);
    assert_eq!(item.waivers[0].line, 33);
    assert_eq!(item.waivers[0].dependency.as_deref(), Some("mysql2"));
}

#[test]
fn a_constraint_that_cannot_be_read_is_told_and_the_others_hold() {
    let item = item("orgs/acme/adrs/x.md", FULL);
    let told: Vec<_> = item
        .flaws
        .iter()
        .map(|flaw| (flaw.line, flaw.why.as_str(), flaw.constraint.as_ref().map(|c| c.join(" "))))
        .collect();
    let operators = "`operator` should be one of must_use, must_not_use, must_match, \
                     must_not_match, must_exist, must_not_exist, not \"should_use\"";
    assert_eq!(
        told,
        [
            (28, operators, Some("should_use code x".to_owned())),
            (
                37,
                "`until` is missing: it should be the last day it holds, such as 2026-12-31",
                None
            ),
            (
                50,
                "`pattern` is missing: it should be a regular expression",
                Some("must_use code ".to_owned())
            ),
        ]
    );
}

#[test]
fn what_a_file_leaves_out_its_path_and_its_text_say() {
    let text = "---\nstatus: draft\n---\n\n# Log in `JSON`\n\nEvery **service** logs.\n";
    let one = item("teams/core/policies/deep/log-format.md", text);
    assert_eq!(
        (one.id.as_str(), one.kind, one.layer),
        ("log-format", ItemKind::Policy, Layer::Team)
    );
    assert_eq!(one.owner.as_deref(), Some("core"));
    assert_eq!(
        (one.title.as_str(), one.summary.as_str()),
        ("Log in `JSON`", "Every service logs.")
    );
    assert_eq!((one.severity, one.version), (Severity::Warn, None));
    let two = item("orgs/adrs/x.md", text);
    assert_eq!((two.layer, two.owner), (Layer::Org, None));
    let three = item("company/acme/specs/x.md", text);
    assert_eq!((three.layer, three.owner), (Layer::Company, None));
    let four = read("adrs/x.md", Some(Layer::Project), text).expect("no flaw").expect("an item");
    assert_eq!((four.layer, four.owner), (Layer::Project, None));
}

#[test]
fn a_file_without_front_matter_is_no_item() {
    for text in ["", "# Readme\n", "text\n---\n"] {
        assert_eq!(read("adrs/x.md", None, text), Ok(None), "{text:?}");
    }
}

#[test]
fn every_flaw_is_told_with_its_line() {
    let text = "---\nid: a b\nlayer: user\nstatus: done\nseverity: error\ntags: {a: b}\n\
                createdAt: yesterday\nsupersedes: [a, b]\nmetadata: 1\n---\ntext\n";
    assert_eq!(
        flaws("x.md", text),
        [
            "line 1: `type` is missing: one of adr, policy, pattern, spec",
            "line 1: `title` is missing: a key `title`, or a heading `# ` in the text",
            "line 2: `id` \"a b\" is none: it should be 1 to 128 of letters, digits, `-`, `_` and \
             `.`, the first no `.`",
            "line 3: `layer` should be one of company, org, team, project, not \"user\"",
            "line 4: `status` should be one of draft, proposed, accepted, rejected, deprecated, \
             superseded, not \"done\"",
            "line 5: `severity` should be one of info, warn, block, not \"error\"",
            "line 6: `tags` should be a list of texts, not a map",
            "line 7: `createdAt` should be a time such as 2026-01-31T12:00:00Z or a day such as \
             2026-01-31, not \"yesterday\"",
            "line 8: `supersedes` should be the id of one item, not a list",
            "line 9: `metadata` should be a map that is nested at most 16 deep, not \"1\"",
        ]
    );
}

#[test]
fn a_layer_that_contradicts_its_folder_is_a_flaw() {
    let text = "---\nstatus: draft\nlayer: team\n---\n# T\n";
    assert_eq!(
        flaws("orgs/a:b/adrs/x y.md", text),
        [
            "line 1: the folder \"a:b\" names whose it is: it should be 1 to 128 of letters, \
             digits, `_`, `-`, `.` and `@`",
            "line 1: `id` is missing, and the file's name \"x y\" is none: it should be 1 to 128 \
             of letters, digits, `-`, `_` and `.`, the first no `.`",
            "line 3: `layer` is team, but the file lies in a folder of layer org",
        ]
    );
    assert_eq!(
        flaws("adrs/x.md", "---\nstatus:\n---\n# T\n"),
        [
            "line 1: `layer` is missing: one of company, org, team, project",
            "line 1: `status` is missing: one of draft, proposed, accepted, rejected, deprecated, \
             superseded",
        ]
    );
}

#[test]
fn what_is_no_yaml_is_a_flaw_where_it_stands() {
    let told = flaws("company/adrs/x.md", "---\nstatus: draft\ntags: [a\ntitle: b\n---\n# T\n");
    assert!(told.len() == 1 && told[0].contains("should be YAML"), "{told:?}");
    let told = flaws("company/adrs/x.md", "---\nstatus: draft\nstatus: draft\n---\n# T\n");
    assert!(told.len() == 1 && told[0].starts_with("line 3: should be YAML"), "{told:?}");
    let told = flaws("company/adrs/x.md", "---\n- a\n---\n# T\n");
    assert_eq!(told, ["line 2: should be keys and values, not a list"]);
    let told = flaws("company/adrs/x.md", "---\nstatus: draft\n");
    assert_eq!(told, ["line 1: the front matter should end with a line `---`"]);
    let told = flaws("company/adrs/x.md", "---\nstatus: draft\n---\n<<<<<<< a\n");
    assert!(told[0].starts_with("line 4: a merge conflict"), "{told:?}");
    let told = flaws("company/adrs/x.md", "<<<<<<< a\n---\nstatus: draft\n---\n");
    assert!(told[0].starts_with("line 1: a merge conflict"), "{told:?}");
}

#[test]
fn a_block_of_constraints_that_is_no_yaml_leaves_the_item() {
    let text = "---\nstatus: draft\nconstraints: 5\nwaivers: [1]\n---\n# T\n## Constraints\n\
                ```yaml\n- [\n```\n";
    let told = item("company/adrs/x.md", text).flaws;
    assert_eq!(
        (told[0].line, told[0].why.as_str()),
        (3, "`constraints` should be a list, not \"5\"")
    );
    assert_eq!(
        (told[1].line, told[1].why.as_str()),
        (4, "should be a map with `reason` and `until`")
    );
    assert!(told[2].why.starts_with("should be YAML") && told[2].line >= 9, "{told:?}");
    assert_eq!(told.len(), 3);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_fine() {
    let text = format!("\u{feff}{}", FULL.replace('\n', "\r\n"));
    assert_eq!(item("orgs/acme/adrs/x.md", &text), item("orgs/acme/adrs/x.md", FULL));
}

#[test]
fn a_bomb_of_aliases_ends() {
    let mut text = "---\nstatus: draft\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..30 {
        let list = vec![format!("*a{}", n - 1); 9].join(", ");
        text.push_str(&format!("a{n}: &a{n} [{list}]\n"));
    }
    text.push_str("---\n# T\n");
    let told = flaws("company/adrs/x.md", &text);
    assert!(told[0].contains("should be YAML"), "{told:?}");
    let doubled: String = (1..16).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
    let list = "x, ".repeat(1_000);
    let text = format!("---\nstatus: draft\na0: &a0 [{list}x]\n{doubled}---\n# T\n");
    assert!(flaws("company/adrs/x.md", &text)[0].contains("should be YAML"));
    let deep = format!(
        "---\nstatus: draft\nmetadata: {{a: {}1{}}}\n---\n# T\n",
        "[".repeat(20),
        "]".repeat(20)
    );
    assert!(flaws("company/adrs/x.md", &deep)[0].contains("16 deep"));
    let deep = format!("---\nstatus: {}\n---\n# T\n", "[".repeat(100_000));
    assert!(flaws("company/adrs/x.md", &deep)[0].contains("should be YAML"));
}

/// The item as it is but for the lines things stand in.
fn without_lines(mut item: Item) -> Item {
    item.constraints.iter_mut().for_each(|one| one.line = 0);
    item.waivers.iter_mut().for_each(|one| one.line = 0);
    item
}

#[test]
fn an_item_is_written_as_a_person_would() {
    let text = "---\nid: adr-042\ntype: adr\nlayer: org\ntitle: \"Use: PostgreSQL\"\n\
                summary: One database.\nstatus: accepted\nseverity: block\n\
                tags: [database, storage]\nmetadata:\n  owner: platform\n  cost: 1.5\n  \
                deep: {list: [1, true, null]}\ncreatedAt: 2026-01-31T00:00:00.000000Z\n\
                updatedAt: 2026-02-01T08:00:00.000000Z\nversion: \"1.10\"\nsupersedes: adr-001\n\
                supersededBy: [adr-043]\nconstraints:\n  - operator: must_not_use\n    \
                target: dependency\n    pattern: ^mysql\n    appliesTo: [src/**]\n    \
                severity: info\n    message: \"no\"\n  - operator: must_use\n    \
                target: dependency\n    pattern: pg\nwaivers:\n  - paths: [legacy/**]\n    \
                dependency: mysql2\n    reason: it goes\n    until: 2026-12-31\n---\n\n";
    let mut one = item("orgs/acme/adrs/x.md", FULL);
    let written = write(&one);
    assert!(written.starts_with(text), "{written}");
    one.flaws.clear();
    let mut again = item("orgs/acme/adrs/x.md", &written);
    again.flaws.clear();
    assert_eq!(without_lines(again), without_lines(one));
}

#[test]
fn a_text_without_a_heading_gets_its_title() {
    let mut one = item("company/adrs/x.md", "---\nstatus: draft\n---\n# One\n\nTwo.\n");
    one.content = "Two.".to_owned();
    assert!(write(&one).ends_with("---\n\n# One\n\nTwo.\n"));
    one.content.clear();
    assert!(write(&one).ends_with("---\n\n# One\n"));
}

/// Texts that YAML would read as something else.
fn nasty() -> impl Strategy<Value = String> {
    let words = [
        "yes",
        "No",
        "~",
        "null",
        "1.10",
        "0x1f",
        "1e5",
        "-",
        "- a",
        "a -",
        "a: b",
        "a #b",
        "#",
        "'",
        "\"",
        "\\",
        "a\\b'",
        ":",
        "a:",
        "?",
        "! x",
        "&a",
        "*a",
        "[a]",
        "{a: b}",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "a\nb",
        "\n",
        "a ",
        " a",
        "\t",
        "🦀",
        "é",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{7f}",
        "\0",
        "nan",
        ".inf",
        "2026-01-01",
        "<<",
        "=",
        "---",
        "...",
        "a, b",
        "\r\n",
        "\u{fffe}",
        "\u{e000}",
    ];
    let word = prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    prop_oneof![
        word.clone(),
        "\\PC{1,12}",
        prop::collection::vec(word, 1..4).prop_map(|w| w.concat())
    ]
    .prop_filter("not blank", |text| !text.trim().is_empty())
}

fn nasty_items() -> impl Strategy<Value = Item> {
    let many = || prop::collection::vec(nasty(), 0..4);
    let one = || prop::option::of(nasty());
    let texts = (nasty(), nasty(), one(), one(), many());
    let metadata = prop::collection::vec((nasty(), nasty(), any::<f64>(), any::<i64>()), 0..3);
    let constraints = prop::collection::vec((nasty(), many(), one()), 0..3);
    let waivers = prop::collection::vec((many(), one(), one(), nasty()), 0..3);
    (texts, many(), metadata, constraints, waivers, "[a-z ~#>*\n-]{0,60}").prop_map(
        |(
            (title, summary, version, supersedes, by),
            tags,
            metadata,
            constraints,
            waivers,
            text,
        )| {
            let mut one = item("teams/core/patterns/x.md", "---\nstatus: proposed\n---\n# One\n");
            (one.title, one.summary, one.version) = (title, summary, version);
            (one.supersedes, one.superseded_by) = (supersedes, by);
            one.tags = model::memory::distinct(tags);
            let json = |(a, b, c, d): (String, String, f64, i64)| {
                let inner = serde_json::json!({ &a: [b, c, { &b: d }], "x": null, "y": b });
                (a, inner)
            };
            one.metadata = metadata.into_iter().map(json).collect();
            let constraint = |(pattern, applies_to, message)| Constraint {
                operator: Operator::MustUse,
                target: Target::Config,
                pattern,
                applies_to,
                severity: Some(Severity::Block),
                message,
                line: 0,
            };
            one.constraints = constraints.into_iter().map(constraint).collect();
            let until = model::time::day(Timestamp::UNIX_EPOCH);
            let waiver = |(paths, dependency, pattern, reason)| Waiver {
                paths,
                dependency,
                pattern,
                reason,
                until,
                line: 0,
            };
            one.waivers = waivers.into_iter().map(waiver).collect();
            one.content = format!("# Heading\n\n{text}").trim_end_matches('\n').to_owned();
            one
        },
    )
}

const FRONT: &str = "\u{feff}---\r\n# what it is\r\nstatus: proposed  # \"waits\"\r\n\
    other: { a: 1 }\r\ntags:\r\n  - a\r\n  - b\r\n\r\n# when\r\nupdated_at: 2026-01-01\r\n\
    'title': 'It''s # one' # two\r\n---\r\n\r\n# T\r\n";

#[test]
fn a_revision_changes_what_it_is_told_and_no_byte_besides() {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let tags = Some(Value::List(vec!["x".to_owned(), "y, z".to_owned()]));
    let changes = [
        ("status", text("accepted")),
        ("tags", tags),
        ("updatedAt", Some(Value::Time("2026-02-01T08:00:00Z".parse().expect("a time")))),
        ("title", text("No # two")),
        ("supersededBy", text("x")),
        ("version", None),
    ];
    let expected = FRONT
        .replace("proposed", "accepted")
        .replace("tags:\r\n  - a\r\n  - b", "tags: [x, \"y, z\"]")
        .replace("2026-01-01", "2026-02-01T08:00:00.000000Z")
        .replace("'It''s # one'", "\"No # two\"")
        .replace("\r\n---\r\n\r\n", "\r\nsupersededBy: x\r\n---\r\n\r\n");
    assert_eq!(revise(FRONT, &changes), Ok(expected));
    let expected = FRONT.replace("tags:\r\n  - a\r\n  - b\r\n", "");
    assert_eq!(revise(FRONT, &[("tags", None)]), Ok(expected));
    let same = [("status", text("proposed")), ("updatedAt", text("2026-01-01"))];
    assert_eq!(revise(FRONT, &same).as_deref(), Ok(FRONT));
}

#[test]
fn a_form_that_cannot_be_revised_is_refused() {
    let draft = [("status", Some(Value::Text("draft".to_owned())))];
    let told = |text: &str| revise(text, &draft).expect_err("a flaw").remove(0).to_string();
    assert!(told("# T\n").contains("begins with its front matter"));
    assert!(told("---\n{status: proposed, a: b}\n---\n").contains("set `status` by hand"));
    assert!(told("---\nstatus: &s proposed\nother: *s\n---\n").contains("by hand"));
    assert!(told("---\nstatus: [\n---\n").contains("YAML"));
    assert_eq!(revise("---\n---\n", &draft).as_deref(), Ok("---\nstatus: draft\n---\n"));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(item in nasty_items()) {
        let text = write(&item);
        let read = read("teams/core/patterns/x.md", None, &text);
        let read = read.map_err(|flaws| TestCaseError::fail(format!("{flaws:?}\n{text}")))?;
        prop_assert_eq!(without_lines(read.expect("an item")), item, "{}", text);
    }

    #[test]
    fn no_text_is_too_strange_to_read(text in "(---\n)?(\\PC|[\n:#'\"\\[{&*-]|status: draft\n|---\n|## Constraints\n|```yaml\n){0,60}") {
        read("company/adrs/x.md", None, &text).ok();
        revise(&text, &[("status", Some(Value::Text("draft".to_owned())))]).ok();
    }

    #[test]
    fn a_revision_says_what_it_was_told(value in nasty(), list in prop::collection::vec(nasty(), 0..4)) {
        let changes = [("title", Some(Value::Text(value.clone()))), ("tags", Some(Value::List(list.clone())))];
        let text = revise(&FRONT.replace("status:", "layer: org\r\ntype: adr\r\nstatus:"), &changes);
        let text = text.map_err(|flaws| TestCaseError::fail(format!("{flaws:?}")))?;
        let item = item("x.md", &text);
        prop_assert_eq!(item.title, value);
        prop_assert_eq!(item.tags, model::memory::distinct(list));
        prop_assert!(text.contains("# \"waits\"\r\n") && text.contains(" # two\r\n"));
    }
}
