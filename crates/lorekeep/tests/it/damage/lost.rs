//! A database that is gone, empty or an older one: no empty store is made in its place, and the repair
//! takes all that backups, the log and git have.

use std::path::Path;

use serde_json::json;

use super::{ALL, Gold, backups, decided, doctor, listed, run, wrong};
use crate::support::Stdio1;

/// What a command says that must fail.
fn refused(home: &Path, args: &[&str]) -> String {
    let output = run(home, args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{args:?}: {said}");
    said
}

#[test]
fn a_database_that_is_gone_or_empty_is_missed_and_comes_back_from_the_backup() {
    let gold = Gold::make();
    for is_empty in [false, true] {
        for first in [&["list"][..], &["call", "--read-only", "query_memories", "{}"], &[]] {
            let home = gold.copy("trial");
            let path = home.join("lorekeep.db");
            std::fs::remove_file(&path).unwrap();
            if is_empty {
                std::fs::write(&path, "").unwrap();
            }
            if !first.is_empty() {
                let said = refused(&home, first);
                assert!(said.contains("lorekeep doctor --repair"), "{first:?}: {said}");
                let size = std::fs::metadata(&path).map_or(0, |data| data.len());
                assert_eq!(size, 0, "nothing is made in its place");
            }
            let (is_healthy, told) = doctor(&home, &[]);
            assert!(!is_healthy && wrong(&told).contains("lorekeep restore"), "{told}");
            let (is_healthy, report) = doctor(&home, &["--repair"]);
            assert!(is_healthy, "{}", wrong(&report));
            assert_eq!(listed(&home).unwrap(), gold.memories, "{report}");
            assert_eq!(decided(&home).unwrap(), decided(&gold.home()).unwrap(), "{report}");
            let note = r#"{"type": "core", "content": "it goes on"}"#;
            assert!(run(&home, &["call", "store_memory", note]).status.success());
            assert!(doctor(&home, &[]).0);
        }
    }
}

#[test]
fn an_older_database_becomes_what_the_newest_backup_is() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let older = std::fs::read(home.join("lorekeep.db")).unwrap();
    for number in 0..5 {
        let note = json!({"content": format!("a later note {number}")}).to_string();
        assert!(run(&home, &["call", "memory_add", &note]).status.success());
    }
    let update = json!({"id": gold.note(), "content": "changed later"}).to_string();
    assert!(run(&home, &["call", "update_memory", &update]).status.success());
    // Names of backups have seconds.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    backups::wait_for_one(&home);
    let before = listed(&home).unwrap();
    assert_eq!(before.len(), gold.memories.len() + 5);
    std::fs::write(home.join("lorekeep.db"), older).unwrap();
    let note = r#"{"content": "not into an older one"}"#;
    assert!(!run(&home, &["call", "memory_add", note]).status.success());
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{}", wrong(&report));
    assert_eq!(listed(&home).unwrap(), before, "{report}");
    assert!(run(&home, &["call", "memory_add", note]).status.success());
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(is_healthy, "{}", wrong(&told));
}

#[test]
fn a_log_without_its_database_is_kept() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let mut client = Stdio1::start(&home, &ALL);
    let note = json!({"type": "core", "content": "only in the log"});
    assert!(!client.call("store_memory", note).is_error);
    crate::support::signal(&client.child, nix::sys::signal::Signal::SIGKILL);
    client.child.wait().unwrap();
    let log = std::fs::read(home.join("lorekeep.db-wal")).unwrap();
    std::fs::remove_file(home.join("lorekeep.db")).unwrap();
    let said = refused(&home, &["list"]);
    assert!(said.contains("lorekeep doctor --repair"), "{said}");
    assert_eq!(std::fs::read(home.join("lorekeep.db-wal")).unwrap(), log);
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{}", wrong(&report));
    let after = listed(&home).unwrap();
    assert!(gold.memories.keys().all(|id| after.contains_key(id)), "{report}");
    assert_eq!(std::fs::read(home.join("lorekeep.db.before-repair-0-wal")).unwrap(), log);
}

#[test]
fn who_takes_the_whole_folder_away_begins_anew() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    std::fs::remove_dir_all(&home).unwrap();
    assert!(listed(&home).unwrap().is_empty());
}

#[test]
fn a_backup_that_is_not_what_it_was_is_not_restored() {
    let gold = Gold::make();
    for with_sum in [true, false] {
        let home = gold.copy("trial");
        let file = backups::files(&home).pop().unwrap();
        let db = rusqlite::Connection::open(&file).unwrap();
        let sql =
            "UPDATE memory SET content = 'r' || substr(content, 2) WHERE content LIKE 'note 3,%'";
        assert_eq!(db.execute(sql, []).unwrap(), 1);
        drop(db);
        if !with_sum {
            let mut sum = file.clone().into_os_string();
            sum.push(".sum");
            std::fs::remove_file(sum).unwrap();
        }
        let before = std::fs::read(home.join("lorekeep.db")).unwrap();
        let said = refused(&home, &["restore", file.to_str().unwrap()]);
        assert!(said.contains("is damaged") && said.contains("backup --list"), "{said}");
        assert_eq!(std::fs::read(home.join("lorekeep.db")).unwrap(), before);
        assert!(!home.join("lorekeep.db.before-restore-0").exists());
    }
}

#[test]
fn a_repair_goes_on_where_another_was_killed_and_never_back_to_what_was_moved_aside() {
    let gold = Gold::make();
    for left in ["repairing-new", "incoming", "before-repair-0"] {
        let home = gold.copy("trial");
        let path = home.join("lorekeep.db");
        std::fs::remove_file(&path).unwrap();
        // As a kill leaves it half written, or an earlier repair moved it aside.
        for name in [left, "repairing"] {
            std::fs::write(home.join(format!("lorekeep.db.{name}")), "half").unwrap();
        }
        let said = refused(&home, &["list"]);
        assert!(said.contains("doctor --repair") && !said.contains(left), "{left}: {said}");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{left}: {report}");
        assert_eq!(listed(&home).unwrap(), gold.memories, "{left}");
        let is_kept = home.join(format!("lorekeep.db.{left}")).exists();
        assert_eq!(is_kept, left.starts_with("before"), "{left}");
    }
}

#[test]
fn without_a_backup_what_was_moved_aside_is_named() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    std::fs::remove_dir_all(home.join("backups")).unwrap();
    let aside = home.join("lorekeep.db.before-repair-0");
    std::fs::rename(home.join("lorekeep.db"), &aside).unwrap();
    let said = refused(&home, &["doctor", "--repair"]);
    assert!(said.contains("before-repair-0"), "{said}");
    std::fs::rename(&aside, home.join("lorekeep.db")).unwrap();
    assert_eq!(listed(&home).unwrap(), gold.memories);
}

#[test]
fn where_there_is_nothing_else_a_damaged_backup_is_read_row_by_row() {
    let gold = Gold::make();
    for gone in [true, false] {
        let home = gold.copy("trial");
        let file = backups::files(&home).pop().unwrap();
        let mut bytes = std::fs::read(&file).unwrap();
        let word = b"note 12,";
        let at = bytes.windows(word.len()).position(|found| found == word).unwrap();
        bytes[at] = b'r';
        std::fs::write(&file, bytes).unwrap();
        match gone {
            true => std::fs::remove_file(home.join("lorekeep.db")).unwrap(),
            false => std::fs::write(home.join("lorekeep.db"), [0; 8192]).unwrap(),
        }
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{}", wrong(&report));
        let problems = report["repair"]["problems"].to_string();
        assert!(problems.contains("is damaged: no other is whole"), "{report}");
        let lost = report["repair"]["lost"].to_string();
        assert!(lost.contains("what was stored as the text of memory"), "{report}");
        let after = listed(&home).unwrap();
        assert_eq!(after.len(), gold.memories.len(), "{report}");
        let same = gold.memories.iter().filter(|(id, memory)| after.get(*id) == Some(*memory));
        assert_eq!(same.count(), gold.memories.len() - 1, "{report}");
    }
}

#[test]
fn what_a_repair_lost_is_in_the_audit_log_of_what_it_put_in_place() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let sql = "UPDATE memory SET content = 'another' WHERE content LIKE 'note 12,%'";
    rusqlite::Connection::open(home.join("lorekeep.db")).unwrap().execute(sql, []).unwrap();
    std::fs::remove_dir_all(home.join("backups")).unwrap();
    // No ledger, so that nothing follows that would be noted, too.
    std::fs::remove_dir_all(home.join("ledger")).unwrap();
    let (_, report) = doctor(&home, &["--repair"]);
    assert_ne!(report["repair"]["lost"], json!([]), "{report}");
    let log = run(&home, &["audit", "show", "--limit", "20"]);
    let log = String::from_utf8(log.stdout).unwrap();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("repair the store")).collect();
    assert!(told.len() == 1 && told[0].contains("lost: what was stored as the text"), "{log}");
    let verified = run(&home, &["audit", "verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn what_is_no_backup_at_all_is_named_and_changes_nothing() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let whole = std::fs::read(backups::files(&home).pop().unwrap()).unwrap();
    let before = std::fs::read(home.join("lorekeep.db")).unwrap();
    let noise: Vec<u8> = (0..9_000_u32).map(|at| (at * 7 % 251) as u8).collect();
    for bytes in [&noise[..], &whole[..whole.len() / 2]] {
        let file = home.join("chosen.db");
        std::fs::write(&file, bytes).unwrap();
        let said = refused(&home, &["restore", file.to_str().unwrap()]);
        assert!(said.contains("chosen.db") && said.contains("nothing was changed"), "{said}");
        assert_eq!(std::fs::read(home.join("lorekeep.db")).unwrap(), before);
    }
}
