//! One database put in the place of another, whole or not at all.
//!
//! Before anything is moved, a note beside the database names both. As long as it lies there the
//! store is opened by nobody: whoever finds it, and nobody at work, puts everything back as it was,
//! or finishes what lacked nothing but tidying up. So no step that fails, and no kill between two of
//! them, leaves a place without a database, where an empty one would be made.

use std::path::{Path, PathBuf};

use crate::backup::{self, PARTS, part, sibling, sync_dir};
use crate::connection::replace_private_file_synced;
use crate::error::{Result, StoreError, at};
use crate::rolling::Kept;
use crate::search::snapshot_path;
use crate::{FILE_NAME, mark, presence, rolling, trouble};

/// What the names of databases that were moved aside have behind the database's. Those that were to
/// come are none of them: without a note, nobody has come so far as to know that they are whole.
const LEFT: &str = ".before-";

/// The file that says that a database is being replaced.
fn note_path(database: &Path) -> PathBuf {
    database.with_extension("replacing")
}

/// Whether somebody replaces the database, or has not come to the end of it.
pub(crate) fn is_under_way(database: &Path) -> bool {
    note_path(database).exists()
}

/// Puts `incoming`, which is on disk, in the place of `target`; that is kept beside it under a name
/// with `ending`, which is returned if there was one. Whoever calls has the store alone.
pub(crate) fn replace(target: &Path, incoming: &Path, ending: &str) -> Result<Option<PathBuf>> {
    let was_there = exists(target);
    let kept = free_name(target, ending)?;
    let swap = Swap { target, kept: &kept, incoming };
    swap.announce()?;
    match swap.carry_out() {
        Ok(()) => Ok(was_there.then_some(kept)),
        // What cannot be put back now is by whoever opens the store next: the note tells how.
        Err(error) => match swap.settle() {
            Ok(Settled::Finished) => Ok(was_there.then_some(kept)),
            _ => Err(error),
        },
    }
}

/// Whether there is a database, or anything that belongs to one.
pub(crate) fn exists(path: &Path) -> bool {
    PARTS.iter().any(|ending| part(path, ending).exists())
}

fn free_name(target: &Path, ending: &str) -> Result<PathBuf> {
    (0..)
        .map(|number| sibling(target, &format!("{ending}-{number}")))
        .find(|path| !exists(path))
        .ok_or(StoreError::Closed)
}

/// Settles what was left by who ended while replacing the database in `dir`, and says where one lies if
/// it is not in its place.
pub fn settle_in(dir: &Path) -> Result<()> {
    let path = dir.join(FILE_NAME);
    if !dir.exists() {
        return Ok(());
    }
    settle(&path)?;
    refuse_empty(&path)
}

/// Settles what a process left that ended while it replaced the database. Waits while one is at work.
pub(crate) fn settle(target: &Path) -> Result<()> {
    if !is_under_way(target) {
        return Ok(());
    }
    let _alone = presence::alone_in_time(target)?;
    settle_alone(target)
}

/// The same, for who has the store alone.
pub(crate) fn settle_alone(target: &Path) -> Result<()> {
    let note = note_path(target);
    let text = match std::fs::read_to_string(&note) {
        Ok(text) => text,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        // Whoever goes past a note that he cannot read takes one database for the other.
        Err(why) => return Err(at(&note)(why)),
    };
    let mut names = text.lines().map(|name| target.with_file_name(name));
    match (names.next(), names.next()) {
        (Some(kept), Some(incoming)) => {
            Swap { target, kept: &kept, incoming: &incoming }.settle().map(drop)
        }
        // It is written whole before anything is moved: so nothing was.
        _ => std::fs::remove_file(&note).map_err(at(&note)),
    }
}

/// Removes what a process left that ended before it noted that it would replace the database. For who
/// has the store alone.
pub(crate) fn sweep(target: &Path) {
    if !is_under_way(target) {
        backup::remove(&sibling(target, "incoming"));
    }
}

/// Refuses to make a database where one was, or was moved aside: it would be empty, and nobody would
/// look for what there was.
pub(crate) fn refuse_empty(target: &Path) -> Result<()> {
    // A backup is newer than what an earlier repair or restore moved aside.
    if !exists(target)
        && backups(target).is_empty()
        && let Some(left) = left(target)
    {
        return Err(StoreError::Displaced { path: target.to_owned(), left });
    }
    lost(target).map_or(Ok(()), |why| Err(StoreError::Lost { path: target.to_owned(), why }))
}

/// What became of a database that is not there or has nothing in it, though what lies beside it says
/// that there was one.
pub(crate) fn lost(target: &Path) -> Option<String> {
    let gone = match std::fs::metadata(target) {
        Ok(data) if data.len() == 0 => "is empty",
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => "is gone",
        _ => return None,
    };
    let has_log = ["-wal", "-wal.lost"].iter().any(|ending| {
        // A log of nothing tells nothing.
        std::fs::metadata(part(target, ending)).is_ok_and(|log| log.len() > 0)
    });
    let told = match backups(target).len() {
        _ if mark::acknowledged(target).is_some_and(|mark| mark > 0) => {
            "changes to it were acknowledged".to_owned()
        }
        _ if has_log => "its log is there".to_owned(),
        0 => return None,
        1 => "there is a backup of it".to_owned(),
        count => format!("there are {count} backups of it"),
    };
    Some(format!("{gone}, and {told}"))
}

fn backups(target: &Path) -> Vec<Kept> {
    target.parent().and_then(|dir| rolling::backups(dir).ok()).unwrap_or_default()
}

/// The newest of what was moved aside.
fn left(target: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(target.parent()?).ok()?;
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_left = |found: &PathBuf| {
        let found = found.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_part = ["-wal", "-shm", "-journal"].iter().any(|ending| found.ends_with(ending));
        !is_part && found.starts_with(&format!("{name}{LEFT}"))
    };
    let left = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_left);
    // Their names do not tell: the tenth sorts before the second.
    left.max_by_key(|path| std::fs::metadata(path).and_then(|file| file.modified()).ok())
}

/// What became of a replacement that was not carried out in one go.
enum Settled {
    /// Everything is as it was.
    Undone,
    /// The new database is in its place.
    Finished,
}

/// The three files of a replacement.
struct Swap<'a> {
    target: &'a Path,
    kept: &'a Path,
    incoming: &'a Path,
}

impl Swap<'_> {
    /// Notes what is about to be done, on disk before anything is.
    fn announce(&self) -> Result<()> {
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = format!("{}\n{}\n", name(self.kept), name(self.incoming));
        let note = note_path(self.target);
        let noted = replace_private_file_synced(&note, text.as_bytes());
        if noted.is_err() {
            // Nothing was moved, and the note would only be in the way.
            let _ = std::fs::remove_file(&note);
        }
        noted
    }

    fn carry_out(&self) -> Result<()> {
        for ending in &PARTS[1..] {
            move_there(&part(self.target, ending), &part(self.kept, ending))?;
        }
        if self.target.exists() && std::fs::hard_link(self.target, self.kept).is_err() {
            // Not every file system has links. There is no database for a moment then, but the note.
            move_there(self.target, self.kept)?;
        }
        sync_dir(self.target)?;
        std::fs::rename(self.incoming, self.target).map_err(at(self.target))?;
        self.finish()
    }

    /// What is left to do once the new database is in its place.
    fn finish(&self) -> Result<()> {
        sync_dir(self.target)?;
        mark::forget(self.target);
        for path in [trouble::note_path(self.target), snapshot_path(self.target)] {
            // Best effort: neither is believed without looking.
            let _ = std::fs::remove_file(path);
        }
        self.forget()
    }

    fn forget(&self) -> Result<()> {
        let note = note_path(self.target);
        std::fs::remove_file(&note).map_err(at(&note))?;
        sync_dir(&note)
    }

    /// Puts everything back, unless the new database has taken its place already.
    fn settle(&self) -> Result<Settled> {
        if !self.is_undone() {
            return self.finish().map(|()| Settled::Finished);
        }
        if self.target.exists() {
            // A second name of the same file.
            if self.kept.exists() {
                std::fs::remove_file(self.kept).map_err(at(self.kept))?;
            }
        } else {
            move_there(self.kept, self.target)?;
        }
        for ending in &PARTS[1..] {
            move_there(&part(self.kept, ending), &part(self.target, ending))?;
        }
        sync_dir(self.target)?;
        self.forget()?;
        // Whoever wants it makes it again.
        let _ = std::fs::remove_file(self.incoming);
        Ok(Settled::Undone)
    }

    /// Whether the old database is the one that counts.
    fn is_undone(&self) -> bool {
        self.incoming.exists() || !self.target.exists() || is_same(self.target, self.kept)
    }
}

fn move_there(from: &Path, to: &Path) -> Result<()> {
    if from.exists() {
        std::fs::rename(from, to).map_err(at(from))?;
    }
    Ok(())
}

#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    id(one).is_some() && id(one) == id(other)
}

#[cfg(not(unix))]
fn is_same(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    /// A database in the middle of being replaced, after so many steps.
    fn left_after(steps: usize, has_links: bool) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join(FILE_NAME);
        let (kept, incoming) = (sibling(&target, "before-repair-0"), sibling(&target, "incoming"));
        let put = |path: &Path, text: &str| std::fs::write(path, text).unwrap();
        put(&target, "old");
        put(&part(&target, "-wal"), "log");
        put(&mark::path(&target), "mark");
        put(&incoming, "new");
        let swap = Swap { target: &target, kept: &kept, incoming: &incoming };
        let work: [&dyn Fn(); 4] = [
            &|| swap.announce().unwrap(),
            &|| move_there(&part(&target, "-wal"), &part(&kept, "-wal")).unwrap(),
            &|| match has_links {
                true => std::fs::hard_link(&target, &kept).unwrap(),
                false => std::fs::rename(&target, &kept).unwrap(),
            },
            &|| std::fs::rename(&incoming, &target).unwrap(),
        ];
        work.iter().take(steps).for_each(|step| step());
        (dir, target)
    }

    #[test]
    fn whatever_was_left_is_put_back_or_finished() {
        for (steps, has_links) in
            [(1, true), (2, true), (3, true), (3, false), (4, true), (4, false)]
        {
            let (dir, target) = left_after(steps, has_links);
            settle_in(dir.path()).unwrap();
            let read = |path: &Path| std::fs::read_to_string(path).ok();
            let is_new = steps == 4;
            let log = part(&target, "-wal");
            let kept = sibling(&target, "before-repair-0");
            let told = format!("after {steps} steps, links: {has_links}");
            assert_eq!(
                read(&target).as_deref(),
                Some(if is_new { "new" } else { "old" }),
                "{told}"
            );
            assert_eq!(read(&log).as_deref(), (!is_new).then_some("log"), "{told}");
            assert_eq!(read(&mark::path(&target)).is_some(), !is_new, "{told}");
            assert_eq!(read(&kept).as_deref(), is_new.then_some("old"), "{told}");
            assert!(!is_under_way(&target) && !sibling(&target, "incoming").exists(), "{told}");
        }
    }

    #[test]
    fn a_note_that_cannot_be_read_stops_everybody_and_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let backup = dir.path().join("copy.db");
        store.backup(&backup).unwrap();
        drop(store);
        let note = note_path(&dir.path().join(FILE_NAME));
        std::fs::write(&note, [0xff]).unwrap();
        let by = crate::audit::tests::by("ada");
        let refused = [
            Store::open(dir.path()).unwrap_err(),
            crate::restore(&backup, dir.path(), &by).unwrap_err(),
            crate::repair(dir.path(), Some(&by)).unwrap_err(),
        ];
        for refused in refused.map(|refused| refused.to_string()) {
            assert!(refused.contains(&note.display().to_string()), "{refused}");
        }
        assert_eq!(std::fs::read(&note).unwrap(), [0xff]);
    }

    #[test]
    fn no_empty_store_is_made_where_one_was_moved_aside() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open(dir.path()).unwrap());
        let target = dir.path().join(FILE_NAME);
        let aside = sibling(&target, "before-restore-0");
        std::fs::rename(&target, &aside).unwrap();
        let refused = Store::open(dir.path()).unwrap_err().to_string();
        assert!(refused.contains(&aside.display().to_string()) && !target.exists(), "{refused}");
        std::fs::rename(&aside, &target).unwrap();
        assert!(Store::open(dir.path()).is_ok());
    }
}
