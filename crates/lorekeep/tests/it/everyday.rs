//! What a person does with memories every day, and the tour.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli::{json, run};
use crate::support::lorekeep;

/// Runs a command that must succeed; what it printed.
fn told(dir: &Path, args: &[&str]) -> String {
    let (code, out, err) = run(dir, args);
    assert_eq!(code, 0, "{args:?}: {out}{err}");
    out
}

fn told_json(dir: &Path, args: &[&str]) -> Value {
    json(&told(dir, &[args, &["--json"]].concat()))
}

/// Keeps a text; its id.
fn add(dir: &Path, args: &[&str]) -> String {
    told_json(dir, &[&["add"], args].concat())["id"].as_str().unwrap().to_owned()
}

/// An editor that does to its file what the lines of a shell script say.
fn editor(dir: &Path, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join("editor.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Runs a command with this editor.
fn run_edited(dir: &Path, script: &str, args: &[&str]) -> (i32, String, String) {
    let editor = editor(dir, script);
    let mut command = lorekeep(dir);
    command.args(args).env_remove("VISUAL").env("EDITOR", editor).env("TMPDIR", dir);
    let out = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

fn piped(dir: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let mut command = lorekeep(dir);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

#[test]
fn what_is_added_is_told_with_its_id_and_what_to_type_next() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let args = ["add", "Deploys", "go first", "--layer", "project", "--tag", "ops"];
    let (code, out, err) = run(home, &args);
    assert_eq!(code, 0, "{err}");
    let id = out.split_whitespace().next().unwrap();
    assert!(out.ends_with("is kept in layer project\n"), "{out}");
    assert!(err.contains(&format!("`lorekeep show {}`", &id[4..12])), "{err}");
    let (code, out, _) = run(home, &args);
    assert_eq!(
        (code, out.as_str()),
        (0, &*format!("{id} says the same already in layer project\n"))
    );

    let (code, out, _) = piped(home, &["add", "--kind", "preference"], "tabs\nnot spaces\n");
    assert_eq!(code, 0);
    let piped_id = out.split_whitespace().next().unwrap();
    let shown = told_json(home, &["show", piped_id]);
    assert_eq!(shown["content"], "tabs\nnot spaces");
    assert_eq!((&shown["kind"], &shown["layer"]), (&json!("preference"), &json!("user")));
    let (code, _, err) = piped(home, &["add", "-"], " \n");
    assert_eq!(code, 2);
    assert!(err.contains("there is no text; type it behind the command"), "{err}");

    let (code, out, err) = run_edited(home, "echo ' and more' >> $1", &["add", "--edit", "some"]);
    assert_eq!(code, 0, "{err}");
    let id = out.split_whitespace().next().unwrap();
    assert_eq!(told_json(home, &["show", id])["content"], "some and more");
}

#[test]
fn what_is_wrong_is_named_with_what_to_type() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    for args in [vec!["list"], vec!["show", "abcdef"], vec!["stats"], vec!["recall", "x"]] {
        let (code, _, err) = run(home, &args);
        assert_eq!(code, 2, "{args:?}");
        assert!(err.contains("`lorekeep add TEXT` makes one"), "{args:?}: {err}");
    }
    let long = "x".repeat(101);
    add(home, &["something"]);
    for (code, args, why) in [
        (2, vec!["add", "x", "--tag", &*long], "it takes 1 to 100 characters"),
        (2, vec!["add", "x", "--importance", "2"], "it takes a number from 0 to 1"),
        (2, vec!["add", "x", "--kind", "golden"], "possible values: preference, decision"),
        (2, vec!["add", "x", "--layer", "planet"], "possible values: agent, user"),
        (2, vec!["add", "x", "--role", "guest"], "this needs the role user"),
        (
            1,
            vec!["show", "abcdef"],
            "there is no memory abcdef; `lorekeep list` shows what there is",
        ),
        (1, vec!["show", "mem_1"], "is too short for an id; it takes 6 digits or more"),
        (1, vec!["show", "chunk_000000000001"], "`lorekeep index PATH` reads files"),
        (1, vec!["edit", "abcdef", "--content", "x"], "there is no memory abcdef"),
        (1, vec!["forget", "abcdef", "--yes"], "there is no memory abcdef"),
        (2, vec!["list", "--sort", "size"], "possible values: created"),
        (2, vec!["serch", "x"], "'search'"),
        (2, vec!["history", "abcdef012345"], "`lorekeep log` lists what there is"),
    ] {
        let (was, out, err) = run(home, &args);
        assert_eq!((was, out.as_str()), (code, ""), "{args:?}: {err}");
        assert!(err.contains(why), "{args:?}: {err}");
    }
    let (code, _, err) = run(home, &["log", "abcdef012345"]);
    assert_eq!(code, 0);
    assert!(err.contains("no commits of abcdef012345; `lorekeep log` lists"), "{err}");
}

#[test]
fn a_memory_is_shown_by_any_spelling_and_by_its_first_digits() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let id = add(home, &["first line\nsecond line", "--tag", "ops", "--importance", "0.9"]);
    let digits = &id[4..];
    let uuid = format!(
        "{}-{}-{}-{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..]
    );
    for text in [&*id, digits, &uuid, &uuid.to_uppercase(), &digits[..6], &id[..12]] {
        assert_eq!(told_json(home, &["show", text])["id"], *id, "{text}");
    }
    let out = told(home, &["show", &id]);
    for part in
        ["layer       user, of tester\n", "tags        ops\n", "importance  0.9, confidence 0.3"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(out.ends_with("\nfirst line\nsecond line\n"), "{out}");
}

#[test]
fn edges_decisions_and_chunks_are_shown_and_others_are_told_where() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let (one, two) = (add(home, &["The API runs on 8080"]), add(home, &["The API runs on 9090"]));
    let edge = json!({"source_id": two, "target_id": one, "relation": "supersedes"}).to_string();
    told(home, &["call", "memory_relate", &edge]);
    let shown = told_json(home, &["show", &two]);
    assert_eq!(shown["neighbours"][0]["id"], *one);
    assert_eq!(shown["neighbours"][0]["direction"], "outgoing");
    let out = told(home, &["show", &one]);
    assert!(out.contains(&format!("supersedes ← {} The API runs on 9090", &two[4..12])), "{out}");

    let because = "All of us know it, and one is enough.";
    let decide = ["decide", "Use PostgreSQL", "--target", "database", "--because", because];
    let fid = told_json(home, &decide)["fid"].as_str().unwrap().to_owned();
    let out = told(home, &["show", &fid]);
    assert!(out.starts_with(&format!("{fid} Use PostgreSQL\n")) && out.contains(because), "{out}");
    assert_eq!(told_json(home, &["show", &fid[..7]])["fid"], *fid);
    let (code, _, err) = run(home, &["forget", &fid, "--yes"]);
    assert_eq!(code, 1);
    assert!(err.contains(&format!("--supersedes {fid}` puts another in its place")), "{err}");

    let file = home.join("notes.md");
    std::fs::write(&file, "# Harbour\n\nThe harbour is closed.\n").unwrap();
    told(home, &["index", file.to_str().unwrap()]);
    let out = told(home, &["show", "chunk_000000000001"]);
    assert!(out.contains("The harbour is closed."), "{out}");

    let link = r#"{"from": "Heron", "relation": "uses", "to": "MySQL"}"#;
    told(home, &["call", "add_memory_link", link]);
    let (code, _, err) = run(home, &["show", "Heron"]);
    assert_eq!(code, 1);
    assert!(err.contains("is a thing of the graph: `lorekeep graph \"Heron\"` shows it"), "{err}");
}

#[test]
fn a_memory_is_edited_by_options_and_in_the_editor() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let id = add(home, &["The port is 80", "--tag", "net"]);
    let args = ["edit", &*id, "--content", "The port is 81", "--tag", "a", "--importance", "0.75"];
    let changed = told_json(home, &args);
    assert_eq!(changed["changed"], json!(["content", "tags", "importance"]));
    assert_eq!(told(home, &["edit", &id, "--no-tags"]), format!("{id} has a new tags\n"));
    let (code, _, err) = run(home, &["edit", &id, "--no-tags"]);
    assert_eq!(code, 0);
    assert!(err.contains("nothing changed"), "{err}");

    let script = "sed -i.bak -e 's/81/82/' -e 's/^tags:.*/tags: x, y/' $1";
    let (code, out, err) = run_edited(home, script, &["edit", &id[4..12]]);
    assert_eq!((code, out.as_str()), (0, &*format!("{id} has a new content, tags\n")), "{err}");
    let shown = told_json(home, &["show", &id]);
    assert_eq!((&shown["content"], &shown["tags"]), (&json!("The port is 82"), &json!(["x", "y"])));

    let (code, _, err) = run_edited(home, "true", &["edit", &id]);
    assert_eq!(code, 0);
    assert!(err.contains("nothing changed"), "{err}");
    let (code, _, err) = run_edited(home, ": > $1", &["edit", &id]);
    assert_eq!(code, 1);
    assert!(err.contains("the text is empty; nothing changed"), "{err}");
    let (code, _, err) = run_edited(home, "exit 3", &["edit", &id]);
    assert_eq!(code, 2);
    assert!(err.contains("failed; nothing is recorded"), "{err}");
    assert_eq!(told_json(home, &["show", &id])["content"], "The port is 82");
    let (code, _, err) = run(home, &["edit", &id]);
    let no_editor = "there is no terminal, and neither VISUAL nor EDITOR";
    assert!(code == 2 && err.contains(no_editor) || std::env::var_os("EDITOR").is_some(), "{err}");
}

#[test]
fn nothing_that_was_written_is_lost_when_it_cannot_be_saved() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let id = add(home, &["The port is 80"]);
    let binary = env!("CARGO_BIN_EXE_lorekeep");
    // Somebody else is faster while the editor is open.
    let script = format!("'{binary}' edit {id} --content theirs >/dev/null; echo mine >> $1");
    let (code, _, err) = run_edited(home, &script, &["edit", &id]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("was changed by others meanwhile; nothing of yours is saved"), "{err}");
    let kept = err.trim().rsplit("kept in ").next().unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().ends_with("The port is 80\nmine\n"), "{err}");
    assert_eq!(told_json(home, &["show", &id])["content"], "theirs");

    let script = "sed -i.bak 's/^importance:.*/importance: much/' $1";
    let (code, _, err) = run_edited(home, script, &["edit", &id]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("`importance` is \"much\"; it takes a number from 0 to 1"), "{err}");
    let kept = err.trim().rsplit("kept in ").next().unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().contains("importance: much"), "{err}");
}

#[test]
fn what_is_forgotten_must_be_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let (one, two) = (add(home, &["one"]), add(home, &["two"]));
    let golden = add(home, &["Always use type hints", "--kind", "golden_rule"]);
    let (code, out, err) = run(home, &["forget", &one]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("one") && err.contains("--yes forgets without asking"), "{err}");
    let (code, _, err) = run(home, &["forget", &one, &golden, "--yes"]);
    assert_eq!(code, 1);
    assert!(err.contains("is a golden rule; --golden forgets it all the same"), "{err}");
    assert_eq!(told_json(home, &["list"])["total"], 3, "nothing went");
    let (code, _, err) = run(home, &["forget", &golden, "--golden", "--yes", "--role", "user"]);
    assert_eq!(code, 2);
    assert!(err.contains("this needs the role admin"), "{err}");

    let gone = told(home, &["forget", &one, &one[4..12], &two, "--yes"]);
    assert_eq!(gone, format!("{one} is gone\n{two} is gone\n"));
    assert_eq!(
        told_json(home, &["forget", &golden, "--golden", "-y"])["forgotten"],
        json!([golden])
    );
    let (_, out, err) = run(home, &["list"]);
    assert_eq!(out, "");
    assert!(err.contains("there are no memories; `lorekeep add TEXT` keeps one"), "{err}");
}

#[test]
fn lists_are_narrowed_sorted_and_cut() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let low = add(home, &["low\n one", "--importance", "0.1", "--tag", "a", "--tag", "b"]);
    let high = add(home, &["high", "--importance", "0.9", "--tag", "a", "--kind", "pattern"]);
    let far = add(home, &["far", "--layer", "team"]);
    let ids = |args: &[&str]| -> Vec<String> {
        let list = told_json(home, &[&["list"], args].concat());
        let id = |memory: &Value| memory["id"].as_str().unwrap().to_owned();
        list["memories"].as_array().unwrap().iter().map(id).collect()
    };
    assert_eq!(ids(&[]), [&*far, &high, &low]);
    assert_eq!(ids(&["--sort", "importance"]), [&*high, &far, &low]);
    assert_eq!(ids(&["--tag", "a", "--tag", "b"]), [&*low]);
    assert_eq!(ids(&["--kind", "pattern"]), [&*high]);
    assert_eq!(ids(&["--layer", "team"]), [&*far]);
    let (_, out, err) = run(home, &["list", "--limit", "2"]);
    assert_eq!(out.lines().count(), 2);
    assert!(err.contains("2 of 3; --limit N shows more, --all shows all"), "{err}");
    let out = told(home, &["list", "--all"]);
    let columns: Vec<&str> = out.lines().last().unwrap().split('\t').collect();
    assert_eq!(
        [columns[0], columns[1], columns[2], columns[4]],
        [&*low, "user", "fact", "low one"]
    );
    let (_, _, err) = run(home, &["list", "--tag", "none"]);
    assert!(err.contains("no memory is so"), "{err}");
}

#[test]
fn what_is_recalled_is_read_in_full_within_a_budget() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let text = "The user likes dark themes\n\nin every editor";
    let id = add(home, &[text, "--tag", "look"]);
    add(home, &["Dark themes are the default in the shop's editor as well, by the way"]);
    let out = told(home, &["recall", "dark", "themes", "editor"]);
    let head = format!("{id}  user, fact, just now, tags look, relevance ");
    assert!(out.contains(&head) && out.contains(&format!("\n{text}\n")), "{out}");
    let (_, out, err) = run(home, &["recall", "dark themes editor", "--budget", "12"]);
    assert!(out.contains(text) && !out.contains("by the way"), "{out}");
    assert!(err.contains("1 more did not fit into 12 tokens"), "{err}");
    let found = told_json(home, &["recall", "dark themes editor"]);
    assert_eq!(found["memories"].as_array().unwrap().len(), 2);
    assert!(found["tokens"].as_u64().unwrap() > 12);
    let (_, out, err) = run(home, &["recall", "when is the dentist?"]);
    assert!(out.is_empty() && err.contains("nothing reaches 0.5"), "{out}{err}");
}

#[test]
fn everything_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    add(home, &["one"]);
    add(home, &["two", "--kind", "pattern", "--layer", "project"]);
    told(home, &["call", "add_memory_link", r#"{"from": "A", "relation": "uses", "to": "B"}"#]);
    let because = "All of us know it, and one is enough.";
    told(home, &["decide", "Use PostgreSQL", "--target", "database", "--because", because]);
    let stats = told_json(home, &["stats"]);
    assert_eq!(stats["memories"]["total"], 2, "{stats}");
    assert_eq!(stats["memories"]["by_layer"]["user"], json!({"fact": 1}));
    assert_eq!(stats["memories"]["by_layer"]["project"], json!({"pattern": 1}));
    assert_eq!(stats["facts"], json!({"things": 2, "links": 1}));
    assert_eq!(stats["decisions"], json!({"active": 1}));
    assert_eq!(stats["knowledge"]["items"], 0);
    assert!(stats["store"]["bytes"].as_u64().unwrap() > 0 && stats["last_write"].is_string());
    let out = told(home, &["stats"]);
    for part in ["memories    2\n", "  user      1: 1 fact\n", "decisions   1: 1 active\n"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn reading_documents_is_a_write() {
    let dir = tempfile::tempdir().unwrap();
    let docs = tempfile::tempdir().unwrap();
    std::fs::write(docs.path().join("a.md"), "# A\n\nThe heron stands.\n").unwrap();
    told(dir.path(), &["index", docs.path().to_str().unwrap()]);
    let stats = told_json(dir.path(), &["stats"]);
    assert_eq!(stats["documents"]["files"], 1, "{stats}");
    assert!(stats["last_write"].is_string(), "{stats}");
    assert!(!told(dir.path(), &["stats"]).contains("never"));
}

/// A clock far ahead of now, by which the store is written.
const LATER: i64 = 4_102_444_800_000_000;

#[test]
fn a_clock_that_was_set_back_dates_no_change_before_its_beginning_and_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let kept = add(home, &["The heron stands."]);
    add(home, &["The stork clatters."]);
    let db = || rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    let dates = "UPDATE memory SET created_at = ?1, updated_at = ?2";
    assert_eq!(db().execute(dates, [LATER, LATER]).unwrap(), 2);
    let (code, _, err) = run_edited(home, "sed -i s/stands/waits/ \"$1\"", &["edit", &kept]);
    assert_eq!(code, 0, "{err}");
    let backwards = "SELECT count(*) FROM memory WHERE updated_at < created_at";
    let count = |sql: &str| db().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count(backwards), 0);
    let doctor = told(home, &["doctor"]);
    assert!(doctor.contains("clock") && doctor.contains("dated 2100-01-01T"), "{doctor}");
    // As versions before this one left it.
    db().execute(dates, [LATER, 1_700_000_000_000_000]).unwrap();
    let doctor = told(home, &["doctor"]);
    assert!(
        doctor.contains("2 memories, records or entities are dated as changed before"),
        "{doctor}"
    );
}

#[test]
fn the_context_of_a_prompt_is_shown_with_what_it_costs() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    add(home, &["Deploys go through the staging cluster first"]);
    let because = "All of us know it, and one is enough.";
    told(home, &["decide", "Use PostgreSQL", "--target", "database", "--because", because]);
    let (code, out, err) = run(home, &["context", "which PostgreSQL database do we use?"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("<lorekeep-notes>") && out.contains("Use PostgreSQL"), "{out}");
    assert!(err.contains(" tokens, 1 notes"), "{err}");
    let (_, out, _) = piped(home, &["context", "-"], "how do deploys go through staging?");
    assert!(out.contains("Deploys go through the staging cluster first"), "{out}");
    assert_eq!(told_json(home, &["context"])["notes"], 2);
    let (_, out, err) = run(home, &["context", "when is the dentist?"]);
    assert!(out.is_empty() && err.contains("nothing would be told"), "{out}{err}");
}

#[test]
fn the_tour_plays_to_its_end_and_touches_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = told(dir.path(), &["tour", "--no-pause"]);
    for part in [
        "$ lorekeep add 'Deploys go through the staging cluster first'",
        "Ada prefers pytest over unittest",
        "Use PostgreSQL 16 with UUID keys (active)",
        "Heron ─ uses → MySQL",
        "package.json:4  block  must not use",
        "<lorekeep-notes>",
        "This was a scratch store; nothing of yours was touched.",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing was made here");
}
