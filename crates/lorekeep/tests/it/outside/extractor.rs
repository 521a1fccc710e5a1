//! `build_memory_from_text` by a model behind an address.

use serde_json::{Value, json};

use super::loopback::Loopback;
use crate::cli::json as parsed;
use crate::support::lorekeep;

/// Builds from a text with this extractor; what it answered.
fn build(extractor: &str, text: &str) -> (Value, std::path::PathBuf, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let arguments = json!({"content": text}).to_string();
    let mut command = lorekeep(dir.path());
    command.env("LOREKEEP_EXTRACTOR_KEY", "sk-s3cret").env_remove("OPENAI_API_KEY");
    let out = command
        .args(["call", "build_memory_from_text", &arguments, "--extractor", extractor])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let store = dir.path().to_owned();
    (parsed(&String::from_utf8(out.stdout).unwrap()), store, dir)
}

fn facts() -> String {
    json!({"entities": [{"name": "Heron", "type": "service", "summary": "Does the billing"}],
           "relationships": [{"from": "Acme", "relation": "bills with", "to": "Heron"}]})
    .to_string()
}

#[test]
fn an_openai_compatible_server_reads_the_text() {
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": facts()}, "finish_reason": "stop"}]});
    let server = Loopback::start(vec![("200 OK", answer.to_string())]);
    let (built, store, _dir) = build(&format!("openai:small@{}/v1", server.url), "Acme bills.");
    assert_eq!(built["method"], "endpoint", "{built}");
    assert_eq!(built["entities"], json!(["Heron", "Acme"]));
    let asked = server.asked();
    assert!(asked[0].head.starts_with("post /v1/chat/completions "), "{}", asked[0].head);
    assert!(asked[0].head.contains("authorization: bearer sk-s3cret"));
    assert!(
        parsed(&asked[0].body)["messages"][1]["content"].as_str().unwrap().contains("Acme bills.")
    );
    let (_, out, _) = crate::cli::run(&store, &["graph", "Heron"]);
    assert!(out.contains("Acme ─ bills with → Heron"), "{out}");
}

#[test]
fn ollama_reads_the_text() {
    let answer = json!({"message": {"role": "assistant", "content": facts()}, "done": true, "done_reason": "stop"});
    let server = Loopback::start(vec![("200 OK", answer.to_string())]);
    let (built, _, _dir) = build(&format!("ollama:tiny@{}", server.url), "Acme bills.");
    assert_eq!(built["method"], "endpoint", "{built}");
    assert!(server.asked()[0].head.starts_with("post /api/chat "));
}

#[test]
fn where_the_server_fails_rules_read_and_no_key_is_told() {
    let refused =
        ("401 Unauthorized", "{\"error\": {\"message\": \"no such key sk-s3cret\"}}".to_owned());
    let nonsense =
        json!({"choices": [{"message": {"content": "Sorry!"}, "finish_reason": "stop"}]});
    for (reply, why) in [(refused, "401"), (("200 OK", nonsense.to_string()), "is no JSON")] {
        let server = Loopback::start(vec![reply]);
        let extractor = format!("openai:small@{}/v1", server.url);
        let (built, _, _dir) = build(&extractor, "Heron uses Redis.");
        assert_eq!(built["method"], "rules", "{built}");
        let warning = built["warning"].as_str().unwrap();
        assert!(warning.contains(why) && !warning.contains("s3cret"), "{warning}");
        assert_eq!(
            built["relationships"][0],
            json!({"from": "Heron", "relation": "uses", "to": "Redis"})
        );
    }
}
