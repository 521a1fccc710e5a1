//! Decisions in git: plain git, people who edit, processes that are killed.

mod git;
mod hands;
mod killed;
mod person;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Stdio1;

const ALL: [&str; 2] = ["--toolsets", "all"];

/// The ledger of the store in `dir`.
fn ledger(dir: &Path) -> PathBuf {
    dir.join("ledger")
}

/// What plain git says; it must succeed.
fn git(dir: &Path, args: &[&str]) -> String {
    let (succeeded, out, err) = try_git(dir, args);
    assert!(succeeded, "git {args:?}: {out}{err}");
    out
}

fn try_git(dir: &Path, args: &[&str]) -> (bool, String, String) {
    let output = Command::new("git")
        .arg("-C")
        .arg(ledger(dir))
        .args(["-c", "user.name=Pat", "-c", "user.email=pat@example.org"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Records a decision; its fid.
fn record(client: &mut Stdio1, title: &str, target: &str) -> String {
    let reply = client.call("record_decision", decision(title, target));
    assert_eq!(reply.value["status"], "created", "{}", reply.value);
    reply.value["fid"].as_str().unwrap().to_owned()
}

fn decision(title: &str, target: &str) -> Value {
    json!({"title": title, "target": target, "rationale": format!("Because of {title}.")})
}

/// The file of a record, below the ledger's directory.
fn path_of(client: &mut Stdio1, fid: &str) -> PathBuf {
    let reply = client.call("get_decisions", json!({"fid": fid}));
    PathBuf::from(reply.value["decisions"][0]["path"].as_str().expect("a path"))
}

/// Everything that can be asked of the records of the default namespace, by fid.
fn answers(client: &mut Stdio1) -> BTreeMap<String, Value> {
    let listed = client.call("get_decisions", json!({"limit": 100})).value;
    let total = listed["total"].as_u64().unwrap();
    assert!(total <= 100, "{total} are more than a page");
    let listed = listed["decisions"].as_array().unwrap().clone();
    let whole = |decision: Value| {
        let fid = decision["fid"].as_str().unwrap().to_owned();
        let history = client.call("get_decision_history", json!({"fid": fid})).value;
        let title = decision["title"].clone();
        let query = json!({"query": title, "mode": "fuzzy", "limit": 50});
        let found = client.call("search_decisions", query).value;
        (fid, json!({"decision": decision, "history": history, "found": found}))
    };
    listed.into_iter().map(whole).collect()
}

/// Git is whole, says what the work tree says, and has one file for each record.
fn assert_sound(dir: &Path, records: usize) {
    git(dir, &["fsck", "--strict"]);
    assert_eq!(git(dir, &["status", "--porcelain"]), "");
    let files = git(dir, &["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files.lines().count(), records, "{files}");
}
