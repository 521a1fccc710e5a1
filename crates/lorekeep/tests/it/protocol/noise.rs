//! What is no request does no harm.

use serde_json::json;

use super::{ALL, lock, names, store};
use crate::support::{Stdio1, modern, reply};

#[test]
fn what_comes_before_the_first_request_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/none"] {
        let mut client = Stdio1::start_silent(dir.path(), &[]);
        client.notify(method, &json!({"requestId": 1}));
        client.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}));
        client.send_raw(b"\n{nope\n\xff\xfe\n");
        assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
        client.notify(method, &json!({"requestId": 1}));
        client.open(json!({}));
        assert_eq!(names(&mut client).len(), 3);
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
    let request = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list"});
    for noise in [
        b"{nope\n".to_vec(),
        b"\xff\xfe\x00\n".to_vec(),
        b"\n".to_vec(),
        b"\r\n".to_vec(),
        b"7\n".to_vec(),
        b"null\n".to_vec(),
        format!("[{request}]\n").into_bytes(),
        b"{\"jsonrpc\": \"1.0\", \"id\": 9, \"method\": \"tools/list\"}\n".to_vec(),
        b"{\"id\": 9, \"method\": \"tools/list\"}\n".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"tools/list\"}\n".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"id\": 999, \"result\": {}}\n".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/none\"}\n".to_vec(),
    ] {
        client.send_raw(&noise);
        assert_eq!(names(&mut client).len(), 3, "after {}", String::from_utf8_lossy(&noise));
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_line_that_is_too_long_is_dropped_and_the_next_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    let content = "x".repeat(16 << 20);
    let dropped = client.ask("tools/call", &store(&content));
    let list = client.ask("tools/list", &json!({}));
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], list, "{dropped} is not answered");
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
    assert_eq!(names(&mut client).len(), 8, "the notification was read");
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
