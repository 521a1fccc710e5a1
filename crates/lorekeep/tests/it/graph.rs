//! `lorekeep graph`: a thing and what is around it.

use std::path::Path;

use serde_json::json;

use crate::cli::{json, run};

fn link(dir: &Path, from: &str, relation: &str, to: &str) {
    let link = json!({"from": from, "relation": relation, "to": to}).to_string();
    let (code, out, _) = run(dir, &["call", "add_memory_link", &link]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_thing_is_drawn_in_four_ways() {
    let dir = tempfile::tempdir().unwrap();
    link(dir.path(), "Heron", "uses", "a \"quoted\" thing");
    link(dir.path(), "Ada", "looks after", "Heron");
    link(dir.path(), "Ada", "works at", "Acme");
    let (code, out, _) = run(dir.path(), &["graph", "Heron"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Heron");
    assert!(lines[1].starts_with("  Heron ─ uses → a \"quoted\" thing  (since 20"), "{out}");
    assert!(lines[2].starts_with("  Ada ─ looks after → Heron"), "{out}");
    assert_eq!(lines.len(), 3);
    let (_, out, _) = run(dir.path(), &["graph", "Heron", "--format", "json", "--depth", "2"]);
    let picture = json(&out);
    assert_eq!(picture["things"].as_array().unwrap().len(), 4, "{picture}");
    assert_eq!(picture["links"].as_array().unwrap().len(), 3, "{picture}");
    let (_, out, _) = run(dir.path(), &["graph", "Heron", "--format", "mermaid"]);
    assert!(out.starts_with("flowchart LR\n    n0[\"Heron\"]\n"), "{out}");
    assert!(out.contains("n1[\"a #34;quoted#34; thing\"]"), "{out}");
    assert!(out.contains("n2 -->|\"looks after\"| n0"), "{out}");
    let (_, out, _) = run(dir.path(), &["graph", "Heron", "--format", "dot"]);
    assert!(out.contains("    \"Heron\" -> \"a \\\"quoted\\\" thing\" [label=\"uses\"];"), "{out}");
    let past = ["graph", "Heron", "--as-of", "2020-01-01T00:00:00Z"];
    let (code, out, _) = run(dir.path(), &past);
    assert_eq!((code, out.lines().count()), (0, 1), "{out}");
    let (code, _, err) = run(dir.path(), &["graph", "Stork"]);
    assert_eq!(code, 2);
    assert!(err.contains("Memory object not found: Stork"), "{err}");
}

#[test]
fn two_names_are_merged() {
    let dir = tempfile::tempdir().unwrap();
    link(dir.path(), "Heron", "uses", "Postgres");
    link(dir.path(), "Stork", "uses", "PostgreSQL");
    let (code, out, _) = run(dir.path(), &["graph", "merge", "Postgres", "PostgreSQL"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "Postgres is PostgreSQL from now on; 1 links were carried over\n")
    );
    let (_, out, _) = run(dir.path(), &["graph", "PostgreSQL"]);
    assert!(out.contains("Heron ─ uses") && out.contains("Stork ─ uses"), "{out}");
}
