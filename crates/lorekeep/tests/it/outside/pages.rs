//! The web through the real server, with services on the loopback.

use serde_json::{Value, json};

use super::loopback::Loopback;
use crate::cli::json as parsed;
use crate::support::lorekeep;

/// Calls a tool with these variables and options: whether it succeeded, and its answer.
fn call(variables: &[(&str, &str)], options: &[&str], tool: &str, given: &Value) -> (bool, Value) {
    let dir = tempfile::tempdir().unwrap();
    let mut command = lorekeep(dir.path());
    command.env_remove("BRAVE_API_KEY").env_remove("JINA_API_KEY").envs(variables.iter().copied());
    let out = command.args(["call", tool, &given.to_string()]).args(options).output().unwrap();
    (out.status.success(), parsed(&String::from_utf8(out.stdout).unwrap()))
}

#[test]
fn the_web_is_searched_with_a_key_alone() {
    let found = json!({"type": "search", "web": {"results": [
        {"title": "Rust", "url": "https://rust-lang.org/", "description": "A <strong>language</strong> &amp; more"}]}});
    let server = Loopback::start(vec![("200 OK", found.to_string())]);
    let variables = [("LOREKEEP_BRAVE_URL", server.url.as_str()), ("BRAVE_API_KEY", "k3y")];
    let asked = json!({"query": "rust language", "count": 3});
    let (ok, answer) = call(&variables, &[], "brave_web_search", &asked);
    let hit = json!({"title": "Rust", "url": "https://rust-lang.org/", "description": "A language & more"});
    assert_eq!((ok, answer), (true, json!({"success": true, "results": [hit], "error": ""})));
    let head = &server.asked()[0].head;
    assert!(head.starts_with("get /res/v1/web/search?q=rust"), "{head}");
    assert!(head.contains("x-subscription-token: k3y"), "{head}");
    let (ok, answer) = call(&[], &[], "brave_web_search", &asked);
    let error = "Brave Search is disabled or API key is not configured";
    assert_eq!((ok, answer), (false, json!({"success": false, "error": error})));
}

#[test]
fn a_page_is_read_as_markdown_but_none_of_the_own_network() {
    let page = "<html><head><title>Deploys</title><script>alert(1)</script></head><body>\
        <nav>Home | About</nav><article><h1>Deploys</h1><p>They go through the <a href=\"/staging\">staging \
        cluster</a> first, and only then to production, as everybody here knows by now.</p></article></body></html>";
    let html = || vec![("200 OK\r\ncontent-type: text/html; charset=utf-8", page.to_owned())];
    let server = Loopback::start(html());
    let asked = json!({"url": format!("{}/page", server.url)});
    let (ok, answer) = call(&[], &["--allow-private-urls"], "jina_read_url", &asked);
    let content = answer["content"].as_str().unwrap();
    assert!(ok && content.contains("Title: Deploys"), "{content}");
    assert!(content.contains(&format!("[staging cluster]({}/staging)", server.url)), "{content}");
    assert!(!content.contains("alert") && !content.contains("About"), "{content}");
    let server = Loopback::start(html());
    let (ok, answer) = call(&[], &[], "jina_read_url", &json!({"url": server.url}));
    let error = answer["error"].as_str().unwrap();
    assert!(!ok && error.contains("--allow-private-urls"), "{error}");
    assert!(server.asked().is_empty(), "nobody was asked");
}
