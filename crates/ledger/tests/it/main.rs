//! The ledger, looked at by plain git.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod adrs;
mod beside;
mod commits;
mod edits;
mod files;
mod items;
mod mended;
mod packs;
mod plain;
mod races;
mod repaired;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ledger::{Ledger, blob_id};
use model::{Draft, DraftFile, EpisodeId, Timestamp};
use tempfile::TempDir;

/// A ledger in a directory of its own.
struct Bench {
    dir: TempDir,
    ledger: Ledger,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let ledger = Ledger::open(dir.path()).expect("opens");
        Self { dir, ledger }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// What a git command says; it must not fail.
    fn git(&self, args: &[&str]) -> String {
        git(self.dir.path(), args)
    }

    /// Commits one file with a new content.
    fn commit(&self, path: &str, content: &str, was: Option<&str>) {
        self.commit_all(&[draft(path, content, was)]);
    }

    fn commit_all(&self, drafts: &[Draft]) {
        self.ledger.lock().expect("held").commit(drafts).expect("committed");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a file")
    }

    fn write(&self, path: &str, content: &str) {
        fs::create_dir_all(self.path(path).parent().expect("a folder")).expect("made");
        fs::write(self.path(path), content).expect("written");
    }

    /// Everything is as it should be: nothing to commit, nothing broken.
    #[track_caller]
    fn assert_sound(&self) {
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        assert_eq!(self.git(&["fsck", "--strict", "--full"]), "");
    }
}

fn git(dir: &Path, args: &[&str]) -> String {
    let (code, text) = try_git(dir, args);
    assert!(code, "git {args:?}: {text}");
    text
}

/// Whether a git command succeeded, and what it said.
fn try_git(dir: &Path, args: &[&str]) -> (bool, String) {
    let settings = ["-c", "user.name=Person", "-c", "user.email=person@example.com"];
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(settings).args(["-c", "gc.auto=0"]).args(args);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_EDITOR", "true");
    let output = command.output().expect("git runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).trim_end().to_owned())
}

/// A draft that gives one file another content. Its episode is made of what it says.
fn draft(path: &str, content: &str, was: Option<&str>) -> Draft {
    let id = blob_id(format!("{path} {content}").as_bytes());
    let number = u64::from_str_radix(&id[..16], 16).expect("hex");
    let file = DraftFile {
        path: path.to_owned(),
        content: Some(content.to_owned()),
        was: was.map(|was| blob_id(was.as_bytes())),
    };
    Draft {
        episode: EpisodeId(number.to_be_bytes()),
        files: vec![file],
        subject: format!("write {content}"),
        body: "because".to_owned(),
        author: "Ada <Lovelace>".to_owned(),
        at: "2026-01-02T03:04:05Z".parse::<Timestamp>().expect("a time"),
    }
}

/// The n-th path of a large ledger.
fn nth(n: usize) -> String {
    format!("default/{:02x}/decision_{n:012x}.md", n % 256)
}
