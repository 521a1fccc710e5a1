//! What plain git sees of commits.

use std::collections::HashSet;

use ledger::{LedgerError, blob_id};
use model::{DraftFile, RecordId};

use crate::{Bench, draft, git, nth};

#[test]
fn nothing_is_made_before_it_is_needed() {
    let bench = Bench::new();
    assert!(!bench.ledger.exists() && !bench.path(".git").exists());
    assert_eq!(bench.ledger.head().expect("no head"), None);
    assert_eq!(bench.ledger.log(None, 9).expect("no log"), []);
    let mut held = bench.ledger.lock().expect("held");
    assert_eq!((held.commit(&[]).expect("none"), held.edits().expect("none")), (vec![], vec![]));
    assert_eq!(held.head().expect("no head"), None);
    held.settle().expect("settled");
    assert!(bench.ledger.exists());
}

#[test]
fn git_shows_a_commit_as_it_was_drafted() {
    let bench = Bench::new();
    bench.commit("default/aa/a.md", "one\n", None);
    bench.assert_sound();
    let log = bench.git(&["log", "--format=%an|%ae|%cn|%at|%s|%b"]);
    let episode = draft("default/aa/a.md", "one\n", None).episode;
    let expected = format!(
        "Ada Lovelace|adalovelace@lorekeep.local|Ada Lovelace|1767323045|write one|because\n\nEvent: {episode}"
    );
    assert_eq!(log, expected);
    assert_eq!(bench.git(&["show", "HEAD:default/aa/a.md"]), "one");
    assert_eq!(bench.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert!(bench.git(&["reflog", "--format=%gs"]).contains("commit: write one"));
    assert!(bench.git(&["blame", "default/aa/a.md"]).contains("Ada Lovelace"));
    let trailer = bench.git(&["log", "--format=%(trailers:key=Event,valueonly)"]);
    assert_eq!(trailer, episode.to_string());
}

#[test]
fn a_batch_is_one_commit_a_draft_in_one_pack() {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..120).map(|n| draft(&nth(n % 40), &format!("{n}\n"), None)).collect();
    bench.commit_all(&drafts);
    bench.assert_sound();
    assert_eq!(bench.git(&["rev-list", "--count", "HEAD"]), "120");
    assert!(bench.git(&["count-objects", "-v"]).contains("packs: 1"));
    assert_eq!(bench.read(&nth(7)), "87\n");
    let subjects: Vec<String> =
        bench.ledger.log(None, 3).expect("log").into_iter().map(|entry| entry.subject).collect();
    assert_eq!(subjects, ["write 119", "write 118", "write 117"]);
    bench.git(&["verify-pack", &first_pack(&bench)]);
}

fn first_pack(bench: &Bench) -> String {
    let folder = std::fs::read_dir(bench.path(".git/objects/pack")).expect("packs");
    let mut paths = folder.map(|entry| entry.expect("an entry").path());
    let pack = paths.find(|path| path.extension().is_some_and(|end| end == "idx"));
    pack.expect("a pack").to_string_lossy().into_owned()
}

#[test]
fn both_files_of_a_draft_are_in_one_commit_and_a_rename_is_followed() {
    let bench = Bench::new();
    let text = "a long enough text\nof a few lines\nthat stay the same\n".repeat(3);
    bench.commit("default/00/decision_0001abcdef10.md", &text, None);
    let mut rename =
        draft("default/00/superseded_decision_0001abcdef10.md", &format!("{text}x\n"), None);
    rename.files.push(DraftFile {
        path: "default/00/decision_0001abcdef10.md".to_owned(),
        content: None,
        was: Some(blob_id(text.as_bytes())),
    });
    bench.commit_all(&[rename]);
    bench.assert_sound();
    assert!(!bench.path("default/00/decision_0001abcdef10.md").exists());
    let path = "default/00/superseded_decision_0001abcdef10.md";
    let followed = bench.git(&["log", "--follow", "--format=%h", "--", path]);
    assert_eq!(followed.lines().count(), 2, "{followed}");
    bench.commit("default/01/decision_0101abcdef10.md", "other\n", None);
    let id = "0001abcdef10".parse::<RecordId>().expect("an id");
    assert_eq!(bench.ledger.log(Some(id), 9).expect("log").len(), 2);
    assert_eq!(bench.ledger.log(None, 9).expect("log").len(), 3);
}

#[test]
fn a_folder_that_becomes_empty_is_gone() {
    let bench = Bench::new();
    bench.commit("default/aa/a.md", "one\n", None);
    bench.commit("default/bb/b.md", "two\n", None);
    let mut gone = draft("default/bb/b.md", "x", Some("two\n"));
    gone.files[0].content = None;
    bench.commit_all(&[gone]);
    bench.assert_sound();
    assert!(!bench.path("default/bb").exists() && bench.path("default/aa/a.md").exists());
    assert_eq!(bench.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "default/aa/a.md");
}

#[test]
fn a_clone_has_the_same_files() {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..300).map(|n| draft(&nth(n), &format!("text {n}\n"), None)).collect();
    drafts.chunks(7).for_each(|chunk| bench.commit_all(chunk));
    let target = tempfile::tempdir().expect("a directory");
    let (from, to) = (bench.dir.path().to_string_lossy(), target.path().join("clone"));
    git(target.path(), &["clone", "-q", &from, &to.to_string_lossy()]);
    for n in 0..300 {
        assert_eq!(
            std::fs::read_to_string(to.join(nth(n))).expect("a file"),
            format!("text {n}\n")
        );
    }
    bench.assert_sound();
}

#[test]
fn a_large_index_is_true_after_settling_and_locked_before() {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..1_500).map(|n| draft(&nth(n), &format!("{n}\n"), None)).collect();
    bench.commit_all(&drafts);
    bench.assert_sound();
    bench.commit(&nth(3), "three\n", Some("3\n"));
    assert_eq!(bench.read(".git/index.lock").split(' ').next(), Some("lorekeep"));
    let (done, why) = crate::try_git(bench.dir.path(), &["commit", "-qam", "stale"]);
    assert!(!done && why.contains("index.lock"), "{why}");
    assert_eq!(bench.ledger.lock().expect("held").edits().expect("edits"), []);
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench.assert_sound();
    assert!(
        !bench.path(".git/index.lock").exists() && !bench.path(".git/lorekeep.behind").exists()
    );
}

#[test]
fn strange_authors_and_subjects_do_not_break_a_commit() {
    let bench = Bench::new();
    let names = ["", "<>", "\n", "Ünï <x@y> \n z", ".", "…", "a\0b", "\"quoted\"", "日本"];
    for (at, name) in names.into_iter().enumerate() {
        let mut draft = draft(&nth(at), &at.to_string(), None);
        (draft.author, draft.subject) = (name.to_owned(), format!("{name}\r\nx\0y"));
        draft.body = if at % 2 == 0 { String::new() } else { format!("\n\n{name}\0\n") };
        bench.commit_all(&[draft]);
    }
    bench.assert_sound();
    let log = bench.ledger.log(None, 99).expect("log");
    assert_eq!(log.len(), names.len());
    assert_eq!(log[0].author, "日本");
    assert!(log.iter().all(|entry| entry.episode.is_some() && !entry.author.is_empty()));
    assert_eq!(log.last().map(|entry| entry.author.as_str()), Some("lorekeep"));
}

#[test]
fn a_path_that_leads_out_is_refused() {
    let bench = Bench::new();
    for path in ["../x.md", "/etc/x.md", "a/../b.md", ".git/config", "a//b.md", "", "a/.GIT/x.md"] {
        let mut held = bench.ledger.lock().expect("held");
        let refused = held.commit(&[draft(path, "x", None)]);
        assert!(matches!(refused, Err(LedgerError::Path(_))), "{path}");
        assert!(bench.ledger.file(path).is_err(), "{path}");
    }
    assert_eq!(bench.ledger.head().expect("head"), None);
}

#[test]
fn episodes_are_found_by_their_commits() {
    let bench = Bench::new();
    let drafts: Vec<_> = (0..5).map(|n| draft(&nth(n), &n.to_string(), None)).collect();
    let mut held = bench.ledger.lock().expect("held");
    let ids = held.commit(&drafts).expect("committed");
    let asked: HashSet<_> = [&drafts[1], &drafts[4]].map(|draft| draft.episode).into();
    let found = held.committed(None, &asked).expect("found");
    assert_eq!(found.get(&drafts[1].episode), Some(&ids[1]));
    assert_eq!(found.get(&drafts[4].episode), Some(&ids[4]));
    let found = held.committed(Some(ids[1]), &asked).expect("found");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(drafts[4].episode, ids[4])]);
    assert!(held.committed(Some(ids[4]), &asked).expect("none").is_empty());
}

#[test]
fn changed_files_are_told_with_what_they_say() {
    let bench = Bench::new();
    bench.commit(&nth(1), "one\n", None);
    bench.commit(&nth(2), "two\n", None);
    let first = bench.ledger.head().expect("head");
    let mut gone = draft(&nth(1), "", Some("one\n"));
    gone.files[0].content = None;
    bench.commit_all(&[gone, draft(&nth(2), "zwei\n", Some("two\n"))]);
    let held = bench.ledger.lock().expect("held");
    let head = held.head().expect("head");
    let told = |from, to| {
        let files = held.changed(from, to).expect("changed").into_iter();
        files
            .map(|file| (file.path, file.content.map(|c| String::from_utf8(c).expect("text"))))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(first, head), [(nth(1), None), (nth(2), Some("zwei\n".to_owned()))]);
    assert_eq!(told(None, head), [(nth(2), Some("zwei\n".to_owned()))]);
    assert_eq!(told(head, None), [(nth(2), None)]);
    let unknown = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().ok();
    assert_eq!(told(unknown, head), told(None, head));
}
