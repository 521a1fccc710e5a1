//! Decisions that other tools wrote.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::samples::{self, ADR_TOOLS, Folder, LOG4BRAINS, MADR_2, MADR_3, MADR_4};
use super::{World, read};

/// All files below a folder with their texts.
fn texts(dir: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else {
            found.insert(path.to_string_lossy().into_owned(), read(&path));
        }
    }
    found
}

/// Imports a folder twice; what the first time told.
fn imported(world: &World, folder: Folder) -> Value {
    let dir = world.project().join("docs");
    samples::write(&dir, folder);
    let before = texts(&dir);
    let args = ["import", "adr", "docs", "--json"];
    let (code, out, err) = world.run(&[&args[..], &["--dry-run"]].concat());
    assert_eq!(code, 0, "{err}");
    let dry = crate::cli::json(&out);
    assert!(!world.home().exists(), "a dry run writes nothing");
    let (code, out, err) = world.run(&args);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(err, "");
    let first = crate::cli::json(&out);
    assert_eq!(dry["files"], first["files"]);
    let (written, commits) = (texts(&world.home().join("projects")), commits(world));
    assert_eq!(commits, 1);

    let (code, out, _) = world.run(&args);
    let again = crate::cli::json(&out);
    assert_eq!((code, &again["totals"]["new"], &again["commit"]), (0, &json!(0), &Value::Null));
    assert_eq!(again["totals"]["known"], first["totals"]["new"]);
    assert_eq!(texts(&world.home().join("projects")), written);
    assert_eq!(self::commits(world), 1);
    assert_eq!(texts(&dir), before, "the folder stays as it is");
    assert_eq!(world.told(&["list"])["failures"], json!([]));
    first
}

fn commits(world: &World) -> usize {
    world.git(&world.home(), &["log", "--format=%s"]).lines().count()
}

/// File, id, status and outcome of each file.
fn rows(imported: &Value) -> Vec<[String; 4]> {
    let files = imported["files"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let row = |file: &Value| ["file", "id", "status", "outcome"].map(|key| text(&file[key]));
    files.iter().map(row).collect()
}

fn is_same(rows: &[[String; 4]], expected: &[[&str; 4]]) {
    let rows: Vec<[&str; 4]> = rows.iter().map(|row| row.each_ref().map(String::as_str)).collect();
    assert_eq!(rows, expected);
}

#[test]
fn madr_with_a_list_below_the_title() {
    let world = World::new();
    let told = imported(&world, MADR_2);
    is_same(
        &rows(&told),
        &[
            ["0000-keep-records.md", "adr-0000-keep-records-of-what-we-decide", "accepted", "new"],
            ["0001-queue.md", "adr-0001-use-a-queue-rabbitmq-friends", "superseded", "new"],
            ["0002-log.md", "adr-0002-use-a-log", "accepted", "new"],
            ["index.md", "-", "-", "skipped"],
            ["template.md", "-", "-", "skipped"],
        ],
    );
    assert_eq!(told["totals"], json!({"new": 3, "known": 0, "skipped": 2, "failed": 0}));
    let first = world.told(&["show", "adr-0000-keep-records-of-what-we-decide"]);
    assert_eq!(first["metadata"]["deciders"], json!(["Ada", "Grace"]));
    assert_eq!(first["metadata"]["importedFrom"], "docs/0000-keep-records.md");
    assert_eq!(first["createdAt"], "2019-03-05T00:00:00.000000Z");
    assert_eq!(first["summary"], "Nobody remembers why.");
    assert_eq!(first["content"], MADR_2[2].1.trim_end(), "the text is kept whole");
    let queue = world.told(&["show", "adr-0001-use-a-queue-rabbitmq-friends"]);
    assert_eq!(queue["title"], "Use a queue: \"RabbitMQ\" & friends");
    assert_eq!(queue["supersededBy"], json!(["adr-0002-use-a-log"]));
    let search = r#"{"query": "keep records of decisions"}"#;
    let (_, out, _) = world.run(&["call", "memory_search", search]);
    assert!(out.contains("adr-0000-keep-records"), "{out}");
}

#[test]
fn madr_with_a_front_matter() {
    let world = World::new();
    let told = imported(&world, MADR_3);
    is_same(
        &rows(&told),
        &[
            ["decisions/0003-cache.md", "adr-0003-cache-at-the-edge", "accepted", "new"],
            ["decisions/0004-tokens.md", "adr-0004-short-tokens", "proposed", "new"],
        ],
    );
    let cache = world.told(&["show", "adr-0003-cache-at-the-edge"]);
    assert_eq!(cache["metadata"]["deciders"], json!(["Ada Lovelace", "Grace Hopper"]));
    assert_eq!(cache["metadata"]["importedStyle"], "madr");
}

#[test]
fn madr_of_today_and_a_status_that_nobody_knows() {
    let world = World::new();
    let told = imported(&world, MADR_4);
    is_same(
        &rows(&told),
        &[
            ["decisions/0010-regions.md", "adr-0010-two-regions", "rejected", "new"],
            ["decisions/0011-frozen.md", "adr-0011-a-frozen-thought", "proposed", "new"],
        ],
    );
    let notes = told["files"][1]["notes"][0].as_str().unwrap();
    assert!(notes.contains("\"on ice\" is unknown; taken as proposed"), "{notes}");
}

#[test]
fn adr_tools_and_its_links_both_ways() {
    let world = World::new();
    let told = imported(&world, ADR_TOOLS);
    is_same(
        &rows(&told),
        &[
            [
                "0001-record-architecture-decisions.md",
                "adr-0001-record-architecture-decisions",
                "accepted",
                "new",
            ],
            ["0002-use-mysql.md", "adr-0002-use-mysql", "superseded", "new"],
            ["0003-use-postgresql.md", "adr-0003-use-postgresql", "accepted", "new"],
        ],
    );
    let old = world.told(&["show", "adr-0002-use-mysql"]);
    assert_eq!(old["supersededBy"], json!(["adr-0003-use-postgresql"]));
    let new = world.told(&["show", "adr-0003-use-postgresql"]);
    assert_eq!(new["supersedes"], "adr-0002-use-mysql");
    // From here on it is an item like any other.
    world.knowledge(&["deprecate", "adr-0003-use-postgresql"]);
}

#[test]
fn log4brains_with_days_in_its_names() {
    let world = World::new();
    let told = imported(&world, LOG4BRAINS);
    is_same(
        &rows(&told),
        &[
            ["20210104-split-the-monolith.md", "20210104-split-the-monolith", "accepted", "new"],
            ["README.md", "-", "-", "skipped"],
            ["backend/adr/20210201-one-queue.md", "20210201-one-queue", "draft", "new"],
        ],
    );
    let split = world.told(&["show", "20210104-split-the-monolith"]);
    assert_eq!(split["tags"], json!(["backend", "teams"]));
    assert_eq!(split["createdAt"], "2021-01-05T00:00:00.000000Z");
    let queue = world.told(&["show", "20210201-one-queue"]);
    assert_eq!(queue["createdAt"], "2021-02-01T00:00:00.000000Z");
}

#[test]
fn one_that_fails_is_named_and_the_others_are_in() {
    let world = World::new();
    let dir = world.project().join("docs");
    samples::write(&dir, ADR_TOOLS);
    std::fs::write(dir.join("0004-untitled.md"), "## Status\n\nAccepted\n").unwrap();
    std::fs::write(dir.join("0005-latin.md"), b"# 5. Caf\xe9\n\n## Status\n\nAccepted\n").unwrap();
    std::fs::create_dir(dir.join("copy")).unwrap();
    std::fs::copy(dir.join("0002-use-mysql.md"), dir.join("copy/0002-use-mysql.md")).unwrap();
    for _ in 0..2 {
        let (code, out, err) = world.run(&["import", "adr", "docs"]);
        assert_eq!(code, 1, "{out}{err}");
        let failed: Vec<&str> = out.lines().filter(|line| line.contains("\tfailed\t")).collect();
        assert_eq!(failed.len(), 3, "{out}");
        assert!(failed[0].contains("0004-untitled.md") && failed[0].contains("no title"), "{out}");
        assert!(failed[1].contains("0005-latin.md") && failed[1].contains("UTF-8"), "{out}");
        assert!(failed[2].contains("is that of 0002-use-mysql.md already"), "{out}");
        assert!(err.contains("3 failed"), "{err}");
    }
    assert_eq!(world.told(&["list", "--all"])["items"].as_array().unwrap().len(), 3);
    let (code, _, err) = world.run(&["import", "adr", "nowhere"]);
    assert!(code == 1 && err.contains("nowhere: there is no such folder"), "{err}");
}

#[test]
fn the_same_first_decision_of_another_project_is_another_item() {
    let world = World::new();
    imported(&world, ADR_TOOLS);
    let other = world.dir.path().join("shop");
    samples::write(&other.join("docs"), ADR_TOOLS);
    for (new, known) in [(3, 0), (0, 3)] {
        let mut command = world.command();
        let output = command.current_dir(&other).args(["import", "adr", "docs", "--json"]).output();
        let told = crate::cli::json(&String::from_utf8(output.unwrap().stdout).unwrap());
        assert_eq!(told["totals"], json!({"new": new, "known": known, "skipped": 0, "failed": 0}));
        assert_eq!(told["files"][1]["id"], "adr-0002-use-mysql-shop");
    }
    let old = world.told(&["show", "adr-0002-use-mysql-shop"]);
    assert_eq!(old["supersededBy"], json!(["adr-0003-use-postgresql-shop"]));
}
