//! `lorekeep index --watch`: a process that stays, and a folder that changes under it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{chunks, text, write};
use crate::support::{end_of, lorekeep, signal};

/// How long the store may take to follow; a loaded machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// A watching process; it goes with this.
struct Watch {
    child: Child,
    store: PathBuf,
}

impl Watch {
    fn start(store: &Path, paths: &[&Path]) -> Self {
        let mut command = lorekeep(store);
        command.args(["index", "--watch"]).args(paths).stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn().unwrap();
        Self { child, store: store.to_owned() }
    }

    /// Waits until the store holds these files with these texts, and nothing else.
    fn follows(&mut self, docs: &Path, expected: &[(&str, &str)]) {
        let expected: BTreeSet<(String, String)> = expected
            .iter()
            .map(|(name, content)| (text(&docs.join(name)).to_owned(), (*content).to_owned()))
            .collect();
        let began = Instant::now();
        loop {
            let found: BTreeSet<_> = chunks(&self.store)
                .into_iter()
                .map(|(path, _, content)| (path, content.trim_end().to_owned()))
                .collect();
            if found == expected {
                return;
            }
            let is_alive = self.child.try_wait().unwrap().is_none();
            assert!(is_alive && began.elapsed() < PATIENCE, "{found:#?} is not {expected:#?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(mut self) {
        signal(&self.child, Signal::SIGINT);
        assert_eq!(end_of(&mut self.child), Some(0));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_store_follows_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().canonicalize().unwrap().join("docs");
    write(&docs, "a.md", "One ferry.");
    write(&docs, ".gitignore", "ignored.md\n");
    let mut watch = Watch::start(&dir.path().join("store"), &[&docs]);
    watch.follows(&docs, &[("a.md", "One ferry.")]);

    write(&docs, "b.md", "Two ferries.");
    write(&docs, "ignored.md", "Nobody reads this.");
    watch.follows(&docs, &[("a.md", "One ferry."), ("b.md", "Two ferries.")]);

    write(&docs, "a.md", "Six ferry.");
    watch.follows(&docs, &[("a.md", "Six ferry."), ("b.md", "Two ferries.")]);

    write(&docs, "new/deep/c.md", "Three ferries.");
    let deep = ("new/deep/c.md", "Three ferries.");
    watch.follows(&docs, &[("a.md", "Six ferry."), ("b.md", "Two ferries."), deep]);
    write(&docs, "new/deep/d.md", "Four ferries.");
    let more = ("new/deep/d.md", "Four ferries.");
    watch.follows(&docs, &[("a.md", "Six ferry."), ("b.md", "Two ferries."), deep, more]);

    std::fs::remove_file(docs.join("b.md")).unwrap();
    watch.follows(&docs, &[("a.md", "Six ferry."), deep, more]);

    std::fs::rename(docs.join("a.md"), docs.join("z.md")).unwrap();
    watch.follows(&docs, &[("z.md", "Six ferry."), deep, more]);

    std::fs::rename(docs.join("new"), docs.join("old")).unwrap();
    let moved = [("old/deep/c.md", "Three ferries."), ("old/deep/d.md", "Four ferries.")];
    watch.follows(&docs, &[("z.md", "Six ferry."), moved[0], moved[1]]);
    write(&docs, "old/deep/e.md", "Five ferries.");
    let last = ("old/deep/e.md", "Five ferries.");
    watch.follows(&docs, &[("z.md", "Six ferry."), moved[0], moved[1], last]);

    std::fs::remove_dir_all(docs.join("old")).unwrap();
    watch.follows(&docs, &[("z.md", "Six ferry.")]);
    watch.end();
}

#[test]
fn a_folder_that_goes_keeps_what_was_read_and_is_followed_again_when_it_is_back() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let docs = root.join("docs");
    write(&docs, "a.md", "One ferry.");
    let mut watch = Watch::start(&root.join("store"), &[&docs]);
    watch.follows(&docs, &[("a.md", "One ferry.")]);
    std::fs::rename(&docs, root.join("away")).unwrap();
    write(&docs, "b.md", "Two ferries.");
    watch.follows(&docs, &[("b.md", "Two ferries.")]);
    write(&docs, "b.md", "Six ferries.");
    watch.follows(&docs, &[("b.md", "Six ferries.")]);
    watch.end();
}

#[test]
fn the_store_follows_a_single_file() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().canonicalize().unwrap().join("docs");
    let file = write(&docs, "a.md", "One ferry.");
    let mut watch = Watch::start(&dir.path().join("store"), &[&file]);
    watch.follows(&docs, &[("a.md", "One ferry.")]);
    write(&docs, "other.md", "Nobody asked for this.");
    // As editors do it: another file comes in its place.
    let new = write(&docs, "a.md.new", "Two ferries.");
    std::fs::rename(new, &file).unwrap();
    watch.follows(&docs, &[("a.md", "Two ferries.")]);
    std::fs::remove_file(&file).unwrap();
    watch.follows(&docs, &[]);
    write(&docs, "a.md", "Three ferries.");
    watch.follows(&docs, &[("a.md", "Three ferries.")]);
    watch.end();
}
