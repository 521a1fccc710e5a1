//! The files below roots, through the verbs of the engine: what is reached, what is not, and how
//! files are replaced.

mod escapes;
mod replacing;
#[cfg(target_os = "linux")]
mod swapped;
mod traversals;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use engine::testing::{everybody, setup};
use engine::workspace::{Edit, Edited, Page, Span, Written, edit, read, write};
use engine::{Engine, Meaning, Outside, Result, Setup};
use model::Caller;

use super::LocalWorkspace;

/// What files inside the roots say, and what those outside say.
const INSIDE: &str = "inside\n";
const SECRET: &str = "SECRET\n";

/// Two roots and what lies beside them: `root`, `second` and `outside`.
struct Scene {
    engine: Engine,
    caller: Caller,
    /// The folder of it all, without links on its way.
    dir: PathBuf,
    _held: tempfile::TempDir,
}

impl Scene {
    /// `root` has `a.txt` and `sub/b.txt`, `second` has `c.txt`; `outside` has secrets of the same
    /// names.
    fn new() -> Self {
        Self::with(&["root", "second"])
    }

    fn with(roots: &[&str]) -> Self {
        let held = tempfile::tempdir().unwrap();
        let dir = fs::canonicalize(held.path()).unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for file in ["root/a.txt", "root/sub/b.txt", "second/c.txt"] {
            put(file, INSIDE);
        }
        for file in ["outside/a.txt", "outside/b.txt", "outside/sub/b.txt", "outside/secret.txt"] {
            put(file, SECRET);
        }
        let roots = roots.iter().map(|root| dir.join(root)).collect();
        let outside =
            Outside { workspace: Some(Box::new(LocalWorkspace::new(roots))), ..Outside::default() };
        let setup = Setup { outside, ..setup(Meaning::BuiltIn) };
        let engine = Engine::open(&dir.join("store"), setup).unwrap();
        Self { engine, caller: everybody(), dir, _held: held }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Makes a link at `path` to `target`, where `{dir}` stands for the folder of it all.
    fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(self.fill(target), self.path(path)).unwrap();
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{dir}", self.dir.to_str().unwrap())
    }

    fn read(&self, path: &str) -> Result<Page> {
        read(&self.engine, &self.caller, path, Span::default())
    }

    fn write(&self, path: &str, content: &str) -> Result<Written> {
        write(&self.engine, &self.caller, path, content)
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Result<Edited> {
        let (old_string, new_string) = (old.to_owned(), new.to_owned());
        let what = Edit { old_string, new_string, replace_all: false };
        edit(&self.engine, &self.caller, path, &what)
    }

    /// What lies outside the roots: paths, what they say, and what they are.
    fn outside(&self) -> BTreeMap<PathBuf, (String, u64)> {
        listed(&self.path("outside"))
    }

    /// Temporary files that were left behind.
    fn left_behind(&self) -> Vec<PathBuf> {
        let all = ["root", "second", "outside"].map(|folder| listed(&self.path(folder)));
        let names = all.into_iter().flat_map(BTreeMap::into_keys);
        names.filter(|path| path.to_string_lossy().contains(".lorekeep-")).collect()
    }
}

/// The files below a folder: what they say and their numbers.
fn listed(folder: &Path) -> BTreeMap<PathBuf, (String, u64)> {
    use std::os::unix::fs::MetadataExt;
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, found) = (entry.path(), entry.metadata().unwrap());
        if found.is_dir() {
            all.extend(listed(&path));
        }
        let text = if found.is_file() { fs::read_to_string(&path).unwrap() } else { String::new() };
        all.insert(path, (text, found.ino()));
    }
    all
}
