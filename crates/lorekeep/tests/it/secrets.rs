//! No way in keeps a secret: each is gone with one, and then every byte of the store is looked at.
//! The tools have such a test of their own, over all of their fields.

mod commands;
mod hooks;

use std::path::Path;
use std::process::Command;

use providers::import::Format;
use rusqlite::Connection;
use serde_json::json;

use crate::cli::{json, run};
use crate::hooks::Place;

/// What is drawn of the secret.
const CORE: &str = "A7kD93lMq0XzR5tB8wNy2VhC6jFe4SgP1uRi";

/// A secret, put together here so that none stands in a source.
fn secret() -> String {
    format!("ghp_{CORE}")
}

/// Whether some of the secret is in these bytes.
fn holds_secret(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let core = CORE.to_ascii_lowercase();
    (0..core.len() - 12).step_by(6).any(|at| text.contains(&core[at..at + 12]))
}

/// The files of a store that hold the secret; of a repository, what its objects hold.
fn holders(dir: &Path) -> Vec<String> {
    let (mut found, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = dirs.pop() {
        if dir.file_name().is_some_and(|name| name == ".git") {
            let mut git = Command::new("git");
            git.arg("--git-dir").arg(&dir).args(["cat-file", "--batch", "--batch-all-objects"]);
            let objects = git.output().unwrap();
            assert!(objects.status.success());
            found.extend(holds_secret(&objects.stdout).then(|| "an object of git".to_owned()));
        }
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            if holds_secret(entry.file_name().as_encoded_bytes()) {
                found.push(format!("the name {}", entry.path().display()));
            }
            match entry.file_type().unwrap().is_dir() {
                true => dirs.push(entry.path()),
                false if holds_secret(&std::fs::read(entry.path()).unwrap()) => {
                    found.push(entry.path().display().to_string());
                }
                false => {}
            }
        }
    }
    found
}

#[track_caller]
fn nothing_is_kept(dir: &Path) {
    assert_eq!(holders(dir), [""; 0]);
}

#[test]
fn a_project_may_not_let_secrets_in() {
    let place = Place::new();
    let toml = place.project().join("lorekeep.toml");
    std::fs::write(&toml, "[secrets]\npolicy = \"keep\"\n").unwrap();
    let output = place.command(&["add", "x"]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && err.contains("a project may only set a stricter policy"),
        "{err}"
    );
    std::fs::write(&toml, "[secrets]\npolicy = \"refuse\"\n").unwrap();
    place.run(&["add", "x"]);
}

/// What tags and entities part in the source is whole in the text that is made of it.
#[test]
fn pages_are_indexed_without_their_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let (store, files) = (dir.path().join("store"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let (key, page) = (secret(), files.join("a.html"));
    let (one, other) = key.split_at(12);
    let text = format!(
        "<h1>Keys <b>{one}</b>{other}</h1><p>old <span>{one}</span><span>{other}</span></p>\
         <p>new g&#104;p_{CORE}</p>"
    );
    std::fs::write(&page, text).unwrap();
    let (code, out, err) = run(&store, &["index", files.to_str().unwrap()]);
    assert!(code == 0 && out.contains("redacted"), "{out}{err}");
    nothing_is_kept(&store);
}

#[test]
fn files_are_indexed_without_their_secrets_and_their_lines_stay_where_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let (store, files) = (dir.path().join("store"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let lines = format!("{}\n{}\n", &CORE[..32].repeat(2), &CORE[4..].repeat(2));
    let key = format!("-----BEGIN PRIV{0}-----\n{lines}-----END PRIV{0}-----", "ATE KEY");
    let text =
        format!("# Keys\n\nThe old one is {}.\n\n{key}\n\n# Herons\n\nThey nest.\n", secret());
    std::fs::write(files.join("a.md"), &text).unwrap();
    std::fs::write(files.join("b.py"), format!("TOKEN = \"{}\"\n", secret())).unwrap();
    let path = files.to_str().unwrap();
    let (code, out, err) = run(&store, &["index", path]);
    assert!(code == 0 && out.contains("secrets: 3 redacted"), "{out}{err}");
    nothing_is_kept(&store);
    let query = json!({"query": "herons nest", "n_results": 1}).to_string();
    let (_, out, _) = run(&store, &["call", "search", &query]);
    assert!(out.contains("They nest.") && out.contains("\"start_line\":10"), "{out}");
    let one = json!({"file_path": files.join("b.py")}).to_string();
    let (code, out, _) = run(&store, &["call", "index_file", &one, "--root", path]);
    assert!(code == 0, "{out}");
    nothing_is_kept(&store);
    assert_eq!(
        std::fs::read_to_string(files.join("a.md")).unwrap(),
        text,
        "the file is the person's"
    );
}

/// A file of each format with the secret in it; the formats are counted against the list.
fn foreign(dir: &Path) -> Vec<(&'static str, std::path::PathBuf)> {
    let key = secret();
    let write = |name: &str, text: String| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let database = |name: &str, sql: &str| {
        let path = dir.join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    };
    let chat = json!([{"title": key, "conversation_id": "c1", "current_node": "n", "mapping": {"n":
        {"id": "n", "parent": null, "message": {"author": {"role": "user"},
        "content": {"content_type": "text", "parts": [format!("Use {key} for it")]}}}}}]);
    let claude = json!([{"uuid": "u1", "name": key, "chat_messages": [{"sender": "human",
        "text": format!("Use {key} for it")}]}]);
    let memory = json!({"results": [{"id": "b1", "memory": format!("Use {key} here"),
        "metadata": {"category": key, key.clone(): 1, "api_token": key}}]});
    let entity = json!({"type": "entity", "name": key, "entityType": key, "observations": [key]});
    let relation = json!({"type": "relation", "from": key, "to": "Heron", "relationType": key});
    let note = json!({"id": "7f1c1f0e-0000-4000-8000-000000000001", "type": "core",
        "content": format!("Notes use {key} here"), "category": key, "tags": [key]});
    vec![
        ("server-memory", write("server.jsonl", format!("{entity}\n{relation}\n"))),
        ("claude", write("c/CLAUDE.md", format!("# Heron\n\nUse {key} here.\n"))),
        ("basic-memory", write("basic.md", format!("---\ntitle: Coffee\npermalink: coffee\n---\n# Coffee\n\nWith {key}.\n\n## Observations\n- [method] Pour {key} over #brewing\n\n## Relations\n- pairs_with [[{key}]]\n"))),
        ("obsidian", write("vault/Ada.md", format!("---\ntags: [person]\n---\nWorks with {key} on [[Heron]].\n"))),
        ("markdown", write("notes/n.md", format!("# N\n\n- Use {key} here\n\nAnd {key}.\n"))),
        ("mem0", write("mem0.json", memory.to_string())),
        ("mcp-memory-service", database("service.db", &format!("CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL); INSERT INTO memories VALUES (1, 'h1', 'Use {key}', '{key}', 'preference', '{{\"source\": \"{key}\"}}', 1.5, 1.5, NULL, NULL, NULL);"))),
        ("ledgermind", write("lm/semantic/bbbbbbbbbbbb.md", format!("---\nkind: decision\ntimestamp: '2024-02-01T10:00:00'\ncontext:\n  title: Use {key}\n  target: database\n  status: active\n  rationale: We need {key} for it.\n  consequences: ['{key}']\n---\n")).parent().unwrap().parent().unwrap().to_owned()),
        ("theo", database("theo.db", &format!("CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT, memory_type TEXT, namespace TEXT, tags TEXT, importance REAL, confidence REAL, created_at TEXT); INSERT INTO memories VALUES ('mem_1', 'Theo uses {key} here', 'fact', 'global', '[\"{key}\"]', 0.9, 0.9, '2025-01-01T00:00:00');"))),
        ("agent-memory", write("agent.jsonl", format!("{note}\n"))),
        ("chatgpt", write("chatgpt/conversations.json", chat.to_string())),
        ("claude-export", write("claude/conversations.json", claude.to_string())),
    ]
}

#[test]
fn every_format_is_imported_without_its_secrets_whatever_the_policy_but_to_keep_them() {
    let dir = tempfile::tempdir().unwrap();
    let all = foreign(dir.path());
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, Format::ALL.map(Format::name));
    for policy in ["refuse", "redact"] {
        let store = dir.path().join(policy);
        for (format, path) in &all {
            let path = path.to_str().unwrap();
            let args = ["import", format, path, "--json", "--secrets", policy];
            let (code, out, err) = run(&store, &args);
            assert_eq!(code, 0, "{format}: {out}{err}");
            let report = json(&out);
            assert!(report["new"].as_u64() > Some(0), "{format}: {report:#}");
            assert!(report["secretsRedacted"].as_u64() > Some(0), "{format}: {report:#}");
            assert_eq!(holders(&store), [""; 0], "{format}");
            let (_, out, _) = run(&store, &args);
            assert_eq!(json(&out)["new"], 0, "{format}: known the second time");
        }
    }
    let mem0 = dir.path().join("mem0.json");
    let (_, out, _) = run(&dir.path().join("refuse"), &["import", "mem0", mem0.to_str().unwrap()]);
    assert!(out.contains("redacted"), "{out}");
    for (format, path) in &all {
        let store = dir.path().join(format!("keep-{format}"));
        let args = ["import", format, path.to_str().unwrap(), "--json", "--secrets", "keep"];
        let (code, out, err) = run(&store, &args);
        assert_eq!(code, 0, "{format}: {out}{err}");
        assert_eq!(json(&out)["secretsRedacted"], 0, "{format}: {out}");
        assert!(!holders(&store).is_empty(), "{format}: the look finds what is there");
    }
}

#[test]
fn an_export_of_a_store_with_secrets_is_taken_without_them() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old"), dir.path().join("new"));
    let keep = |args: &[&str]| {
        let (code, out, err) = run(&old, &[args, &["--secrets", "keep"]].concat());
        assert_eq!(code, 0, "{args:?}: {out}{err}");
    };
    let text = format!("Deploy with {} today", secret());
    let call =
        |tool: &str, arguments: serde_json::Value| keep(&["call", tool, &arguments.to_string()]);
    call(
        "memory_add",
        json!({"content": text, "layer": "user", "tags": [secret()], "metadata": {"a": text}}),
    );
    call("memory_store", json!({"content": format!("{text} again")}));
    call(
        "record_decision",
        json!({"title": "Use a key for CI", "target": "ci", "rationale": text}),
    );
    call("bridge-record", json!({"prompt": text, "response": text}));
    call(
        "add_memory_link",
        json!({"from": "CI", "relation": "uses", "to": secret(), "summary": text}),
    );
    keep(&["knowledge", "new", "--type", "policy", "Keys", "--summary", &text]);
    let file = dir.path().join("a.md");
    std::fs::write(&file, &text).unwrap();
    keep(&["index", file.to_str().unwrap()]);
    assert!(!holders(&old).is_empty());
    let export = dir.path().join("export");
    let export = export.to_str().unwrap();
    let (code, _, err) = run(&old, &["export", export]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = run(&new, &["import", "lorekeep", export, "--json"]);
    assert_eq!(code, 0, "{out}{err}");
    let report = json(&out);
    assert!(report["secretsRedacted"].as_u64() >= Some(6), "{report:#}");
    assert!(
        report["skipped"].to_string().contains("it holds what looks like a secret"),
        "{report:#}"
    );
    assert_eq!(report["decisions"], 1, "{report:#}");
    nothing_is_kept(&new);
    let (_, out, _) = run(&new, &["call", "get_decisions", "{}"]);
    assert!(out.contains("Use a key for CI"), "{out}");
}

#[test]
fn what_a_person_wrote_is_told_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path();
    let decided = run(
        store,
        &["decide", "Use a key", "--target", "ci", "--because", "It must be signed.", "--json"],
    );
    assert_eq!(decided.0, 0, "{}", decided.2);
    let path = json(&decided.1)["path"].as_str().unwrap().to_owned();
    let edited = std::fs::read_to_string(&path).unwrap().replace("It must be signed.", &secret());
    std::fs::write(&path, &edited).unwrap();
    let (_, out, _) = run(store, &["call", "sync_git", "{}"]);
    assert!(out.contains("it holds what looks like a secret (github token)"), "{out}");
    assert!(!holds_secret(out.as_bytes()), "{out}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
    assert_eq!(holders(store), [path.as_str()], "not in git, not in the rows");
    let items = store.join("knowledge/company/policies");
    std::fs::create_dir_all(&items).unwrap();
    let item = items.join("keys.md");
    let text = format!(
        "---\nstatus: accepted\nsummary: Use {0}\ntags: ['{0}']\n---\n# Keys {0}\n",
        secret()
    );
    std::fs::write(&item, &text).unwrap();
    let broken = items.join("broken.md");
    std::fs::write(&broken, format!("---\nstatus: {0}\nseverity: {0}\n---\n# T\n", secret()))
        .unwrap();
    let (_, out, _) = run(store, &["call", "sync_now", "{}"]);
    assert!(out.contains("broken.md") && !holds_secret(out.as_bytes()), "{out}");
    assert_eq!(std::fs::read_to_string(&item).unwrap(), text);
    let mut mine = vec![path, item.display().to_string(), broken.display().to_string()];
    let mut found = holders(store);
    mine.sort();
    found.sort();
    assert_eq!(found, mine);
    let (_, out, _) = run(store, &["search", "keys"]);
    assert!(out.contains("[redacted github token]"), "{out}");
}

#[test]
fn adrs_are_imported_without_their_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let (store, adrs) = (dir.path().join("store"), dir.path().join("adr"));
    std::fs::create_dir(&adrs).unwrap();
    let text = |title: &str| {
        format!(
            "# {title}\n\nDate: 2024-01-01\n\n## Status\n\nAccepted\n\n## Context\n\nIt is {0}.\n\n## Decision\n\nWe use {0}.\n",
            secret()
        )
    };
    let slug = format!("use-x-{}", secret().to_lowercase().replace('_', "-"));
    for (file, title) in [
        ("0001-use-a-key.md".to_owned(), "1. Use a key".to_owned()),
        ("0002-use-x.md".to_owned(), format!("2. Use X {}", secret())),
        (format!("0003-{slug}.md"), format!("3. Use X {}", secret())),
        (format!("{slug}.md"), format!("Use X again {}", secret())),
        (format!("use-{}.md", secret()), "Use another key".to_owned()),
    ] {
        std::fs::write(adrs.join(file), text(&title)).unwrap();
    }
    let (code, out, err) = run(&store, &["import", "adr", adrs.to_str().unwrap(), "--json"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("secrets: 2 redacted"), "{out}");
    let report = json(&out);
    assert_eq!(report["totals"]["new"], 5, "{report:#}");
    nothing_is_kept(&store);
    let ids = report["files"].to_string();
    assert!(ids.contains("adr-0002-use-x-redacted-github-token"), "{ids}");
    let (code, out, err) = run(&store, &["import", "adr", adrs.to_str().unwrap(), "--json"]);
    assert_eq!((code, &json(&out)["totals"]["new"]), (0, &0.into()), "{out}{err}");
}

#[test]
fn a_file_whose_name_holds_a_secret_is_told_and_not_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let (store, files) = (dir.path().join("store"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let named = files.join(format!("{}.md", secret()));
    std::fs::write(&named, "# Pears\n\nThey are ripe.\n").unwrap();
    std::fs::write(files.join("plums.md"), "# Plums\n\nThey are blue.\n").unwrap();
    let (_, out, err) = run(&store, &["index", files.to_str().unwrap()]);
    let told = format!("{out}{err}");
    assert!(told.contains("its name holds what looks like a secret (github token)"), "{told}");
    assert!(!holds_secret(told.as_bytes()), "{told}");
    let one = json!({"file_path": named}).to_string();
    let root = files.to_str().unwrap();
    let (code, out, err) = run(&store, &["call", "index_file", &one, "--root", root]);
    assert!(code != 0 && out.contains("secret (github token)"), "{out}{err}");
    nothing_is_kept(&store);
    let (_, out, _) = run(&store, &["call", "search", r#"{"query": "blue plums"}"#]);
    assert!(out.contains("They are blue."), "{out}");
    let (code, out, err) = run(&store, &["index", files.to_str().unwrap(), "--secrets", "keep"]);
    assert!(code == 0 && !holders(&store).is_empty(), "{out}{err}");
}

#[test]
fn an_item_whose_name_holds_a_secret_is_told_and_no_row() {
    let dir = tempfile::tempdir().unwrap();
    let items = dir.path().join("knowledge/company/policies");
    std::fs::create_dir_all(&items).unwrap();
    let file = items.join(format!("{}.md", secret()));
    std::fs::write(&file, "---\nstatus: accepted\n---\n# Keys\n\nThey rotate.\n").unwrap();
    let (_, out, _) = run(dir.path(), &["call", "sync_now", "{}"]);
    assert!(out.contains("its name or its id holds what looks like a secret"), "{out}");
    assert!(!holds_secret(out.as_bytes()), "{out}");
    assert_eq!(holders(dir.path()), [format!("the name {}", file.display())]);
}
