//! Parts of the ledger that are gone, cut off or unreadable: the rest goes on, and a repair costs no more than what
//! is broken.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::ledger::{files, git};
use super::{Chance, Gold, answers, decided, doctor, flip, listed, run, wrong};

/// The files of records.
fn records(home: &Path) -> Vec<PathBuf> {
    files(&home.join("ledger"), &|path| path.ends_with(".md") && !path.contains("/.git/"))
}

fn commits(home: &Path) -> usize {
    git(home, &["rev-list", "--count", "HEAD"]).1.trim().parse().unwrap()
}

#[test]
fn an_object_that_is_broken_costs_itself_and_no_history() {
    let gold = Gold::make();
    for seed in 0..4 {
        let home = gold.copy("trial");
        assert!(git(&home, &["gc", "--quiet"]).0);
        let count = commits(&home);
        let packs = files(&home.join("ledger"), &|path| path.ends_with(".pack"));
        let mut chance = Chance::new(seed);
        let length = usize::try_from(std::fs::metadata(&packs[0]).unwrap().len()).unwrap();
        // Behind the header, before the checksum.
        let at = 12 + chance.below(length - 32);
        flip(&packs[0], at, 1, &mut chance);
        let (_, report) = doctor(&home, &["--repair"]);
        let told = format!("byte {at} of {length}: {report}");
        assert_eq!(answers(&home).unwrap()["decisions"], gold.answers["decisions"], "{told}");
        assert!(!report.to_string().contains("history of the ledger:"), "{told}");
        let (is_known, said) = git(&home, &["log", "--format=%H"]);
        let left = said.lines().filter(|line| line.len() == 40).count();
        assert!(!is_known || left + 1 >= count, "{left} of {count} commits, {told}");
    }
}

#[test]
fn an_index_of_a_pack_that_is_gone_is_made_anew() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    assert!(git(&home, &["gc", "--quiet"]).0);
    let count = commits(&home);
    for file in files(&home.join("ledger"), &|path| path.ends_with(".idx")) {
        std::fs::remove_file(file).unwrap();
    }
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(!is_healthy && wrong(&told).contains("doctor --repair"), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == json!([]), "{report}");
    assert_eq!(commits(&home), count);
    assert!(git(&home, &["fsck", "--full"]).0);
    assert_eq!(answers(&home).unwrap()["decisions"], gold.answers["decisions"]);
}

#[test]
fn a_file_that_is_gone_is_put_back_and_no_tool_deletes_by_it() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let file = records(&home).remove(0);
    let text = std::fs::read(&file).unwrap();
    let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
    std::fs::remove_file(&file).unwrap();
    let all: Value = gold.answers["decisions"]["decisions"].clone();
    let ours = |one: &&Value| name.contains(one["fid"].as_str().unwrap());
    let fid = all.as_array().unwrap().iter().find(ours).unwrap()["fid"].clone();
    let change = json!({"fid": fid, "confidence": 0.5, "commit_message": "Less sure"}).to_string();
    let said = run(&home, &["call", "update_decision", &change]);
    let text_of = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(!said.status.success() && text_of.contains("doctor --repair"), "{text_of}");
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(is_healthy && told.to_string().contains("puts the file back"), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{report}");
    assert_eq!(std::fs::read(&file).unwrap(), text, "{report}");
    assert!(run(&home, &["call", "update_decision", &change]).status.success());
    assert_eq!(decided(&home), decided(&gold.home()));
}

#[test]
fn a_file_that_was_cut_off_is_put_back() {
    let gold = Gold::make();
    for length in [0, 1, 30] {
        let home = gold.copy("trial");
        let file = records(&home).remove(0);
        let text = std::fs::read(&file).unwrap();
        std::fs::write(&file, &text[..length]).unwrap();
        let (is_healthy, told) = doctor(&home, &[]);
        assert!(!is_healthy && wrong(&told).contains("puts back git's"), "{length}: {told}");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{report}");
        assert_eq!(std::fs::read(&file).unwrap(), text);
    }
}

#[test]
fn an_edit_that_cannot_be_read_is_told_as_such() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let file = records(&home).remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("kind:", "knid:", 1)).unwrap();
    let (_, told) = doctor(&home, &[]);
    let told = told.to_string();
    assert!(told.contains("it cannot be taken in") && !told.contains("takes it in"), "{told}");
}

#[test]
fn settings_of_git_that_are_broken_cost_nothing() {
    let gold = Gold::make();
    for broken in [&b"[core\n\tbare = "[..], &[0xff, 0, 7]] {
        let home = gold.copy("trial");
        std::fs::write(home.join("ledger/.git/config"), broken).unwrap();
        assert_eq!(listed(&home).unwrap(), gold.memories);
        let (is_healthy, told) = doctor(&home, &[]);
        assert!(!is_healthy && wrong(&told).contains(".git/config"), "{told}");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{report}");
        assert!(git(&home, &["fsck", "--full"]).0);
        assert_eq!(answers(&home).unwrap()["decisions"], gold.answers["decisions"]);
    }
}

#[test]
fn what_git_keeps_to_be_quicker_is_looked_at() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    assert!(git(&home, &["gc", "--quiet"]).0);
    assert!(git(&home, &["commit-graph", "write", "--reachable"]).0);
    let graph = home.join("ledger/.git/objects/info/commit-graph");
    flip(&graph, 60, 1, &mut Chance::new(3));
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(!is_healthy && wrong(&told).contains("commit-graph"), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && !graph.exists(), "{report}");
    assert!(git(&home, &["fsck", "--full"]).0);
}
