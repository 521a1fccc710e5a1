//! The commands of a person: each is given a secret in every place for a text, under each policy.

use std::path::Path;

use serde_json::json;

use super::{holders, holds_secret, nothing_is_kept, secret};
use crate::cli::{json, run};
use crate::hooks::Place;

/// What is typed, and the field that an error names. A name is never redacted.
struct Way {
    args: Vec<String>,
    field: &'static str,
    is_name: bool,
}

/// Every command that keeps a text, with the secret in one place.
fn ways(id: &str, file: &Path) -> Vec<Way> {
    let (text, key) = (format!("Deploy with {} today", secret()), secret());
    let because = "Everybody here knows it well.";
    let (text, key, file) = (text.as_str(), key.as_str(), file.to_str().unwrap());
    let constraint = format!("must_not_use dependency {key}");
    let memory = json!({"content": text}).to_string();
    let new = ["knowledge", "new", "--type", "policy"];
    let all: Vec<(Vec<&str>, &'static str, bool)> = vec![
        (vec!["add", text], "the text", false),
        (vec!["add", "Deploy often", "--tag", key], "--tag", false),
        (vec!["edit", id, "--content", text], "the text", false),
        (vec!["edit", id, "--tag", key], "--tag", false),
        (vec!["decide", text, "--target", "ci", "--because", because], "the title", false),
        (vec!["decide", "Use a key", "--target", "cd", "--because", text], "--because", false),
        (
            vec!["decide", "Use it", "--target", "ce", "--because", because, "--then", text],
            "--then",
            false,
        ),
        (
            vec!["decide", "Use", "--target", "cf", "--because", because, "--namespace", key],
            "--namespace",
            true,
        ),
        ([&new[..], &[text]].concat(), "title", false),
        ([&new[..], &["Keys", "--content", file]].concat(), "content", false),
        ([&new[..], &["Keys", "--summary", text]].concat(), "summary", false),
        ([&new[..], &["Keys", "--tag", key]].concat(), "tags", false),
        ([&new[..], &["Keys", "--constraint", &constraint]].concat(), "constraint", false),
        ([&new[..], &["Keys", "--id", key]].concat(), "--id", true),
        (vec!["graph", "merge", "Ada", key], "the name", true),
        (vec!["call", "memory_add", &memory], "content", false),
    ];
    let own = |args: Vec<&str>| args.into_iter().map(str::to_owned).collect();
    let way = |(args, field, is_name)| Way { args: own(args), field, is_name };
    all.into_iter().map(way).collect()
}

/// A store with a memory and things, the memory's id, and a file that holds the secret.
fn prepared(dir: &Path) -> (std::path::PathBuf, String, std::path::PathBuf) {
    let store = dir.join("store");
    let (code, out, err) = run(&store, &["add", "Deploy on Mondays", "--json"]);
    assert_eq!(code, 0, "{err}");
    let id = json(&out)["id"].as_str().unwrap().to_owned();
    let link = json!({"from": "Ada", "relation": "uses", "to": "Heron"}).to_string();
    assert_eq!(run(&store, &["call", "add_memory_link", &link]).0, 0);
    let file = dir.join("text.md");
    std::fs::write(&file, format!("Deploy with {} today", secret())).unwrap();
    (store, id, file)
}

#[test]
fn everyday_commands_refuse_a_secret_and_say_where_it_stood() {
    let dir = tempfile::tempdir().unwrap();
    let (store, id, file) = prepared(dir.path());
    for Way { args, field, .. } in ways(&id, &file) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, out, err) = run(&store, &args);
        let told = format!("{out}{err}");
        assert!(code != 0, "{args:?} was taken: {told}");
        assert!(
            told.contains(&format!("{field} holds what looks like a secret (github token)")),
            "{told}"
        );
        assert!(!holds_secret(told.as_bytes()), "{told}");
    }
    nothing_is_kept(&store);
    let text = format!("Deploy with {} today", secret());
    run(&store, &["search", &text]);
    run(&store, &["recall", &text]);
    nothing_is_kept(&store);
}

#[test]
fn with_redaction_everyday_commands_go_on_without_the_secret() {
    let dir = tempfile::tempdir().unwrap();
    let (store, id, file) = prepared(dir.path());
    for Way { args, field, is_name } in ways(&id, &file) {
        let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
        args.extend(["--secrets", "redact"]);
        let (code, out, err) = run(&store, &args);
        let told = format!("{out}{err}");
        assert_eq!(code != 0, is_name, "{args:?}, {field}: {told}");
        assert!(!holds_secret(told.as_bytes()), "{told}");
        assert_eq!(holders(&store), [""; 0], "{args:?}");
    }
    let (_, out, _) = run(&store, &["search", "deploy with today"]);
    assert!(out.contains("[redacted github token]"), "{out}");
}

#[test]
fn whoever_says_so_keeps_secrets_and_the_look_finds_them() {
    for at in 0..ways("", Path::new("")).len() {
        let dir = tempfile::tempdir().unwrap();
        let (store, id, file) = prepared(dir.path());
        let Way { args, field, .. } = ways(&id, &file).swap_remove(at);
        if field == "the name" {
            // Only what is there already is merged into.
            let link = json!({"from": secret(), "relation": "uses", "to": "Heron"}).to_string();
            let made = run(&store, &["call", "add_memory_link", &link, "--secrets", "keep"]);
            assert_eq!(made.0, 0, "{}{}", made.1, made.2);
        }
        let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
        args.extend(["--secrets", "keep"]);
        let (code, out, err) = run(&store, &args);
        assert_eq!(code, 0, "{args:?}: {out}{err}");
        assert!(!holders(&store).is_empty(), "{args:?}: the look finds what is there");
    }
}

/// What was kept before the rules knew it, or by another policy, becomes no memory.
#[test]
fn a_candidate_with_a_secret_is_neither_kept_nor_merged() {
    let place = Place::new();
    let prompt = format!("Remember that we deploy with {} on Mondays, always.", secret());
    let stop = place.input(json!({"prompt": prompt, "last_assistant_message": "Yes."}));
    let mut hook = place.command(&["hook", "claude-code", "Stop", "--secrets", "keep"]);
    crate::hooks::hook(&mut hook, &stop);
    let waiting = json(&place.run(&["review", "--json"]));
    let id = waiting[0]["id"].to_string();
    for how in ["--keep", "--merge"] {
        let output = place.command(&["review", how, &id]).output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&told);
        let why = format!("candidate {id} holds what looks like a secret (github token)");
        assert!(!output.status.success() && text.contains(&why), "{how}: {text}");
        assert!(!holds_secret(&told), "{how}: {text}");
    }
    assert_eq!(json(&place.run(&["list", "--json"]))["memories"], json!([]));
    place.run(&["review", "--keep", &id, "--secrets", "redact"]);
    let listed = place.run(&["list", "--json"]);
    assert!(listed.contains("[redacted github token]"), "{listed}");
    assert!(!holds_secret(listed.as_bytes()), "{listed}");
}
