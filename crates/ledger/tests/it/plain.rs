//! The repositories of people.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use ledger::plain::{Changed, Plain};
use tempfile::TempDir;

use crate::{git, try_git};

/// A repository of a person, in a directory of its own.
struct Person {
    dir: TempDir,
}

impl Person {
    fn new() -> Self {
        let one = Self { dir: tempfile::tempdir().expect("a directory") };
        one.git(&["init", "-q", "-b", "main"]);
        one.git(&["config", "user.name", "Ada"]);
        one.git(&["config", "user.email", "ada@example.com"]);
        one
    }

    /// One with a commit of these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let one = Self::new();
        files.iter().for_each(|(path, text)| one.write(path, text));
        one.save("first");
        one
    }

    fn git(&self, args: &[&str]) -> String {
        git(self.dir.path(), args)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(path).parent().expect("a folder")).expect("made");
        fs::write(self.path(path), text).expect("written");
    }

    fn save(&self, subject: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", subject]);
    }

    fn plain(&self) -> Plain {
        Plain::around(self.dir.path()).expect("asked").expect("a work tree")
    }

    fn commit(&self, files: &[&str]) -> Option<String> {
        let files: Vec<PathBuf> = files.iter().map(|file| self.path(file)).collect();
        self.plain().commit(&files, "write it", "because").expect("committed")
    }

    fn changed(&self, base: Option<&str>, staged: bool) -> Vec<Changed> {
        self.plain().changed(base, staged).expect("told")
    }
}

#[cfg(unix)]
fn hook(person: &Person, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = person.path(".git/hooks").join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
}

/// A new file that has so many new lines from its start.
fn new(path: &str, lines: usize) -> Changed {
    Changed { is_new: true, ..old(path, &[(1, lines)]) }
}

/// A file whose lines changed, from the first to the last of each pair.
fn old(path: &str, lines: &[(usize, usize)]) -> Changed {
    let lines = lines.iter().map(|(first, last)| *first..last + 1).collect();
    Changed { path: path.to_owned(), is_new: false, is_gone: false, lines }
}

fn gone(path: &str) -> Changed {
    Changed { is_gone: true, ..old(path, &[]) }
}

#[test]
fn a_work_tree_is_found_from_below_and_made_where_there_is_none() {
    let person = Person::with(&[("a/b/c.md", "x")]);
    let top = person.dir.path().canonicalize().expect("a path");
    for below in ["", "a/b", "a/b/not/there/yet"] {
        let plain = Plain::around(&person.path(below)).expect("asked").expect("a work tree");
        assert_eq!(plain.top(), top, "{below:?}");
    }
    assert!(Plain::around(&person.path(".git")).expect("asked").is_none());
    let empty = tempfile::tempdir().expect("a directory");
    assert!(Plain::around(empty.path()).expect("asked").is_none());
    let made = Plain::around_or_new(&empty.path().join("x y")).expect("made");
    assert!(made.top().ends_with("x y"));
    assert_eq!(git(made.top(), &["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(Plain::around_or_new(made.top()).expect("found").top(), made.top());
}

#[test]
fn what_else_is_staged_stays_staged() {
    let person = Person::with(&[("a.md", "a\n"), ("b.md", "b\n"), ("gone.md", "x\n")]);
    person.write("b.md", "staged\n");
    person.write("c.md", "staged too\n");
    person.git(&["add", "b.md", "c.md"]);
    person.write("b.md", "staged, and more\n");
    person.write("a.md", "new a\n");
    person.write("k/new one.md", "new\n");
    fs::remove_file(person.path("gone.md")).expect("removed");
    let id = person.commit(&["a.md", "k/new one.md", "gone.md", "never.md"]).expect("a commit");
    assert_eq!(person.git(&["rev-parse", "HEAD"]), id);
    let files = person.git(&["show", "--format=%an <%ae>%n%B", "--name-status", "HEAD"]);
    assert_eq!(
        files,
        "Ada <ada@example.com>\nwrite it\n\nbecause\n\n\nM\ta.md\nD\tgone.md\nA\tk/new one.md"
    );
    assert_eq!(person.git(&["status", "--porcelain"]), "MM b.md\nA  c.md");
    assert_eq!(person.git(&["show", ":b.md"]), "staged");
    assert_eq!(person.commit(&["a.md", "k/new one.md", "gone.md"]), None);
    assert_eq!(person.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn the_first_commit_of_a_repository_and_one_of_a_detached_head_work() {
    let person = Person::new();
    person.write("staged.md", "x");
    person.git(&["add", "staged.md"]);
    person.write("[a]*.md", "x");
    person.write("ab.md", "x");
    person.commit(&["[a]*.md"]).expect("a commit");
    assert_eq!(person.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "[a]*.md");
    assert_eq!(person.git(&["status", "--porcelain"]), "A  staged.md\n?? ab.md");
    person.git(&["checkout", "-q", "--detach"]);
    let id = person.commit(&["ab.md"]).expect("a commit");
    assert_eq!(person.git(&["rev-parse", "HEAD"]), id);
    assert_ne!(person.git(&["rev-parse", "main"]), id);
}

#[cfg(unix)]
#[test]
fn a_hook_that_refuses_leaves_everything_as_it_was() {
    let person = Person::with(&[("a.md", "a\n")]);
    person.write("staged.md", "x\n");
    person.git(&["add", "staged.md"]);
    hook(&person, "pre-commit", "git diff --cached --name-only; echo 'not like this' >&2; exit 1");
    person.write("a.md", "changed\n");
    person.write("new.md", "new\n");
    let before = person.git(&["rev-parse", "HEAD"]);
    let files = [person.path("a.md"), person.path("new.md")];
    let error = person.plain().commit(&files, "x", "").expect_err("refused").to_string();
    assert!(error.contains("not like this") && error.contains("nothing was committed"), "{error}");
    assert!(error.contains("a.md\nnew.md") && !error.contains("staged.md"), "{error}");
    assert_eq!(person.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(person.git(&["status", "--porcelain"]), " M a.md\nA  staged.md\n?? new.md");
    assert_eq!(fs::read_to_string(person.path("new.md")).expect("a file"), "new\n");
}

#[test]
fn a_file_that_is_ignored_is_not_committed_but_told() {
    let person = Person::with(&[(".gitignore", "*.log\n")]);
    person.write("a.log", "x");
    person.write("b.md", "x");
    let files = [person.path("b.md"), person.path("a.log")];
    let error = person.plain().commit(&files, "x", "").expect_err("refused").to_string();
    assert!(error.contains("ignored") && error.contains("a.log"), "{error}");
    assert_eq!(person.git(&["status", "--porcelain"]), "?? b.md");
}

#[test]
fn paths_outside_are_refused() {
    let person = Person::with(&[("a.md", "a\n")]);
    for path in ["/etc/passwd", "../x", ""] {
        assert!(person.plain().commit(&[PathBuf::from(path)], "x", "").is_err(), "{path:?}");
    }
}

#[test]
fn a_log_follows_renames() {
    let person = Person::with(&[("a.md", "one\ntwo\nthree\n"), ("b.md", "other\n")]);
    person.git(&["mv", "a.md", "c [x].md"]);
    person.save("moved");
    person.write("c [x].md", "one\ntwo\nthree\nfour\n");
    person.git(&["add", "-A"]);
    person.git(&["commit", "-q", "-m", "longer", "-m", "and\nwhy"]);
    let log = person.plain().log(Path::new("c [x].md"), 10).expect("a log");
    let told: Vec<&str> = log.iter().map(|entry| entry.subject.as_str()).collect();
    assert_eq!(told, ["longer", "moved", "first"]);
    assert_eq!((log[0].author.as_str(), log[0].body.as_str()), ("Person", "and\nwhy"));
    assert_eq!(log[0].id.to_string(), person.git(&["rev-parse", "HEAD"]));
    assert_eq!(person.plain().log(&person.path("c [x].md"), 1).expect("a log").len(), 1);
    assert_eq!(Person::new().plain().log(Path::new("x"), 1).expect("a log"), []);
}

#[test]
fn texts_are_those_of_a_commit_or_of_the_index() {
    let person = Person::with(&[("a\nb.md", "one\n"), ("c.md", "c\n")]);
    person.write("a\nb.md", "two\n");
    person.git(&["add", "-A"]);
    person.write("a\nb.md", "three\n");
    let plain = person.plain();
    assert_eq!(plain.show("main", Path::new("a\nb.md")).expect("asked"), Some(b"one\n".to_vec()));
    assert_eq!(plain.show("HEAD", Path::new("no.md")).expect("asked"), None);
    assert_eq!(plain.staged("a\nb.md").expect("asked"), Some(b"two\n".to_vec()));
    let many = ["c.md", "no.md", "a\nb.md"].map(str::to_owned);
    let texts = plain.staged_many(&many).expect("asked");
    assert_eq!(texts, [Some(b"c\n".to_vec()), None, Some(b"two\n".to_vec())]);
    let mut many: Vec<String> = (0..600).map(|n| format!("no {n}")).collect();
    many.push("c.md".to_owned());
    assert_eq!(plain.staged_many(&many).expect("asked")[600], Some(b"c\n".to_vec()));
}

#[test]
fn a_revision_is_never_an_option() {
    let person = Person::with(&[("a.md", "a\n")]);
    for rev in ["--output=x", "-p", "nowhere", "", "HEAD~5", "a\nb"] {
        let error = person.plain().changed(Some(rev), false).expect_err("refused").to_string();
        assert!(error.contains(&format!("{rev:?} is no revision")), "{error}");
        assert!(person.plain().show(rev, Path::new("a.md")).is_err());
    }
    assert!(!person.path("x").exists());
}

#[test]
fn changes_are_told_line_by_line() {
    let text: String = (1..=9).map(|n| format!("{n}\n")).collect();
    let person = Person::with(&[
        ("a.md", &text),
        ("binary", "a\0b"),
        ("gone.md", "g\n"),
        ("moved.md", &format!("x\n{text}")),
        ("same.md", "s\n"),
        (".gitignore", "*.log\n"),
    ]);
    person.write(
        "a.md",
        text.replace("2\n", "two\n").replace("5\n", "") + "diff --git a b\n@@ -1 +1 @@\n",
    );
    person.write("binary", "a\0c");
    fs::remove_file(person.path("gone.md")).expect("removed");
    person.git(&["mv", "moved.md", "new place.md"]);
    person.write("new place.md", format!("y\n{text}"));
    person.write("un\nknown.md", "1\n2");
    person.write("empty", "");
    person.write("x.log", "ignored\n");
    // What was line 5 is gone: the empty range before what is line 5 now.
    let changed = old("a.md", &[(2, 2), (5, 4), (9, 10)]);
    let expected = [
        changed,
        Changed { lines: iter::once(1..usize::MAX).collect(), ..old("binary", &[]) },
        Changed { is_new: true, ..old("empty", &[]) },
        gone("gone.md"),
        gone("moved.md"),
        new("new place.md", 1),
        new("un\nknown.md", 2),
    ];
    assert_eq!(person.changed(None, false), expected);
    assert_eq!(
        person.changed(None, true),
        [gone("moved.md"), Changed { is_new: true, ..old("new place.md", &[]) }]
    );
    person.git(&["add", "-A"]);
    assert_eq!(person.changed(None, true), expected);
    person.git(&["config", "diff.noprefix", "true"]);
    person.git(&["config", "diff.renames", "false"]);
    person.git(&["config", "diff.interHunkContext", "9"]);
    person.git(&["config", "color.ui", "always"]);
    assert_eq!(person.changed(None, true), expected);
}

#[test]
fn a_base_is_where_two_branches_parted() {
    let person = Person::with(&[("a.md", "a\n")]);
    person.git(&["checkout", "-q", "-b", "work"]);
    person.write("mine.md", "m\n");
    person.save("mine");
    person.git(&["checkout", "-q", "main"]);
    person.write("theirs.md", "t\n");
    person.save("theirs");
    person.git(&["checkout", "-q", "work"]);
    assert_eq!(person.changed(Some("main"), false), [new("mine.md", 1)]);
    assert_eq!(person.changed(None, false), []);
}

#[test]
fn everything_is_new_in_a_repository_without_commits() {
    let person = Person::new();
    person.write("a.md", "a\n");
    person.write("b.md", "b\n");
    person.git(&["add", "a.md"]);
    assert_eq!(person.changed(None, true), [new("a.md", 1)]);
    assert_eq!(person.changed(None, false), [new("a.md", 1), new("b.md", 1)]);
}

#[cfg(unix)]
#[test]
fn what_becomes_something_else_does_not_shift_the_others() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let person =
        Person::with(&[("a.md", "a\n"), ("b.sh", "b\n"), ("c.md", "c\n"), ("d.md", "d\n")]);
    fs::remove_file(person.path("a.md")).expect("removed");
    symlink("c.md", person.path("a.md")).expect("linked");
    fs::set_permissions(person.path("b.sh"), fs::Permissions::from_mode(0o755)).expect("set");
    person.write("c.md", "c\nnew\n");
    let told = person.changed(None, false);
    assert_eq!(told[1..], [old("b.sh", &[]), old("c.md", &[(2, 2)])]);
    assert_eq!(told[0].path, "a.md");
    use std::os::unix::ffi::OsStrExt;
    let strange = std::ffi::OsStr::from_bytes(b"\xff.md");
    fs::write(person.dir.path().join(strange), "x\n").expect("written");
    person.git(&["add", "-A"]);
    assert_eq!(person.changed(None, true)[2..], [old("c.md", &[(2, 2)])]);
}

#[test]
fn a_conflict_does_not_shift_the_others() {
    let person = Person::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    person.git(&["checkout", "-q", "-b", "work"]);
    person.write("a.md", "mine\n");
    person.save("mine");
    person.git(&["checkout", "-q", "main"]);
    person.write("a.md", "theirs\n");
    person.save("theirs");
    assert!(!try_git(person.dir.path(), &["merge", "work"]).0);
    person.write("b.md", "b\nnew\n");
    let told = person.changed(None, false);
    assert_eq!(told.last(), Some(&old("b.md", &[(2, 2)])));
    assert!(told.iter().filter(|one| one.path == "a.md").count() == 1, "{told:?}");
    assert_eq!(person.plain().staged("a.md").expect("asked"), None);
    let error = person.plain().commit(&[person.path("b.md")], "x", "").expect_err("refused");
    assert!(error.to_string().contains("during a merge"), "{error}");
}

#[test]
fn linked_work_trees_and_submodules_are_work_trees_of_their_own() {
    let person = Person::with(&[("a.md", "a\n")]);
    let other = tempfile::tempdir().expect("a directory");
    let linked = other.path().join("linked");
    person.git(&["worktree", "add", "-q", linked.to_str().expect("a path"), "-b", "linked"]);
    fs::write(linked.join("b.md"), "b\n").expect("written");
    let plain = Plain::around(&linked).expect("asked").expect("a work tree");
    assert_eq!(plain.changed(None, false).expect("told"), [new("b.md", 1)]);
    plain.commit(&[linked.join("b.md")], "b", "").expect("committed").expect("a commit");
    assert_eq!(git(&linked, &["status", "--porcelain"]), "");
    assert!(plain.hooks_dir().expect("a path").ends_with(".git/hooks"));

    let whole = Person::with(&[("x.md", "x\n")]);
    let from = person.dir.path().to_str().expect("a path");
    whole.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", from, "sub"]);
    whole.save("with a submodule");
    whole.write("sub/a.md", "a\nb\n");
    assert_eq!(whole.changed(None, false), []);
    let sub = Plain::around(&whole.path("sub")).expect("asked").expect("a work tree");
    assert!(sub.top().ends_with("sub"));
    assert_eq!(sub.changed(None, false).expect("told"), [old("a.md", &[(2, 2)])]);
}

#[test]
fn hooks_lie_where_a_person_set_them() {
    let person = Person::new();
    let top = person.plain().top().to_owned();
    assert_eq!(person.plain().hooks_dir().expect("a path"), top.join(".git/hooks"));
    person.git(&["config", "core.hooksPath", "my hooks"]);
    assert_eq!(person.plain().hooks_dir().expect("a path"), top.join("my hooks"));
}
