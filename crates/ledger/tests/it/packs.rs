//! Many packs become few, whatever happens beside.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ledger::Ledger;

use crate::{Bench, draft, nth};

const FOLDER: &str = ".git/objects/pack";

fn packs(bench: &Bench) -> HashSet<PathBuf> {
    let folder = fs::read_dir(bench.path(FOLDER)).expect("packs");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "pack")).collect()
}

fn settle(ledger: &Ledger) {
    ledger.lock().expect("held").settle().expect("settled");
}

/// A ledger of 600 files, and `count` commits of one file each that are not settled.
fn unsettled(count: usize) -> Bench {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..600).map(|n| draft(&nth(n), &format!("{n}\n"), None)).collect();
    bench.commit_all(&drafts);
    settle(&bench.ledger);
    (0..count).for_each(|n| bench.commit(&nth(n * 7 % 600), &format!("new {n}\n"), None));
    bench
}

/// Every commit can be read, by git and by us, and there are so many.
#[track_caller]
fn assert_readable(bench: &Bench, commits: usize) {
    bench.assert_sound();
    let log = bench.git(&["log", "-p", "--format=commit %H"]);
    assert_eq!(log.lines().filter(|line| line.starts_with("commit ")).count(), commits);
    assert_eq!(log.lines().filter(|line| line.starts_with("diff ")).count(), commits);
    assert_eq!(bench.ledger.log(None, 99_999).expect("log").len(), commits);
}

/// As a process that starts after the one before it was killed.
fn again(bench: Bench) -> Bench {
    Bench { ledger: Ledger::open(bench.dir.path()).expect("opens"), dir: bench.dir }
}

/// What lies in a folder, to be put back.
fn copy(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let files = entries.filter(|path| path.is_file());
    files.map(|path| (path.clone(), fs::read(path).expect("read"))).collect()
}

#[test]
fn many_settles_leave_few_packs_and_every_commit() {
    let bench = unsettled(0);
    for n in 0..400 {
        let path = nth(n * 7 % 600);
        bench.commit(&path, &format!("new {n}\n"), None);
        if n % 9 == 0 {
            settle(&bench.ledger);
        }
    }
    settle(&bench.ledger);
    assert!(packs(&bench).len() < 25, "{}", packs(&bench).len());
    assert!(!bench.ledger.needs_tidying());
    assert_readable(&bench, 1_000);
    for n in [0, 1, 57, 399] {
        let commit = format!("HEAD~{}", 399 - n);
        assert_eq!(
            bench.git(&["show", &format!("{commit}:{}", nth(n * 7 % 600))]),
            format!("new {n}")
        );
    }
    packs(&bench)
        .iter()
        .for_each(|pack| drop(bench.git(&["verify-pack", &pack.to_string_lossy()])));
}

#[test]
fn a_settled_commit_takes_few_bytes() {
    let bench = unsettled(0);
    let bytes = || copy(&bench.path(FOLDER)).iter().map(|(_, file)| file.len()).sum::<usize>();
    let before = bytes();
    (0..256).for_each(|n| bench.commit(&nth(n * 7 % 600), &format!("new {n}\n"), None));
    let small = bytes() - before;
    assert_eq!(bench.ledger.unsettled(), 256);
    settle(&bench.ledger);
    assert_eq!(bench.ledger.unsettled(), 0);
    assert!(packs(&bench).len() <= 2, "{:?}", packs(&bench));
    let merged = bytes().saturating_sub(before);
    assert!(merged < small / 8, "{merged} of {small}");
    assert_readable(&bench, 856);
}

#[test]
fn a_pack_that_was_damaged_is_never_taken_for_torn() {
    let bench = unsettled(9);
    let before = packs(&bench);
    settle(&bench.ledger);
    let mut made = packs(&bench);
    made.retain(|pack| !before.contains(pack));
    let broken = made.into_iter().next().expect("nine are one by now");
    let mut bytes = fs::read(&broken).expect("read");
    // In its checksum: what comes next can be committed, whichever trees that needs.
    *bytes.last_mut().expect("a checksum") ^= 1;
    fs::write(&broken, &bytes).expect("written");
    // Long enough for it to be worth merging with others, and then a kill before all is settled.
    let bench = again(bench);
    for n in 0..90 {
        bench.commit(&nth(n), &format!("since {n}\n"), None);
        if n % 9 == 0 {
            settle(&bench.ledger);
        }
    }
    let odd = fs::read_to_string(bench.path(".git/lorekeep.odd")).expect("it was tried");
    assert!(broken.to_string_lossy().contains(odd.trim()), "{odd}");
    assert!(packs(&bench).len() < 25, "the others go on to be made few");
    bench.commit(&nth(1), "the last\n", None);
    let bench = again(bench);
    drop(bench.ledger.lock().expect("mended"));
    assert_eq!(fs::read(&broken).expect("it is there"), bytes);
}

#[test]
fn what_occurs_twice_is_packed_once() {
    let bench = unsettled(0);
    for n in 0..60 {
        bench.commit(&nth(1), ["a\n", "b\n"][n % 2], None);
        if n % 20 == 19 {
            settle(&bench.ledger);
        }
    }
    assert_readable(&bench, 660);
    for pack in packs(&bench) {
        let index = bench.path(".git/again.idx");
        bench.git(&[
            "index-pack",
            "--strict",
            "-o",
            &index.to_string_lossy(),
            &pack.to_string_lossy(),
        ]);
    }
}

#[test]
fn who_has_a_pack_open_that_is_removed_goes_on() {
    let bench = unsettled(0);
    let other = Ledger::open(bench.dir.path()).expect("opens");
    let mut git = Command::new("git");
    git.arg("-C").arg(bench.dir.path()).args(["cat-file", "--batch-check"]);
    let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git runs");
    let mut input = git.stdin.take().expect("input");
    let mut output = BufReader::new(git.stdout.take().expect("output"));
    let mut ask = |id: &str| {
        writeln!(input, "{id}\n{id}^{{tree}}").expect("asked");
        for _ in 0..2 {
            let mut line = String::new();
            output.read_line(&mut line).expect("an answer");
            assert!(!line.contains("missing"), "{line}");
        }
    };
    let mut ids = Vec::new();
    for n in 0..100 {
        let one = draft(&nth(n), &format!("new {n}\n"), None);
        ids.extend(bench.ledger.lock().expect("held").commit(&[one]).expect("committed"));
        if n % 3 == 0 {
            ask(&ids[n].to_string());
            assert!(other.lock().expect("held").knows(ids[n]).expect("known"));
        }
        if n % 25 == 24 {
            settle(&bench.ledger);
            for id in &ids {
                ask(&id.to_string());
                assert!(other.lock().expect("held").knows(*id).expect("known"));
            }
            let held = other.lock().expect("held");
            assert_eq!(held.changed(None, ids.last().copied()).expect("read").len(), 600);
        }
    }
    drop(input);
    assert!(git.wait().expect("ended").success());
    assert_readable(&bench, 700);
}

#[test]
fn a_kill_before_small_packs_are_removed_loses_nothing() {
    let bench = unsettled(50);
    let head = bench.git(&["rev-parse", "HEAD"]);
    let small = copy(&bench.path(FOLDER));
    let unsynced = bench.read(".git/lorekeep.unsynced");
    settle(&bench.ledger);
    let merged = bench.read(".git/lorekeep.packs");
    // The new pack is there, and all that it is to replace; a second one was begun.
    small.iter().for_each(|(path, content)| fs::write(path, content).expect("written"));
    fs::write(bench.path(".git/lorekeep.unsynced"), unsynced).expect("written");
    fs::write(bench.path(&format!("{FOLDER}/tmp_pack_lorekeep")), "PACK").expect("written");
    let bench = again(bench);
    bench.commit(&nth(3), "after\n", None);
    assert_eq!(bench.git(&["rev-parse", "HEAD~1"]), head);
    settle(&bench.ledger);
    assert!(packs(&bench).len() <= 3, "{:?} {merged}", packs(&bench));
    assert_readable(&bench, 651);
}

#[test]
fn a_kill_among_the_small_packs_that_are_removed_loses_nothing() {
    let bench = unsettled(50);
    let small = copy(&bench.path(FOLDER));
    let unsynced = bench.read(".git/lorekeep.unsynced");
    settle(&bench.ledger);
    bench.git(&["commit", "-q", "--allow-empty", "-m", "by hand"]);
    let head = bench.git(&["rev-parse", "HEAD"]);
    // Some are gone, of one only the index. The list of those that are not on disk was emptied
    // before.
    let put_back =
        |(path, content): &(PathBuf, Vec<u8>)| fs::write(path, content).expect("written");
    small.iter().take(20).for_each(put_back);
    let name = unsynced.lines().next().expect("a pack").to_owned();
    let ends = ["pack", "idx"].map(|end| bench.path(&format!("{FOLDER}/pack-{name}.{end}")));
    small.iter().filter(|(path, _)| *path == ends[0]).for_each(put_back);
    fs::remove_file(&ends[1]).unwrap_or_default();
    fs::write(bench.path(".git/lorekeep.away"), &unsynced).expect("written");
    let bench = again(bench);
    settle(&bench.ledger);
    assert_eq!(bench.git(&["rev-parse", "HEAD"]), head);
    assert!(packs(&bench).len() <= 3, "{:?}", packs(&bench));
    assert!(!bench.path(".git/lorekeep.away").exists() && !ends[0].exists());
    bench.git(&["reset", "-q", "--soft", "HEAD~1"]);
    assert_readable(&bench, 650);
}

#[test]
fn a_pack_that_cannot_be_read_is_left_alone_with_the_others() {
    let bench = unsettled(30);
    let before = packs(&bench);
    let name = bench.read(".git/lorekeep.unsynced").lines().nth(4).expect("a pack").to_owned();
    let pack = bench.path(&format!("{FOLDER}/pack-{name}.pack"));
    let whole = fs::read(&pack).expect("read");
    let mut broken = whole.clone();
    // In the text of the file, which comes first.
    broken[21] ^= 1;
    fs::write(&pack, broken).expect("written");
    settle(&bench.ledger);
    assert_eq!(packs(&bench), before);
    fs::write(&pack, whole).expect("written");
    // The others are made one the next time.
    settle(&bench.ledger);
    assert!(pack.exists() && packs(&bench).len() <= 3, "{:?}", packs(&bench));
    assert_readable(&bench, 630);
}

#[test]
fn nothing_is_removed_while_git_tidies() {
    let bench = unsettled(30);
    let lock = fs::File::create(bench.path(".git/lorekeep.tidy")).expect("made");
    lock.lock().expect("locked");
    let before = packs(&bench);
    bench.ledger.tidy().expect("left to the other");
    settle(&bench.ledger);
    assert_eq!(packs(&bench), before);
    assert_eq!(bench.read(".git/lorekeep.unsynced").lines().count(), 30);
    drop(lock);
    settle(&bench.ledger);
    assert!(packs(&bench).len() <= 3);
    assert_readable(&bench, 630);
}

#[test]
fn packs_that_git_has_an_index_of_stay() {
    let bench = unsettled(30);
    bench.git(&["multi-pack-index", "write"]);
    (30..60).for_each(|n| bench.commit(&nth(n), &format!("new {n}\n"), None));
    let before = packs(&bench).len();
    settle(&bench.ledger);
    assert_eq!(packs(&bench).len(), before - 29);
    bench.git(&["multi-pack-index", "verify"]);
    assert_readable(&bench, 660);
}

#[test]
fn ledgers_that_settle_commit_and_tidy_at_once_lose_nothing() {
    let bench = unsettled(0);
    std::thread::scope(|scope| {
        for who in 0..3 {
            let dir = bench.dir.path();
            scope.spawn(move || {
                let ledger = Ledger::open(dir).expect("opens");
                for n in 0..120 {
                    let path = nth(who * 200 + n);
                    let mut held = ledger.lock().expect("held");
                    held.commit(&[draft(&path, &format!("{who} {n}\n"), None)]).expect("committed");
                    if n % 20 == who {
                        held.settle().expect("settled");
                    }
                    drop(held);
                    if n % 40 == 39 {
                        ledger.tidy().expect("tidied");
                    }
                    if n % 10 == 0 {
                        assert!(ledger.log(None, 50).expect("log").len() == 50);
                    }
                }
            });
        }
        for _ in 0..5 {
            bench.git(&["log", "--stat", "-n", "100"]);
        }
    });
    settle(&bench.ledger);
    assert_readable(&bench, 960);
}

#[test]
fn who_has_a_file_open_reads_what_it_said() {
    let bench = unsettled(0);
    let mut files = Vec::new();
    for n in 0..40 {
        files.push((n, fs::File::open(bench.path(&nth(n))).expect("opened")));
        bench.commit(&nth(n), &format!("something longer than that {n}\n"), None);
    }
    for (n, mut file) in files {
        let mut text = String::new();
        file.read_to_string(&mut text).expect("read");
        assert_eq!(text, format!("{n}\n"));
    }
    settle(&bench.ledger);
    assert_readable(&bench, 640);
}
