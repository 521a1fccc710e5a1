//! `lorekeep check` and its hook, in real repositories.

mod baseline;
mod changes;
mod formats;
mod hook;
mod hostile;
mod scope;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::lorekeep;

/// An item that blocks MySQL in code and among the dependencies.
const DATABASE: &str = r"---
id: adr-042-database-selection
type: adr
title: Use PostgreSQL
summary: One database for all services.
status: accepted
severity: block
tags: [database]
constraints:
  - operator: must_not_use
    target: code
    pattern: mysql_connect\(
    appliesTo: ['*.rs']
    message: Connect to PostgreSQL.
  - operator: must_not_use
    target: dependency
    pattern: mysql.*
---
# Use PostgreSQL
";

/// A violation of it.
const BAD: &str = "let db = mysql_connect(1);\n";

/// A repository with a store beside it.
struct Project {
    dir: TempDir,
}

impl Project {
    /// A repository without knowledge.
    fn bare() -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(project.root()).unwrap();
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project
    }

    /// One with [`DATABASE`].
    fn new() -> Self {
        let project = Self::bare();
        project.item("adr-042-database-selection", DATABASE);
        project
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("my project")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Writes a knowledge item of the project.
    fn item(&self, id: &str, text: &str) {
        self.write(&format!(".lorekeep/knowledge/adrs/{id}.md"), text);
    }

    /// Writes an item with these constraints, as YAML.
    fn rule(&self, id: &str, constraints: &str) {
        let text = format!(
            "---\ntype: policy\ntitle: The rule {id}\nstatus: accepted\nseverity: block\n\
             constraints:\n{constraints}\n---\n# The rule {id}\n"
        );
        self.item(id, &text);
    }

    /// Plain git, which must succeed.
    fn git(&self, args: &[&str]) -> String {
        let (succeeded, said) = self.try_git(args);
        assert!(succeeded, "git {args:?}: {said}");
        said
    }

    /// Plain git, whose hooks find the program under test.
    fn try_git(&self, args: &[&str]) -> (bool, String) {
        let like_ours = lorekeep(&self.store());
        let mut git = Command::new("git");
        for (name, value) in like_ours.get_envs() {
            match value {
                Some(value) => git.env(name, value),
                None => git.env_remove(name),
            };
        }
        let program = Path::new(env!("CARGO_BIN_EXE_lorekeep")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let output = git
            .current_dir(self.root())
            .args(["-c", "user.name=Pat", "-c", "user.email=pat@example.org"])
            .args(args)
            .env("PATH", format!("{}:{path}", program.display()))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    }

    /// Commits all that there is.
    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--no-verify", "--message", "x"]);
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = lorekeep(&self.store());
        command
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .args(args);
        command
    }

    /// Runs `check`: its exit code, and what it says on both outputs.
    fn check(&self, args: &[&str]) -> (i32, String, String) {
        said(self.command(&[&["check"], args].concat()).output().unwrap())
    }

    /// Runs `check` for JSON; its exit code says whether it passed.
    fn json(&self, args: &[&str]) -> Value {
        let (code, out, err) = self.check(&[args, &["--format", "json"]].concat());
        let value: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        assert_eq!(code, i32::from(value["passed"] == false), "{value}");
        value
    }

    /// What `check` finds: the item, the file and the line.
    fn found(&self, args: &[&str]) -> Vec<String> {
        places(&self.json(args))
    }
}

fn said(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Where the violations of an answer are, as `item file:line`.
fn places(answer: &Value) -> Vec<String> {
    let place = |violation: &Value| {
        let id = violation["knowledgeItemId"].as_str().unwrap();
        let id = id.split("-042").next().unwrap();
        let file = violation["location"]["file"].as_str().unwrap_or("*");
        match violation["location"]["line"].as_u64() {
            Some(line) => format!("{id} {file}:{line}"),
            None => format!("{id} {file}"),
        }
    };
    answer["violations"].as_array().unwrap().iter().map(place).collect()
}
