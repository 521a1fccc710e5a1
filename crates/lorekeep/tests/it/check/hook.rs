//! The hook before a commit.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::{BAD, Project, said};

fn install(project: &Project, args: &[&str]) -> (i32, String, String) {
    said(project.command(&[&["install", "pre-commit"], args].concat()).output().unwrap())
}

fn uninstall(project: &Project, args: &[&str]) -> (i32, String, String) {
    said(project.command(&[&["uninstall", "pre-commit"], args].concat()).output().unwrap())
}

fn hook(project: &Project) -> PathBuf {
    project.root().join(".git/hooks/pre-commit")
}

/// Puts a hook of a person there.
fn put(project: &Project, text: &str, mode: u32) {
    std::fs::create_dir_all(hook(project).parent().unwrap()).unwrap();
    std::fs::write(hook(project), text).unwrap();
    std::fs::set_permissions(hook(project), std::fs::Permissions::from_mode(mode)).unwrap();
}

fn commit(project: &Project) -> (bool, String) {
    project.try_git(&["commit", "--message", "x"])
}

#[test]
fn a_commit_that_breaks_a_rule_is_stopped_and_a_clean_one_passes() {
    let project = Project::new();
    project.write("old.rs", BAD);
    project.commit();
    assert_eq!(install(&project, &[]).0, 0);
    project.write("a.rs", BAD);
    project.git(&["add", "a.rs"]);
    let (committed, said) = commit(&project);
    assert!(!committed && said.contains("a.rs:1  block  Connect to PostgreSQL."), "{said}");
    assert!(!said.contains("old.rs"), "{said}");
    // A fix that is not staged does not help.
    project.write("a.rs", "// clean\n");
    assert!(!commit(&project).0);
    project.git(&["add", "a.rs"]);
    project.write("a.rs", BAD);
    let (committed, said) = commit(&project);
    assert!(committed && said.contains("nothing found"), "{said}");
    // `commit -a` has an index of its own.
    assert!(!project.try_git(&["commit", "--all", "--message", "x"]).0);
    let mut off = std::process::Command::new("git");
    let off = off
        .args(["-c", "user.name=P", "-c", "user.email=p@x", "commit", "--all", "-m", "x"])
        .current_dir(project.root())
        .env("LOREKEEP_HOOKS", "off");
    assert!(off.output().unwrap().status.success());
}

#[test]
fn a_hook_is_installed_once() {
    let project = Project::new();
    let (code, out, _) = install(&project, &[]);
    assert!(code == 0 && out.contains("pre-commit checks what is staged from now on"), "{out}");
    let first = std::fs::read_to_string(hook(&project)).unwrap();
    assert!(first.starts_with("#!/bin/sh\n# >>> lorekeep >>>\n"), "{first}");
    assert!(first.contains(env!("CARGO_BIN_EXE_lorekeep")), "{first}");
    assert_ne!(std::fs::metadata(hook(&project)).unwrap().permissions().mode() & 0o100, 0);
    let (code, out, _) = install(&project, &[]);
    assert!(code == 0 && out.contains("already"), "{out}");
    assert_eq!(std::fs::read_to_string(hook(&project)).unwrap(), first);
}

#[test]
fn a_dry_run_writes_nothing() {
    let project = Project::new();
    let (code, out, err) = install(&project, &["--dry-run"]);
    assert!(
        code == 0 && out.contains("check --staged") && err.contains("pre-commit"),
        "{out}{err}"
    );
    assert!(!hook(&project).exists());
}

#[test]
fn a_hook_of_a_person_is_kept_and_runs_after_ours() {
    let project = Project::new();
    let theirs = "#!/usr/bin/env bash\n# Mine.\nset -eu\ntouch ran\nexec true\n";
    put(&project, theirs, 0o755);
    assert_eq!(install(&project, &[]).0, 0);
    assert_eq!(install(&project, &[]).0, 0);
    let now = std::fs::read_to_string(hook(&project)).unwrap();
    assert!(now.starts_with("#!/usr/bin/env bash\n# Mine.\n# >>> lorekeep >>>\n"), "{now}");
    assert!(now.ends_with("# <<< lorekeep <<<\nset -eu\ntouch ran\nexec true\n"), "{now}");
    project.write("a.rs", BAD);
    project.git(&["add", "a.rs"]);
    assert!(!commit(&project).0 && !project.root().join("ran").exists());
    project.write("a.rs", "// clean\n");
    project.git(&["add", "a.rs"]);
    assert!(commit(&project).0 && project.root().join("ran").exists());
}

#[test]
fn a_hook_that_cannot_be_added_to_is_refused_and_stays() {
    let project = Project::new();
    for (text, mode, why) in [
        ("#!/usr/bin/env python3\nprint()\n", 0o755, "is no script of a shell"),
        ("#!/bin/sh\nmake lint\n", 0o644, "cannot be run"),
        ("#!/bin/sh\n# >>> lorekeep >>>\n", 0o755, "without one"),
    ] {
        put(&project, text, mode);
        let (code, out, err) = install(&project, &[]);
        assert_eq!((code, out.as_str()), (2, ""), "{text}");
        assert!(err.contains(why), "{text}: {err}");
        assert_eq!(std::fs::read_to_string(hook(&project)).unwrap(), text);
    }
    let (_, _, err) = {
        put(&project, "#!/usr/bin/perl\n", 0o755);
        install(&project, &[])
    };
    assert!(err.contains("To add by hand") && err.contains("check --staged"), "{err}");
}

#[test]
fn hooks_lie_where_git_was_told() {
    let project = Project::new();
    project.git(&["config", "core.hooksPath", ".hooks"]);
    assert_eq!(install(&project, &[]).0, 0);
    let shared = std::fs::read_to_string(project.root().join(".hooks/pre-commit")).unwrap();
    assert!(!shared.contains(env!("CARGO_BIN_EXE_lorekeep")), "others run it too: {shared}");
    let dir = tempfile::tempdir().unwrap();
    let mut elsewhere = project.command(&["install", "pre-commit"]);
    let (code, _, err) = said(elsewhere.current_dir(dir.path()).output().unwrap());
    assert!(code == 2 && err.contains("lies in no git repository"), "{err}");
}

#[test]
fn it_comes_out_again_and_what_others_wrote_stays() {
    let project = Project::new();
    let (code, out, _) = uninstall(&project, &[]);
    assert!(code == 0 && out.contains("has nothing of ours"), "{out}");
    install(&project, &[]);
    let (_, _, err) = uninstall(&project, &["--dry-run"]);
    assert!(err.contains("would be removed") && hook(&project).exists(), "{err}");
    let (code, out, _) = uninstall(&project, &[]);
    assert!(code == 0 && out.contains("is removed") && !hook(&project).exists(), "{out}");
    let theirs = "#!/usr/bin/env bash\n# Mine.\n\nset -eu\nexec make lint\n";
    put(&project, theirs, 0o750);
    install(&project, &[]);
    let (code, out, _) = uninstall(&project, &["--dry-run"]);
    assert!(code == 0 && out.contains("exec make lint") && !out.contains("lorekeep"), "{out}");
    let (code, out, _) = uninstall(&project, &[]);
    assert!(code == 0 && out.contains("the rest of it stays"), "{out}");
    assert_eq!(std::fs::read_to_string(hook(&project)).unwrap(), theirs);
    assert_eq!(std::fs::metadata(hook(&project)).unwrap().permissions().mode() & 0o777, 0o750);
    put(&project, "#!/bin/sh\n# >>> lorekeep >>>\nmake lint\n", 0o755);
    let (code, _, err) = uninstall(&project, &[]);
    assert!(code == 2 && err.contains("without one") && err.contains("not changed"), "{err}");
}
