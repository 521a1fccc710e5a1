//! What is reached beyond the store, through the real server: commands, files, the web, and a model
//! that reads texts. All of it is off unless somebody switches it on.

mod commands;
mod extractor;
mod files;
pub(crate) mod loopback;
mod pages;

use std::path::Path;

use crate::cli::run;

#[test]
fn a_project_cannot_open_the_world_for_its_visitors() {
    let dir = tempfile::tempdir().unwrap();
    for (table, reason) in [
        ("allow-commands = true", "it decides what agents may reach"),
        ("roots = [\"/\"]", "it decides what agents may reach"),
        ("extractor = \"ollama:x\"", "it decides who receives your texts"),
    ] {
        let project = dir.path().join("project");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join("lorekeep.toml"), format!("[outside]\n{table}\n")).unwrap();
        let mut command = crate::support::lorekeep(dir.path());
        let out = command.current_dir(&project).arg("tools").output().unwrap();
        let err = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{err}");
        assert!(err.contains(reason), "{err}");
        assert!(err.contains("It belongs in"), "{err}");
    }
}

#[test]
fn a_root_that_is_none_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (code, _, err) = call(dir.path(), &["--root", "/nowhere/at/all"], "get_memory_stats", "{}");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("root /nowhere/at/all: "), "{err}");
}

/// Calls a tool without a client.
fn call(dir: &Path, options: &[&str], tool: &str, arguments: &str) -> (i32, String, String) {
    run(dir, &[&["call", tool, arguments], options].concat())
}
