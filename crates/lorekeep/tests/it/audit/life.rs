//! What people do to the store beside its tools is noted, and what the log is compared with.

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{shown, verified};
use crate::cli;
use crate::support::{Stdio1, lorekeep};

fn run(dir: &Path, args: &[&str]) -> String {
    let (code, out, err) = cli::run(dir, args);
    assert_eq!(code, 0, "{args:?}: {err}");
    out
}

/// What the newest entry says.
fn newest(dir: &Path) -> String {
    shown(dir, &[])[0]["what"].as_str().unwrap().to_owned()
}

#[test]
fn tokens_backups_exports_and_restores_are_noted() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let beside = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    let made =
        run(dir.path(), &["token", "new", "--name", "eve", "--user", "eve", "--role", "admin"]);
    let what = newest(dir.path());
    assert!(what.starts_with("make token t_") && what.contains("(eve) for user=eve, role admin"));
    assert!(!what.contains(made.trim()), "{what}");
    run(dir.path(), &["token", "revoke", "eve"]);
    assert!(newest(dir.path()).starts_with("revoke token t_"));
    run(dir.path(), &["add", "the harbour opens at nine"]);
    let (backup, export) = (beside("copy.db"), beside("all"));
    run(dir.path(), &["backup", &backup]);
    assert_eq!(newest(dir.path()), format!("back everything up to {backup}"));
    run(dir.path(), &["export", &export]);
    assert_eq!(newest(dir.path()), format!("export everything to {export}"));
    let head = verified(dir.path(), &[]).1["head"].as_str().unwrap().to_owned();
    run(dir.path(), &["restore", &backup]);
    let what = newest(dir.path());
    assert!(what.starts_with("restore the store from a backup (sha256 "), "{what}");
    assert!(what.contains(&format!("the log went up to {head}; {backup}")), "{what}");
    assert_eq!(verified(dir.path(), &[]).0, 0);
    assert_eq!(verified(dir.path(), &["--expect", &head]).0, 1, "it was taken back");
    let who = shown(dir.path(), &[]);
    assert_eq!((&who[0]["tool"], &who[0]["who"]), (&json!("lorekeep restore"), &json!("tester")));
}

#[test]
fn no_token_is_made_that_cannot_be_noted_and_one_is_revoked_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["token", "new", "--name", "ada", "--user", "ada"]);
    std::fs::write(dir.path().join("lorekeep.db"), "no database at all").unwrap();
    let (code, out, err) =
        cli::run(dir.path(), &["token", "new", "--name", "eve", "--user", "eve"]);
    assert!(code == 2 && out.is_empty() && err.contains("audit log"), "{out} {err}");
    let (code, _, err) = cli::run(dir.path(), &["token", "revoke", "ada"]);
    assert!(code == 0 && err.contains("not in the audit log"), "{err}");
    let list: Value = cli::json(&run(dir.path(), &["token", "list", "--json"]));
    assert!(list["tokens"].as_array().unwrap().iter().all(|token| token["good"] == false));
}

#[test]
fn reads_beside_the_tools_are_noted_when_that_is_set() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["add", "the harbour opens at nine"]);
    let read = |args: &[&str]| {
        let mut command = lorekeep(dir.path());
        let done = command.args(args).env("LOREKEEP_AUDIT_READS", "true").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let newest = shown(dir.path(), &[]).remove(0);
        (newest["deed"].clone(), newest["tool"].as_str().unwrap().to_owned())
    };
    for command in ["search", "recall", "context", "list", "stats", "log"] {
        let args: Vec<&str> = match command {
            "search" | "recall" | "context" => vec![command, "harbour"],
            _ => vec![command],
        };
        assert_eq!(read(&args), (json!("read"), format!("lorekeep {command}")));
    }
    let mut command = lorekeep(dir.path());
    command.args(["serve", "--toolsets", "all"]).env("LOREKEEP_AUDIT_READS", "true");
    let mut agent = Stdio1::start_command(command);
    agent.open(json!({}));
    agent.request("resources/read", &json!({"uri": "memory://recent"}));
    let recall = json!({"name": "recall", "arguments": {"query": "harbour"}});
    agent.request("prompts/get", &recall);
    let tag = json!({"ref": {"type": "ref/resource", "uri": "memory://tag/{tag}"},
                     "argument": {"name": "tag", "value": "a"}});
    agent.request("completion/complete", &tag);
    assert_eq!(agent.finish(), Some(0));
    for means in ["resources/read", "prompts/get", "completion/complete"] {
        assert_eq!(shown(dir.path(), &["--tool", means, "--deed", "read"]).len(), 1, "{means}");
    }
    let mut command = lorekeep(dir.path());
    command.args(["hook", "claude-code", "SessionStart"]).env("LOREKEEP_AUDIT_READS", "true");
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
    let mut hook = command.spawn().unwrap();
    let told = json!({"session_id": "s", "cwd": dir.path(), "hook_event_name": "SessionStart"});
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), told.to_string().as_bytes())
        .unwrap();
    assert!(hook.wait().unwrap().success());
    assert_eq!(shown(dir.path(), &["--tool", "lorekeep hook", "--deed", "read"]).len(), 1);
}

#[test]
fn a_log_without_its_guards_or_of_a_damaged_store_is_wrong() {
    let dir = super::written();
    let db = Connection::open(dir.path().join("lorekeep.db")).unwrap();
    db.execute_batch("DROP TRIGGER audit_is_never_deleted").unwrap();
    drop(db);
    let (code, found) = verified(dir.path(), &[]);
    assert!(code == 1 && found["fault"].as_str().unwrap().contains("audit_is_never_deleted"));

    let dir = super::written();
    let db = Connection::open(dir.path().join("lorekeep.db")).unwrap();
    db.execute_batch("DROP TABLE audit; DELETE FROM sqlite_sequence WHERE name = 'audit'").unwrap();
    drop(db);
    assert_eq!(verified(dir.path(), &[]).0, 1);
    cli::run(dir.path(), &["call", "memory_search", r#"{"query": "x"}"#]);
    let (code, found) = verified(dir.path(), &[]);
    assert!(code == 1, "after it was opened: {found}");
}

#[test]
fn damage_is_nobodys_deed_and_a_hook_makes_no_copy_of_it() {
    let dir = super::written();
    std::fs::write(dir.path().join("lorekeep.damaged"), "page 7 is torn\n").unwrap();
    let input = json!({"session_id": "s", "cwd": dir.path()}).to_string();
    for event in ["SessionStart", "SessionEnd", "Stop"] {
        crate::hooks::hook(lorekeep(dir.path()).args(["hook", "claude-code", event]), &input);
    }
    let names = std::fs::read_dir(dir.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains(".reading-")), "{names:?}");
    let (code, told, _) = cli::run(dir.path(), &["doctor"]);
    assert!(code == 1 && told.contains("the store is known to be damaged: page 7"), "{told}");
    assert!(!told.contains("somebody changed"), "{told}");
    let (code, found) = verified(dir.path(), &[]);
    assert!(code == 1 && found["entries"] == 6, "{found}");
}

#[test]
fn an_empty_file_in_the_place_of_the_store_is_named() {
    let dir = super::written();
    std::fs::write(dir.path().join("lorekeep.db"), "").unwrap();
    let (code, _, err) = cli::run(dir.path(), &["audit", "verify"]);
    assert!(code == 2 && err.contains("lorekeep.db is empty"), "{err}");
    assert!(err.contains("lorekeep doctor") && !err.contains("--read-only"), "{err}");
    let (code, told, _) = cli::run(dir.path(), &["doctor"]);
    assert!(code == 1 && told.contains("changes to it were acknowledged"), "{told}");
}

#[test]
fn old_entries_go_to_a_file_and_both_are_checked_together() {
    let dir = super::written();
    let head = verified(dir.path(), &[]).1["head"].as_str().unwrap().to_owned();
    let file = dir.path().join("old.jsonl");
    let file = file.to_str().unwrap();
    let young =
        run(dir.path(), &["audit", "archive", file, "--keep", "0", "--older-than", "1d", "--json"]);
    assert_eq!(cli::json(&young)["entries"], 0);
    let moved = run(dir.path(), &["audit", "archive", file, "--keep", "2", "--json"]);
    assert_eq!(cli::json(&moved)["entries"], 4, "{moved}");
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 4);
    assert!(newest(dir.path()).starts_with("archive entries up to 4:"));
    assert_eq!(shown(dir.path(), &[]).len(), 3);
    assert_eq!(verified(dir.path(), &["--expect", &head]).0, 0, "the newest is still there");
    let (code, both) = verified(dir.path(), &["--archive", file, "--expect", &head]);
    assert_eq!((code, &both["entries"]), (0, &json!(7)), "{both}");
    assert_eq!(both["unchecked"], json!(null));
    assert_eq!(verified(dir.path(), &[]).1["unchecked"], json!([1, 4]));
    let alone = run(dir.path(), &["audit", "verify"]);
    assert!(alone.contains("\nentries 1 to 4 are archived and were not checked"), "{alone}");
    let other = super::written();
    let (code, found) = verified(other.path(), &["--archive", file]);
    let fault = found["fault"].as_str().unwrap();
    assert!(code == 1 && fault.contains("says that nothing was archived"), "{found}");
    let cut = other.path().join("cut.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::write(&cut, &text[..text.len() - 30]).unwrap();
    let (code, found) = verified(dir.path(), &["--archive", cut.to_str().unwrap()]);
    let fault = found["fault"].as_str().unwrap();
    assert!(code == 1 && fault.contains("cut.jsonl: line 4 is no entry"), "{found}");
    let lines = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, lines.replacen("tester", "nobody", 1)).unwrap();
    let (code, both) = verified(dir.path(), &["--archive", file]);
    assert!(code == 1 && both["fault"].as_str().unwrap().contains("entry 1"), "{both}");
    let (code, _, err) = cli::run(dir.path(), &["audit", "archive", file, "--keep", "1"]);
    assert!(code == 2 && err.contains("old.jsonl"), "{err}");
}

#[test]
fn several_processes_that_write_and_are_refused_at_once_keep_one_chain() {
    const EACH: usize = 15;
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for process in 0..4 {
            let dir = dir.path();
            scope.spawn(move || {
                let role = if process % 2 == 0 { "guest" } else { "user" };
                let mut client = Stdio1::start(dir, &["--role", role]);
                for number in 0..EACH {
                    let note = json!({"content": format!("{process} {number}")});
                    assert_eq!(client.call("memory_add", note).is_error, role == "guest");
                }
                assert_eq!(client.finish(), Some(0));
            });
        }
    });
    let (code, whole) = verified(dir.path(), &[]);
    // Of each guest the first denial and a number.
    assert_eq!((code, &whole["entries"]), (0, &json!(2 * EACH + 4)), "{whole}");
}
