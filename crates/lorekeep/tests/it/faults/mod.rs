//! What becomes of a store when its disk fails, its power is cut or its processes are killed.
//!
//! The disk is made to fail by `shim.c`, which is loaded before libc: Linux alone. `nth.rs` lets every single
//! call fail, `power.rs` cuts the power, `soak.rs` kills. `scripts/soak` runs the long forms.

#![allow(
    clippy::print_stderr,
    reason = "the long forms tell how far they are, and all tell their figures"
)]

mod commands;
mod disk;
mod nth;
mod power;
mod replaced;
mod soak;
mod story;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::support::{Stdio1, lorekeep};

/// What a person wrote into the ledger by hand.
const BY_HAND: &str = "Because a person says so.";

/// So many steps of the story are told where the store is made by them: up to the first commit and the next.
const FIRST_STEPS: usize = 11;

/// Whether everything is to be tried (`scripts/soak --faults`), and not a part of it.
fn is_all() -> bool {
    std::env::var("LOREKEEP_FAULTS").is_ok_and(|value| value == "all")
}

/// The shim, compiled once for this process.
fn shim() -> &'static Path {
    static SHIM: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = SHIM.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let library = dir.path().join("shim.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/shim.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"])
            .args([&library, &source])
            .args(["-ldl", "-lpthread"])
            .output()
            .expect("these tests need the C compiler `cc`, as the build does");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        (dir, library)
    });
    path
}

/// A folder with a store (`data`) and a project (`work`) that the server works in.
struct Bed {
    dir: TempDir,
}

impl Bed {
    /// A project and a rule, without a store.
    fn bare() -> Self {
        let bed = Self { dir: tempfile::tempdir().unwrap() };
        let write = |path: &str, text: &str| {
            let path = bed.dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (path, animal) in [
            ("lynx.md", "lynx hides"),
            ("pangolin.md", "pangolin rolls up"),
            ("docs/mongoose.md", "mongoose bites"),
            ("docs/numbat.md", "numbat eats ants"),
            ("docs/ocelot.md", "ocelot climbs"),
        ] {
            write(&format!("work/{path}"), &format!("# A file\n\nThe {animal}.\n"));
        }
        let policy =
            "---\nid: no-panda\ntitle: No panda in the office\nstatus: accepted\n---\n\nNone.\n";
        write("data/knowledge/company/policies/no-panda.md", policy);
        bed
    }

    /// A store that is some days old: it has a memory and a record that a person has changed since.
    fn prepared() -> Self {
        let bed = Self::bare();
        let mut server = bed.server(bed.command());
        let memory = serde_json::json!({"content": "The albatross was here before."});
        assert!(!server.call("memory_add", memory).is_error);
        let record = serde_json::json!({"title": "Keep the narwhal", "target": "narwhal",
                                        "rationale": "Because of its tooth."});
        let fid = server.call("record_decision", record).value["fid"].clone();
        let found = server.call("get_decisions", serde_json::json!({"fid": fid})).value;
        assert_eq!(server.finish(), Some(0));
        let file = PathBuf::from(found["decisions"][0]["path"].as_str().unwrap());
        let text = std::fs::read_to_string(&file).unwrap();
        let by_hand = text.replace("Because of its tooth.", BY_HAND);
        assert_ne!(text, by_hand);
        std::fs::write(&file, by_hand).unwrap();
        bed
    }

    /// The same once more.
    fn copy(&self) -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy(self.dir.path(), dir.path());
        Self { dir }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// Where the shim counts.
    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// A server with every tool, on this store.
    fn command(&self) -> Command {
        let mut command = lorekeep(&self.data());
        command.args(["serve", "--toolsets", "all", "--allow-commands", "--root"]);
        command.arg(self.work()).current_dir(self.work());
        let errors = std::fs::File::create(self.errors_path()).unwrap();
        command.stderr(Stdio::from(errors));
        command
    }

    fn server(&self, command: Command) -> Stdio1 {
        let mut server = Stdio1::start_command(command);
        server.open(serde_json::json!({}));
        server
    }

    fn errors_path(&self) -> PathBuf {
        self.dir.path().join("errors.txt")
    }

    /// What the last server wrote to standard error.
    fn errors(&self) -> String {
        std::fs::read_to_string(self.errors_path()).unwrap()
    }

    /// What is wrong with the store: the database, git, commits that are there twice, the doctor's word.
    fn problems(&self) -> Vec<String> {
        problems(&self.data())
    }
}

/// What is wrong with a store that nobody has open.
fn problems(data: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let database = data.join("lorekeep.db");
    // Where nobody called anything yet there is none.
    if database.exists() {
        let db = rusqlite::Connection::open(database).unwrap();
        let said: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        if said != "ok" {
            problems.push(format!("integrity_check: {said}"));
        }
    }
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(data.join("ledger")).args(args);
        let git = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("git");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (git.status.success(), text(&git.stdout), text(&git.stderr))
    };
    if data.join("ledger/.git/HEAD").exists() {
        let (is_whole, out, err) = git(&["fsck", "--strict"]);
        // What nobody refers to is left by a commit that was made again.
        let words = format!("{out}{err}");
        if !is_whole || words.lines().any(|line| !line.starts_with("dangling ")) {
            problems.push(format!("git fsck: {words}"));
        }
        let (_, said, _) = git(&["log", "--format=%(trailers:key=Event,valueonly,separator=%x20)"]);
        let mut known = std::collections::HashSet::new();
        let twice = said.lines().filter(|line| !line.is_empty() && !known.insert(*line));
        problems.extend(twice.map(|event| format!("{event} is committed twice")));
        let (_, status, _) = git(&["status", "--porcelain"]);
        // What a person wrote may not be synced yet; nothing else differs.
        let is_theirs = |line: &str| {
            let path = data.join("ledger").join(line.get(3..).unwrap_or_default());
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let is_changed = line.starts_with(" M ") || line.starts_with("M  ");
            is_changed && text.contains(BY_HAND)
        };
        if !status.lines().all(is_theirs) {
            problems.push(format!("git status: {status}"));
        }
    }
    let doctor = lorekeep(data).args(["doctor", "--json"]).output().expect("a doctor");
    if !doctor.status.success() {
        problems.push(format!("doctor: {}", String::from_utf8_lossy(&doctor.stdout)));
    }
    problems
}

/// Copies what is in a folder into another.
fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(done.success());
}
