//! Truth survives: processes that are killed, and the states they leave behind.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ALL, answers, assert_sound, decision, git, ledger, record};
use crate::cli::run;
use crate::support::{Stdio1, signal};

#[test]
fn killed_over_and_over_nothing_acknowledged_is_lost_and_nothing_is_half_there() {
    const ROUNDS: u64 = 14;
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged: HashSet<String> = HashSet::new();
    for round in 0..ROUNDS {
        let mut victims: Vec<Stdio1> = (0..2).map(|_| Stdio1::start(dir.path(), &ALL)).collect();
        // Each round dies after another number of answers, so that it does not matter how fast this is.
        let answered = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let answered = &answered;
            let pids: Vec<u32> = victims.iter().map(|victim| victim.child.id()).collect();
            scope.spawn(move || {
                let patience = Instant::now() + Duration::from_secs(30);
                while answered.load(Ordering::Relaxed) < 1 + 2 * round && Instant::now() < patience
                {
                    std::thread::sleep(Duration::from_micros(300));
                }
                std::thread::sleep(Duration::from_micros(700 * (round % 5)));
                for pid in pids {
                    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
                    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
                }
            });
            let writers: Vec<_> = victims
                .iter_mut()
                .enumerate()
                .map(|(process, victim)| {
                    scope.spawn(move || write(victim, round, process, answered))
                })
                .collect();
            for writer in writers {
                acknowledged.extend(writer.join().unwrap());
            }
        });
    }
    assert!(acknowledged.len() > 20, "the rounds wrote something: {}", acknowledged.len());
    let mut client = Stdio1::start(dir.path(), &ALL);
    for title in &acknowledged {
        let query = json!({"query": title, "limit": 50, "mode": "fuzzy"});
        let found = client.call("search_decisions", query).value;
        let is_there =
            found["results"].as_array().unwrap().iter().any(|hit| hit["title"] == *title);
        assert!(is_there, "{title} is lost");
    }
    let total = client.call("get_decisions", json!({})).value["total"].as_u64().unwrap();
    client.finish();
    assert_sound(dir.path(), usize::try_from(total).unwrap());
    let subjects = git(dir.path(), &["log", "--format=%s"]);
    let subjects: HashSet<&str> = subjects.lines().collect();
    for title in &acknowledged {
        assert!(subjects.contains(format!("Record decision: {title}").as_str()), "{title}");
    }
    assert_eq!(subjects.len() as u64, total, "one commit a record, none twice");
}

/// Records until it is killed, several calls under way; what was acknowledged.
fn write(victim: &mut Stdio1, round: u64, process: usize, answered: &AtomicU64) -> Vec<String> {
    let (mut acknowledged, mut under_way) = (Vec::new(), std::collections::HashMap::new());
    let mut take = |answer: &Value, under_way: &mut std::collections::HashMap<u64, String>| {
        assert_eq!(answer["result"]["structuredContent"]["status"], "created", "{answer}");
        acknowledged.extend(under_way.remove(&answer["id"].as_u64().unwrap()));
        answered.fetch_add(1, Ordering::Relaxed);
    };
    for n in 0.. {
        let title = format!("round{round} process{process} decision{n}");
        let target = format!("t_{round}_{process}_{n}");
        let call = json!({"name": "record_decision", "arguments": decision(&title, &target)});
        let Some(id) = victim.try_ask("tools/call", &call) else { break };
        under_way.insert(id, title);
        if under_way.len() >= 4 {
            let Some(answer) = victim.receive() else { break };
            take(&answer, &mut under_way);
        }
    }
    while let Some(answer) = victim.receive() {
        take(&answer, &mut under_way);
    }
    acknowledged
}

/// A store with a chain, evidence and a proposal, and what it answers.
fn lived_in(dir: &Path) -> std::collections::BTreeMap<String, Value> {
    let mut client = Stdio1::start(dir, &ALL);
    let first = record(&mut client, "Use MySQL", "database");
    let new = json!({"fid": first, "title": "Use PostgreSQL", "target": "database",
                     "rationale": "Constraints and MERGE.", "consequences": ["Migrate", "Train"]});
    let second = client.call("supersede_decision", new).value["new_fid"].clone();
    let exchange = json!({"prompt": "qqq", "response": "zzz"});
    let event = client.call("bridge-record", exchange).value["event_id"].clone();
    client.call("link_evidence", json!({"event_id": event, "decision_ids": [second]}));
    let proposal = json!({"kind": "proposal", "title": "Try Valkey", "target": "cache",
                          "rationale": "Redis changed its licence."});
    client.call("record_decision", proposal);
    let answers = answers(&mut client);
    assert_eq!(client.finish(), Some(0));
    answers
}

fn after_start(dir: &Path) -> std::collections::BTreeMap<String, Value> {
    let mut client = Stdio1::start(dir, &ALL);
    let answers = answers(&mut client);
    client.finish();
    answers
}

fn copy(from: &Path, to: &Path) {
    let done = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

fn database(dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(dir.join("lorekeep.db")).unwrap()
}

#[test]
fn promised_and_not_committed_is_committed_at_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    record(&mut client, "The first", "one");
    assert_eq!(client.finish(), Some(0));
    let before = tempfile::tempdir().unwrap();
    copy(&ledger(dir.path()), before.path());
    let mut client = Stdio1::start(dir.path(), &ALL);
    let fid = record(&mut client, "The second", "two");
    let expected = answers(&mut client);
    // Nobody is there to make it safe and to empty the queue.
    signal(&client.child, nix::sys::signal::Signal::SIGKILL);
    client.finish();
    // As if the kill had come between the database and git.
    std::fs::remove_dir_all(ledger(dir.path())).unwrap();
    copy(&before.path().join("ledger"), &ledger(dir.path()));
    assert_eq!(after_start(dir.path()), expected);
    assert_sound(dir.path(), 2);
    assert!(git(dir.path(), &["log", "--format=%s"]).starts_with("Record decision: The second"));
    assert!(git(dir.path(), &["ls-files"]).contains(&fid));
}

#[test]
fn committed_and_not_noted_is_found_and_not_committed_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    record(&mut client, "The first", "one");
    let head = git(dir.path(), &["rev-parse", "HEAD"]).trim().to_owned();
    record(&mut client, "The second", "two");
    record(&mut client, "The third", "three");
    let expected = answers(&mut client);
    signal(&client.child, nix::sys::signal::Signal::SIGKILL);
    client.finish();
    // As if the kill had come between git and the note of it.
    let db = database(dir.path());
    db.execute("UPDATE outbox SET committed = NULL", []).unwrap();
    db.execute("UPDATE ledger_state SET head = ?1, safe = NULL", [&head]).unwrap();
    drop(db);
    assert_eq!(after_start(dir.path()), expected);
    assert_sound(dir.path(), 3);
    assert_eq!(git(dir.path(), &["rev-list", "--count", "HEAD"]).trim(), "3");
}

#[test]
fn locks_and_halves_that_were_left_behind_stop_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let expected = lived_in(dir.path());
    let dot_git = ledger(dir.path()).join(".git");
    let old = std::time::SystemTime::now() - Duration::from_secs(3_600);
    for name in ["refs/heads/main.lock", "HEAD.lock", "index.lock"] {
        let file = std::fs::File::create(dot_git.join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    std::fs::write(dot_git.join("objects/pack/tmp_pack_lorekeep"), "half a pack").unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    record(&mut client, "Goes on", "more");
    assert_eq!(answers(&mut client).len(), expected.len() + 1);
    assert_eq!(client.finish(), Some(0));
    std::fs::remove_file(dot_git.join("HEAD.lock")).ok();
    assert_sound(dir.path(), expected.len() + 1);
}

#[test]
fn the_view_is_rebuilt_from_the_files_alone_to_the_same_answers() {
    let dir = tempfile::tempdir().unwrap();
    let expected = lived_in(dir.path());
    assert_eq!(expected.len(), 3);
    // Rows that say something else, and rows that are gone. Other words would be damage, which is
    // known by their hash and is the doctor's to mend.
    let db = database(dir.path());
    db.execute("UPDATE record SET confidence = 0.123, phase = 'canonical'", []).unwrap();
    db.execute("DELETE FROM record WHERE kind = 'proposal'", []).unwrap();
    drop(db);
    assert_ne!(after_start(dir.path()), expected);
    let (code, out, err) = run(dir.path(), &["reindex", "--rebuild"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("ledger: 3 records, from its files"), "{out}");
    assert_eq!(after_start(dir.path()), expected);

    // Nothing but the files: a new store around the old repository.
    let other = tempfile::tempdir().unwrap();
    copy(&ledger(dir.path()), &ledger(other.path()));
    let strip = |answers: std::collections::BTreeMap<String, Value>, dir: &Path| {
        let dir = dir.canonicalize().unwrap().to_string_lossy().into_owned();
        serde_json::to_string(&answers).unwrap().replace(&dir, "")
    };
    assert_eq!(strip(after_start(other.path()), other.path()), strip(expected, dir.path()));
}

#[test]
fn a_repository_that_is_gone_is_written_again_from_the_rows() {
    let dir = tempfile::tempdir().unwrap();
    let expected = lived_in(dir.path());
    std::fs::remove_dir_all(ledger(dir.path())).unwrap();
    assert_eq!(after_start(dir.path()), expected);
    assert_sound(dir.path(), 3);
    assert!(git(dir.path(), &["log", "-1", "--format=%s"]).starts_with("Restore 3 records"));
}

#[test]
fn events_are_dropped_when_they_are_old_unless_a_decision_is_linked_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &["--toolsets", "all", "--limit", "event-days=30"]);
    let fid = record(&mut client, "Keep me", "keep");
    let exchange = |n: u32| json!({"prompt": format!("zzz{n}"), "response": "qqq"});
    let linked = client.call("bridge-record", exchange(1)).value["event_id"].clone();
    let unlinked = client.call("bridge-record", exchange(2)).value["event_id"].clone();
    client.call("link_evidence", json!({"event_id": linked, "decision_ids": [fid]}));
    let ids = |client: &mut Stdio1| {
        let events = client.call("get_recent_events", json!({"limit": 100})).value;
        let events = events["events"].as_array().unwrap().clone();
        events.into_iter().map(|event| event["id"].clone()).collect::<Vec<_>>()
    };
    let db = database(dir.path());
    // What happened does not change, not even for a test: the guard goes first.
    assert!(db.execute("UPDATE episode SET at = 0", []).is_err());
    db.execute("DROP TRIGGER episode_stays", []).unwrap();
    db.execute("UPDATE episode SET at = at - 40 * 86400000000", []).unwrap();
    drop(db);
    assert!(ids(&mut client).contains(&unlinked));
    client.call("bridge-record", exchange(3));
    let left = ids(&mut client);
    assert!(left.contains(&linked) && !left.contains(&unlinked), "{left:?}");
    client.finish();
}
