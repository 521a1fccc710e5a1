//! A repository whose configuration, attributes and files try to run a program when it is checked.

use std::fs;
use std::path::PathBuf;

use super::{BAD, Project};

/// Every setting by which a repository's own configuration makes git run a program while it reads.
fn configuration(mark: &str) -> String {
    let run = format!("touch '{mark}'");
    format!(
        "[filter \"x\"]\n  clean = \"{run}; cat\"\n  smudge = \"{run}; cat\"\n  process = \"{run}\"\n  \
         required = true\n[filter \"y.w\"]\n  clean = \"{run}; cat\"\n[diff \"x\"]\n  command = \"{run}\"\n  \
         textconv = \"{run}\"\n[diff]\n  external = \"{run}\"\n[core]\n  fsmonitor = \"{run}\"\n  \
         hooksPath = hooks\n  pager = \"{run}\"\n  sshCommand = \"{run}\"\n  \
         alternateRefsCommand = \"{run}\"\n[log]\n  showSignature = true\n[gpg]\n  program = hooks/run\n\
         [remote \"origin\"]\n  url = \"ext::sh hooks/run\"\n  promisor = true\n  \
         fetch = +refs/heads/*:refs/remotes/origin/*\n[protocol]\n  allow = always\n\
         [protocol \"ext\"]\n  allow = always\n[extensions]\n  partialClone = origin\n"
    )
}

/// A checked-out repository as an archive may bring it along, with all that is in `.git`. Where a
/// program that it names was run there is a mark. A violation is staged.
fn hostile() -> (Project, PathBuf) {
    let project = Project::new();
    let mark = project.dir.path().join("mark");
    let script = format!("#!/bin/sh\ntouch '{}'\n", mark.display());
    for name in ["run", "post-index-change", "reference-transaction", "pre-auto-gc"] {
        project.write(&format!("hooks/{name}"), &script);
        let run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(project.root().join(format!("hooks/{name}")), run).unwrap();
    }
    project.write(".gitattributes", "*.rs filter=x diff=x\n*.md filter=y.w\n*.txt filter=x\n");
    project.write("a.rs", "fn a() {}\n");
    project.write("gone.rs", "fn gone() {}\n");
    project.write("b.txt", "one\n");
    project.commit();
    project.write("a.rs", BAD);
    project.git(&["add", "a.rs"]);
    let config = project.root().join(".git/config");
    let known = fs::read_to_string(&config).unwrap();
    let known = known.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
    fs::write(config, known + &configuration(mark.to_str().unwrap())).unwrap();
    (project, mark)
}

const CHECKS: [&[&str]; 4] =
    [&["--format", "json"], &["--staged"], &["--diff", "HEAD"], &["--staged", "--diff", "HEAD"]];

#[test]
fn no_program_that_a_repository_names_is_run_by_a_check() {
    let (project, mark) = hostile();
    project.write("a.rs", format!("{BAD}// more\n"));
    project.write("b.txt", "two\n");
    let _ = fs::remove_file(&mark);
    for options in CHECKS {
        let (code, out, err) = project.check(options);
        assert_eq!(code, 1, "{options:?}: {out}{err}");
        assert!(out.contains("adr-042"), "{options:?}: {out}{err}");
        assert!(!mark.exists(), "{options:?} ran a program of the repository's");
    }
    for args in
        [["hook", "claude-code", "SessionStart"].as_slice(), &["knowledge", "list"], &["list"]]
    {
        project.command(args).stdin(std::process::Stdio::null()).output().unwrap();
        assert!(!mark.exists(), "{args:?} ran a program of the repository's");
    }
    // The repository is as hostile as it looks: plain git runs what it names.
    project.try_git(&["diff", "HEAD"]);
    assert!(mark.exists());
}

#[test]
fn an_object_that_is_missing_is_not_fetched_by_a_program() {
    let (project, mark) = hostile();
    let id = project.git(&["-c", "core.fsmonitor=false", "rev-parse", "HEAD:gone.rs"]);
    let id = id.trim();
    fs::remove_file(project.root().join(format!(".git/objects/{}/{}", &id[..2], &id[2..])))
        .unwrap();
    fs::remove_file(project.root().join("gone.rs")).unwrap();
    let _ = fs::remove_file(&mark);
    for options in CHECKS {
        let (_, out, err) = project.check(options);
        assert!(!mark.exists(), "{options:?} ran a program of the repository's: {out}{err}");
    }
    project.try_git(&["cat-file", "blob", id]);
    assert!(mark.exists(), "plain git fetches it");
}

#[test]
fn a_repository_among_the_files_of_another_configures_nothing() {
    let project = Project::new();
    project.write("a.rs", BAD);
    project.commit();
    let mark = project.dir.path().join("mark");
    // A bare repository with a work tree, committed as files: git would take a check in it for its own.
    project.git(&["init", "--quiet", "--bare", "inner"]);
    let config = format!(
        "[core]\n  repositoryformatversion = 0\n  bare = false\n  worktree = ..\n  fsmonitor = \"touch '{}'\"\n",
        mark.display()
    );
    project.write("inner/config", config);
    for options in CHECKS {
        let output = project
            .command(&["check"])
            .args(options)
            .current_dir(project.root().join("inner"))
            .output();
        let said = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(!mark.exists(), "{options:?}: {said}");
        assert!(said.contains("safe.bareRepository"), "{options:?}: {said}");
    }
}

#[test]
fn a_filter_that_cannot_be_switched_off_is_refused() {
    let project = Project::new();
    project.write("a.rs", BAD);
    project.commit();
    let config = project.root().join(".git/config");
    let known = fs::read_to_string(&config).unwrap();
    fs::write(config, known + "[filter \"a=b\"]\n  clean = false\n").unwrap();
    let (code, _, err) = project.check(&["--staged"]);
    assert!(code == 2 && err.contains("git config --remove-section 'filter.a=b'"), "{err}");
}
