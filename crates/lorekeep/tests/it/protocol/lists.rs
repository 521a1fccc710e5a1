//! Which tools are offered, and how they are described.

use serde_json::{Value, json};

use super::{ALL, names};
use crate::support::{Stdio1, error};

fn tools(client: &mut Stdio1) -> Vec<Value> {
    client.request("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn every_tool_is_described_in_full_and_always_in_the_same_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let listed = tools(&mut client);
    assert_eq!(listed, tools(&mut client));
    assert_eq!(listed, tools(&mut Stdio1::start(dir.path(), &ALL)));
    for tool in &listed {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{hint}: {tool}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(!tool["description"].as_str().unwrap().is_empty(), "{tool}");
        let text = tool.to_string();
        assert!(!text.contains("\"$ref\"") && !text.contains("\"format\":\"uint"), "{tool}");
    }
}

#[test]
fn what_is_not_offered_is_neither_listed_nor_called() {
    let dir = tempfile::tempdir().unwrap();
    for (options, hidden) in [
        (vec![], "store_memory"),
        (vec!["--toolsets", "notes"], "memory_add"),
        (vec!["--toolsets", "all", "--exclude-tools", "memory_add"], "memory_add"),
        (vec!["--read-only"], "memory_delete"),
        (vec!["--toolsets", "all"], "memory_serch"),
    ] {
        let mut client = Stdio1::start(dir.path(), &options);
        let listed = names(&mut client);
        assert!(!listed.is_empty() && !listed.contains(&hidden.to_owned()), "{listed:?}");
        let params = json!({"name": hidden, "arguments": {}});
        let answer = client.request("tools/call", &params);
        assert_eq!(error(&answer), (-32602, format!("Unknown tool: {hidden}").as_str()));
    }
}

#[test]
fn what_is_unknown_is_told_with_all_of_it_to_be_seen() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    let params = json!({"name": "x\u{202e}y", "arguments": {}});
    let answer = client.request("tools/call", &params);
    assert_eq!(error(&answer), (-32602, "Unknown tool: x⟨U+202E⟩y"));
    let answer = client.request("resources/read", &json!({"uri": "memory://x\u{202e}y"}));
    assert!(answer.to_string().contains("Resource not found: memory://x⟨U+202E⟩y"), "{answer}");
}

#[test]
fn a_guest_sees_what_a_guest_may_call_and_nothing_else_works() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &["--toolsets", "all", "--role", "guest"]);
    let listed = tools(&mut client);
    assert!(!listed.is_empty());
    assert!(listed.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{listed:?}");
    let refused = client.call("memory_add", json!({"content": "x"}));
    assert!(refused.is_error);
    let expected = json!({"success": false, "errorCode": "UNAUTHORIZED", "retryable": false,
                          "message": "memory_add needs the role user; this caller is guest"});
    assert_eq!(refused.value, expected);
    let refused = client.call("store_memory", json!({"type": "core", "content": "x"}));
    assert_eq!(refused.value["error"]["code"], "PERMISSION_ERROR");
    let found = client.call("memory_search", json!({"query": "x"}));
    assert_eq!(found.value["totalCount"], 0);
}
