//! What killed processes and power cuts leave.

use std::fs;

use ledger::Ledger;

use crate::{Bench, draft, nth};

fn filled(count: usize) -> Bench {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..count).map(|n| draft(&nth(n), &format!("{n}\n"), None)).collect();
    bench.commit_all(&drafts);
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench
}

/// As a process that starts after the one before it was killed.
fn again(bench: Bench) -> Bench {
    Bench { ledger: Ledger::open(bench.dir.path()).expect("opens"), dir: bench.dir }
}

#[test]
fn a_commit_that_was_cut_off_behind_the_branch_is_finished() {
    for count in [3, 1_200] {
        let bench = filled(count);
        let base = bench.git(&["rev-parse", "HEAD"]);
        let index = fs::read(bench.path(".git/index")).expect("an index");
        bench.commit(&nth(1), "one\n", Some("1\n"));
        bench.commit("default/new.md", "new\n", None);
        // As it was before the files and the index followed.
        fs::write(bench.path(".git/index"), index).expect("written");
        bench.write(&nth(1), "1\n");
        fs::remove_file(bench.path("default/new.md")).expect("removed");
        fs::write(bench.path(".git/lorekeep.lock"), format!("{base}\n")).expect("written");
        fs::write(bench.path(".git/index.lock"), format!("lorekeep {base}\n")).expect("written");
        let bench = again(bench);
        let mut held = bench.ledger.lock().expect("held");
        assert_eq!(held.edits().expect("edits"), []);
        held.settle().expect("settled");
        drop(held);
        assert_eq!(bench.read(&nth(1)), "one\n");
        bench.assert_sound();
    }
}

#[test]
fn an_index_that_was_written_and_whose_lock_is_left_follows_what_comes_next() {
    let bench = filled(3);
    let base = bench.git(&["rev-parse", "HEAD"]);
    bench.commit("default/new.md", "new\n", None);
    let tip = bench.git(&["rev-parse", "HEAD"]);
    // As it was before the lock was given back.
    let lock = format!("lorekeep {base}\nlorekeep {tip}\n");
    fs::write(bench.path(".git/index.lock"), lock).expect("written");
    fs::write(bench.path(".git/lorekeep.lock"), format!("{base}\n")).expect("written");
    let bench = again(bench);
    bench.commit("default/new.md", "newer\n", Some("new\n"));
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench.assert_sound();
}

#[test]
fn a_cut_off_commit_before_the_branch_leaves_nothing() {
    let bench = filled(3);
    let base = bench.git(&["rev-parse", "HEAD"]);
    fs::write(bench.path(".git/lorekeep.lock"), format!("{base}\n")).expect("written");
    fs::write(bench.path(".git/index.lock"), format!("lorekeep {base}\n")).expect("written");
    fs::write(bench.path(".git/objects/pack/tmp_pack_lorekeep"), "PACK").expect("written");
    let bench = again(bench);
    bench.commit(&nth(1), "one\n", Some("1\n"));
    bench.assert_sound();
    assert!(!bench.path(".git/index.lock").exists());
    assert!(!bench.path(".git/objects/pack/tmp_pack_lorekeep").exists());
}

#[test]
fn a_power_cut_goes_back_to_what_was_settled() {
    let bench = filled(3);
    let settled = bench.git(&["rev-parse", "HEAD"]);
    let one = draft(&nth(1), "one\n", Some("1\n"));
    bench.commit_all(std::slice::from_ref(&one));
    let unsynced = bench.read(".git/lorekeep.unsynced");
    let pack = format!(".git/objects/pack/pack-{}.pack", unsynced.trim());
    fs::write(bench.path(&pack), "").expect("written");
    fs::write(bench.path(".git/refs/heads/main"), "").expect("written");
    let bench = again(bench);
    let held = bench.ledger.lock().expect("held");
    assert_eq!(held.head().expect("head").map(|id| id.to_string()), Some(settled));
    assert!(held.committed(None, &[one.episode].into()).expect("none").is_empty());
    drop(held);
    bench.commit_all(&[one]);
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench.assert_sound();
}

#[test]
fn a_power_cut_mends_the_branch_that_head_names() {
    for is_detached in [false, true] {
        let bench = filled(3);
        let settled = bench.git(&["rev-parse", "HEAD"]);
        match is_detached {
            true => bench.git(&["checkout", "--quiet", "--detach"]),
            false => bench.git(&["branch", "--quiet", "--move", "trunk"]),
        };
        let one = draft(&nth(1), "one\n", Some("1\n"));
        bench.commit_all(std::slice::from_ref(&one));
        let unsynced = bench.read(".git/lorekeep.unsynced");
        let pack = format!(".git/objects/pack/pack-{}.pack", unsynced.trim());
        fs::write(bench.path(&pack), "").expect("written");
        if !is_detached {
            fs::write(bench.path(".git/refs/heads/trunk"), "").expect("written");
        }
        let bench = again(bench);
        let held = bench.ledger.lock().expect("held");
        assert_eq!(held.head().expect("head").map(|id| id.to_string()), Some(settled));
        drop(held);
        assert_eq!(bench.path(".git/refs/heads/main").exists(), is_detached);
        bench.commit_all(&[one]);
        bench.ledger.lock().expect("held").settle().expect("settled");
        bench.assert_sound();
    }
}

#[test]
fn a_ledger_whose_directory_is_replaced_is_opened_anew() {
    let bench = filled(3);
    fs::remove_dir_all(bench.path(".git")).expect("removed");
    fs::remove_dir_all(bench.path("default")).expect("removed");
    bench.commit(&nth(1), "one\n", None);
    bench.assert_sound();
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "1");
}

#[test]
fn a_power_cut_that_also_took_the_notes_of_it_leaves_a_sound_repository() {
    let bench = filled(3);
    let settled = bench.git(&["rev-parse", "HEAD"]);
    let one = draft(&nth(1), "one\n", Some("1\n"));
    bench.commit_all(std::slice::from_ref(&one));
    let unsynced = bench.read(".git/lorekeep.unsynced");
    let index = format!(".git/objects/pack/pack-{}.idx", unsynced.trim());
    // Names are there, and contents are not; a list has a hole in it.
    fs::write(bench.path(&index), "").expect("written");
    fs::write(bench.path(".git/lorekeep.unsynced"), [0; 41]).expect("written");
    fs::write(bench.path(".git/index"), "").expect("written");
    bench.write(&nth(1), "");
    let bench = again(bench);
    let held = bench.ledger.lock().expect("held");
    assert_eq!(held.head().expect("head").map(|id| id.to_string()), Some(settled));
    drop(held);
    bench.commit_all(&[one]);
    bench.ledger.lock().expect("held").settle().expect("settled");
    assert_eq!(bench.read(&nth(1)), "one\n");
    bench.assert_sound();
}

#[test]
fn a_pack_that_got_no_index_before_the_cut_goes_and_others_without_one_stay() {
    let bench = filled(3);
    let [torn, whole] = ["1", "2"].map(|n| format!(".git/objects/pack/pack-{}.pack", n.repeat(40)));
    let ours = bench.read(".git/lorekeep.packs");
    let ours = bench.path(&format!(".git/objects/pack/pack-{}.pack", ours.trim()));
    fs::copy(ours, bench.path(&whole)).expect("copied");
    fs::write(bench.path(&torn), "").expect("written");
    let bench = again(bench);
    bench.ledger.lock().expect("held").settle().expect("settled");
    assert!(!bench.path(&torn).exists());
    assert!(bench.path(&whole).exists());
    assert_eq!(bench.ledger.examine().expect("examined"), Vec::<String>::new());
}

#[test]
fn an_index_that_outlived_its_commit_follows_the_one_that_is_made_again() {
    let bench = Bench::new();
    let first = draft(&nth(1), "1\n", None);
    bench.commit_all(std::slice::from_ref(&first));
    let unsynced = bench.read(".git/lorekeep.unsynced");
    let pack = format!(".git/objects/pack/pack-{}.pack", unsynced.trim());
    fs::write(bench.path(&pack), "").expect("written");
    let bench = again(bench);
    // Both at once, as whoever promised them makes them again.
    bench.commit_all(&[first, draft(&nth(1), "one\n", Some("1\n"))]);
    bench.ledger.lock().expect("held").settle().expect("settled");
    assert_eq!(bench.read(&nth(1)), "one\n");
    bench.assert_sound();
}

#[test]
fn a_file_that_a_cut_emptied_is_written_again_and_one_that_was_removed_is_not() {
    let bench = filled(3);
    for note in ["lorekeep.settled", "lorekeep.unsynced", "lorekeep.packs"] {
        fs::remove_file(bench.path(&format!(".git/{note}"))).expect("removed");
    }
    bench.write(&nth(1), "");
    fs::remove_file(bench.path(&nth(2))).expect("removed");
    let bench = again(bench);
    bench.ledger.lock().expect("held").settle().expect("settled");
    assert_eq!(bench.read(&nth(1)), "1\n");
    assert!(!bench.path(&nth(2)).exists(), "somebody may have removed it");
}

#[test]
fn a_branch_is_not_set_back_to_what_cannot_be_read_either() {
    let bench = filled(3);
    bench.git(&[
        "-c",
        "user.name=ada",
        "-c",
        "user.email=a@b.c",
        "commit",
        "--allow-empty",
        "-m",
        "hers",
    ]);
    bench.git(&["gc", "--quiet"]);
    let tip = bench.git(&["rev-parse", "HEAD"]);
    let folder = bench.path(".git/objects/pack");
    for file in fs::read_dir(&folder).expect("a folder").flatten() {
        let path = file.path();
        if path.extension().is_some_and(|end| end == "idx") {
            let bytes = fs::read(&path).expect("an index");
            let mode = fs::metadata(&path).expect("a mode").permissions();
            fs::remove_file(&path).expect("removed");
            fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
            fs::set_permissions(&path, mode).expect("set");
        }
    }
    let bench = again(bench);
    let why = bench.ledger.lock().map(drop).expect_err("damaged").to_string();
    assert!(why.contains("cannot be read"), "{why}");
    assert_eq!(bench.git(&["rev-parse", "HEAD"]), tip);
}
