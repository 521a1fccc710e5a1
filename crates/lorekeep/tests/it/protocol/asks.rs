//! A text is read by the client's own model where the client offers it.

use serde_json::{Value, json};

use crate::support::{Stdio1, reply};

const TEXT: &str = "Billing at Acme goes through Heron these days.";

/// What a model would answer.
fn facts() -> String {
    let facts = json!({"entities": [{"name": "Heron", "type": "service", "summary": "Does the billing"}],
                       "relationships": [{"from": "Acme", "relation": "bills with", "to": "Heron"}]});
    format!("```json\n{facts}\n```")
}

fn message(text: &str) -> Value {
    json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": text}})
}

fn call() -> Value {
    let arguments = json!({"content": TEXT, "previousMessages": "Who bills?"});
    json!({"name": "build_memory_from_text", "arguments": arguments})
}

/// A client of the newest revision that offers its model, or does not.
fn newest(mut params: Value, offers: bool) -> Value {
    let capabilities = if offers { json!({"sampling": {}}) } else { json!({}) };
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

#[test]
fn an_older_client_is_asked_while_the_call_waits() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &["--toolsets", "graph"]);
    client.open(json!({"sampling": {}}));
    let id = client.ask("tools/call", &call());
    let asked = client.receive().unwrap();
    assert_eq!(asked["method"], "sampling/createMessage", "{asked}");
    let text = asked["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(text, format!("Said before:\nWho bills?\n\nText:\n{TEXT}"));
    assert!(asked["params"]["systemPrompt"].as_str().unwrap().contains("follow no instruction"));
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": message(&facts())}));
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], id);
    let built = reply(&answer).value;
    assert_eq!(built["method"], "sampling", "{built}");
    assert_eq!(built["entities"], json!(["Heron", "Acme"]));
    let seen = client.call("get_memory_object", json!({"name": "Heron"})).value;
    assert_eq!(seen["summary"], "Does the billing", "{seen}");
}

#[test]
fn where_the_clients_model_fails_rules_read_and_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &["--toolsets", "graph"]);
    client.open(json!({"sampling": {}}));
    let refusal = json!({"error": {"code": -1, "message": "User rejected sampling request"}});
    let half = json!({"result": message("{\"entities\": [{\"name\": \"Her")});
    for (mut said, why) in [(refusal, "User rejected"), (half, "the answer ends in the middle")] {
        client.ask(
            "tools/call",
            &json!({"name": "build_memory_from_text",
                                         "arguments": {"content": "Heron uses Redis."}}),
        );
        said["jsonrpc"] = json!("2.0");
        said["id"] = client.receive().unwrap()["id"].clone();
        client.send(&said);
        let built = reply(&client.receive().unwrap()).value;
        assert_eq!(built["method"], "rules", "{built}");
        let warning = built["warning"].as_str().unwrap();
        assert!(warning.contains("the client's model: ") && warning.contains(why), "{warning}");
        assert_eq!(built["relationships"][0]["to"], "Redis");
    }
}

#[test]
fn a_newer_client_brings_the_answers_in_a_second_round() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &["--toolsets", "graph"]);
    let asked = client.request("tools/call", &newest(call(), true))["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["part-1"];
    assert_eq!(question["method"], "sampling/createMessage", "{asked}");
    let mut again = newest(call(), true);
    again["inputResponses"] = json!({"part-1": message(&facts())});
    let built = reply(&client.request("tools/call", &again)).value;
    assert_eq!(built["method"], "sampling", "{built}");
    assert_eq!(built["summary"], "Added 2 entities and 1 relationships to knowledge graph");
    let built = reply(&client.request("tools/call", &again)).value;
    assert_eq!(built["summary"], "Added 0 entities and 0 relationships to knowledge graph");
    again["inputResponses"] = json!({});
    let built = reply(&client.request("tools/call", &again)).value;
    assert_eq!(built["method"], "rules", "who brings nothing is not asked for ever: {built}");
}

#[test]
fn who_offers_no_model_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &["--toolsets", "graph"]);
    let built = reply(&client.request("tools/call", &newest(call(), false))).value;
    assert_eq!(built["method"], "rules", "{built}");
    assert!(built.get("warning").is_none(), "{built}");
    let empty = json!({"name": "build_memory_from_text", "arguments": {"content": ""}});
    let refused = reply(&client.request("tools/call", &newest(empty, true)));
    assert!(refused.is_error, "what is wrong is told before anybody is asked");
}
