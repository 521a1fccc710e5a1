//! `lorekeep audit`: what is noted of whom, and that a log that was touched is told.

mod denials;
mod life;

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::cli;
use crate::support::{Stdio1, lorekeep};

fn shown(dir: &Path, args: &[&str]) -> Vec<Value> {
    let all: Vec<&str> =
        ["audit", "show", "--json", "--limit", "1000"].iter().chain(args).copied().collect();
    let (code, out, err) = cli::run(dir, &all);
    assert_eq!(code, 0, "{err}");
    cli::json(&out)["entries"].as_array().expect("a list").clone()
}

/// The exit code of a check, and what it says.
fn verified(dir: &Path, args: &[&str]) -> (i32, Value) {
    let all: Vec<&str> = ["audit", "verify", "--json"].iter().chain(args).copied().collect();
    let (code, out, _) = cli::run(dir, &all);
    (code, cli::json(&out))
}

/// A store in which an agent wrote and was refused.
fn written() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut agent = Stdio1::start(dir.path(), &["--toolsets", "all"]);
    for number in 0..5 {
        let note = json!({"type": "core", "content": format!("a secret recipe {number}")});
        assert!(!agent.call("store_memory", note).is_error);
    }
    assert!(!agent.call("memory_search", json!({"query": "recipe"})).is_error);
    assert_eq!(agent.finish(), Some(0));
    let mut guest = Stdio1::start(dir.path(), &["--toolsets", "all", "--role", "guest"]);
    assert!(guest.call("store_memory", json!({"type": "core", "content": "no"})).is_error);
    assert_eq!(guest.finish(), Some(0));
    dir
}

/// What is found in a log that was changed behind our back.
fn tampered(sql: &str) -> (i32, Value) {
    let dir = written();
    let db = Connection::open(dir.path().join("lorekeep.db")).unwrap();
    assert!(db.execute_batch(sql).is_err(), "it is not to be changed by the way");
    let of = |name: &str| -> String {
        let find = "SELECT sql FROM sqlite_schema WHERE name = ?1";
        db.query_row(find, [name], |row| row.get(0)).unwrap()
    };
    let guards = [of("audit_is_never_changed"), of("audit_is_never_deleted")];
    db.execute_batch("DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted")
        .unwrap();
    db.execute_batch(sql).unwrap();
    guards.iter().for_each(|guard| db.execute_batch(guard).unwrap());
    drop(db);
    let doctor = cli::run(dir.path(), &["doctor"]);
    assert!(doctor.0 == 1 && doctor.1.contains("audit"), "{}", doctor.1);
    verified(dir.path(), &[])
}

#[test]
fn writes_and_refusals_are_shown_with_who_client_and_tool_and_without_a_text() {
    let dir = written();
    let all = shown(dir.path(), &[]);
    assert_eq!(all.len(), 6, "{all:?}");
    for entry in &all {
        assert_eq!(
            (&entry["who"], &entry["client"], &entry["tool"]),
            (&json!("tester"), &json!("it 1"), &json!("store_memory"))
        );
        assert!(!entry.to_string().contains("recipe"), "{entry}");
    }
    assert_eq!((&all[0]["deed"], &all[1]["deed"]), (&json!("denied"), &json!("written")));
    assert_eq!(shown(dir.path(), &["--deed", "denied"]).len(), 1);
    assert_eq!(shown(dir.path(), &["--who", "somebody"]).len(), 0);
    assert_eq!(
        shown(dir.path(), &["--tool", "store_memory", "--since", "1h", "--deed", "written"]).len(),
        5
    );
    let (code, table, _) = cli::run(dir.path(), &["audit", "show", "--limit", "2"]);
    assert_eq!((code, table.lines().count()), (0, 2), "{table}");
    let (code, _, err) = cli::run(dir.path(), &["audit", "show", "--since", "yesterday"]);
    assert!(code == 2 && err.contains("e.g. 7d"), "{err}");
}

#[test]
fn reads_are_noted_when_that_is_set() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = lorekeep(dir.path());
    command.arg("serve").env("LOREKEEP_AUDIT_READS", "true");
    let mut agent = Stdio1::start_command(command);
    agent.open(json!({}));
    assert!(!agent.call("memory_search", json!({"query": "a secret recipe"})).is_error);
    assert_eq!(agent.finish(), Some(0));
    let all = shown(dir.path(), &[]);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((&all[0]["deed"], &all[0]["tool"]), (&json!("read"), &json!("memory_search")));
    assert!(!all[0].to_string().contains("recipe"), "{all:?}");
}

#[test]
fn a_log_that_was_touched_is_told_and_a_head_that_was_written_down_tells_more() {
    let dir = written();
    let (code, whole) = verified(dir.path(), &[]);
    assert_eq!((code, &whole["ok"], &whole["entries"]), (0, &json!(true), &json!(6)));
    let head = whole["head"].as_str().unwrap().to_owned();
    assert_eq!(verified(dir.path(), &["--expect", &head]).0, 0);
    let other = head.replace(|c: char| c.is_ascii_hexdigit() && c != '6', "0");
    assert_eq!(verified(dir.path(), &["--expect", &other]).0, 1);
    let (code, text, _) = cli::run(dir.path(), &["audit", "verify"]);
    assert!(
        code == 0 && text.contains("6 entries hang together") && text.contains(&head),
        "{text}"
    );
    for (sql, why) in [
        ("UPDATE audit SET who = 'bob' WHERE number = 2", "entry 2 is not what was noted"),
        ("DELETE FROM audit WHERE number = 3", "entry 3 is missing"),
        ("DELETE FROM audit WHERE number > 4", "entries 5 to 6 are missing at the end"),
        (
            "DELETE FROM audit WHERE number > 4;
             UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'",
            "changes that were acknowledged are missing",
        ),
    ] {
        let (code, found) = tampered(sql);
        assert!(found["fault"].as_str().unwrap().contains(why), "{found}");
        assert_eq!((code, &found["ok"]), (1, &json!(false)), "{sql}");
    }
}

#[test]
fn two_processes_that_write_at_once_keep_one_chain() {
    const EACH: usize = 40;
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for process in 0..2 {
            let dir = dir.path();
            scope.spawn(move || {
                let mut client = Stdio1::start(dir, &["--toolsets", "all"]);
                for number in 0..EACH {
                    let note = json!({"content": format!("{process} {number}")});
                    assert!(!client.call("memory_add", note).is_error);
                }
                assert_eq!(client.finish(), Some(0));
            });
        }
    });
    let (code, whole) = verified(dir.path(), &[]);
    assert_eq!((code, &whole["entries"]), (0, &json!(2 * EACH)), "{whole}");
}

#[test]
fn a_store_that_nobody_may_write_to_is_checked_all_the_same() {
    let dir = written();
    let before = verified(dir.path(), &[]);
    let mut command = lorekeep(dir.path());
    let out = command
        .args(["audit", "verify", "--json"])
        .env("LOREKEEP_READ_ONLY", "true")
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(cli::json(&String::from_utf8_lossy(&out.stdout)), before.1);
}

#[test]
fn what_is_deleted_and_what_a_token_opens_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut agent = Stdio1::start(dir.path(), &["--toolsets", "all"]);
    let link = json!({"from": "Heron", "relation": "is", "to": "Bird"});
    assert!(!agent.call("add_memory_link", link).is_error);
    let gone = json!({"name": "Heron", "cascade": true});
    assert!(!agent.call("delete_memory_object", gone).is_error);
    assert_eq!(agent.finish(), Some(0));
    let what = |entry: &Value| entry["what"].as_str().unwrap().replace('-', "");
    let all = shown(dir.path(), &["--tool", "delete_memory_object"]);
    assert!(what(&all[0]).starts_with("delete mem_") && what(&all[0]).contains("a thing of"));
    let work = tempfile::tempdir().unwrap();
    let work = work.path().canonicalize().unwrap();
    let (root, ledger) = (work.to_str().unwrap(), "heronspace");
    let wanted = ["token", "new", "--user", "ada", "--root", root, "--namespaces", ledger];
    let wanted = [&wanted[..], &["--toolsets", "layers,files", "--read-only"]].concat();
    let (code, _, err) = cli::run(dir.path(), &wanted);
    assert_eq!(code, 0, "{err}");
    let made = shown(dir.path(), &[]).remove(0)["what"].as_str().unwrap().to_owned();
    for part in [root, ledger, "layers,files", "read-only"] {
        assert!(made.contains(part), "{part}: {made}");
    }
}
