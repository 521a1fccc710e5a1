//! What people do to the files.

use std::fs;

use ledger::{Edit, blob_id};

use crate::{Bench, draft, nth};

fn filled(count: usize) -> Bench {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..count).map(|n| draft(&nth(n), &format!("{n}\n"), None)).collect();
    bench.commit_all(&drafts);
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench
}

fn edit(path: &str, content: Option<&str>, was: Option<&str>) -> Edit {
    Edit {
        path: path.to_owned(),
        content: content.map(|content| content.as_bytes().to_vec()),
        was: was.map(|was| blob_id(was.as_bytes())),
    }
}

#[test]
fn edits_of_every_kind_are_found_and_committed() {
    let bench = filled(9);
    bench.write(&nth(1), "uno\n");
    fs::remove_file(bench.path(&nth(2))).expect("removed");
    bench.write("default/README.md", "read\n");
    bench.write("default/.hidden/x.md", "no\n");
    bench.write("default/notes.txt", "no\n");
    let mut held = bench.ledger.lock().expect("held");
    let edits = held.edits().expect("edits");
    let expected = [
        edit(&nth(1), Some("uno\n"), Some("1\n")),
        edit(&nth(2), None, Some("2\n")),
        edit("default/README.md", Some("read\n"), None),
    ];
    assert_eq!(edits, expected);
    held.commit_edits(&edits, &draft("ignored.md", "by hand", None)).expect("committed");
    assert_eq!(held.edits().expect("none"), []);
    drop(held);
    assert_eq!(bench.git(&["log", "-1", "--format=%s"]), "write by hand");
    assert_eq!(bench.git(&["status", "--porcelain"]), "?? default/.hidden/\n?? default/notes.txt");
    assert_eq!(bench.git(&["show", "--format=", "--name-status"]).lines().count(), 3);
    assert!(!bench.path("ignored.md").exists());
}

#[test]
fn an_edit_of_the_same_size_at_the_same_time_is_found() {
    let bench = filled(3);
    let path = bench.path(&nth(1));
    let time = fs::metadata(&path).expect("a file").modified().expect("a time");
    fs::write(&path, "x\n").expect("written");
    fs::File::options().write(true).open(&path).expect("opens").set_modified(time).expect("a time");
    let edits = bench.ledger.lock().expect("held").edits().expect("edits");
    assert_eq!(edits, [edit(&nth(1), Some("x\n"), Some("1\n"))]);
}

#[test]
fn an_edit_right_after_a_commit_is_found_and_stays_found() {
    let bench = Bench::new();
    for turn in 0..50 {
        bench.commit("a.md", &format!("{:03}\n", turn * 2), None);
        bench.write("a.md", &format!("{:03}\n", turn * 2 + 1));
        // Another file makes the index be written again.
        bench.commit("b.md", &turn.to_string(), None);
        assert_eq!(bench.git(&["status", "--porcelain"]), " M a.md");
        let edits = bench.ledger.lock().expect("held").edits().expect("edits");
        assert_eq!(edits.len(), 1);
        bench.git(&["checkout", "-q", "a.md"]);
    }
}

#[test]
fn a_hand_edit_is_not_overwritten() {
    let bench = filled(3);
    bench.write(&nth(1), "mine\n");
    fs::remove_file(bench.path(&nth(2))).expect("removed");
    bench.write(&nth(4), "new of mine\n");
    bench.commit_all(&[
        draft(&nth(1), "theirs\n", Some("1\n")),
        draft(&nth(2), "theirs\n", Some("2\n")),
        draft(&nth(4), "theirs\n", None),
    ]);
    assert_eq!(bench.read(&nth(1)), "mine\n");
    assert_eq!(bench.read(&nth(4)), "new of mine\n");
    assert!(!bench.path(&nth(2)).exists());
    let edits = bench.ledger.lock().expect("held").edits().expect("edits");
    let expected = [
        edit(&nth(1), Some("mine\n"), Some("theirs\n")),
        edit(&nth(2), None, Some("theirs\n")),
        edit(&nth(4), Some("new of mine\n"), Some("theirs\n")),
    ];
    assert_eq!(edits, expected);
    let mut gone = draft(&nth(1), "", Some("theirs\n"));
    gone.files[0].content = None;
    bench.commit_all(&[gone]);
    assert_eq!(bench.read(&nth(1)), "mine\n");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_behind_a_link() {
    let bench = filled(1);
    let outside = tempfile::tempdir().expect("a directory");
    std::os::unix::fs::symlink(outside.path(), bench.path("other")).expect("linked");
    bench.commit("other/aa/a.md", "x\n", None);
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    assert_eq!(bench.git(&["show", "HEAD:other/aa/a.md"]), "x");
}

#[test]
fn edits_in_a_ledger_that_is_behind_are_told_from_ours() {
    let bench = filled(1_300);
    bench.commit(&nth(5), "five\n", Some("5\n"));
    bench.write(&nth(6), "six\n");
    let mut held = bench.ledger.lock().expect("held");
    let edits = held.edits().expect("edits");
    assert_eq!(edits, [edit(&nth(6), Some("six\n"), Some("6\n"))]);
    held.commit_edits(&edits, &draft("x", "by hand", None)).expect("committed");
    held.settle().expect("settled");
    drop(held);
    bench.assert_sound();
}
