//! What every source file is called, opens with, and does not contain.

use crate::code::{blanked, has_word};
use crate::{files, files_ending, none, read};

/// Names that say nothing.
const EMPTY_NAMES: [&str; 9] =
    ["util", "utils", "common", "helper", "helpers", "service", "services", "managers", "impl"];

/// Words for work that is not done. In two parts, so that they do not stand here either.
const UNDONE: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// What a source is, by its ending.
const SOURCES: [&str; 6] = [".rs", ".sql", ".sh", ".toml", ".story", ".py"];

#[test]
fn every_file_opens_with_what_it_is() {
    let silent = |path: &String| !read(path).starts_with("//! ");
    let silent: Vec<String> = files_ending(".rs").into_iter().filter(silent).collect();
    none(&silent);
}

#[test]
fn every_name_says_something() {
    let says_nothing = |path: &String| {
        let mut parts = path.split('/').map(|part| part.split('.').next().unwrap_or(part));
        parts.any(|part| EMPTY_NAMES.contains(&part))
    };
    let nothing: Vec<String> = files().into_iter().filter(says_nothing).collect();
    none(&nothing);
}

#[test]
fn nothing_is_left_undone_or_switched_off() {
    let mut findings = Vec::new();
    for path in files() {
        if !SOURCES.iter().any(|ending| path.ends_with(ending)) {
            continue;
        }
        let source = read(&path);
        let mut check = |text: &str, is_found: &dyn Fn(&str) -> bool, what: &str| {
            let lines = text.lines().enumerate().filter(|(_, line)| is_found(line));
            findings.extend(lines.map(|(at, _)| format!("{path}:{}: {what}", at + 1)));
        };
        for word in UNDONE {
            check(&source, &|line| has_word(line, word), word);
        }
        if path.ends_with(".rs") {
            let code = blanked(&source);
            let is_ignored = |line: &str| line.contains("#[") && has_word(line, "ignore");
            check(&code, &is_ignored, "a test that never runs");
            for call in ["todo", "unimplemented"] {
                check(&code, &|line| line.contains(&format!("{call}!(")), call);
            }
        }
    }
    none(&findings);
}
