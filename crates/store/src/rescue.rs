//! Copies of damaged databases to read from, as long as a store is open.
//!
//! A copy is as large as the store, so what a process left that was killed goes with the next one. Who
//! has one holds a lock beside it, which the system takes back from whoever ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::backup::sibling;
use crate::repair::{Repair, Work};
use crate::{FILE_NAME, connection, migrate, rolling, trouble};

/// A copy is made of no database larger than this.
const BYTES_MAX: u64 = 1 << 30;

/// So many copies of one database there are at the most.
const COPIES_MAX: usize = 16;

/// What the copies are called, before their number.
const READING: &str = "reading-";

/// What can be read of a damaged database.
#[derive(Debug, Default)]
pub(crate) struct Rescue(OnceLock<Option<Spare>>);

/// A copy, and what tells others that it is in use. It goes before its lock.
#[derive(Debug)]
struct Spare {
    work: Work,
    _lock: File,
}

impl Rescue {
    /// The copy, once it is made.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.0.get().and_then(Option::as_ref).map(|copy| copy.work.incoming())
    }

    /// Makes the copy, at the first try alone; who comes meanwhile waits for it. That it cannot be made
    /// costs nothing that could be read.
    pub(crate) fn make(&self, path: &Path) {
        self.0.get_or_init(|| Spare::of(path));
    }

    /// Makes none from now on.
    pub(crate) fn forgo(&self) {
        // One that is there already costs nothing more.
        let _ = self.0.set(None);
    }
}

impl Spare {
    fn of(path: &Path) -> Option<Self> {
        sweep(path);
        std::fs::metadata(path).ok().filter(|data| data.len() <= BYTES_MAX)?;
        let (name, lock) = (0..COPIES_MAX).find_map(|number| free(path, number))?;
        let copy = Self { work: Work::to_read(path, &name).ok()?, _lock: lock };
        // A backup may tell where the tables are, no more: what is older must not pass for what is.
        let kept = path.parent().and_then(|dir| rolling::backups(dir).ok()).unwrap_or_default();
        copy.work.rebuild(path, &kept, &mut Repair::default()).ok()?;
        copy.work.clear();
        let db = connection::open_read_only(copy.work.incoming()).ok()?;
        migrate::refuse_other(migrate::version(&db).ok()?).ok()?;
        Some(copy)
    }
}

/// The name of this number and its lock, if nobody has it.
fn free(path: &Path, number: usize) -> Option<(String, File)> {
    let lock = lock_path(path, &number.to_string());
    connection::make_private_file(&lock).ok()?;
    let file = File::open(&lock).ok()?;
    // Who sweeps may have taken it away between the two.
    let is_ours = file.try_lock().is_ok() && trouble::is_at(&file, &lock);
    is_ours.then(|| (format!("{READING}{number}"), file))
}

fn lock_path(path: &Path, number: &str) -> PathBuf {
    sibling(path, &format!("{READING}{number}.lock"))
}

/// Removes the copies that nobody reads from: processes left them that were killed.
pub(crate) fn sweep(path: &Path) {
    let Some(Ok(entries)) = path.parent().map(std::fs::read_dir) else { return };
    let start = format!("{FILE_NAME}.{READING}");
    let mut copies: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(rest) = name.strip_prefix(&start) {
            let number = rest.chars().take_while(char::is_ascii_digit).collect();
            copies.entry(number).or_default().push(entry.path());
        }
    }
    for (number, files) in copies {
        let lock = File::open(lock_path(path, &number)).ok();
        if lock.as_ref().is_none_or(|lock| lock.try_lock().is_ok()) {
            // What cannot be removed is in nobody's way.
            files.iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
    }
}

#[cfg(test)]
mod tests {
    use model::MemoryFilter;

    use super::*;
    use crate::Store;
    use crate::audit::tests::{by, filled};

    /// What lies beside the database as copies of it.
    fn copies(dir: &Path) -> Vec<String> {
        let names = std::fs::read_dir(dir).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.contains(READING)).collect();
        names.retain(|name| !name.ends_with(".lock"));
        names.sort();
        names
    }

    fn count(store: &Store) -> u64 {
        let scopes = vec![crate::tests::scope()];
        store.count_memories(&MemoryFilter { scopes, ..MemoryFilter::default() }).unwrap()
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_read_from_stays() {
        let (dir, store) = filled();
        let backup = dir.path().join("copy.db");
        store.backup(&backup).unwrap();
        store.trouble.note("page 7 is torn");
        drop(store);
        // As an older version named them, and as a killed one leaves them.
        for left in ["reading-4711", "reading-4711-new", "reading-0", "reading-0-new-journal"] {
            std::fs::write(sibling(&dir.path().join(FILE_NAME), left), "left").unwrap();
        }
        let open = || Store::open_read_only(dir.path()).unwrap();
        let (one, other) = (open(), open());
        assert_eq!(count(&one), 4);
        assert_eq!(copies(dir.path()), ["lorekeep.db.reading-0-new"]);
        assert_eq!(count(&other), 4);
        let both = ["lorekeep.db.reading-0-new", "lorekeep.db.reading-1-new"];
        assert_eq!(copies(dir.path()), both);
        drop(other);
        assert_eq!(copies(dir.path()), both[..1]);

        std::fs::write(sibling(&dir.path().join(FILE_NAME), "reading-7"), "left").unwrap();
        crate::restore(&backup, dir.path(), &by("ada")).unwrap();
        assert_eq!(copies(dir.path()), both[..1], "it is still read from");
        drop(one);
        assert!(copies(dir.path()).is_empty());
    }

    #[test]
    fn who_has_no_time_makes_no_copy() {
        let (dir, store) = filled();
        store.trouble.note("page 7 is torn");
        store.forgo_rescue();
        assert_eq!(count(&store), 4);
        assert!(copies(dir.path()).is_empty());
    }
}
