//! Several processes on one store, and processes that are killed.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Stdio1, lorekeep};

const ALL: [&str; 2] = ["--toolsets", "all"];

fn note(content: &str) -> Value {
    json!({"type": "core", "content": content})
}

/// Every content in the store, read by a fresh process.
fn contents(dir: &Path) -> HashSet<String> {
    let mut client = Stdio1::start(dir, &ALL);
    let mut all = HashSet::new();
    loop {
        let page = json!({"limit": 100, "offset": all.len(), "sort_by": "created_at"});
        let page = client.call("query_memories", page).value;
        for memory in page["memories"].as_array().expect("a list") {
            let content = memory["content"].as_str().expect("a text").to_owned();
            assert!(all.insert(content), "{memory} is there twice");
        }
        if page["has_more"] == false {
            return all;
        }
    }
}

fn assert_sound(dir: &Path) {
    let doctor = lorekeep(dir).args(["doctor", "--json"]).output().expect("a doctor");
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
}

#[test]
fn eight_processes_write_and_read_at_once_without_error_or_loss() {
    const PROCESSES: usize = 8;
    const WRITES: usize = 60;
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let dir = dir.path();
            scope.spawn(move || {
                // All eight start on an empty directory at the same moment: one of them makes the
                // database, the others wait for it.
                let mut client = Stdio1::start(dir, &ALL);
                for write in 0..WRITES {
                    let content = format!("process {process} writes item{write:03}p{process}");
                    let stored = client.call("store_memory", note(&content));
                    assert!(!stored.is_error, "{}", stored.value);
                    let query = json!({"query": format!("item{write:03}p{process}")});
                    let found = client.call("memory_search", query);
                    assert_eq!(found.value["results"][0]["content"], content, "{}", found.value);
                }
                assert_eq!(client.finish(), Some(0));
            });
        }
    });
    let all = contents(dir.path());
    assert_eq!(all.len(), PROCESSES * WRITES);
    assert_sound(dir.path());
}

#[test]
fn what_one_process_acknowledged_is_in_the_next_read_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Stdio1::start(dir.path(), &ALL);
    let mut reader = Stdio1::start(dir.path(), &ALL);
    for turn in 0..50 {
        let id = writer.call("store_memory", note(&format!("turn{turn}"))).value["id"].clone();
        let query = json!({"query": format!("turn{turn}")});
        let found = reader.call("memory_search", query.clone()).value;
        assert_eq!(found["results"][0]["content"], format!("turn{turn}"), "{found}");
        let changed =
            reader.call("update_memory", json!({"id": id, "content": format!("new{turn}")}));
        assert!(!changed.is_error, "{}", changed.value);
        let found = writer.call("memory_search", query).value;
        assert_ne!(found["results"][0]["content"], format!("turn{turn}"), "{found}");
        writer.call("delete_memory", json!({"id": id, "permanent": true}));
        let gone = reader.call("memory_search", json!({"query": format!("new{turn}")})).value;
        assert_eq!(gone["totalCount"], 0, "{gone}");
    }
}

#[test]
fn a_session_is_one_process_and_a_project_one_folder() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.join(".git")).unwrap();
        std::fs::create_dir_all(path.join("src")).unwrap();
        path
    };
    let start = |place: &Path| {
        let mut command = lorekeep(&dir.path().join("store"));
        command.arg("serve").current_dir(place);
        let mut client = Stdio1::start_command(command);
        client.open(json!({}));
        client
    };
    let (one, other) = (folder("one"), folder("other"));
    let mut first = start(&one);
    for layer in model::Layer::ALL.map(model::Layer::name) {
        let kept =
            first.call("memory_add", json!({"content": format!("kept {layer}"), "layer": layer}));
        assert!(!kept.is_error, "{}", kept.value);
    }
    let layers_seen_from = |place: &Path| -> Vec<String> {
        let found = start(place).call("memory_search", json!({"query": "kept"})).value;
        let results = found["results"].as_array().unwrap().iter();
        let mut layers: Vec<_> =
            results.map(|hit| hit["layer"].as_str().unwrap().to_owned()).collect();
        layers.sort_by_key(|name| model::Layer::named(name));
        layers
    };
    let shared = ["agent", "user", "project", "team", "org", "company"];
    assert_eq!(layers_seen_from(&one.join("src")), shared, "another session of the project");
    let elsewhere = ["agent", "user", "team", "org", "company"];
    assert_eq!(layers_seen_from(&other), elsewhere, "another project");
}

#[test]
fn two_processes_that_change_one_memory_lose_no_change() {
    const CHANGES: u64 = 40;
    let dir = tempfile::tempdir().unwrap();
    let mut first = Stdio1::start(dir.path(), &ALL);
    let id = first.call("store_memory", note("shared")).value["id"].clone();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let (dir, id) = (dir.path(), id.clone());
            scope.spawn(move || {
                let mut client = Stdio1::start(dir, &ALL);
                for _ in 0..CHANGES {
                    let changed = client.call("update_memory", json!({"id": id}));
                    assert!(!changed.is_error, "{}", changed.value);
                }
            });
        }
    });
    let stats = first.call("get_memory_stats", json!({})).value;
    assert_eq!(stats["most_accessed"]["access_count"], 3 * CHANGES, "every access counted");
}

#[test]
fn the_limit_on_core_memories_holds_among_processes() {
    let dir = tempfile::tempdir().unwrap();
    let options = ["--toolsets", "agent-memory", "--limit", "notes-core=20"];
    let refused: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|process| {
                let dir = dir.path();
                scope.spawn(move || {
                    let mut client = Stdio1::start(dir, &options);
                    let stored = (0..10).map(|n| note(&format!("p{process} n{n}")));
                    stored.filter(|n| client.call("store_memory", n.clone()).is_error).count()
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(refused, 20);
    assert_eq!(contents(dir.path()).len(), 20);
}

#[test]
fn killed_over_and_over_nothing_acknowledged_is_lost() {
    const ROUNDS: u64 = 20;
    const ANSWERS_MORE: u64 = 8;
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = HashSet::new();
    for round in 0..ROUNDS {
        let mut victims: Vec<Stdio1> = (0..2).map(|_| Stdio1::start(dir.path(), &ALL)).collect();
        let pids: Vec<u32> = victims.iter().map(|victim| victim.child.id()).collect();
        // Each round dies after another number of answers, from the first commits to full swing: it does not
        // matter how fast this is.
        let answered = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let answered = &answered;
            scope.spawn(move || {
                while answered.load(Ordering::Relaxed) < round * ANSWERS_MORE {
                    std::thread::sleep(Duration::from_micros(300));
                }
                for pid in pids {
                    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
                    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
                }
            });
            let writers: Vec<_> = victims
                .iter_mut()
                .enumerate()
                .map(|(process, victim)| {
                    scope.spawn(move || write_until_killed(victim, round, process, answered))
                })
                .collect();
            for writer in writers {
                acknowledged.extend(writer.join().unwrap());
            }
        });
    }
    let least = ANSWERS_MORE * ROUNDS * (ROUNDS - 1) / 2;
    assert!(acknowledged.len() as u64 >= least, "{} acknowledged", acknowledged.len());
    let kept = contents(dir.path());
    let lost: Vec<_> = acknowledged.difference(&kept).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert_sound(dir.path());
}

/// Pipelines writes, so that the kill falls into a group commit; what was acknowledged.
fn write_until_killed(
    victim: &mut Stdio1,
    round: u64,
    process: usize,
    answered: &AtomicU64,
) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let mut under_way = std::collections::HashMap::new();
    for n in 0.. {
        let content = format!("round {round} process {process} write {n}");
        let call = json!({"name": "store_memory", "arguments": note(&content)});
        let Some(id) = victim.try_ask("tools/call", &call) else { break };
        under_way.insert(id, content);
        if under_way.len() >= 16 {
            let Some(answer) = victim.receive() else { break };
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            let content = under_way.remove(&answer["id"].as_u64().unwrap());
            acknowledged.push(content.expect("a known id"));
            answered.fetch_add(1, Ordering::Relaxed);
        }
    }
    while let Some(answer) = victim.receive() {
        acknowledged.push(under_way.remove(&answer["id"].as_u64().unwrap()).expect("a known id"));
    }
    acknowledged
}

#[test]
fn a_store_is_backed_up_under_way_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    for n in 0..30 {
        client.call("store_memory", note(&format!("before {n}")));
    }
    let file = scratch.path().join("backup.db");
    let backup = |file: &Path| lorekeep(dir.path()).arg("backup").arg(file).output().unwrap();
    let made = backup(&file);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let again = String::from_utf8(backup(&file).stderr).unwrap();
    let told = format!("{} exists already, and a backup overwrites nothing", file.display());
    assert!(again.contains(&told) && again.contains("name another file"), "{again}");
    client.call("store_memory", note("after the backup"));

    let restore = |file: &Path, dir: &Path| {
        let output = lorekeep(dir).arg("restore").arg(file).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (restored, why) = restore(&file, dir.path());
    assert!(!restored && why.contains("in use"), "a store in use is not replaced: {why}");
    assert_eq!(client.finish(), Some(0));

    let broken = scratch.path().join("broken.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xAA);
    std::fs::write(&broken, bytes).unwrap();
    assert!(!restore(&broken, dir.path()).0, "a broken backup replaces nothing");
    std::fs::write(&broken, "no database").unwrap();
    assert!(!restore(&broken, dir.path()).0, "what is no backup replaces nothing");
    assert_eq!(contents(dir.path()).len(), 31);

    let (restored, why) = restore(&file, dir.path());
    assert!(restored, "{why}");
    let back = contents(dir.path());
    assert_eq!(back.len(), 30);
    assert!(!back.contains("after the backup"));
    assert!(dir.path().join("lorekeep.db.before-restore-0").exists(), "the old store is kept");
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(restore(&file, elsewhere.path()).0);
    assert_eq!(contents(elsewhere.path()).len(), 30);
    assert_sound(dir.path());
}

#[test]
fn a_backup_with_its_log_beside_it_comes_back_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    let mut client = Stdio1::start(&from, &ALL);
    for n in 0..20 {
        client.call("store_memory", note(&format!("in the log {n}")));
    }
    // As a killed process leaves it: most of it is still in the log.
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    let source = from.join("lorekeep.db");
    assert!(from.join("lorekeep.db-wal").metadata().unwrap().len() > 0);
    let restore = |source: &Path, dir: &Path| {
        lorekeep(dir).arg("restore").arg(source).output().unwrap().status.success()
    };
    assert!(!restore(&source, &from), "a store is not restored from itself");

    // A log without its database, which must not be replayed into what takes its place.
    std::fs::create_dir_all(&to).unwrap();
    std::fs::copy(from.join("lorekeep.db-wal"), to.join("lorekeep.db-wal")).unwrap();
    assert!(restore(&source, &to));
    assert_eq!(contents(&to).len(), 20);
    assert!(to.join("lorekeep.db.before-restore-0-wal").exists(), "kept, not replayed");
    assert_sound(&to);
}

#[test]
fn a_store_is_read_where_nothing_can_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store with spaces % and ü");
    let read_only = ["--toolsets", "all", "--read-only"];
    let missing = Stdio1::start(&home, &read_only).call("memory_search", json!({"query": "x"}));
    assert!(missing.is_error && missing.value.to_string().contains("--read-only makes none"));
    assert!(!home.exists());

    let mut writer = Stdio1::start(&home, &ALL);
    writer.call("store_memory", note("readable"));
    let found = |home: &Path| {
        let mut client = Stdio1::start(home, &read_only);
        client.call("query_memories", json!({})).value["total"].clone()
    };
    assert_eq!(found(&home), 1, "beside a process that writes");
    assert_eq!(writer.finish(), Some(0));
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(found(&home), 1, "in a directory that cannot be written");
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn damaged_data_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    client.call("store_memory", note("whole"));
    let db = rusqlite::Connection::open(dir.path().join("lorekeep.db")).unwrap();
    db.execute("UPDATE memory SET tags = 'no json'", []).unwrap();
    let broken = client.call("query_memories", json!({}));
    assert_eq!(broken.value["error"]["code"], "CORRUPTED_DATA", "{}", broken.value);
    client.call("store_memory", note("whole again"));
    let found = client.call("memory_search", json!({"query": "whole"})).value;
    let mut served = found["results"].as_array().into_iter().flatten();
    assert!(served.any(|hit| hit["content"] == "whole again"), "the rest is served: {found}");
    let doctor = lorekeep(dir.path()).arg("doctor").output().unwrap();
    let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(!doctor.status.success() && told.contains("cannot be read"), "{told}");
}

#[test]
fn a_store_that_a_newer_version_took_over_is_no_longer_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    assert!(!client.call("store_memory", note("before")).is_error);
    let db = rusqlite::Connection::open(dir.path().join("lorekeep.db")).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    let refused = client.call("store_memory", note("after"));
    assert!(
        refused.is_error && refused.value.to_string().contains("schema 999"),
        "{}",
        refused.value
    );
    let count = "SELECT count(*) FROM memory";
    assert_eq!(db.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn a_newer_store_is_refused_untouched_and_the_server_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    Stdio1::start(dir.path(), &ALL).call("store_memory", note("x"));
    let path = dir.path().join("lorekeep.db");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    db.close().unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    for _ in 0..2 {
        let refused = client.call("store_memory", note("y"));
        assert!(refused.is_error);
        assert_eq!(refused.value["error"]["code"], "STORAGE_ERROR");
        let message = refused.value["error"]["message"].as_str().unwrap();
        assert!(message.contains("schema 999") && message.contains("update lorekeep"), "{message}");
    }
    assert_eq!(client.finish(), Some(0));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
