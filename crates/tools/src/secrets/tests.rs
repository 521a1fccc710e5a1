//! No tool keeps a secret: each is called with one in every place that its schema has for a text, and
//! then every byte of the store is looked at.

use std::path::Path;
use std::process::Command;

use engine::secrets::Policy;
use serde_json::json;

use crate::testing::spots::{Spot, catalogue, spots, written};
use crate::testing::{Bench, Speaker};

/// Tools that write and may be given secrets, because nothing of it is kept.
const EXEMPT: [&str; 3] = ["grz_write_file", "grz_edit_file", "grz_execute_command"];

/// What is drawn of the secret: no part of it may be left, in any case.
const CORE: &str = "a7kd93lmq0xzr5tb8wny2vhc6jfe4sgp1uri";

/// A secret, put together here so that none stands in a source.
fn secret() -> String {
    let mixed = |(at, c): (usize, char)| if at % 2 == 0 { c.to_ascii_uppercase() } else { c };
    format!("ghp_{}", CORE.chars().enumerate().map(mixed).collect::<String>())
}

/// Every byte that the store left: files as they are, and the objects of every repository.
fn bytes(dir: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        if dir.file_name().is_some_and(|name| name == ".git") {
            let objects = Command::new("git")
                .arg("--git-dir")
                .arg(&dir)
                .args(["cat-file", "--batch", "--batch-all-objects"])
                .output()
                .expect("git");
            assert!(objects.status.success(), "git cat-file");
            all.extend(objects.stdout);
        }
        for entry in std::fs::read_dir(&dir).expect("a folder").flatten() {
            match entry.file_type().expect("a type").is_dir() {
                true => dirs.push(entry.path()),
                false => all.extend(std::fs::read(entry.path()).expect("a file")),
            }
        }
    }
    all
}

/// Whether twelve characters of the secret in a row are there, in any case.
fn holds_secret(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    (0..CORE.len() - 12).step_by(6).any(|at| text.contains(&CORE[at..at + 12]))
}

#[track_caller]
fn nothing_is_kept(name: &str, bench: Bench) {
    let dir = bench.close();
    let _ = std::fs::remove_dir_all(dir.path().join(crate::testing::WORK));
    assert!(!holds_secret(&bytes(dir.path())), "{name} left the secret in the store");
}

#[test]
fn only_these_tools_write_and_are_not_looked_at() {
    let catalogue = catalogue();
    let exempt = catalogue.all().filter(|(_, definition)| definition.spec.keeps_nothing.is_some());
    let exempt: Vec<&str> = exempt.map(|(_, definition)| definition.spec.name).collect();
    assert_eq!(exempt, EXEMPT);
}

#[test]
fn a_secret_in_any_field_of_any_tool_is_refused_by_name_and_nothing_is_kept() {
    let (catalogue, text) = (catalogue(), format!("Deploy with {} today", secret()));
    let mut tried = 0;
    for name in written().iter().filter(|name| !EXEMPT.contains(&name.as_str())) {
        let definition = catalogue.find(name).expect("a tool");
        let mut bench = Bench::new();
        bench.seed(definition);
        for Spot { path, arguments } in spots(definition, &text) {
            let reply = bench.call(name, arguments.into());
            let told = reply.value.to_string();
            assert!(reply.is_error, "{name} took a secret in {path}: {told}");
            assert!(told.contains(&path) && told.contains("github token"), "{name} {path}: {told}");
            assert!(!holds_secret(told.as_bytes()), "{name} tells the secret: {told}");
            tried += 1;
        }
        nothing_is_kept(name, bench);
    }
    println!("{tried} fields");
    assert!(tried > 100, "{tried} fields");
}

#[test]
fn with_redaction_the_call_goes_on_without_the_secret() {
    let (catalogue, text) = (catalogue(), format!("Deploy with {} today", secret()));
    let mut redacted = 0;
    for name in written().iter().filter(|name| !EXEMPT.contains(&name.as_str())) {
        let definition = catalogue.find(name).expect("a tool");
        let (mut bench, mut plain) = (Bench::with_secrets(Policy::Redact), Bench::new());
        bench.seed(definition);
        plain.seed(definition);
        let innocent = spots(definition, "Deploy with [a mark of that length] today");
        for (spot, innocent) in spots(definition, &text).into_iter().zip(innocent) {
            let reply = bench.call(name, spot.arguments.into());
            let told = reply.value.to_string();
            let would = plain.call(name, innocent.arguments.into());
            assert_eq!(
                reply.is_error, would.is_error,
                "{name} {}: {told} {}",
                spot.path, would.value
            );
            assert!(!holds_secret(told.as_bytes()), "{name} tells the secret: {told}");
            redacted += usize::from(!reply.is_error);
        }
        nothing_is_kept(name, bench);
    }
    println!("{redacted} calls went on");
    assert!(redacted > 30, "{redacted} calls went on");
}

#[test]
fn what_is_searched_for_is_noted_without_secrets() {
    let (catalogue, text) = (catalogue(), format!("where is {} used", secret()));
    for (_, definition) in catalogue.all().filter(|(_, d)| d.spec.effect.read_only) {
        let name = definition.spec.name;
        let mut bench = Bench::new();
        bench.seed(definition);
        for spot in spots(definition, &text) {
            bench.call(name, spot.arguments.into());
        }
        nothing_is_kept(name, bench);
    }
}

#[test]
fn with_keep_the_secret_is_found_by_this_very_look() {
    let mut bench = Bench::with_secrets(Policy::Keep);
    for (tool, arguments) in [
        ("memory_add", json!({"content": secret(), "layer": "user"})),
        (
            "record_decision",
            json!({"title": "Use a key", "target": "ci",
            "rationale": format!("It is {} for all of us", secret())}),
        ),
    ] {
        let reply = bench.call(tool, arguments);
        assert!(!reply.is_error, "{}", reply.value);
    }
    let dir = bench.close();
    assert!(holds_secret(&bytes(dir.path())));
    let ledger = dir.path().join("ledger").join(".git");
    let objects = Command::new("git")
        .arg("--git-dir")
        .arg(ledger)
        .args(["cat-file", "--batch", "--batch-all-objects"])
        .output()
        .expect("git");
    assert!(holds_secret(&objects.stdout), "the look into git sees it");
}

#[test]
fn a_password_is_known_by_the_name_of_its_field() {
    let mut bench = Bench::new();
    let metadata = json!({"db": {"password": format!("hunter{}!", 22)}});
    let reply =
        bench.call("memory_add", json!({"content": "x", "layer": "user", "metadata": metadata}));
    assert!(
        reply.value["message"].as_str().unwrap().starts_with("metadata.db.password holds"),
        "{}",
        reply.value
    );
}
