//! Knowledge as a person works with it: the real binary, real git.

mod doctor;
mod import;
mod life;
mod people;
mod refused;
mod samples;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::cli::json;
use crate::support::lorekeep;

/// A store, and a project in a repository of its own.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(world.project()).unwrap();
        world.git(&world.project(), &["init", "-q", "-b", "main"]);
        world
    }

    fn project(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("web")
    }

    /// The knowledge folder of the store.
    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("store/knowledge")
    }

    fn command(&self) -> Command {
        let store = self.dir.path().canonicalize().unwrap().join("store");
        let mut command = lorekeep(&store);
        command
            .current_dir(self.project())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        command
    }

    /// Exit code, standard output and standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.command().args(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    /// What `lorekeep knowledge` prints; it must succeed.
    fn knowledge(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(&[&["knowledge"], args].concat());
        assert_eq!(code, 0, "{args:?}: {out}{err}");
        out
    }

    /// The same as JSON.
    fn told(&self, args: &[&str]) -> Value {
        json(&self.knowledge(&[args, &["--json"]].concat()))
    }

    /// What `lorekeep knowledge` complains of; it must end with 1.
    fn refused(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(&[&["knowledge"], args].concat());
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {err}");
        err
    }

    /// What plain git says; it must succeed.
    fn git(&self, dir: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(dir)
            .args(["-c", "user.name=Pat", "-c", "user.email=pat@example.org"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git");
        let (out, err) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "git {args:?}: {err}");
        String::from_utf8_lossy(out).into_owned()
    }

    /// Writes an item by hand; its file is below the store's knowledge folder.
    fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.home().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The status of an item.
    fn status(&self, id: &str) -> String {
        self.told(&["show", id])["status"].as_str().unwrap().to_owned()
    }

    /// Makes the commits of a repository fail.
    fn forbid_commits(&self, repository: &Path) {
        use std::os::unix::fs::PermissionsExt;
        let hook = repository.join(".git/hooks/pre-commit");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, "#!/bin/sh\necho 'not on a Friday' >&2\nexit 1\n").unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A file with these keys between fences.
fn item(front: &str, text: &str) -> String {
    format!("---\n{front}\n---\n\n{text}\n")
}

fn read(file: impl AsRef<Path>) -> String {
    std::fs::read_to_string(file.as_ref()).unwrap()
}
