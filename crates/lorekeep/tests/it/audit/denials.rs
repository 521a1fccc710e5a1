//! What is refused is in the log: every kind of refusal, through the real server.

use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use ureq::http::Method;

use super::{shown, verified};
use crate::cli;
use crate::http_tokens::{ask, call};
use crate::support::{Stdio1, end_of, lorekeep, signal};
use crate::web::Http;

/// What the rules know as a secret; in parts, so that nobody takes it for one here.
fn key() -> String {
    format!("ghp_{}", "a7Kd93LmQ0xZr5Tb8WnY2vHc6JfE4sGp1uRi")
}

fn token(dir: &Path, args: &[&str]) -> String {
    let (code, out, err) = cli::run(dir, &[&["token", "new"], args].concat());
    assert_eq!(code, 0, "{err}");
    out.trim().to_owned()
}

/// Waits until the log has an entry of a refusal that says this of this caller. What is refused at the
/// door is noted without anybody waiting.
fn denied(dir: &Path, who: &str, what: &str) -> Value {
    for _ in 0..600 {
        let all = shown(dir, &["--deed", "denied"]);
        let is_it = |entry: &&Value| {
            entry["who"].as_str().unwrap().starts_with(who)
                && entry["what"].as_str().unwrap().contains(what)
        };
        if let Some(found) = all.iter().find(is_it) {
            return found.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{who}: {what}: {:?}", shown(dir, &["--deed", "denied"]));
}

#[test]
fn every_kind_of_refusal_over_http_is_noted_and_no_token_or_secret_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = tempfile::tempdir().unwrap();
    let roots = root.path().to_str().unwrap();
    let http = Http::start(dir.path(), &["--toolsets", "all", "--root", roots]);
    let ada = token(dir.path(), &["--name", "ada", "--user", "ada"]);
    let guest = token(dir.path(), &["--name", "guest", "--user", "gus", "--role", "guest"]);
    let reads = token(dir.path(), &["--name", "reads", "--user", "ada", "--read-only"]);
    let layers = token(dir.path(), &["--name", "layers", "--user", "ada", "--toolsets", "layers"]);
    let files = token(
        dir.path(),
        &["--name", "files", "--user", "ada", "--root", roots, "--role", "admin"],
    );
    let gone = token(dir.path(), &["--name", "gone", "--user", "ada"]);
    assert_eq!(cli::run(dir.path(), &["token", "revoke", "gone"]).0, 0);

    let old = token(dir.path(), &["--name", "old", "--user", "ada", "--expires", "1d"]);
    let file = dir.path().join("tokens.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut tokens = cli::json(&text);
    tokens["tokens"].as_array_mut().unwrap().last_mut().unwrap()["expires"] =
        json!("2001-01-01T00:00:00Z");
    std::fs::write(&file, tokens.to_string()).unwrap();

    let content = json!({"content": "x"});
    let path = json!({"file_path": format!("/etc/{}", key())});
    let secret = json!({"content": format!("the key is {}", key())});
    for (token, tool, arguments, who, what) in [
        (&guest, "memory_add", &content, "guest#", "memory_add needs the role"),
        (&ada, "memory_add", &json!({"content": "x", "layer": "team"}), "ada#", "team"),
        (&reads, "memory_add", &content, "reads#", "memory_add is left out for this caller"),
        (&layers, "store_memory", &content, "layers#", "store_memory is left out"),
        (&ada, "grz_read_file", &path, "ada#", "grz_read_file is left out"),
        (&files, "grz_read_file", &path, "files#", "is outside"),
        (
            &files,
            "grz_write_file",
            &json!({"file_path": "/etc/x", "content": ""}),
            "files#",
            "/etc/x is outside",
        ),
        (&files, "grz_execute_command", &json!({"command": "ls"}), "files#", "commands are not"),
        (&ada, "memory_add", &secret, "ada#", "holds what looks like a secret"),
    ] {
        call(&http, token, tool, arguments.clone());
        assert_eq!(denied(dir.path(), who, what)["tool"], tool);
    }
    let nobody = format!("lk_{}", "0".repeat(64));
    for (token, who, what) in [
        ("", "127.0.0.1", "no token"),
        (nobody.as_str(), "127.0.0.1", "a token that nobody knows"),
        (gone.as_str(), "gone#", "it was revoked"),
        (old.as_str(), "old#", "it ran out at 2001"),
    ] {
        assert_eq!(ask(&http, token, "tools/list", "", json!({})).status.as_u16(), 401);
        denied(dir.path(), who, what);
    }
    let prompt = json!({"name": "recall", "arguments": {"query": "x"}});
    let documents =
        token(dir.path(), &["--name", "docs", "--user", "d", "--toolsets", "documents"]);
    ask(&http, &documents, "prompts/get", "recall", prompt);
    assert_eq!(denied(dir.path(), "docs#", "is left out")["tool"], "prompts/get");
    ask(&http, &documents, "resources/read", "memory://recent", json!({"uri": "memory://recent"}));
    denied(dir.path(), "docs#", "resources/read is left out");
    let mut figures = Http::connect(
        std::process::Command::new("true").spawn().unwrap(),
        http.url.replace("/mcp", "/metrics"),
        &guest,
    );
    assert_eq!(figures.send(Method::GET, &[], b"").status.as_u16(), 403);
    denied(dir.path(), "guest#", "metrics are for the role admin");
    figures.url = format!("{}?token={nobody}", http.url);
    assert_eq!(figures.send(Method::GET, &[], b"").status.as_u16(), 400);
    denied(dir.path(), "127.0.0.1", "a token in the address");
    figures.url = http.url.clone();
    let stranger = [("origin", "https://evil.example")];
    assert_eq!(figures.send(Method::POST, &stranger, b"{}").status.as_u16(), 403);
    denied(dir.path(), "127.0.0.1", "Host or Origin");

    let text = format!("{:?}", shown(dir.path(), &[]));
    for secret in [&ada, &guest, &gone, &nobody] {
        assert!(!text.contains(&secret[..16]), "{text}");
    }
    assert!(!text.contains(&key()[..12]), "{text}");
    assert_eq!(verified(dir.path(), &[]).0, 0);
}

#[test]
fn who_asks_too_much_is_noted_once_with_a_number() {
    let dir = tempfile::tempdir().unwrap();
    let limits = ["--http-limit", "rate=1", "--http-limit", "burst=1"];
    let mut http = Http::start(dir.path(), &limits);
    let ada = token(dir.path(), &["--name", "ada", "--user", "ada"]);
    let asked = (0..40).map(|_| ask(&http, &ada, "tools/list", "", json!({})).status.as_u16());
    let refused = asked.filter(|status| *status == 429).count();
    assert!(refused > 10, "{refused}");
    denied(dir.path(), "ada#", "RATE_LIMITED: this token has more than 1 requests a second");
    signal(&http.child, Signal::SIGTERM);
    assert_eq!(end_of(&mut http.child), Some(0));
    denied(dir.path(), "ada#", &format!("× {} more within a minute: RATE_LIMITED", refused - 1));
    assert_eq!(shown(dir.path(), &["--deed", "denied"]).len(), 2);
}

#[test]
fn a_flood_at_the_door_grows_the_log_by_two_entries_at_the_most() {
    let dir = tempfile::tempdir().unwrap();
    let mut http = Http::start(dir.path(), &[]);
    for number in 0..500 {
        let wrong = format!("lk_{number:064}");
        assert_eq!(ask(&http, &wrong, "tools/list", "", json!({})).status.as_u16(), 401);
    }
    signal(&http.child, Signal::SIGTERM);
    assert_eq!(end_of(&mut http.child), Some(0));
    let all = shown(dir.path(), &["--deed", "denied"]);
    // The first at once; how many more, unless the server ended while it was being noted.
    assert!((1..=2).contains(&all.len()), "{all:?}");
    assert!(all[0]["what"].as_str().unwrap().ends_with("a token that nobody knows"), "{all:?}");
}

#[test]
fn equal_denials_of_one_caller_are_one_entry_and_a_number() {
    let dir = tempfile::tempdir().unwrap();
    let mut guest = Stdio1::start(dir.path(), &["--role", "guest"]);
    for _ in 0..215 {
        assert!(guest.call("memory_add", json!({"content": "x"})).is_error);
    }
    assert_eq!(shown(dir.path(), &[]).len(), 1, "the first at once");
    assert_eq!(guest.finish(), Some(0));
    let all = shown(dir.path(), &[]);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0]["what"].as_str().unwrap().starts_with("× 214 more within a minute: memory_add"));
}

#[test]
fn a_denial_that_was_answered_is_in_the_log_whatever_happens_then() {
    const TIMES: usize = 8;
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(cli::run(dir.path(), &["add", "hello"]).0, 0);
    for _ in 0..TIMES {
        let mut guest = Stdio1::start(dir.path(), &["--role", "guest"]);
        assert!(!guest.call("memory_search", json!({"query": "x"})).is_error);
        assert!(guest.call("memory_add", json!({"content": "x"})).is_error);
        signal(&guest.child, Signal::SIGKILL);
        end_of(&mut guest.child);
    }
    assert_eq!(shown(dir.path(), &["--deed", "denied"]).len(), TIMES);
}

#[test]
fn a_command_that_ends_its_server_is_in_the_log_all_the_same() {
    let (dir, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = root.path().to_str().unwrap();
    let options = ["--toolsets", "all", "--root", root, "--allow-commands"];
    let mut agent = Stdio1::start(dir.path(), &options);
    let server = agent.child.id();
    let command = json!({"command": format!("kill -9 {server}")});
    assert!(agent.try_call("grz_execute_command", &command).is_none(), "it is gone");
    end_of(&mut agent.child);
    let all = shown(dir.path(), &["--tool", "grz_execute_command"]);
    assert_eq!((all.len(), &all[0]["what"]), (1, &json!("run a command")), "{all:?}");
}

#[test]
fn what_only_a_person_may_change_is_noted_when_a_tool_tries() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = lorekeep(dir.path());
    command.args(["serve", "--toolsets", "all"]).env("LOREKEEP_TRUST", "human_only");
    let mut agent = Stdio1::start_command(command);
    agent.open(json!({}));
    let decision = json!({"title": "Use PostgreSQL", "target": "db", "rationale": "We know it."});
    let made = agent.call("record_decision", decision).value;
    let refused = agent.call("update_decision", json!({"fid": made["fid"], "confidence": 1}));
    assert_eq!(agent.finish(), Some(0));
    let all = shown(dir.path(), &["--deed", "denied"]);
    assert_eq!((refused.is_error, all.len()), (true, 1), "{all:?} {}", refused.value);
}
