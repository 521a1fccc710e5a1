//! Which changes the system tells of, and whether it does.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::output;

/// Hidden files that decide what is read.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// A path that is watched.
#[derive(Clone)]
struct Place {
    /// The folder that the system is asked about.
    folder: PathBuf,
    /// The only file there that matters, if it is one.
    file: Option<PathBuf>,
    /// Which folder it was when the system was asked: another one may come in its place.
    asked: Option<Folder>,
}

/// What tells a folder from another: its number may be given again, not when it was made.
type Folder = (u64, u64, Option<SystemTime>);

/// The system's news of some paths.
pub(super) struct Eyes {
    watcher: Option<RecommendedWatcher>,
    places: Vec<Place>,
    mode: RecursiveMode,
    /// Why changes may go unseen, once they may.
    blind: Arc<OnceLock<String>>,
    is_told: bool,
}

impl Eyes {
    /// Calls `wake` from now on when something changes that matters.
    pub(super) fn open(
        paths: &[String],
        recursive: bool,
        data_dir: &Path,
        wake: impl Fn() + Send + 'static,
    ) -> Self {
        let places: Vec<Place> = paths.iter().map(|path| Place::of(Path::new(path))).collect();
        let mode = if recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let blind = Arc::new(OnceLock::new());
        let watcher = {
            let (places, blind) = (places.clone(), Arc::clone(&blind));
            let data_dir = data_dir.canonicalize().unwrap_or_else(|_| data_dir.to_owned());
            notify::recommended_watcher(move |told: notify::Result<Event>| match told {
                Ok(event) if !matters(&event, &places, &data_dir) => {}
                Ok(_) => wake(),
                Err(error) => {
                    blind.get_or_init(|| error.to_string());
                    wake();
                }
            })
        };
        let watcher = watcher.map_err(|error| blind.set(error.to_string())).ok();
        let mut eyes = Self { watcher, places, mode, blind, is_told: false };
        eyes.look();
        eyes
    }

    /// Asks about folders that are new in their place. Whether there is one: what changed there before was not told.
    pub(super) fn look(&mut self) -> bool {
        let mut is_new = false;
        for place in &mut self.places {
            let found = std::fs::metadata(&place.folder).ok();
            let now = found.map(|found| (found.dev(), found.ino(), found.created().ok()));
            let Some(watcher) = self.watcher.as_mut().filter(|_| place.asked != now) else {
                continue;
            };
            place.asked = now;
            let mode = if place.file.is_some() { RecursiveMode::NonRecursive } else { self.mode };
            is_new |= now.is_some();
            if now.is_some()
                && let Err(error) = watcher.watch(&place.folder, mode)
            {
                self.blind.get_or_init(|| error.to_string());
            }
        }
        is_new
    }

    /// Whether all changes are seen; that they are not is said once.
    pub(super) fn see_all(&mut self) -> bool {
        if let Some(why) = self.blind.get().filter(|_| !self.is_told) {
            self.is_told = true;
            let pause = super::PAUSE_MAX_BLIND.as_secs();
            output::note(format!(
                "the system does not tell of every change ({why}); it is looked for every {pause} s"
            ));
        }
        self.blind.get().is_none()
    }
}

impl Place {
    fn of(path: &Path) -> Self {
        let (folder, file) = match path.parent() {
            // An editor may put another file in its place, so its folder is watched.
            Some(folder) if !path.is_dir() => (folder, Some(path.to_owned())),
            _ => (path, None),
        };
        Self { folder: folder.to_owned(), file, asked: None }
    }

    /// Whether a change of this path may change what is read here.
    fn has(&self, path: &Path) -> bool {
        if let Some(file) = &self.file {
            return path == file;
        }
        let Ok(within) = path.strip_prefix(&self.folder) else { return false };
        let is_seen = |name: &str| !name.starts_with('.') || RULES.contains(&name);
        within.iter().all(|name| is_seen(&name.to_string_lossy()))
    }
}

/// Whether something may have to be read or removed. Our own reading and writing is no news.
fn matters(event: &Event, places: &[Place], data_dir: &Path) -> bool {
    if event.need_rescan() || event.paths.is_empty() {
        return true;
    }
    let is_here =
        |path: &PathBuf| !path.starts_with(data_dir) && places.iter().any(|place| place.has(path));
    !event.kind.is_access() && event.paths.iter().any(is_here)
}

#[cfg(test)]
mod tests {
    use notify::EventKind;
    use notify::event::{AccessKind, CreateKind, Flag};

    use super::*;

    fn event(kind: EventKind, path: &str) -> Event {
        Event::new(kind).add_path(path.into())
    }

    #[test]
    fn a_folder_that_comes_in_the_place_of_another_is_told_as_new_once() {
        let dir = tempfile::tempdir().unwrap();
        let docs = dir.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let paths = [docs.to_str().unwrap().to_owned()];
        let mut eyes = Eyes::open(&paths, true, &dir.path().join("store"), || {});
        assert!(!eyes.look());
        std::fs::remove_dir(&docs).unwrap();
        assert!(!eyes.look(), "there is nothing to read");
        std::fs::create_dir(&docs).unwrap();
        assert!(eyes.look() && !eyes.look());
        std::fs::rename(&docs, dir.path().join("away")).unwrap();
        std::fs::create_dir(&docs).unwrap();
        assert!(eyes.look() && !eyes.look());
        assert!(eyes.see_all());
    }

    #[test]
    fn what_is_hidden_ours_or_only_read_does_not_matter() {
        let place = Place { folder: "/docs".into(), file: None, asked: None };
        let single = Place { folder: "/one".into(), file: Some("/one/a.md".into()), asked: None };
        let places = [place, single];
        let created = EventKind::Create(CreateKind::File);
        let matters = |event: &Event| matters(event, &places, Path::new("/docs/store"));
        for path in ["/docs/a.md", "/docs", "/docs/deep/b", "/docs/deep/.gitignore", "/one/a.md"] {
            assert!(matters(&event(created, path)), "{path}");
        }
        for path in ["/docs/.git/index", "/docs/store/lorekeep.db", "/one/b.md", "/one", "/x"] {
            assert!(!matters(&event(created, path)), "{path}");
        }
        assert!(!matters(&event(EventKind::Access(AccessKind::Read), "/docs/a.md")));
        assert!(matters(&Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    }
}
