//! What plain git sees.

use serde_json::json;

use super::{ALL, answers, assert_sound, decision, git, ledger, path_of, record};
use crate::support::Stdio1;

#[test]
fn every_change_is_one_commit_that_says_what_why_and_who() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &["--toolsets", "ledger", "--identity", "user=ada"]);
    let first = record(&mut client, "Use PostgreSQL", "database");
    let new = json!({"fid": first, "title": "Use PostgreSQL 15", "target": "database",
                     "rationale": "It has MERGE and faster sorts."});
    let second = client.call("supersede_decision", new).value["new_fid"].clone();
    let second = second.as_str().unwrap().to_owned();
    client.call("update_decision", json!({"fid": second, "confidence": 0.5}));
    // At once, without waiting for anything.
    let log = git(dir.path(), &["log", "--format=%an|%s"]);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines,
        [
            "ada|Update decision: Use PostgreSQL 15",
            format!("ada|Supersede decision {first}: Use PostgreSQL 15").as_str(),
            "ada|Record decision: Use PostgreSQL",
        ]
    );
    let both = git(dir.path(), &["show", "--format=%b", "--name-status", "-M", "HEAD~1"]);
    assert!(both.contains("It has MERGE and faster sorts."), "{both}");
    assert!(both.contains(&format!("superseded_decision_{first}.md")), "{both}");
    assert!(both.contains(&format!("/decision_{second}.md")), "{both}");
    assert!(both.contains("Event: evt_"), "{both}");
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");

    let file = path_of(&mut client, &second);
    assert!(file.is_absolute() && file.starts_with(ledger(dir.path()).canonicalize().unwrap()));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("# Use PostgreSQL 15\n\n## Rationale\n\nIt has MERGE"), "{text}");
    let file = file.to_string_lossy().into_owned();
    assert!(git(dir.path(), &["blame", &file]).contains("(ada"), "blame knows the author");
    let copy = tempfile::tempdir().unwrap();
    let target = copy.path().join("copy");
    git(dir.path(), &["clone", "-q", ".", target.to_str().unwrap()]);
    assert_eq!(
        std::fs::read_to_string(
            target.join("default").join(&second[..2]).join(format!("decision_{second}.md"))
        )
        .unwrap(),
        text
    );

    client.call("forget", json!({"fid": second}));
    assert_eq!(client.finish(), Some(0));
    assert_sound(dir.path(), 1);
}

#[test]
fn what_is_done_with_git_meanwhile_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let kept = record(&mut client, "Keep logs for a month", "logs");
    git(dir.path(), &["checkout", "-q", "-b", "trial"]);
    let tried = record(&mut client, "Sample traces at one percent", "traces");
    git(dir.path(), &["gc", "-q"]);
    git(dir.path(), &["checkout", "-q", "main"]);
    // A write takes in what git says now: on this branch the second was never recorded.
    record(&mut client, "Name metrics in snake case", "metrics");
    assert_eq!(
        client.call("get_decisions", json!({"fid": tried})).value["error"]["code"],
        "NOT_FOUND"
    );
    git(dir.path(), &["merge", "-q", "--no-edit", "trial"]);
    let synced = client.call("sync_git", json!({})).value;
    assert_eq!(synced["files_committed"], 0, "{synced}");
    assert_eq!(synced["commit_hash"], git(dir.path(), &["rev-parse", "HEAD"]).trim());
    assert_eq!(client.call("get_decisions", json!({"fid": tried})).value["total"], 1);
    assert_eq!(client.call("get_decisions", json!({"fid": kept})).value["total"], 1);
    client.finish();
    assert_sound(dir.path(), 3);
}

#[test]
fn many_processes_record_at_once_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let mut clients: Vec<Stdio1> = (0..4).map(|_| Stdio1::start(dir.path(), &ALL)).collect();
    std::thread::scope(|scope| {
        for (process, client) in clients.iter_mut().enumerate() {
            scope.spawn(move || {
                for n in 0..12 {
                    record(client, &format!("Decision {process} {n}"), &format!("t_{process}_{n}"));
                }
            });
        }
    });
    // All of them wanted the same title; one got it.
    let created: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| {
                scope.spawn(|| {
                    client.call("record_decision", decision("The one", "one")).value["status"]
                        == "created"
                })
            })
            .collect();
        threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
    });
    assert_eq!(created, 1);
    let seen: Vec<_> = clients.iter_mut().map(answers).collect();
    assert!(seen.iter().all(|one| one.len() == 49 && *one == seen[0]));
    clients.into_iter().for_each(|client| _ = client.finish());
    assert_sound(dir.path(), 49);
    let subjects = git(dir.path(), &["log", "--format=%s"]);
    assert_eq!(subjects.lines().count(), 49, "one commit a change");
}
