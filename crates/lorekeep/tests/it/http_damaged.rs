//! A text of one tenant that is damaged, and what the others hear of it: nothing but that the store is.

use std::path::Path;

use serde_json::{Value, json};

use crate::http_tokens::{ask, call, new};
use crate::web::Http;

fn token(dir: &Path, name: &str) -> String {
    let (project, namespace) = (format!("p-{name}"), format!("ns-{name}"));
    let who = ["--name", name, "--user", name, "--role", "admin"];
    new(dir, &[&who[..], &["--project", &project, "--namespaces", &namespace]].concat())
}

/// What a tool answers, all of it.
fn said(http: &Http, token: &str, tool: &str, arguments: Value) -> String {
    call(http, token, tool, arguments).message()["result"].to_string()
}

fn field(answer: &str, name: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let value = &answer["structuredContent"][name];
    value.as_str().unwrap_or_else(|| panic!("{name}: {answer}")).to_owned()
}

#[test]
fn what_is_damaged_of_another_is_answered_like_what_nobody_has() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &["--toolsets", "all"]);
    let (ada, bob) = (token(dir.path(), "ada"), token(dir.path(), "bob"));
    let note = json!({"content": "alpha private plan", "layer": "user"});
    let memory = field(&said(&http, &ada, "memory_add", note), "memoryId");
    let because = "because zebras are steady";
    let decision = json!({"title": "Zebra decision", "target": "zebra", "rationale": because});
    let record = field(&said(&http, &ada, "record_decision", decision), "fid");
    drop(http);
    let db = rusqlite::Connection::open(dir.path().join("lorekeep.db")).unwrap();
    let changes = "UPDATE memory SET content = 'alphX private plan' WHERE content LIKE 'alpha%';
                   UPDATE record SET title = 'Zebrb decision'";
    db.execute_batch(changes).unwrap();
    drop(db);
    let http = Http::start(dir.path(), &["--toolsets", "all"]);
    let nobody = ("mem_0123456789ab4def8123456789abcdef", "0123456789ab");
    for (tool, name, more) in [
        ("validation_history", "memory_id", json!({})),
        ("memory_delete", "memoryId", json!({})),
        ("memory_validate", "memory_id", json!({"was_helpful": true})),
        ("update_memory", "id", json!({"tags": ["x"]})),
        ("memory_inspect_graph", "memory_id", json!({})),
        ("get_decisions", "fid", json!({})),
        ("get_decision_history", "fid", json!({})),
        ("update_decision", "fid", json!({"confidence": 0.5})),
        ("forget", "fid", json!({})),
    ] {
        let told = |id: &str| {
            let mut arguments = more.clone();
            arguments[name] = json!(id);
            said(&http, &bob, tool, arguments).replace(id, "$ID").replace(&id[4..], "$ID")
        };
        let (foreign, unknown) =
            if name == "fid" { (record.as_str(), nobody.1) } else { (memory.as_str(), nobody.0) };
        let dashed = |text: String| text.replace(['-', '"'], "");
        assert_eq!(dashed(told(foreign)).len(), dashed(told(unknown)).len(), "{tool}");
        assert!(!told(foreign).contains("damaged"), "{tool}: {}", told(foreign));
    }
    let hidden = [&memory[4..], record.as_str(), dir.path().to_str().unwrap(), "hash"];
    let hides = |text: &str| hidden.iter().all(|words| !text.replace('-', "").contains(words));
    let uri = format!("memory://memory/{memory}");
    let read = |token: &str| {
        let read = ask(&http, token, "resources/read", &uri, json!({"uri": uri}));
        read.message()["error"]["message"].to_string()
    };
    assert!(read(&bob).contains("not found"), "{}", read(&bob));
    let own = read(&ada);
    assert!(own.contains("the store is damaged") && hides(&own), "{own}");
    let refused = said(&http, &bob, "memory_add", json!({"content": "of bob"}));
    assert!(refused.contains("the store is damaged") && hides(&refused), "{refused}");
}
