//! The protocol over HTTP: each trap of the SDK is closed here, too.

use std::io::{Read, Write};
use std::net::TcpStream;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use ureq::http::{Method, StatusCode};

use crate::support::{end_of, lorekeep, modern, reply, signal};
use crate::web::Http;

const NEWEST: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
const LIST: (&str, &str) = ("mcp-method", "tools/list");
const CALL: (&str, &str) = ("mcp-method", "tools/call");

fn start() -> (tempfile::TempDir, Http) {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &["--toolsets", "all"]);
    (dir, http)
}

#[expect(clippy::needless_pass_by_value, reason = "what is sent is made for the message")]
fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn list() -> Value {
    request("tools/list", modern(json!({})))
}

fn add() -> Value {
    json!({"name": "memory_add", "arguments": {"content": "kept"}})
}

#[test]
fn pages_of_this_machine_may_call_and_others_may_not() {
    let (_dir, http) = start();
    let status = |header| http.post(&[NEWEST, LIST, header], &list()).status;
    for origin in ["http://localhost", "http://localhost:3000", "http://127.0.0.1:8080"] {
        assert_eq!(status(("origin", origin)), StatusCode::OK, "{origin}");
    }
    for origin in ["http://evil.example", "https://localhost.evil.example", "null"] {
        assert_eq!(status(("origin", origin)), StatusCode::FORBIDDEN, "{origin}");
    }
    for host in ["evil.example", "localhost.evil.example:80", "192.168.0.1"] {
        assert_eq!(status(("host", host)), StatusCode::FORBIDDEN, "{host}");
    }
    assert_eq!(status(("host", "localhost")), StatusCode::OK);
}

#[test]
fn a_body_that_is_no_message_is_answered_with_an_error_message() {
    let (_dir, http) = start();
    let fails = |body: &[u8]| http.send(Method::POST, &[], body).failure();
    assert_eq!(fails(b"{nope"), (400, -32700));
    assert_eq!(fails(b"\xff\xfe"), (400, -32700));
    assert_eq!(fails(b""), (400, -32700));
    assert_eq!(fails(format!("[{}]", list()).as_bytes()), (400, -32600));
    assert_eq!(fails(b"[]"), (400, -32600));
    assert_eq!(fails(b"7"), (400, -32600));
    assert_eq!(fails(br#"{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}"#), (400, -32600));
    for (body, id, code) in [
        (&br#"{"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": [1]}"#[..], "a", -32602),
        (br#"{"jsonrpc": "2.0", "id": "b", "method": "tools/list", "params": "x"}"#, "b", -32600),
        (b"{\"jsonrpc\": \"2.0\", \"method\": \"a\", \"params\": {\"b\": \"\xff\"}, \"id\": \"c\"}", "c", -32700),
        (br#"{"jsonrpc": "2.0", "id": "d", "method": "a", "params": {"b": "\ud800"}}"#, "d", -32602),
    ] {
        let answer = http.send(Method::POST, &[], body);
        assert_eq!((answer.message()["id"].as_str(), answer.failure()), (Some(id), (400, code)));
    }
    let plain = http.send(Method::POST, &[("content-type", "text/plain")], b"hello");
    assert_eq!(plain.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(http.post(&[NEWEST, LIST], &list()).status, StatusCode::OK, "it goes on");
}

#[test]
fn a_body_of_four_mebibytes_is_read_and_one_byte_more_is_not() {
    let (_dir, http) = start();
    let mut body = list().to_string().into_bytes();
    body.resize(4 << 20, b' ');
    assert_eq!(http.send(Method::POST, &[NEWEST, LIST], &body).status, StatusCode::OK);
    body.push(b' ');
    assert_eq!(http.send(Method::POST, &[NEWEST, LIST], &body).failure(), (413, -32600));
}

#[test]
fn only_what_is_served_is_found() {
    let (_dir, mut http) = start();
    let status = |http: &Http, method, headers: &[_]| http.send(method, headers, b"").status;
    assert_eq!(status(&http, Method::GET, &[]), StatusCode::BAD_REQUEST, "no session");
    assert_eq!(status(&http, Method::GET, &[NEWEST]), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(status(&http, Method::DELETE, &[NEWEST]), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(status(&http, Method::PUT, &[]), StatusCode::METHOD_NOT_ALLOWED);
    http.url = http.url.replace("/mcp", "/sse");
    assert_eq!(http.post(&[NEWEST, LIST], &list()).status, StatusCode::NOT_FOUND);
    assert_eq!(status(&http, Method::GET, &[]), StatusCode::NOT_FOUND);
}

#[test]
fn an_older_client_has_a_session() {
    let (_dir, http) = start();
    let session = http.open_session();
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let called = http.post(&headers, &request("tools/call", add()));
    assert_eq!(reply(&called.message()).value["success"], true);
    let call = request("tools/list", json!({}));
    assert_eq!(http.post(&[], &call).status, StatusCode::BAD_REQUEST, "no session");
    let unknown = http.post(&[("mcp-session-id", "unknown")], &call);
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(http.send(Method::DELETE, &headers, b"").status, StatusCode::NO_CONTENT);
    assert_eq!(http.post(&headers, &call).status, StatusCode::NOT_FOUND, "it has ended");
}

#[test]
fn the_newest_revision_needs_no_session() {
    let (_dir, http) = start();
    assert_eq!(http.call("memory_add", &json!({"content": "kept"})).value["success"], true);
    let answer = http.post(&[NEWEST, LIST], &list());
    assert_eq!(answer.headers["content-type"], "application/json");
    assert!(!answer.headers.contains_key("mcp-session-id"));
    let result = &answer.message()["result"];
    assert_eq!(
        (&result["resultType"], &result["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    let unknown = request("memories/list", modern(json!({})));
    let headers = [NEWEST, ("mcp-method", "memories/list")];
    assert_eq!(http.post(&headers, &unknown).failure(), (404, -32601));
}

#[test]
fn headers_must_say_what_the_body_says() {
    let (_dir, http) = start();
    let call = request("tools/call", modern(add()));
    let name = ("mcp-name", "memory_add");
    assert_eq!(http.post(&[NEWEST, CALL, name], &call).status, StatusCode::OK);
    for headers in [
        vec![NEWEST, LIST, name],
        vec![NEWEST, name],
        vec![NEWEST, CALL],
        vec![NEWEST, CALL, ("mcp-name", "memory_delete")],
        vec![("mcp-protocol-version", "2025-11-25"), CALL, name],
    ] {
        assert_eq!(http.post(&headers, &call).failure(), (400, -32020), "{headers:?}");
    }
    let mut params = modern(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let future = ("mcp-protocol-version", "2099-01-01");
    let answer = http.post(&[future, LIST], &request("tools/list", params));
    assert_eq!(answer.failure(), (400, -32022));
    let bare = request("tools/list", json!({}));
    assert_eq!(http.post(&[NEWEST, LIST], &bare).failure(), (400, -32602));
    let mut call = call;
    call["params"]["arguments"] = json!([1]);
    let answer = http.post(&[NEWEST, CALL, name], &call);
    assert_eq!(answer.failure().1, -32602, "and not an unknown method");
}

#[test]
fn who_brings_no_token_is_turned_away() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = lorekeep(dir.path());
    command.env("LOREKEEP_HTTP_TOKEN", " open sesame, please\n").arg("serve");
    let http = Http::start_command(command);
    let post = |token: Option<&str>| {
        let token = token.map(|token| ("authorization", token));
        let headers: Vec<_> = [NEWEST, LIST].into_iter().chain(token).collect();
        http.post(&headers, &list())
    };
    for wrong in [None, Some("Bearer open"), Some("Bearer "), Some("Basic open sesame, please")] {
        let answer = post(wrong);
        assert_eq!(answer.failure(), (401, -32600), "{wrong:?}");
        let is_brought = wrong == Some("Bearer open");
        let challenge = if is_brought { "Bearer error=\"invalid_token\"" } else { "Bearer" };
        assert_eq!(answer.headers["www-authenticate"], challenge, "{wrong:?}");
    }
    assert_eq!(http.send(Method::GET, &[], b"").status, StatusCode::UNAUTHORIZED);
    assert_eq!(post(Some("Bearer open sesame, please")).status, StatusCode::OK);
}

#[test]
fn an_open_connection_does_not_hold_up_the_end() {
    let (_dir, mut http) = start();
    let session = http.open_session();
    let address = http.url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n\
         authorization: Bearer {}\r\nmcp-session-id: {session}\r\n\r\n",
        http.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200", "a stream is open");
    let mut half = TcpStream::connect(&address).unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\ncontent-length: 100\r\n\r\n{").unwrap();
    signal(&http.child, Signal::SIGTERM);
    assert_eq!(end_of(&mut http.child), Some(0));
}

#[test]
fn two_clients_at_once_do_not_get_in_each_others_way() {
    let (dir, http) = start();
    let session = http.open_session();
    let headers = [("mcp-session-id", session.as_str())];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..50 {
                let content = json!({"content": format!("newest{n}")});
                assert!(!http.call("memory_add", &content).is_error);
            }
        });
        for n in 0..50 {
            let arguments = json!({"content": format!("older{n}")});
            let params = json!({"name": "memory_add", "arguments": arguments});
            let answer = http.post(&headers, &request("tools/call", params)).message();
            assert!(!reply(&answer).is_error, "{answer}");
        }
    });
    let other = Http::start(dir.path(), &["--toolsets", "all"]);
    assert_eq!(other.call("get_memory_stats", &json!({})).value["total_memories"], 100);
}
