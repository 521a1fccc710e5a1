//! What other systems kept, taken in by the binary.

mod formats;
mod hostile;
mod round;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{json, run};

/// A store and a folder with files of others.
pub(super) struct Ground {
    store: tempfile::TempDir,
    files: tempfile::TempDir,
}

impl Ground {
    pub(super) fn new() -> Self {
        Self { store: tempfile::tempdir().unwrap(), files: tempfile::tempdir().unwrap() }
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.files.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(super) fn dir(&self) -> &Path {
        self.files.path()
    }

    /// Imports; the exit code and the report.
    pub(super) fn import(&self, format: &str, path: &Path, more: &[&str]) -> (i32, Value) {
        let mut args = vec!["import", format, path.to_str().unwrap(), "--json"];
        args.extend(more);
        let (code, out, err) = run(self.store.path(), &args);
        assert!(!out.is_empty(), "{err}");
        (code, json(&out))
    }

    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let (code, out, err) = run(self.store.path(), &["call", tool, &arguments.to_string()]);
        assert_eq!(code, 0, "{out}{err}");
        json(&out)
    }

    /// The texts that a search of memories finds.
    pub(super) fn found(&self, query: &str) -> String {
        let arguments = serde_json::json!({"query": query, "threshold": 0.0, "limit": 50});
        self.call("memory_search", &arguments).to_string()
    }

    /// The memories whose texts hold a word, as they are kept.
    pub(super) fn kept(&self, word: &str) -> String {
        self.call("query_memories", &serde_json::json!({"search": word})).to_string()
    }

    /// Imports a first, a dry and a second time: it tells first what it would do, and then there is
    /// nothing left to do.
    pub(super) fn whole(&self, format: &str, path: &Path, new: u64, skipped: usize) -> Value {
        let (code, dry) = self.import(format, path, &["--dry-run"]);
        assert_eq!((code, dry["new"].as_u64()), (0, Some(new)), "{dry:#}");
        let (code, first) = self.import(format, path, &[]);
        assert_eq!((code, first["new"].as_u64()), (0, Some(new)), "{first:#}");
        assert_eq!(first["skipped"].as_array().unwrap().len(), skipped, "{first:#}");
        let (code, again) = self.import(format, path, &[]);
        let counts = [&again["new"], &again["updated"]].map(Value::as_u64);
        assert_eq!((code, counts), (0, [Some(0), Some(0)]), "{again:#}");
        first
    }
}

#[test]
fn a_dry_run_stores_nothing() {
    let ground = Ground::new();
    let file = ground.write("m.json", r#"{"results": [{"id": "1", "memory": "Ada likes tea"}]}"#);
    let (code, report) = ground.import("mem0", &file, &["--dry-run"]);
    assert_eq!((code, &report["new"], &report["dryRun"]), (0, &1.into(), &true.into()));
    assert!(!ground.found("tea").contains("Ada likes tea"));
}

#[test]
fn what_changed_there_is_brought_up_to_date_unless_it_was_changed_here() {
    let ground = Ground::new();
    let two = |one: &str, other: &str| {
        format!(r#"[{{"id": "1", "memory": "{one}"}}, {{"id": "2", "memory": "{other}"}}]"#)
    };
    let file = ground.write("m.json", two("Ada likes tea", "Bob likes beer"));
    ground.import("mem0", &file, &[]);
    let found = ground.call("memory_search", &serde_json::json!({"query": "Bob beer"}));
    let id = found["results"][0]["memoryId"].as_str().unwrap();
    ground.call("update_memory", &serde_json::json!({"id": id, "content": "Bob likes wine"}));
    ground.write("m.json", two("Ada likes coffee", "Bob likes stout"));
    let (code, report) = ground.import("mem0", &file, &[]);
    assert_eq!((code, &report["updated"], &report["new"]), (0, &1.into(), &0.into()), "{report:#}");
    assert!(report["skipped"][0]["why"].as_str().unwrap().contains("changed here"), "{report:#}");
    let found = ground.found("what do Ada and Bob like");
    assert!(found.contains("Ada likes coffee") && found.contains("Bob likes wine"), "{found}");
    assert!(!found.contains("Ada likes tea"), "{found}");
}

#[test]
fn the_format_is_guessed_and_told() {
    let ground = Ground::new();
    let file = ground
        .write("x.jsonl", r#"{"type":"entity","name":"A","entityType":"t","observations":[]}"#);
    let (code, report) = ground.import("auto", &file, &[]);
    assert_eq!((code, &report["guessed"][0]["format"]), (0, &"server-memory".into()), "{report:#}");
    let file = ground.write("x.json", r#"{"nothing": 1}"#);
    let (code, report) = ground.import("auto", &file, &[]);
    assert_eq!(code, 1);
    assert!(report["failed"][0]["why"].as_str().unwrap().contains("cannot tell"), "{report:#}");
}

#[test]
fn a_person_reads_what_was_left_out() {
    let ground = Ground::new();
    let lines = (0..25).map(|at| format!("{{\"id\": {at}}}\n")).collect::<String>();
    let file = ground.write("m.jsonl", lines + r#"{"id": 99, "memory": "Ada likes tea"}"#);
    let (code, out, err) =
        run(ground.store.path(), &["import", "mem0", file.to_str().unwrap(), "--layer", "project"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.lines().count(), 21, "{out}");
    assert!(out.contains("m.jsonl:1\tit has no memory"), "{out}");
    assert!(out.ends_with("1 new, 0 updated, 0 unchanged, 25 left out, 0 failed\n"), "{out}");
    assert!(err.contains("and 5 more"), "{err}");
}
