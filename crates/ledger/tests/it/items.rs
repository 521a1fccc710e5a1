//! Knowledge items and their files.

use ledger::file::Flaw;
use ledger::item::read;
use model::{Item, ItemKind, ItemStatus, Layer, Operator, Severity, Target};

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
    let three: String = (1..4)
        .map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", ")))
        .collect();
    let text =
        format!("---\nstatus: draft\na0: &a0 [x, x, x, x, x, x, x, x, x]\n{three}---\n# T\n");
    read("company/adrs/x.md", None, &text).ok();
    let deep = format!(
        "---\nstatus: draft\nmetadata: {{a: {}1{}}}\n---\n# T\n",
        "[".repeat(20),
        "]".repeat(20)
    );
    assert!(flaws("company/adrs/x.md", &deep)[0].contains("16 deep"));
    let deep = format!("---\nstatus: {}\n---\n# T\n", "[".repeat(100_000));
    assert!(flaws("company/adrs/x.md", &deep)[0].contains("should be YAML"));
}
