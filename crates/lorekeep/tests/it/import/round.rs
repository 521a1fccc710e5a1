//! A store that uses everything, exported and taken into an empty one, gives the same answers.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{json, run};

fn call(dir: &Path, tool: &str, arguments: &Value) -> Value {
    let (code, out, err) = run(dir, &["call", tool, &arguments.to_string()]);
    assert_eq!(code, 0, "{tool} {arguments}: {out}{err}");
    json(&out)
}

/// A store with something of every kind; the questions that are asked of it.
fn fill(dir: &Path, files: &Path) -> Vec<(&'static str, Value)> {
    for layer in ["user", "project", "team"] {
        let new =
            json!({"content": format!("The {layer} likes tea"), "layer": layer, "tags": ["drink"]});
        call(dir, "memory_add", &new);
    }
    let store = |content: &str, kind: &str| {
        let new = json!({"content": content, "memory_type": kind, "importance": 0.9});
        call(dir, "memory_store", &new)["data"]["id"].as_str().unwrap().to_owned()
    };
    let rule = store("Never force-push to main", "fact");
    let old = store("We deploy on Fridays", "decision");
    let new = store("We deploy on Mondays", "decision");
    for _ in 0..20 {
        call(dir, "memory_validate", &json!({"memory_id": rule, "was_helpful": true}));
    }
    call(
        dir,
        "memory_outcome",
        &json!({"memory_id": old, "success": false, "error_msg": "it broke"}),
    );
    call(
        dir,
        "memory_relate",
        &json!({"source_id": new, "relation": "supersedes", "target_id": old}),
    );
    let note = json!({"type": "core", "content": "Prefers pytest", "category": "preference"});
    call(dir, "store_memory", &note);
    let task = json!({"type": "task", "content": "Write the release notes"});
    let task = call(dir, "store_memory", &task)["id"].clone();
    call(dir, "update_memory", &json!({"id": task, "archived": true}));
    let decision = |title: &str, target: &str| {
        let rationale = "It holds, and everybody here knows it.";
        json!({"title": title, "target": target, "rationale": rationale, "consequences": ["Learn it"]})
    };
    let first = call(dir, "record_decision", &decision("Use MySQL for production", "database"));
    let first = first["fid"].as_str().unwrap();
    let mut next = decision("Use PostgreSQL for production", "database");
    next["fid"] = json!(first);
    call(dir, "supersede_decision", &next);
    let found = call(dir, "get_decisions", &json!({"target": "database", "status": "active"}));
    let next = found["decisions"][0]["fid"].as_str().unwrap().to_owned();
    call(dir, "record_decision", &decision("Rotate the keys monthly", "secrets"));
    let events = call(dir, "get_recent_events", &json!({"limit": 10}));
    let event = events["events"][0]["event_id"].as_str().or(events["events"][0]["id"].as_str());
    let event = event.unwrap_or_else(|| panic!("{events:#}"));
    call(dir, "link_evidence", &json!({"event_id": event, "decision_ids": [next]}));
    let employed =
        json!({"from": "Ada", "relation": "works at", "to": "Acme", "summary": "An engineer"});
    call(dir, "add_memory_link", &employed);
    call(dir, "add_memory_link", &json!({"from": "Ada", "relation": "maintains", "to": "Heron"}));
    call(
        dir,
        "invalidate_memory_link",
        &json!({"from": "Ada", "relation": "works at", "to": "Acme"}),
    );
    let file = files.join("guide.md");
    std::fs::write(&file, "# Guide\n\nRestart the queue first.\n\n## Logs\n\nThey lie in var.\n")
        .unwrap();
    let (file, root) = (json!({"file_path": file}).to_string(), files.to_str().unwrap());
    let (code, out, err) = run(dir, &["call", "index_file", &file, "--root", root]);
    assert_eq!(code, 0, "{out}{err}");
    let item = [
        "knowledge",
        "new",
        "No MySQL",
        "--type",
        "policy",
        "--id",
        "no-mysql",
        "--layer",
        "company",
    ];
    let (code, out, err) = run(dir, &item);
    assert_eq!(code, 0, "{out}{err}");
    vec![
        ("memory_search", json!({"query": "tea", "threshold": 0.0})),
        ("memory_search", json!({"query": "when do we deploy", "threshold": 0.0})),
        ("query_memories", json!({"archived": true, "sort_by": "created_at"})),
        ("memory_list", json!({"limit": 100})),
        ("memory_inspect_graph", json!({"memory_id": new, "max_depth": 3})),
        ("validation_history", json!({"memory_id": rule})),
        ("validation_history", json!({"memory_id": old})),
        ("get_decisions", json!({"limit": 50})),
        ("get_decision_history", json!({"fid": next})),
        ("get_memory_object", json!({"name": "Ada"})),
        ("get_memory_object", json!({"name": "Ada", "as_of": "2020-01-01T00:00:00Z"})),
        ("search", json!({"query": "restart the queue"})),
        ("knowledge_query", json!({"query": "mysql"})),
        ("get_index_stats", json!({})),
    ]
}

/// An answer without what belongs to one store: the numbers of chunks, edges and events, scores of what
/// was asked when, and readings that the questions themselves leave.
fn plain(value: &mut Value) {
    const OWN: [&str; 12] = [
        "accessed_at",
        "access_count",
        "accessedAt",
        "accessCount",
        "last_accessed",
        "edge_id",
        "event_id",
        "chunk_id",
        "took_ms",
        "score",
        "path",
        "index_size_bytes",
    ];
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !OWN.contains(&key.as_str()));
            // What points to knowledge is made anew by each sync.
            let points = |text: &Value| text.as_str().is_some_and(|text| text.contains("(policy "));
            if object.get("content").is_some_and(points) {
                object.retain(|key, _| !["id", "memoryId"].contains(&key.as_str()));
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(list) => list.iter_mut().for_each(plain),
        _ => {}
    }
}

fn export(store: &Path, to: &Path) {
    let (code, out, err) = run(store, &["export", to.to_str().unwrap()]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn an_export_taken_into_an_empty_store_gives_the_same_answers() {
    let [one, other, files, out] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let questions = fill(one.path(), files.path());
    let (first, second) = (out.path().join("first"), out.path().join("second"));
    export(one.path(), &first);
    let import = ["import", "lorekeep", first.to_str().unwrap(), "--json"];
    let (code, told, err) = run(other.path(), &import);
    assert_eq!(code, 0, "{told}{err}");
    assert_eq!(json(&told)["skipped"], json!([]), "{told}");
    export(other.path(), &second);
    for name in [
        "memories.jsonl",
        "edges.jsonl",
        "events.jsonl",
        "facts.jsonl",
        "documents.jsonl",
        "memories.md",
    ] {
        let read = |dir: &Path| std::fs::read_to_string(dir.join(name)).unwrap();
        assert_eq!(read(&first), read(&second), "{name}");
        assert!(!read(&first).is_empty(), "{name}");
    }
    let episodes = |dir: &Path| {
        let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(episodes(&first), episodes(&second));
    for (tool, arguments) in questions {
        let [mut was, mut is] = [one.path(), other.path()].map(|dir| call(dir, tool, &arguments));
        plain(&mut was);
        plain(&mut is);
        assert_eq!(was, is, "{tool} {arguments}");
    }
    let (code, again, _) = run(other.path(), &import);
    let again = json(&again);
    assert_eq!((code, &again["new"], &again["updated"]), (0, &json!(0), &json!(0)), "{again:#}");
}

#[test]
fn an_export_is_for_nobody_but_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let (store, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let decision = json!({"title": "Use tabs", "target": "style", "rationale": "They are shorter"});
    call(store.path(), "record_decision", &decision);
    let item = store.path().join("knowledge/company/adrs/tabs.md");
    std::fs::create_dir_all(item.parent().unwrap()).unwrap();
    std::fs::write(&item, "---\nstatus: accepted\n---\n# Tabs\n\nTabs.\n").unwrap();
    let dir = out.path().join("export");
    export(store.path(), &dir);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for entry in std::fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    assert_eq!(mode(&dir.join("knowledge/company/adrs/tabs.md")), 0o600);
}

#[test]
fn an_export_that_was_tampered_with_is_refused() {
    let [one, other, out] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    call(one.path(), "memory_add", &json!({"content": "Ada likes tea"}));
    let dir = out.path().join("export");
    export(one.path(), &dir);
    let memories = dir.join("memories.jsonl");
    let text = std::fs::read_to_string(&memories).unwrap();
    std::fs::write(&memories, text.replace("tea", "gin")).unwrap();
    let (code, _, err) = run(other.path(), &["import", "lorekeep", dir.to_str().unwrap()]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("memories.jsonl is not what was exported"), "{err}");
    let found = call(other.path(), "memory_search", &json!({"query": "Ada"}));
    assert_eq!(found["totalCount"], 0, "{found}");
}

#[test]
fn two_stores_are_merged_and_the_newer_of_two_stays() {
    let [one, other, out] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let decide = |dir: &Path, title: &str| {
        let target = title.split(' ').next_back().unwrap().to_lowercase();
        let new = json!({"title": title, "target": target, "rationale": "It is the best we know."});
        call(dir, "record_decision", &new);
    };
    call(one.path(), "memory_add", &json!({"content": "Ada likes tea"}));
    decide(one.path(), "Settle on Rust");
    call(other.path(), "memory_add", &json!({"content": "Bob likes beer"}));
    decide(other.path(), "Settle on Postgres");
    let dir = out.path().join("export");
    export(one.path(), &dir);
    let (code, told, err) = run(other.path(), &["import", "lorekeep", dir.to_str().unwrap()]);
    assert_eq!(code, 0, "{told}{err}");
    let decisions = call(other.path(), "get_decisions", &json!({})).to_string();
    assert!(decisions.contains("Rust") && decisions.contains("Postgres"), "{decisions}");
    let found = call(other.path(), "memory_search", &json!({"query": "likes", "threshold": 0.0}));
    assert!(found.to_string().contains("tea") && found.to_string().contains("beer"), "{found}");
    let id = call(one.path(), "memory_search", &json!({"query": "tea"}))["results"][0]["memoryId"]
        .clone();
    call(one.path(), "update_memory", &json!({"id": id, "content": "Ada likes coffee"}));
    let newer = out.path().join("newer");
    export(one.path(), &newer);
    for (from, updated) in [(&newer, 1), (&dir, 0)] {
        let import = ["import", "lorekeep", from.to_str().unwrap(), "--json"];
        let (code, told, err) = run(other.path(), &import);
        assert_eq!((code, &json(&told)["updated"]), (0, &json!(updated)), "{told}{err}");
    }
    let found = call(other.path(), "memory_search", &json!({"query": "likes", "threshold": 0.0}));
    assert!(
        found.to_string().contains("coffee") && !found.to_string().contains("likes tea"),
        "{found}"
    );
    let again = out.path().join("export");
    let (code, _, err) = run(one.path(), &["export", again.to_str().unwrap()]);
    assert_eq!(code, 1);
    assert!(err.contains("is not empty"), "{err}");
}
