//! Commits on top of what plain git did in between.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::{Bench, draft, nth};

fn filled(count: usize) -> Bench {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..count).map(|n| draft(&nth(n), &format!("{n}\n"), None)).collect();
    bench.commit_all(&drafts);
    bench
}

#[test]
fn commits_of_people_stay_below_ours() {
    let bench = filled(5);
    bench.write("README.md", "hello\n");
    bench.git(&["add", "README.md"]);
    bench.git(&["commit", "-qm", "by hand"]);
    bench.commit(&nth(0), "zero\n", Some("0\n"));
    bench.assert_sound();
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "7");
    assert_eq!(bench.git(&["log", "-1", "--skip=1", "--format=%s"]), "by hand");
}

#[test]
fn packs_and_refs_may_be_packed_at_any_time() {
    let bench = filled(5);
    for (turn, command) in [
        vec!["gc", "-q"],
        vec!["repack", "-adq"],
        vec!["pack-refs", "--all"],
        vec!["gc", "-q", "--prune=now"],
    ]
    .into_iter()
    .enumerate()
    {
        bench.git(&command);
        // A fresh one has nothing in memory; the old one has.
        let fresh = ledger::Ledger::open(bench.dir.path()).expect("opens");
        let mut held = fresh.lock().expect("held");
        held.commit(&[draft(&nth(turn), &format!("a{turn}\n"), Some(&format!("{turn}\n")))])
            .expect("committed");
        drop(held);
        bench.commit(&nth(turn), &format!("b{turn}\n"), Some(&format!("a{turn}\n")));
        bench.assert_sound();
    }
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "13");
    assert_eq!(bench.read(&nth(3)), "b3\n");
}

#[test]
fn whatever_branch_is_checked_out_is_the_ledger() {
    let bench = filled(3);
    bench.git(&["checkout", "-qb", "team/other"]);
    bench.commit(&nth(1), "other\n", Some("1\n"));
    bench.assert_sound();
    assert_eq!(bench.git(&["rev-list", "--count", "main"]), "3");
    assert_eq!(bench.git(&["rev-list", "--count", "team/other"]), "4");
    bench.git(&["checkout", "-q", "--detach", "main"]);
    bench.commit(&nth(1), "detached\n", Some("1\n"));
    bench.assert_sound();
    assert_eq!(bench.git(&["rev-list", "--count", "main"]), "3");
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "4");
}

#[test]
fn an_amended_commit_is_built_on() {
    let bench = filled(3);
    bench.git(&["commit", "-q", "--amend", "-m", "amended"]);
    bench.commit(&nth(1), "one\n", Some("1\n"));
    bench.assert_sound();
    assert_eq!(bench.git(&["log", "-1", "--skip=1", "--format=%s"]), "amended");
    bench.git(&["reset", "-q", "--hard", "HEAD~2"]);
    bench.commit(&nth(0), "zero\n", Some("0\n"));
    bench.assert_sound();
    assert!(!bench.path(&nth(2)).exists());
}

/// Makes a file look as old as that.
fn age(path: &std::path::Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).expect("a file");
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).expect("a time");
}

#[test]
fn a_lock_of_the_branch_that_was_left_over_is_removed() {
    let bench = filled(3);
    let lock = bench.path(".git/refs/heads/main.lock");
    fs::write(&lock, "").expect("written");
    age(&lock, 60);
    bench.commit(&nth(0), "zero\n", Some("0\n"));
    bench.assert_sound();
    assert!(!lock.exists());
}

#[test]
fn a_fresh_lock_of_the_branch_is_waited_for() {
    let bench = filled(3);
    let lock = bench.path(".git/refs/heads/main.lock");
    fs::write(&lock, "").expect("written");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            fs::remove_file(&lock).expect("removed");
        });
        bench.commit(&nth(0), "zero\n", Some("0\n"));
    });
    bench.assert_sound();
}

#[test]
fn somebody_elses_lock_of_the_index_leaves_it_for_later() {
    let bench = filled(3);
    let lock = bench.path(".git/index.lock");
    fs::write(&lock, "").expect("written");
    bench.commit(&nth(0), "zero\n", Some("0\n"));
    bench.ledger.lock().expect("held").settle().expect("settled");
    assert_eq!(fs::read(&lock).expect("still there"), b"");
    assert_ne!(bench.git(&["diff", "--cached", "--name-only"]), "");
    fs::remove_file(&lock).expect("removed");
    bench.commit(&nth(1), "one\n", Some("1\n"));
    bench.assert_sound();
    // One that is old was left over.
    fs::write(&lock, "").expect("written");
    age(&lock, 3_600);
    bench.commit(&nth(1), "uno\n", Some("one\n"));
    bench.assert_sound();
    assert!(!lock.exists());
}

#[test]
fn what_people_staged_stays_staged() {
    let bench = filled(4);
    bench.write(&nth(1), "staged\n");
    bench.write("notes.txt", "mine\n");
    bench.git(&["add", "."]);
    bench.commit(&nth(2), "two\n", Some("2\n"));
    bench.commit(&nth(1), "one\n", Some("1\n"));
    assert_eq!(bench.git(&["diff", "--cached", "--name-only"]), format!("{}\nnotes.txt", nth(1)));
    assert_eq!(bench.git(&["show", &format!(":{}", nth(1))]), "staged");
    assert_eq!(bench.read(&nth(1)), "staged\n");
}

#[test]
fn a_merge_under_way_survives() {
    let bench = filled(4);
    bench.git(&["checkout", "-qb", "side"]);
    bench.write(&nth(1), "side\n");
    bench.git(&["commit", "-qam", "side"]);
    bench.git(&["checkout", "-q", "main"]);
    bench.commit(&nth(1), "main\n", Some("1\n"));
    assert_eq!(bench.ledger.lock().expect("held").unfinished().expect("looked"), None);
    let (done, _) = crate::try_git(bench.dir.path(), &["merge", "-q", "side"]);
    assert!(!done);
    bench.commit(&nth(2), "two\n", Some("2\n"));
    let found = bench.ledger.lock().expect("held").unfinished().expect("looked").expect("a merge");
    assert_eq!((found.what, found.paths), ("merge", vec![nth(1)]));
    assert!(bench.git(&["status", "--porcelain"]).contains(&format!("UU {}", nth(1))));
    assert!(bench.read(&nth(1)).contains("<<<<<<<"));
}

#[test]
fn tidying_makes_few_packs_of_many() {
    let bench = filled(3);
    for turn in 0..110 {
        bench.commit(&nth(turn % 3), &format!("turn {turn}\n"), None);
    }
    assert!(bench.ledger.needs_tidying());
    bench.ledger.tidy().expect("tidied");
    assert!(!bench.ledger.needs_tidying());
    bench.commit(&nth(0), "again\n", None);
    assert_eq!(bench.ledger.log(None, 999).expect("log").len(), 114);
    bench.git(&["fsck", "--strict"]);
}

#[test]
fn repositories_of_other_kinds_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    crate::git(dir.path(), &["init", "-q", "--object-format=sha256"]);
    let refused = ledger::Ledger::open(dir.path()).expect_err("refused").to_string();
    assert!(refused.contains("SHA-256"), "{refused}");
}

#[test]
fn a_repository_that_git_made_is_a_ledger() {
    let dir = tempfile::tempdir().expect("a directory");
    crate::git(dir.path(), &["init", "-q", "-b", "trunk"]);
    let bench = Bench { ledger: ledger::Ledger::open(dir.path()).expect("opens"), dir };
    bench.commit(&nth(0), "zero\n", None);
    bench.assert_sound();
    assert_eq!(bench.git(&["branch", "--show-current"]), "trunk");
}
