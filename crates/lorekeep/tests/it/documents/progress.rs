//! How far a long call is, and its end before its time.

use std::path::Path;

use serde_json::{Value, json};

use super::{chunks, text, write};
use crate::support::{Stdio1, reply};

/// A server with every tool that may read these documents.
fn start(store: &Path, docs: &Path) -> Stdio1 {
    Stdio1::start(store, &["--toolsets", "all", "--root", text(docs)])
}

fn make(docs: &Path, files: u64) {
    for number in 0..files {
        write(docs, &format!("{number}.md"), super::many::text_of(number));
    }
}

fn call(docs: &Path, token: &Value) -> Value {
    json!({"name": "index_directory", "arguments": {"dir_path": text(docs)},
           "_meta": {"progressToken": token}})
}

#[test]
fn progress_grows_and_is_complete_before_the_answer() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    make(&docs, 1_500);
    let mut client = start(&dir.path().join("store"), &docs);
    let id = client.ask("tools/call", &call(&docs, &json!("half-way")));
    let mut told: Vec<(f64, f64)> = Vec::new();
    let answer = loop {
        let message = client.receive().expect("a message");
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        let params = &message["params"];
        assert_eq!(params["progressToken"], "half-way", "{message}");
        let number = |name: &str| params[name].as_f64().unwrap_or_else(|| panic!("{message}"));
        told.push((number("progress"), number("total")));
    };
    assert_eq!(reply(&answer).value["data"]["files_indexed"], 1_500, "{answer}");
    // A file is looked at, and then read.
    assert_eq!(told.last(), Some(&(3_000.0, 3_000.0)), "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0), "{told:?}");
    // Who does not ask hears nothing.
    let quiet = json!({"name": "index_directory", "arguments": {"dir_path": text(&docs)}});
    let id = client.ask("tools/call", &quiet);
    let next = client.receive().expect("a message");
    assert_eq!(next["id"], id, "{next}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_cancelled_call_ends_after_its_batch_and_says_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, store) = (dir.path().join("docs"), dir.path().join("store"));
    let files = 6_000;
    make(&docs, files);
    let mut client = start(&store, &docs);
    let id = client.ask("tools/call", &call(&docs, &json!(7)));
    let first = client.receive().expect("a message");
    assert_eq!(first["params"]["progressToken"], 7, "{first}");
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    let stats = client.request("tools/call", &json!({"name": "get_index_stats", "arguments": {}}));
    assert!(!reply(&stats).is_error, "{stats}");
    // The store comes to rest before everything is in it.
    let settled = || {
        let mut before = chunks(&store).len();
        loop {
            std::thread::sleep(std::time::Duration::from_secs(2));
            let now = chunks(&store).len();
            if now == before {
                return now;
            }
            before = now;
        }
    };
    let kept = settled();
    let second = client.ask("tools/call", &call(&docs, &json!(8)));
    let answer = loop {
        let message = client.receive().expect("a message");
        assert_ne!(message["id"], id, "a cancelled call is not answered");
        assert_ne!(message["params"]["progressToken"], 7, "nor heard of");
        if message["id"] == second {
            break message;
        }
    };
    let data = &reply(&answer).value["data"];
    let known = data["skipped_duplicates"].as_u64().unwrap();
    assert_eq!(known + data["files_indexed"].as_u64().unwrap(), files, "{data}");
    assert!(known < files, "it was cancelled: {data}");
    assert!(chunks(&store).len() > kept, "the second call went on");
    assert_eq!(client.finish(), Some(0));
}
