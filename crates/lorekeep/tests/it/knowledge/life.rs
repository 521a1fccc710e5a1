//! An item from its first word to its last.

use serde_json::json;

use super::{World, item, read};

#[test]
fn the_life_of_a_decision_is_told_by_git_step_by_step() {
    let world = World::new();
    let new = world.told(&[
        "new",
        "Use",
        "PostgreSQL",
        "--type",
        "adr",
        "--severity",
        "block",
        "--tag",
        "database",
        "--constraint",
        "must_not_use dependency mysql|mariadb",
    ]);
    let id = "adr-001-use-postgresql";
    assert_eq!(new["id"], id);
    let file = world.home().join("projects/web/adrs/adr-001-use-postgresql.md");
    assert_eq!(new["file"], file.to_str().unwrap());
    let text = read(&file);
    assert!(text.contains("## Context\n") && text.contains("## Consequences\n"), "{text}");
    assert_eq!(world.status(id), "draft");
    world.knowledge(&["propose", id]);
    world.knowledge(&["accept", id, "--reason", "Three teams ran it for a year."]);
    assert_eq!(world.status(id), "accepted");
    let check = r#"{"dependencies": [{"name": "mysql"}]}"#;
    let (_, out, _) = world.run(&["call", "knowledge_check", check]);
    assert!(out.contains("\"passed\":false"), "what is accepted binds: {out}");
    let search = r#"{"query": "use PostgreSQL"}"#;
    let (_, out, _) = world.run(&["call", "memory_search", search]);
    assert!(out.contains("adr-001-use-postgresql, accepted"), "{out}");

    world.knowledge(&["new", "Use PostgreSQL 18", "--type", "adr", "--id", "next"]);
    world.knowledge(&["propose", "next"]);
    let done = world.told(&["supersede", id, "next", "--reason", "It sorts faster."]);
    assert_eq!(done["id"], "next");
    let old = world.told(&["show", id]);
    assert_eq!((&old["status"], &old["supersededBy"]), (&json!("superseded"), &json!(["next"])));
    let next = world.told(&["show", "next", "--history"]);
    assert_eq!((&next["status"], &next["supersedes"]), (&json!("accepted"), &json!(id)));
    assert_eq!(next["history"].as_array().unwrap().len(), 3);
    world.knowledge(&["deprecate", "next"]);

    let log = world.git(&world.home(), &["log", "--reverse", "--format=%an|%s|%b"]);
    let log: Vec<&str> = log.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        log,
        [
            "lorekeep|knowledge: add adr-001-use-postgresql|Use PostgreSQL",
            "lorekeep|knowledge: propose adr-001-use-postgresql|",
            "lorekeep|knowledge: accept adr-001-use-postgresql|Three teams ran it for a year.",
            "lorekeep|knowledge: add next|Use PostgreSQL 18",
            "lorekeep|knowledge: propose next|",
            "lorekeep|knowledge: next supersedes adr-001-use-postgresql|It sorts faster.",
            "lorekeep|knowledge: deprecate next|",
        ]
    );
    assert_eq!(world.git(&world.home(), &["status", "--porcelain"]), "");
    let both = world.git(&world.home(), &["show", "--name-only", "--format=", "HEAD~1"]);
    assert_eq!(both.lines().count(), 2, "one commit for both: {both}");

    assert_eq!(world.told(&["list"])["items"], json!([]), "both are of the past");
    let all = world.told(&["list", "--all"]);
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    let list = world.knowledge(&["list", "--status", "deprecated", "--type", "adr"]);
    assert_eq!(list, "next\tadr\tproject\tdeprecated\tUse PostgreSQL 18\t0\n");
}

#[test]
fn a_step_keeps_the_rest_of_the_file_byte_for_byte() {
    let world = World::new();
    let front = "type: policy\r\n# who reads this is welcome\r\ntitle:   'Logs: kept'\r\n\
                 status: accepted   # by all\r\nlayer: company\r\nunknown: {a: 1}";
    let text = format!("\u{feff}---\r\n{front}\r\n---\r\nOne.  \r\n\r\n\tTwo.\r\n\r\n\r\n");
    let file = world.write("company/policies/logs.md", &text);
    world.knowledge(&["deprecate", "logs", "--reason", "Nobody reads them."]);
    let after = read(&file);
    let at = after.lines().find(|line| line.starts_with("updatedAt: ")).unwrap().to_owned();
    let expected = text
        .replace("status: accepted   # by all", "status: deprecated   # by all")
        .replace("unknown: {a: 1}\r\n", &format!("unknown: {{a: 1}}\r\n{at}\n"));
    assert_eq!(after.replace('\r', ""), expected.replace('\r', ""));
    assert_eq!(after.matches('\r').count(), text.matches('\r').count() + 1);
}

#[test]
fn an_item_is_written_from_a_file_or_from_standard_input() {
    use std::io::Write;
    let world = World::new();
    let body = world.dir.path().join("body.md");
    std::fs::write(&body, "# A heading of its own\n\nThe first words.\n\nMore.\n").unwrap();
    let body = body.to_str().unwrap();
    world.knowledge(&["new", "Logs", "--type", "spec", "--id", "logs", "--content", body]);
    let shown = world.told(&["show", "logs"]);
    assert_eq!(shown["title"], "Logs");
    assert_eq!(shown["summary"], "The first words.");
    assert_eq!(shown["content"], "# A heading of its own\n\nThe first words.\n\nMore.");

    let mut child = world
        .command()
        .args(["knowledge", "new", "Ünï \"quoted\": #1", "--type", "pattern", "--id", "odd"])
        .args(["--summary", "yes", "--content", "-", "--layer", "company"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"From a pipe.\n").unwrap();
    assert!(child.wait().unwrap().success());
    let shown = world.told(&["show", "odd"]);
    assert_eq!(shown["title"], "Ünï \"quoted\": #1");
    assert_eq!((&shown["summary"], &shown["layer"]), (&json!("yes"), &json!("company")));
    assert!(world.home().join("company/patterns/odd.md").is_file());
}

#[test]
fn an_item_goes_where_its_layer_and_its_owner_say() {
    let world = World::new();
    let place = |args: &[&str]| {
        let new = world.told(&[&["new", "A title", "--type", "policy"], args].concat());
        let file = new["file"].as_str().unwrap().to_owned();
        file.strip_prefix(world.home().to_str().unwrap()).unwrap().to_owned()
    };
    assert_eq!(place(&["--id", "a", "--layer", "company"]), "/company/policies/a.md");
    assert_eq!(place(&["--id", "b", "--layer", "team"]), "/teams/policies/b.md");
    let named = ["--id", "c", "--layer", "org", "--identity", "org=acme"];
    assert_eq!(place(&named), "/orgs/acme/policies/c.md");
    assert_eq!(place(&["--id", "d"]), "/projects/web/policies/d.md");
    assert_eq!(place(&[]), "/projects/web/policies/policy-001-a-title.md");
    assert_eq!(place(&[]), "/projects/web/policies/policy-002-a-title.md");
}

#[test]
fn what_is_shown_tells_how_long_a_waiver_holds() {
    let world = World::new();
    let front = "type: policy\nstatus: accepted\nseverity: block\ntitle: No eval\n\
                 constraints:\n  - {operator: must_not_use, target: code, pattern: 'eval\\(', \
                 appliesTo: src/**, message: Use the parser}\n\
                 waivers:\n  - {paths: src/old/**, reason: it goes, until: 2020-02-01}\n  \
                 - {reason: trial, until: 2999-01-01}";
    world.write("company/policies/no-eval.md", &item(front, "Because of what it lets in."));
    let shown = world.knowledge(&["show", "no-eval", "--history"]);
    assert!(shown.starts_with("no-eval No eval\n  accepted policy of company\n"), "{shown}");
    assert!(
        shown.contains("- must_not_use code eval\\( (block) in src/**: Use the parser\n"),
        "{shown}"
    );
    assert!(shown.contains("- in src/old/**: ran out on 2020-02-01 (it goes)\n"), "{shown}");
    assert!(shown.contains("- from all of it: until 2999-01-01, "), "{shown}");
    assert!(shown.contains("none: git does not know this file"), "{shown}");
}
