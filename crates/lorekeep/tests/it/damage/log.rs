//! Bytes flipped in the files beside the database: the log, its index, the snapshot of the index, the
//! mark. A log is what a server that was killed leaves.

use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use serde_json::json;

use super::{ALL, Chance, doctor, flip, listed, run, wrong};
use crate::support::{Stdio1, signal};

/// How many memories there are, of which the first lies in the database and the rest in the log.
const NOTES: usize = 25;

/// A store whose server was killed, so that its log is there.
fn killed(dir: &Path) -> PathBuf {
    let home = dir.join("killed");
    run(&home, &["call", "store_memory", r#"{"type": "core", "content": "note 0"}"#]);
    let mut client = Stdio1::start(&home, &ALL);
    for number in 1..NOTES {
        let note = json!({"type": "core", "content": format!("note {number}")});
        assert!(!client.call("store_memory", note).is_error);
    }
    signal(&client.child, Signal::SIGKILL);
    client.child.wait().unwrap();
    assert!(std::fs::metadata(home.join("lorekeep.db-wal")).unwrap().len() > 100_000);
    home
}

fn copied(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).unwrap();
    }
    super::copy_dir(from, to);
}

fn texts(home: &Path) -> Vec<String> {
    let all = listed(home).unwrap();
    let mut texts: Vec<String> =
        all.values().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

fn expected() -> Vec<String> {
    let mut all: Vec<String> = (0..NOTES).map(|number| format!("note {number}")).collect();
    all.sort();
    all
}

/// Flips bytes of the log at places that `pick` says; whatever was acknowledged is there after a repair.
fn trials(seed: u64, count: usize, pick: impl Fn(&mut Chance, usize) -> usize) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let gold = killed(dir.path());
    let length = std::fs::metadata(gold.join("lorekeep.db-wal")).unwrap().len();
    let mut chance = Chance::new(seed);
    let mut found = 0;
    for _ in 0..count {
        let home = dir.path().join("trial");
        copied(&gold, &home);
        let at = pick(&mut chance, usize::try_from(length).unwrap());
        flip(&home.join("lorekeep.db-wal"), at, 1, &mut chance);
        let told =
            format!("seed {seed}, byte {at} of the log, frame {}", at.saturating_sub(32) / 4120);
        // Whoever opens it first must not lose what lies behind the damage.
        let before = texts(&home);
        let (_, report) = doctor(&home, &["--repair"]);
        let problems = report["repair"]["problems"].to_string();
        // It is read from a copy with all that can be read of the log, and nothing is silent.
        assert!(before == expected() || problems != "[]", "{told}: {before:?} {report}");
        if problems != "[]" {
            assert!(problems.contains("lorekeep.db-wal"), "{told}: {report}");
            assert!(problems.contains("acknowledged are missing"), "{told}: {report}");
            found += 1;
        }
        let (is_healthy, after) = doctor(&home, &[]);
        assert!(is_healthy, "{told}: {}", wrong(&after));
        let there = texts(&home);
        let lost = report["repair"]["lost"].as_array().unwrap().len();
        if there != expected() {
            // A byte that cannot be made good is in one memory alone, and that is told.
            let differing = expected().iter().filter(|text| !there.contains(text)).count();
            assert!(differing <= 4 && lost > 0, "{told}: {there:?} {report}");
        }
    }
    found
}

#[test]
fn the_head_of_the_log() {
    let found = trials(11, 12, |chance, _| chance.below(32));
    assert!(found >= 10, "{found}");
}

#[test]
fn frames_of_the_log() {
    let found = trials(12, 25, |chance, length| 32 + chance.below(length - 32));
    assert!(found >= 20, "{found}");
}

#[test]
fn frames_of_the_log_once_more() {
    let found = trials(13, 25, |chance, length| 32 + chance.below(length - 32));
    assert!(found >= 20, "{found}");
}

#[test]
fn a_change_that_was_in_the_log_alone_is_told_when_its_frame_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    run(&home, &["call", "store_memory", r#"{"type": "core", "content": "as it was"}"#]);
    let id = listed(&home).unwrap().into_keys().next().unwrap();
    let mut client = Stdio1::start(&home, &ALL);
    let change = json!({"id": id, "content": "as it became zzrevised"});
    assert!(!client.call("update_memory", change).is_error);
    let more = json!({"type": "core", "content": "another note, long after"});
    assert!(!client.call("store_memory", more).is_error);
    signal(&client.child, Signal::SIGKILL);
    client.child.wait().unwrap();
    let log = home.join("lorekeep.db-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    let word = b"zzrevised";
    for frame in bytes[32..].chunks_exact_mut(4_120) {
        if frame.windows(word.len()).any(|found| found == word) {
            frame.fill(0);
        }
    }
    std::fs::write(&log, bytes).unwrap();
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{}", wrong(&report));
    assert!(!texts(&home).contains(&"as it became zzrevised".to_owned()), "{report}");
    let lost = report["repair"]["lost"].to_string();
    assert!(lost.contains("pages of the log") && lost.contains("may be lost"), "{report}");
}

#[test]
fn a_log_that_is_gone_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    let home = killed(dir.path());
    std::fs::remove_file(home.join("lorekeep.db-wal")).unwrap();
    let refused = run(&home, &["call", "store_memory", r#"{"type": "core", "content": "new"}"#]);
    let told = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(!refused.status.success() && told.contains("acknowledged are missing"), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{report}");
    assert!(report["repair"]["lost"].to_string().contains("of the last changes"), "{report}");
    assert_eq!(texts(&home), ["note 0"]);
    let written = run(&home, &["call", "store_memory", r#"{"type": "core", "content": "new"}"#]);
    assert!(written.status.success());
}

#[test]
fn what_is_made_anew_anyway_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let gold = killed(dir.path());
    let home = dir.path().join("trial");
    let mut chance = Chance::new(14);
    for file in ["lorekeep.db-shm", "lorekeep.mark", "lorekeep.index"] {
        for _ in 0..8 {
            copied(&gold, &home);
            let path = home.join(file);
            if !path.exists() {
                std::fs::write(&path, [7; 4096]).unwrap();
            }
            let length = usize::try_from(std::fs::metadata(&path).unwrap().len()).unwrap();
            flip(&path, chance.below(length), 3, &mut chance);
            assert_eq!(texts(&home), expected(), "{file}");
            let (is_healthy, told) = doctor(&home, &[]);
            assert!(is_healthy, "{file}: {told}");
        }
    }
}

#[test]
fn a_dry_run_leaves_the_log_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let gold = killed(dir.path());
    let home = dir.path().join("trial");
    let files = |home: &Path| {
        ["lorekeep.db", "lorekeep.db-wal"].map(|file| std::fs::read(home.join(file)).ok())
    };
    for is_damaged in [false, true] {
        copied(&gold, &home);
        if is_damaged {
            flip(&home.join("lorekeep.db-wal"), 32 + 4120 * 5 + 2_000, 1, &mut Chance::new(3));
        }
        let before = files(&home);
        let (_, report) = doctor(&home, &["--repair", "--dry-run"]);
        assert_eq!(report["repair"]["problems"] != json!([]), is_damaged, "{report}");
        assert!(files(&home) == before, "damaged: {is_damaged}");
        assert!(!home.join("lorekeep.damaged").exists());
    }
}
