//! The rules of the house that no compiler checks: which crate may use which, what a file is called
//! and opens with, what is registered where, what must not stand in the repository, how large
//! things get. It reads files and nothing else.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod code;
mod edges;
mod registered;
mod sizes;
mod sources;
mod strangers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root")
}

/// A file of the repository, by its path from the root.
fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files that are in git or will be, without those that are ignored.
fn files() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let exists = |path: &&str| root().join(path).is_file();
    list.lines().filter(exists).map(str::to_owned).collect()
}

/// The files whose name ends in `suffix`.
fn files_ending(suffix: &str) -> Vec<String> {
    files().into_iter().filter(|path| path.ends_with(suffix)).collect()
}

/// Fails with all the findings at once.
#[track_caller]
fn none(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}
