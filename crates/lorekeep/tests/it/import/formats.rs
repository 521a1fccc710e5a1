//! Each format once: an exact report, found by a search, and nothing new the second time.

use std::io::Read;

use rusqlite::Connection;
use serde_json::json;

use super::Ground;

#[test]
fn the_reference_memory_server() {
    let ground = Ground::new();
    let file = ground.write(
        "memory.jsonl",
        r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea","works on Heron"]}
{"type":"entity","name":"Heron","entityType":"service","observations":[]}
{"type":"relation","from":"Ada","to":"Heron","relationType":"maintains"}
{"type":"tale"}
not json
"#,
    );
    let report = ground.whole("server-memory", &file, 5, 2);
    let place = report["skipped"][0]["place"].as_str().unwrap();
    assert!(place.ends_with("memory.jsonl:4"), "{place}");
    assert!(ground.found("tea").contains("Ada: likes tea"));
    let ada = ground.call("get_memory_object", &json!({"name": "Ada"})).to_string();
    assert!(ada.contains("maintains") && ada.contains("Heron"), "{ada}");
    assert!(ada.contains("likes tea; works on Heron"), "{ada}");
}

#[test]
fn instructions_and_automatic_memory_of_claude() {
    let ground = Ground::new();
    ground.write(
        "CLAUDE.md",
        "# Heron\n\nUse tabs.\n\n## Tests\n\nRun `make check`.\n\n```\n# no heading\n```\n",
    );
    ground.write(
        "MEMORY.md",
        "# Memory\n\n- [Deploy](deploy.md) — how to\n\n## Notes\n\nAda is on leave.\n",
    );
    ground.write(
        "deploy.md",
        "---\nname: deploy\ndescription: How Heron is deployed\ntype: feedback\n---\n\nBy hand, on Mondays.\n",
    );
    let report = ground.whole("claude", ground.dir(), 4, 1);
    assert_eq!(report["skipped"][0]["why"], "it only lists other files");
    let found = ground.found("how to run tests");
    assert!(found.contains("Heron > Tests\\n\\nRun `make check`."), "{found}");
    assert!(ground.found("deployed").contains("How Heron is deployed\\n\\nBy hand, on Mondays."));
}

#[test]
fn notes_of_basic_memory() {
    let ground = Ground::new();
    let file = ground.write(
        "coffee.md",
        "---\ntitle: Coffee\ntype: note\npermalink: coffee\ntags: [drink]\n---\n# Coffee\n\nAll about it.\n\n\
         ## Observations\n- [method] Pour over takes three minutes #brewing (slow)\n- [ ] buy beans\n\n\
         ## Relations\n- pairs_with [[Dessert]] (often)\n- [[Water]]\n",
    );
    // The thing, two others, two links, an observation, the prose and the list.
    ground.whole("basic-memory", &file, 8, 0);
    let found = ground.found("pour over brewing");
    assert!(found.contains("Coffee: Pour over takes three minutes"), "{found}");
    let coffee = ground.call("get_memory_object", &json!({"name": "Coffee"})).to_string();
    assert!(coffee.contains("pairs_with") && coffee.contains("Water"), "{coffee}");
}

#[test]
fn a_vault_of_obsidian() {
    let ground = Ground::new();
    ground.write(".obsidian/app.json", "{}");
    ground.write(
        "People/Ada.md",
        "---\ntags: [person]\ncreated: 2024-05-01\n---\nWorks on [[Projects/Heron|the heron]] #team/core.\n",
    );
    ground.write("Projects/Heron.md", "A service. See [[Ada]].\n\n## Plans\n\nShip in June.\n");
    let (_, report) = ground.import("auto", ground.dir(), &[]);
    assert_eq!((&report["guessed"][0]["format"], &report["new"]), (&"obsidian".into(), &7.into()));
    ground.whole("obsidian", ground.dir(), 0, 0);
    let found = ground.found("when do we ship");
    assert!(found.contains("Heron > Plans\\n\\nShip in June."), "{found}");
    assert!(ground.found("Works on").contains("team/core"));
    let ada = ground.call("get_memory_object", &json!({"name": "Ada"})).to_string();
    assert!(ada.contains("links to") && ada.contains("Heron"), "{ada}");
}

#[test]
fn an_export_of_mem0() {
    let ground = Ground::new();
    let file = ground.write(
        "mem0.json",
        r#"{"results": [
          {"id": "b1", "memory": "Likes pizza", "hash": "x", "metadata": {"category": "preference"},
           "created_at": "2024-07-26T10:29:36.630547-07:00", "updated_at": null, "user_id": "alex"},
          {"id": "b2", "memory": ""}]}"#,
    );
    ground.whole("mem0", &file, 1, 1);
    let memory = ground.kept("pizza");
    assert!(memory.contains("2024-07-26T17:29:36"), "{memory}");
}

/// The newest state of mcp-memory-service's own store is what comes in: nothing that it deleted or
/// replaced, and no golden rules.
#[test]
fn a_database_that_mcp_memory_service_wrote() {
    let ground = Ground::new();
    let packed =
        include_bytes!("../../fixtures/imports/mcp-memory-service-12.2.0/sqlite_vec.db.gz");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    let file = ground.write("sqlite_vec.db", bytes);
    let (code, report) = ground.import("auto", &file, &[]);
    let guessed = &report["guessed"][0]["format"];
    assert_eq!((code, guessed), (0, &json!("mcp-memory-service")), "{report}");
    let expected = include_str!("../../fixtures/imports/mcp-memory-service-12.2.0/expected.json");
    let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
    let count = |list: &str| expected[list].as_array().unwrap().len();
    let current = count("items") - count("superseded");
    let kept = ground.call("query_memories", &json!({"limit": 100}));
    assert_eq!(kept["total"], current, "{report}");
    assert_eq!(report["skipped"].as_array().unwrap().len(), count("deleted") + count("superseded"));
    assert!(!kept.to_string().contains("untagged"));
    let golden = ground.call("memory_list", &json!({"memory_type": "golden_rule"}));
    assert_eq!(golden["data"]["total"], 0, "{golden}");
}

#[test]
fn the_database_of_mcp_memory_service() {
    let ground = Ground::new();
    let file = ground.write("memory.db", "");
    Connection::open(&file)
        .unwrap()
        .execute_batch(
            r#"CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT,
                 tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL,
                 created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL);
               INSERT INTO memories VALUES
                 (1, 'h1', 'Ada prefers tabs', 'style,editor', 'preference', '{"source": "chat"}',
                  1719000000.5, 1719000000.5, NULL, NULL, NULL),
                 (2, 'h2', 'gone', '', 'note', NULL, 1, 1, NULL, NULL, 1719000000.0);"#,
        )
        .unwrap();
    let report = ground.whole("mcp-memory-service", &file, 1, 1);
    assert_eq!(report["skipped"][0]["why"], "it was deleted there");
    let memory = ground.kept("tabs");
    assert!(memory.contains("Ada prefers tabs") && memory.contains("2024-06-21"), "{memory}");
}

#[test]
fn the_database_of_theo() {
    let ground = Ground::new();
    let file = ground.write("theo.db", "");
    Connection::open(&file)
        .unwrap()
        .execute_batch(
            r#"CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT, memory_type TEXT,
                 namespace TEXT, tags TEXT, importance REAL, confidence REAL, created_at TEXT);
               INSERT INTO memories VALUES ('mem_1', 'Never force-push to main', 'golden_rule',
                 'global', '["git"]', 0.9, 0.95, '2025-01-01T00:00:00');"#,
        )
        .unwrap();
    ground.whole("theo", &file, 1, 0);
    assert!(ground.found("force push").contains("Never force-push to main"));
    let listed = ground.call("memory_list", &json!({})).to_string();
    assert!(listed.contains("golden_rule"), "{listed}");
}

#[test]
fn the_lines_of_agent_memory() {
    let ground = Ground::new();
    let file = ground.write(
        "memories.jsonl",
        r#"{"id":"7f1c1f0e-0000-4000-8000-000000000001","type":"core","content":"Prefers pytest","category":"preference","tags":["python"],"importance":"high","archived":false}
{"id":"7f1c1f0e-0000-4000-8000-000000000002","type":"task","content":"Write the release notes","importance":"low"}
"#,
    );
    ground.whole("agent-memory", &file, 2, 0);
    let listed = ground.call("query_memories", &json!({"type": "core"})).to_string();
    assert!(listed.contains("Prefers pytest") && listed.contains("high"), "{listed}");
}

#[test]
fn decisions_of_ledgermind_keep_their_ids_and_what_they_supersede() {
    let ground = Ground::new();
    ground.write(
        "semantic/aaaaaaaaaaaa.md",
        "---\nkind: decision\ncontent: Use MySQL\ntimestamp: '2024-01-01T10:00:00'\ncontext:\n  title: Use MySQL\n  \
         target: database\n  status: superseded\n  rationale: Everybody here knows it well.\n  superseded_by: bbbbbbbbbbbb.md\n---\n# Use MySQL\n",
    );
    ground.write(
        "semantic/bbbbbbbbbbbb.md",
        "---\nkind: decision\ntimestamp: '2024-02-01T10:00:00'\ncontext:\n  title: Use PostgreSQL\n  target: database\n  \
         status: active\n  rationale: We need transactions that hold.\n  supersedes: [aaaaaaaaaaaa]\n  consequences: [Learn it]\n---\n",
    );
    ground.write("semantic/README.md", "Just a note.\n");
    let (code, first) = ground.import("ledgermind", ground.dir(), &[]);
    assert_eq!((code, first["new"].as_u64()), (0, Some(2)), "{first:#}");
    assert_eq!(first["skipped"].as_array().unwrap().len(), 1, "{first:#}");
    let (_, again) = ground.import("ledgermind", ground.dir(), &[]);
    assert_eq!((again["new"].as_u64(), again["unchanged"].as_u64()), (Some(0), Some(2)));
    let decisions = ground.call("get_decisions", &json!({})).to_string();
    assert!(
        decisions.contains("Use PostgreSQL") && decisions.contains("bbbbbbbbbbbb"),
        "{decisions}"
    );
    let history = ground.call("get_decision_history", &json!({"fid": "bbbbbbbbbbbb"})).to_string();
    assert!(history.contains("aaaaaaaaaaaa"), "{history}");
}

#[test]
fn conversations_become_documents_and_no_memories() {
    let ground = Ground::new();
    let file = ground.write(
        "chatgpt/conversations.json",
        r#"[{"title": "Herons", "create_time": 1719000000.0, "update_time": 1719000100.0, "conversation_id": "c1",
            "current_node": "n3", "mapping": {
              "n1": {"id": "n1", "parent": null, "message": null},
              "n2": {"id": "n2", "parent": "n1", "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["How long do herons live?"]}}},
              "nx": {"id": "nx", "parent": "n2", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["A branch that was thrown away."]}}},
              "n3": {"id": "n3", "parent": "n2", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["About fifteen years."]}}}}},
           {"title": "Empty", "conversation_id": "c2", "mapping": {}}]"#,
    );
    ground.whole("chatgpt", &file, 1, 1);
    let other = ground.write(
        "claude/conversations.json",
        r#"[{"uuid": "u1", "name": "Storks", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:10:00Z",
            "chat_messages": [{"sender": "human", "text": "Where do storks nest?"},
                              {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "On chimneys."}]}]}]"#,
    );
    ground.whole("claude-export", &other, 1, 0);
    let found = ground.call("search", &json!({"query": "how long do herons live"})).to_string();
    assert!(found.contains("About fifteen years.") && found.contains("chatgpt:c1"), "{found}");
    assert!(!found.contains("thrown away"), "{found}");
    let found = ground.call("search", &json!({"query": "where do storks nest"})).to_string();
    assert!(found.contains("On chimneys."), "{found}");
    assert!(!ground.found("herons").contains("fifteen"));
}

#[test]
fn what_a_file_says_of_where_it_is_from_counts() {
    let ground = Ground::new();
    let clip = "---\ntitle: \"Clip\"\nsource: \"https://evil.example/heron\"\n---\nHeron is from the \
                mirror.\n\nSee [[Evil heron]].\n";
    let note = "---\ntitle: Egret\nurl: https://evil.example/egret\n---\n# Egret\n\n- [fact] Egret \
                is from the mirror\n";
    let plain =
        "---\nSource-URL: https://evil.example/ibis\n---\n# Ibis\n\nIbis is from the mirror\n";
    let long = json!([{"id": "1", "memory": "Stork is from the mirror",
                       "metadata": {"url": "https://evil.example", "pad": "x".repeat(21_000)}}]);
    for (format, name, text) in [
        ("obsidian", "vault/Clip.md", clip.to_owned()),
        ("basic-memory", "notes/egret.md", note.to_owned()),
        ("markdown", "ibis.md", plain.to_owned()),
        ("mem0", "mem0.json", long.to_string()),
    ] {
        let file = ground.write(name, text);
        assert_eq!(ground.import(format, &file, &[]).0, 0, "{format}");
    }
    let db = Connection::open(ground.store.path().join("lorekeep.db")).unwrap();
    let mut all = db.prepare("SELECT content, trust FROM memory").unwrap();
    let all = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let all: Vec<(String, String)> = all.map(Result::unwrap).collect();
    assert!(all.iter().filter(|(text, _)| text.contains("mirror")).count() == 4, "{all:?}");
    assert!(all.iter().all(|(_, trust)| trust == "web"), "{all:?}");
}
