//! The person's side: `decide`, `log`, `history`, `doctor`.

use std::io::Write;
use std::process::Stdio;

use super::{assert_sound, git};
use crate::cli::{json, run};
use crate::support::lorekeep;

#[test]
fn a_person_keeps_two_decisions_that_are_in_conflict() {
    let dir = tempfile::tempdir().unwrap();
    let decide = |title: &str, more: &[&str]| {
        let why = ["decide", title, "--target", "database", "--because", "The team knows it well."];
        run(dir.path(), &[&why, more].concat())
    };
    let (_, out, _) = decide("Use MySQL", &["--json"]);
    let first = json(&out)["fid"].as_str().unwrap().to_owned();
    assert_eq!(decide("Use mysql", &[]).0, 1);
    let (code, out, err) = decide("Use mysql", &["--allow-conflict", "--json"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(json(&out)["conflicts"][0]["fid"], first.as_str(), "{out}");
    let (code, _, err) = decide("Use MySQL", &["--allow-conflict"]);
    assert!(code == 0 && err.contains(&first), "{err}");
    // Ids are taken as files spell them, and roles in any case.
    let named = format!("decision_{first}.md");
    let (code, out, err) = run(dir.path(), &["show", &named, "--role", "ADMIN"]);
    assert!(code == 0 && out.contains("Use MySQL"), "{err}");
    let (code, _, err) = decide("Use SQLite", &["--supersedes", &named]);
    assert_eq!(code, 0, "{err}");
    let (code, ..) = decide("Use it", &["--supersedes", &first, "--allow-conflict"]);
    assert_eq!(code, 2);
}

#[test]
fn a_person_decides_reads_the_log_and_sees_the_chain() {
    let dir = tempfile::tempdir().unwrap();
    let decide = |args: &[&str]| run(dir.path(), &[&["decide"], args].concat());
    let (code, out, err) = decide(&[
        "Use",
        "MySQL",
        "--target",
        "database",
        "--because",
        "The team knows it well.",
        "--then",
        "Install it",
        "--json",
    ]);
    assert_eq!(code, 0, "{err}");
    let first = json(&out)["fid"].as_str().unwrap().to_owned();
    let (code, out, err) =
        decide(&["use mysql", "--target", "database", "--because", "Again and again."]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains(&first) && err.contains("--supersedes"), "{err}");
    assert!(err.contains("--allow-conflict"), "{err}");

    let mut child = lorekeep(dir.path())
        .args(["decide", "Use PostgreSQL", "--target", "database", "--because", "-"])
        .args(["--supersedes", &first, "--confidence", "0.95", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"MERGE, and constraints\nthat hold.\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let second =
        json(&String::from_utf8(output.stdout).unwrap())["fid"].as_str().unwrap().to_owned();

    let (_, out, _) = run(dir.path(), &["log"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].ends_with(&format!("tester: Supersede decision {first}: Use PostgreSQL")),
        "{out}"
    );
    let (_, out, _) = run(dir.path(), &["log", &second, "--json"]);
    assert_eq!(json(&out).as_array().unwrap().len(), 1);
    assert!(json(&out)[0]["body"].as_str().unwrap().contains("MERGE, and constraints"));

    let (_, out, _) = run(dir.path(), &["history", &first]);
    assert!(out.contains("Why: MERGE, and constraints that hold."), "{out}");
    let (_, out, _) = run(dir.path(), &["history", &first, "--graph"]);
    assert!(out.starts_with(&format!("● {first} Use MySQL (superseded)\n│\n▼ ")), "{out}");
    assert!(out.ends_with(&format!("● {second} Use PostgreSQL (active)\n")), "{out}");
    let (_, out, _) = run(dir.path(), &["history", &second, "--graph", "mermaid"]);
    assert_eq!(
        out,
        format!(
            "flowchart TD\n    n0[\"Use MySQL<br/>{first}, superseded\"]\n    \
             n1[\"Use PostgreSQL<br/>{second}, active\"]\n    n0 -->|superseded by| n1\n"
        )
    );
    assert_sound(dir.path(), 2);
}

#[test]
fn what_a_person_gets_wrong_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for (args, why) in [
        (
            vec!["decide", "Use X", "--target", "Data-Base", "--because", "Because it is good."],
            "Data-Base",
        ),
        (vec!["decide", "Use X", "--target", "x", "--because", "short"], "at least 10"),
        (vec!["decide", "X", "--target", "x", "--because", "Because it is good."], "at least 3"),
        (vec!["decide", "Use X", "--target", "x"], "--because is missing"),
        (
            vec![
                "decide",
                "Use X",
                "--target",
                "x",
                "--because",
                "Because it is good.",
                "--namespace",
                "a/b",
            ],
            "letters",
        ),
        (
            vec![
                "decide",
                "Use X",
                "--target",
                "x",
                "--because",
                "Because it is good.",
                "--role",
                "guest",
            ],
            "role user",
        ),
        (
            vec![
                "decide",
                "Use X",
                "--target",
                "x",
                "--because",
                "Because it is good.",
                "--supersedes",
                "0123456789ab",
            ],
            "no record 0123456789ab",
        ),
        (vec!["history", "xyz"], "12 hex digits"),
    ] {
        let (code, out, err) = run(dir.path(), &args);
        assert!(code != 0 && out.is_empty() && err.contains(why), "{args:?}: {out}{err}");
    }
    let (code, _, err) = run(dir.path(), &["log", "0123456789ab"]);
    let hint = "no commits of 0123456789ab; `lorekeep log` lists what there is\n";
    assert_eq!((code, err.as_str()), (0, hint));
}

#[test]
fn the_doctor_looks_at_the_ledger() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = run(dir.path(), &["doctor"]);
    assert_eq!(code, 0);
    assert!(out.contains("the first decision makes it"), "{out}");
    run(dir.path(), &["decide", "Use X", "--target", "x", "--because", "Because it is good."]);
    let (code, out, _) = run(dir.path(), &["doctor"]);
    assert!(code == 0 && out.contains("with 1 files, at commit"), "{out}");
    let file = git(dir.path(), &["ls-files"]);
    let path = super::ledger(dir.path()).join(file.trim());
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("confidence: 0.8", "confidence: 8")).unwrap();
    let (code, out, _) = run(dir.path(), &["doctor"]);
    assert!(code == 0 && out.contains("was edited by hand"), "{out}");
    git(dir.path(), &["commit", "-qam", "by hand"]);
    let (code, out, _) = run(dir.path(), &["doctor"]);
    assert!(code == 1 && out.contains(", line 7: "), "{out}");
}
