//! Backups that are made by themselves: when, how many, by whom, and that they do not stand in the way.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{ALL, doctor, listed, run};
use crate::support::{Stdio1, lorekeep};

/// A backup that is awaited comes within this time, or the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The backups in a data directory, in the order of their names.
pub(super) fn files(home: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(home.join("backups")) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|ending| ending == "db"));
    all.sort();
    all
}

/// A server that makes a backup every so often.
pub(super) fn server(home: &Path, rhythm: &str) -> Stdio1 {
    let mut command = lorekeep(home);
    command.arg("serve").args(ALL).env("LOREKEEP_BACKUPS", rhythm);
    let mut client = Stdio1::start_command(command);
    client.open(json!({}));
    client
}

pub(super) fn wait(what: &str, is_there: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Lets a server make a backup of the store as it is.
pub(super) fn wait_for_one(home: &Path) {
    let before = files(home).len();
    let mut client = server(home, "every=1s");
    let first = client.call("get_memory_stats", json!({}));
    assert!(!first.is_error, "{}", first.value);
    wait("a backup", || {
        files(home).len() > before && files(home).iter().all(|file| sum(file).exists())
    });
    assert_eq!(client.finish(), Some(0));
}

fn sum(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sum");
    name.into()
}

#[test]
fn a_server_makes_backups_as_time_goes_by_and_keeps_as_many_as_are_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let mut client = server(&home, "keep=2,every=1s");
    let mut seen = std::collections::BTreeSet::new();
    let began = Instant::now();
    for number in 0.. {
        let note = json!({"type": "core", "content": format!("note {number}")});
        assert!(!client.call("store_memory", note).is_error);
        seen.extend(files(&home));
        assert!(files(&home).len() <= 3, "two, and one that is about to go");
        if seen.len() >= 4 {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{seen:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(client.finish(), Some(0));
    let kept = files(&home);
    assert!(kept.len() <= 3 && kept.last() == seen.iter().last(), "{kept:?} of {seen:?}");
    for file in &kept {
        let mode = std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file:?}");
    }
    let listing = run(&home, &["backup", "--list"]);
    let listing = String::from_utf8(listing.stdout).unwrap();
    assert_eq!(listing.lines().count(), kept.len(), "{listing}");
    assert!(listing.lines().next().unwrap().contains(kept.last().unwrap().to_str().unwrap()));
    let before = listed(&home).unwrap();
    std::fs::remove_file(home.join("lorekeep.db")).unwrap();
    let restored = run(&home, &["restore", kept.last().unwrap().to_str().unwrap()]);
    assert!(restored.status.success());
    let after = listed(&home).unwrap();
    assert!(!after.is_empty() && after.iter().all(|(id, memory)| before.get(id) == Some(memory)));
}

#[test]
fn no_backup_is_made_of_what_has_not_changed_nor_where_none_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let mut client = server(&home, "keep=0,every=1s");
    client.call("store_memory", json!({"type": "core", "content": "kept"}));
    std::thread::sleep(Duration::from_millis(2_500));
    assert_eq!(client.finish(), Some(0));
    assert!(files(&home).is_empty());
    wait_for_one(&home);
    let made = files(&home);
    let mut client = server(&home, "every=1s");
    let stats = client.call("get_memory_stats", json!({}));
    assert!(!stats.is_error, "{}", stats.value);
    std::thread::sleep(Duration::from_millis(3_000));
    assert_eq!(client.finish(), Some(0));
    assert_eq!(files(&home), made, "nothing was written, so nothing is copied");
}

#[test]
fn a_backup_that_is_damaged_is_told_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    run(&home, &["call", "store_memory", r#"{"type": "core", "content": "kept"}"#]);
    wait_for_one(&home);
    let file = files(&home).pop().unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let listing = String::from_utf8(run(&home, &["backup", "--list"]).stdout).unwrap();
    assert!(listing.contains(", damaged: "), "{listing}");
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(is_healthy, "{told}");
    assert!(told.to_string().contains("is damaged; a repair reads it only where"), "{told}");
}

#[test]
fn what_is_wrong_in_the_settings_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for (said, why) in [
        (
            "every=soon",
            "every must be a time such as 90s, 5m, 24h or 7d; 0 for none (got \"soon\")",
        ),
        ("keep=many", "keep must be a whole number"),
        ("often=yes", "must be keep, every or max-age (got \"often\")"),
    ] {
        let output =
            lorekeep(dir.path()).args(["doctor"]).env("LOREKEEP_BACKUPS", said).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains(why), "{said}: {told}");
    }
}
