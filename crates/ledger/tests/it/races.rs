//! Several at once.

use std::path::Path;
use std::process::Command;

use ledger::Ledger;

use crate::{Bench, draft, nth};

/// Names the directory to a process that this test starts of itself.
const DIR: &str = "LEDGER_RACE_DIR";
const WHO: &str = "LEDGER_RACE_WHO";

fn work(dir: &Path, who: usize, commits: usize) {
    let ledger = Ledger::open(dir).expect("opens");
    for n in 0..commits {
        let path = nth(who * 1_000 + n);
        let mut held = ledger.lock().expect("held");
        held.commit(&[draft(&path, &format!("{who} {n}\n"), None)]).expect("committed");
    }
}

#[test]
fn threads_with_ledgers_of_their_own_lose_no_commit() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        for who in 0..4 {
            let dir = bench.dir.path();
            scope.spawn(move || work(dir, who, 40));
        }
    });
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "160");
    bench.assert_sound();
}

#[test]
fn threads_with_one_ledger_lose_no_commit() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        for who in 0..4 {
            let bench = &bench;
            scope.spawn(move || {
                for n in 0..30 {
                    bench.commit(&nth(who * 1_000 + n), &format!("{who} {n}\n"), None);
                }
            });
        }
    });
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "120");
    bench.assert_sound();
}

/// Does nothing unless the test below starts it.
#[test]
fn another_process() {
    let (Ok(dir), Ok(who)) = (std::env::var(DIR), std::env::var(WHO)) else { return };
    work(Path::new(&dir), who.parse().expect("a number"), 40);
}

#[test]
fn processes_and_plain_git_lose_no_commit() {
    let bench = Bench::new();
    bench.commit("first.md", "x\n", None);
    let start = |who: usize| {
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "races::another_process", "--nocapture"])
            .env(DIR, bench.dir.path())
            .env(WHO, who.to_string())
            .output()
    };
    let by_hand = std::thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|who| scope.spawn(move || start(who))).collect();
        let mut by_hand = 0;
        for turn in 0..20 {
            let message = format!("by hand {turn}");
            let args = ["commit", "-q", "--allow-empty", "-m", &message];
            by_hand += usize::from(crate::try_git(bench.dir.path(), &args).0);
            if turn % 5 == 0 {
                bench.ledger.tidy().expect("tidied");
            }
        }
        for other in others {
            let output = other.join().expect("joined").expect("ran");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        by_hand
    });
    let count = bench.git(&["rev-list", "--count", "HEAD"]);
    assert_eq!(count, (121 + by_hand).to_string());
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench.git(&["fsck", "--strict", "--full"]);
    // A commit by hand may have taken an index that was older; what it left out is ours.
    for who in 0..3 {
        let events = bench.git(&["log", "--format=%s", &format!("--grep=^write {who} ")]);
        assert_eq!(events.lines().count(), 40);
    }
}
