//! What is no request does no harm.

use serde_json::json;

use super::{ALL, every_tool, lock, names, store};
use crate::support::{Stdio1, error, modern, reply};

#[test]
fn what_comes_before_the_first_request_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/none"] {
        let mut client = Stdio1::start_silent(dir.path(), &[]);
        client.notify(method, &json!({"requestId": 1}));
        client.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}));
        client.send_raw(b"\n{nope\n\xff\xfe\n");
        for _ in 0..2 {
            let answer = client.receive().unwrap();
            assert_eq!((&answer["id"], error(&answer).0), (&json!(null), -32700), "{answer}");
        }
        assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
        client.notify(method, &json!({"requestId": 1}));
        client.open(json!({}));
        assert_eq!(names(&mut client).len(), 8);
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn a_newest_client_may_notify_between_discovery_and_its_first_call() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &[]);
    client.request("server/discover", &modern(json!({})));
    client.notify("notifications/cancelled", &json!({"requestId": 1}));
    let list = client.request("tools/list", &modern(json!({})));
    assert_eq!(list["result"]["resultType"], "complete", "{list}");
}

#[test]
fn what_is_no_message_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    let request = json!({"jsonrpc": "2.0", "id": "noise", "method": "tools/list"});
    for noise in [
        b"{nope\n".to_vec(),
        b"\xff\xfe\x00\n".to_vec(),
        b"\n".to_vec(),
        b"\r\n".to_vec(),
        b"7\n".to_vec(),
        b"null\n".to_vec(),
        format!("[{request}]\n").into_bytes(),
        b"{\"jsonrpc\": \"1.0\", \"id\": \"noise\", \"method\": \"tools/list\"}\n".to_vec(),
        b"{\"id\": \"noise\", \"method\": \"tools/list\"}\n".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"tools/list\"}\n".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"id\": 999, \"result\": {}}\n".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/none\"}\n".to_vec(),
    ] {
        client.send_raw(&noise);
        assert_eq!(names(&mut client).len(), 8, "after {}", String::from_utf8_lossy(&noise));
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_request_that_cannot_be_read_is_answered_and_the_next_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let call = |content: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{{"name":"store_memory",
                "arguments":{{"type":"core","content":{content}}}}}}}"#
        )
        .replace('\n', " ")
    };
    let too_long = format!("\"{}\"", "x".repeat(16 << 20));
    let too_deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for content in [&too_long, &too_deep, "1e400", "\"cut"] {
        client.send_raw(format!("{}\n", call(content)).as_bytes());
        let answer = client.receive().unwrap();
        assert_eq!((answer["id"].as_str(), error(&answer).0), (Some("odd"), -32700), "{answer}");
    }
    client.send_raw(&[call("\"").as_bytes(), b"\xff\"\n"].concat());
    assert_eq!(client.receive().unwrap()["error"]["code"], -32700);
    let list = client.ask("tools/list", &json!({}));
    assert_eq!(client.receive().unwrap()["id"], list);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_request_of_the_wrong_form_is_answered_with_its_own_id() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let digits = "7".repeat(400);
    for (message, id, code) in [
        (r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":[1]}"#, json!("a"), -32602),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":"x"}"#, json!(2), -32600),
        (r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":7}"#, json!(3), -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"none/such","params":[]}"#, json!(4), -32602),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":1}}"#,
            json!(5),
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":6,"method":7}"#, json!(6), -32600),
        (r#"{"id":7,"method":"tools/list"}"#, json!(7), -32600),
        (
            r#"{"method":"tools/call","params":{"arguments":{"id":1},"x":1e400},"id":8}"#,
            json!(8),
            -32700,
        ),
        (&format!(r#"{{"jsonrpc":"2.0","id":{digits},"method":"ping"}}"#), json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, json!(null), -32600),
    ] {
        client.send_raw(format!("{message}\n").as_bytes());
        let answer = client.receive().unwrap();
        assert_eq!((&answer["id"], error(&answer).0), (&id, code), "{message}: {answer}");
    }
    client.send_raw(b"{\"id\":\"bytes\",\"method\":\"ping\",\"params\":{\"a\":\"\xe9\"}}\n");
    let answer = client.receive().unwrap();
    assert_eq!((answer["id"].as_str(), error(&answer).0), (Some("bytes"), -32700), "{answer}");
    // Who sends everything at once and closes the input hears all the same.
    client.send_raw(&b"{\"id\":\"last\",\"method\":\"ping\",\"params\":[]}\n".repeat(100));
    client.close_input();
    let last = client.receive_rest();
    assert_eq!(last.iter().filter(|answer| answer["id"] == "last").count(), 100);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn half_an_emoji_is_refused_by_the_name_of_its_field() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    // What JavaScript sends for a text that was cut inside an emoji.
    client.send_raw(
        b"{\"jsonrpc\":\"2.0\",\"id\":\"cut\",\"method\":\"tools/call\",\"params\":{\"name\":\
          \"memory_add\",\"arguments\":{\"content\":\"thumbs \\ud83d\"}}}\n",
    );
    let answer = client.receive().unwrap();
    let (code, message) = error(&answer);
    assert_eq!((answer["id"].as_str(), code), (Some("cut"), -32602), "{answer}");
    assert!(message.contains(r"params.arguments.content holds \ud83d, half of a"), "{message}");
    let found = client.call("memory_search", json!({"query": "thumbs"})).value;
    assert_eq!(found["results"], json!([]));
}

#[test]
fn a_client_that_writes_everything_before_it_reads_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let ids: Vec<u64> = (0..5_000)
        .map(|_| {
            client.ask("tools/call", &json!({"name": "memory_search", "arguments": {"query": ""}}))
        })
        .collect();
    let answered: std::collections::BTreeSet<u64> =
        ids.iter().map(|_| client.receive().unwrap()["id"].as_u64().unwrap()).collect();
    assert!(ids.into_iter().eq(answered));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_line_may_end_as_on_windows() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    let request = json!({"jsonrpc": "2.0", "id": "crlf", "method": "tools/list"});
    client.send_raw(format!("{request}\r\n").as_bytes());
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], "crlf");
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

#[test]
fn a_cancelled_call_is_not_answered_and_the_server_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let holder = lock(dir.path());
    let mut client = Stdio1::start(dir.path(), &ALL);
    let cancelled = client.ask("tools/call", &store("cancelled"));
    client.notify("notifications/cancelled", &json!({"requestId": cancelled}));
    assert_eq!(names(&mut client), every_tool(), "the notification was read");
    drop(holder);
    // The next call waits for the same store, so the cancelled one has had its time to answer.
    let next = client.ask("tools/call", &store("next"));
    client.close_input();
    let answers = client.receive_rest();
    assert!(answers.iter().all(|answer| answer["id"] != cancelled), "{answers:?}");
    let next = answers.iter().find(|answer| answer["id"] == next).expect("an answer");
    assert!(!reply(next).is_error, "{next}");
    assert_eq!(client.finish(), Some(0));
}
