//! Tokens over HTTP: who is let in, as whom, and to what.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use ureq::http::{Method, StatusCode};

use crate::support::{end_of, lorekeep, modern, reply, signal};
use crate::web::{Answer, Http};

const NEWEST: (&str, &str) = ("mcp-protocol-version", "2026-07-28");

/// Runs `lorekeep token` with these arguments; what it printed.
fn token(dir: &Path, arguments: &[&str]) -> String {
    let output = lorekeep(dir).arg("token").args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Makes a token.
pub(crate) fn new(dir: &Path, arguments: &[&str]) -> String {
    token(dir, &[&["new"], arguments].concat())
}

/// Sends a request of the newest revision with this token.
pub(crate) fn ask(http: &Http, token: &str, method: &str, name: &str, params: Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": modern(params)});
    let headers =
        [NEWEST, ("mcp-method", method), ("mcp-name", name), ("authorization", bearer.as_str())];
    let named =
        if name.is_empty() { vec![headers[0], headers[1], headers[3]] } else { headers.to_vec() };
    http.post(&named, &message)
}

#[expect(clippy::needless_pass_by_value, reason = "what is called with is made for the call")]
pub(crate) fn call(http: &Http, token: &str, tool: &str, arguments: Value) -> Answer {
    ask(http, token, "tools/call", tool, json!({"name": tool, "arguments": arguments}))
}

/// The tools that a token is offered, as they are listed.
pub(crate) fn tools_listed(http: &Http, token: &str) -> Vec<Value> {
    let list = ask(http, token, "tools/list", "", json!({})).message();
    list["result"]["tools"].as_array().cloned().unwrap_or_else(|| panic!("{list}"))
}

pub(crate) fn tools(http: &Http, token: &str) -> Vec<String> {
    let listed = tools_listed(http, token);
    listed.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn found(http: &Http, token: &str, query: &str) -> usize {
    let answer = call(http, token, "memory_search", json!({"query": query})).message();
    reply(&answer).value["results"].as_array().unwrap_or_else(|| panic!("{answer}")).len()
}

#[test]
fn the_first_start_makes_a_token_for_the_person_of_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &[]);
    let own = dir.path().join("http-token");
    for file in [&own, &dir.path().join("tokens.json")] {
        let mode = std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.display());
    }
    assert_eq!(std::fs::read_to_string(&own).unwrap().trim(), http.token);
    assert_eq!(ask(&http, "", "tools/list", "", json!({})).status, StatusCode::UNAUTHORIZED);
    let added = http.call("memory_add", &json!({"content": "Ada likes her tea green"}));
    assert_eq!(added.value["success"], true, "{}", added.value);
    drop(http);
    let again = Http::start(dir.path(), &[]);
    assert_eq!(std::fs::read_to_string(&own).unwrap().trim(), again.token, "it stays");
    assert_eq!(found(&again, &again.token, "green tea"), 1);
    let stdio = lorekeep(dir.path()).args(["search", "green tea", "--json"]).output().unwrap();
    assert!(String::from_utf8_lossy(&stdio.stdout).contains("green"), "the same person");
}

#[test]
fn the_server_says_which_token_is_good() {
    let dir = tempfile::tempdir().unwrap();
    new(dir.path(), &["--name", "bob", "--user", "bob"]);
    let http = Http::start(dir.path(), &[]);
    assert!(!http.token.is_empty(), "whoever had a token before: {}", http.told);
    drop(http);
    token(dir.path(), &["revoke", "this-machine"]);
    let told = || Http::start(dir.path(), &[]).told.clone();
    assert_eq!(told(), "callers bring a bearer token of `lorekeep token`");
    token(dir.path(), &["revoke", "bob"]);
    assert!(told().starts_with("no token is good, so nobody is let in"));
    let mut command = lorekeep(dir.path());
    command.env("LOREKEEP_OAUTH_ISSUER", "https://login.example");
    command.env("LOREKEEP_OAUTH_AUDIENCE", "https://lore.example/mcp").arg("serve");
    let told = Http::start_command(command).told.clone();
    assert!(told.starts_with("callers bring a bearer token of https://login.example;"), "{told}");
}

#[test]
fn a_directory_that_was_mistyped_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let typo = dir.path().join("typo");
    for arguments in [&["list"][..], &["revoke", "ada"]] {
        let output = lorekeep(&typo).arg("token").args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && errors.contains("there is no directory"), "{errors}");
        assert!(!typo.exists(), "{arguments:?}");
    }
}

#[test]
fn each_token_is_somebody_else() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &[]);
    let ada = new(dir.path(), &["--name", "ada", "--user", "ada"]);
    let bob = new(dir.path(), &["--name", "bob", "--user", "bob", "--role", "guest"]);
    let added = call(&http, &ada, "memory_add", json!({"content": "the harbour opens at nine"}));
    assert_eq!(reply(&added.message()).value["success"], true, "noticed without a restart");
    assert_eq!(found(&http, &ada, "harbour"), 1);
    assert_eq!(found(&http, &bob, "harbour"), 0);
    assert_eq!(found(&http, &http.token, "harbour"), 0);
    assert!(!tools(&http, &bob).contains(&"memory_add".to_owned()), "a guest reads");
    token(dir.path(), &["revoke", "ada"]);
    let refused = ask(&http, &ada, "tools/list", "", json!({}));
    assert_eq!(refused.failure(), (401, -32600));
    assert!(refused.text.contains("revoked"), "{}", refused.text);
    assert_eq!(found(&http, &bob, "harbour"), 0, "others go on");
    let list: Value = serde_json::from_str(&token(dir.path(), &["list", "--json"])).unwrap();
    let good: Vec<_> = list["tokens"].as_array().unwrap().iter().map(|t| &t["good"]).collect();
    assert_eq!(good, [&json!(true), &json!(false), &json!(true)]);
    assert!(!list.to_string().contains(&ada[3..]));
}

#[test]
fn a_token_leaves_out_tools_and_what_is_left_out_is_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &["--toolsets", "layers,documents"]);
    let reads = ["--name", "r", "--user", "ada", "--toolsets", "layers,notes", "--read-only"];
    let reads = new(dir.path(), &reads);
    assert_eq!(tools(&http, &reads), ["memory_search"]);
    let denied = call(&http, &reads, "memory_add", json!({"content": "x"})).message();
    let unknown = call(&http, &reads, "memory_ad", json!({"content": "x"})).message();
    let text = |answer: &Value| answer["error"].to_string().replace("memory_add", "memory_ad");
    assert_eq!(text(&denied), text(&unknown));
    assert_eq!(found(&http, &reads, "x"), 0);
    let web = new(dir.path(), &["--name", "d", "--user", "ada", "--toolsets", "documents"]);
    let prompts = ask(&http, &web, "prompts/list", "", json!({})).message();
    assert_eq!(prompts["result"]["prompts"], json!([]), "prompts show memories");
    let asked = json!({"name": "recall", "arguments": {"query": "x"}});
    assert!(ask(&http, &web, "prompts/get", "recall", asked).message()["error"].is_object());
}

#[test]
fn a_session_belongs_to_the_token_that_opened_it() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &[]);
    let bob = format!("Bearer {}", new(dir.path(), &["--user", "bob"]));
    let session = http.open_session();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let shown = |answer: Answer| (answer.status, answer.text);
    let own = [("mcp-session-id", session.as_str())];
    let of_other = [("mcp-session-id", session.as_str()), ("authorization", &bob)];
    let bare = session.split('.').next().unwrap();
    let of_other_bare = [("mcp-session-id", bare), ("authorization", &bob)];
    let unknown = [("mcp-session-id", "6f1c.0"), ("authorization", &bob)];
    let missing = shown(http.post(&unknown, &call));
    assert_eq!(missing.0, StatusCode::NOT_FOUND);
    assert_eq!(shown(http.post(&of_other, &call)), missing);
    assert_eq!(shown(http.post(&of_other_bare, &call)), missing);
    for method in [Method::GET, Method::DELETE] {
        let unknown = shown(http.send(method.clone(), &unknown, b""));
        assert_eq!(shown(http.send(method, &of_other, b"")), unknown);
    }
    assert_eq!(http.post(&own, &call).status, StatusCode::OK, "it is still there");
}

#[test]
fn a_token_in_an_address_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut http = Http::start(dir.path(), &[]);
    for name in ["token", "access_token"] {
        let url = http.url.clone();
        http.url = format!("{url}?{name}={}", http.token);
        let answer = ask(&http, &http.token, "tools/list", "", json!({}));
        assert_eq!(answer.failure(), (400, -32600), "{name}");
        assert!(answer.text.contains("Authorization"), "{}", answer.text);
        assert!(!answer.text.contains(&http.token));
        http.url = url;
    }
}

#[test]
fn no_log_has_a_token() {
    let dir = tempfile::tempdir().unwrap();
    let bob = new(dir.path(), &["--user", "bob"]);
    let mut command = lorekeep(dir.path());
    command
        .env("LOREKEEP_LOG", "trace")
        .env("LOREKEEP_HTTP_TOKEN", "open-sesame-1234567890")
        .args(["serve", "--http", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut log = String::new();
    let url = loop {
        let mut line = String::new();
        assert_ne!(errors.read_line(&mut line).unwrap(), 0, "{log}");
        log += &line;
        if let Some(url) = line.trim().strip_prefix("listening on ") {
            break url.to_owned();
        }
    };
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        errors.read_to_string(&mut rest).unwrap();
        rest
    });
    let mut http = Http::connect(child, url, "open-sesame-1234567890");
    assert_eq!(tools(&http, &http.token).len(), crate::support::DEFAULT_TOOLS.len());
    assert_eq!(found(&http, &bob, "x"), 0);
    http.open_session();
    let wrong = ask(&http, "wrong-token-1234567890", "tools/list", "", json!({}));
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    signal(&http.child, nix::sys::signal::Signal::SIGTERM);
    assert_eq!(end_of(&mut http.child), Some(0));
    log += &rest.join().unwrap();
    assert!(log.contains("TRACE"), "it is a log of everything");
    for secret in ["open-sesame", &bob[3..], "wrong-token", "authorization"] {
        assert!(!log.to_lowercase().contains(secret), "{secret} is in the log");
    }
}

#[test]
fn a_token_opens_no_more_sessions_than_there_is_room_for() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &[]);
    let bob = format!("Bearer {}", new(dir.path(), &["--user", "bob"]));
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                         "params": crate::support::hello("2025-11-25", json!({}))});
    let first = http.open_session();
    let refused = (0..300).map(|_| http.post(&[], &message)).find(|a| a.status != StatusCode::OK);
    let refused = refused.expect("there is an end");
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.message()["error"]["data"]["code"], "RATE_LIMITED");
    assert_eq!(http.post(&[("authorization", &bob)], &message).status, StatusCode::OK);
    let own = [("mcp-session-id", first.as_str())];
    assert_eq!(http.send(Method::DELETE, &own, b"").status, StatusCode::NO_CONTENT);
    assert_eq!(http.post(&[], &message).status, StatusCode::OK, "there is room again");
}

#[test]
fn a_token_of_others_opens_no_file_of_this_machine() {
    let (dir, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = dir.path().to_str().unwrap();
    let http = Http::start(dir.path(), &["--toolsets", "documents,files", "--root", root]);
    let ada = new(dir.path(), &["--user", "ada", "--role", "admin"]);
    let folder = |name: &str| {
        let folder = work.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("notes.md"), format!("Notes of {name}")).unwrap();
        folder.to_str().unwrap().to_owned()
    };
    let (bobs, carols) = (folder("bob"), folder("carol"));
    let trusted = new(dir.path(), &["--user", "bob", "--role", "admin", "--root", &bobs]);
    let secret = dir.path().join("http-token");
    let secret = secret.to_str().unwrap();
    for (tool, arguments) in [
        ("grz_read_file", json!({"file_path": secret})),
        ("grz_write_file", json!({"file_path": "tokens.json", "content": "{}"})),
        ("index_file", json!({"file_path": secret})),
        ("index_directory", json!({"directory_path": root})),
    ] {
        let denied = call(&http, &ada, tool, arguments).message();
        assert_eq!(denied["error"]["message"], format!("Unknown tool: {tool}"));
        assert!(!tools(&http, &ada).contains(&tool.to_owned()), "{tool}");
        assert!(tools(&http, &trusted).contains(&tool.to_owned()), "{tool}");
    }
    let read = |path: &str| {
        let answer = call(&http, &trusted, "grz_read_file", json!({"file_path": path}));
        answer.message()["result"].to_string()
    };
    assert!(read("notes.md").contains("Notes of bob"), "{}", read("notes.md"));
    // Neither the folder of another token nor that of the server is theirs.
    for closed in [format!("{carols}/notes.md"), secret.to_owned(), "../carol/notes.md".to_owned()]
    {
        assert!(read(&closed).contains("\"isError\":true"), "{}", read(&closed));
        let indexed = json!({"file_path": closed, "namespace": "global"});
        let told = call(&http, &trusted, "index_file", indexed).message()["result"].to_string();
        assert!(told.contains("is outside the folders"), "{told}");
    }
}
