//! A file put in the place of another, at once and in the folder where the other lies.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use engine::Result;
use engine::ports::Stamp;
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, fstat, mkdirat, openat, renameat,
    unlinkat,
};
use rustix::io::Errno;

use super::Asked;
use super::beneath::{
    FILE, Place, Root, State, TEMPORARY, TRIES_MAX, Walk, itself, open_folder, regular, stamp,
};

/// The mode of a new file and of a new folder, less what the user's mask takes away.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);
/// The mode of a file that is to replace another, until it has the other's.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);
/// Any right to write.
const WRITE: Mode = Mode::from_raw_mode(0o222);
/// What is left of a mode if the owner or the group is another: nobody runs it as somebody else.
const PLAIN: Mode = Mode::from_raw_mode(0o777);

/// Held from the last look at a file until it is replaced, so that of two changes of ours that began
/// with the same state one fails.
static LAST_LOOK: Mutex<()> = Mutex::new(());

/// Puts `content` in the place of a file, or makes it.
pub(super) fn replace(asked: &Asked<'_>, content: &[u8], still: Option<Stamp>) -> Result<PathBuf> {
    let roots = Root::all(asked)?;
    for _ in 0..TRIES_MAX {
        let place = Walk::new(asked, &roots).run()?;
        let old = match place.state(asked)? {
            State::Link => continue,
            State::Missing if still.is_some() => return Err(asked.conflict()),
            State::Missing => None,
            State::Regular(_) => match writable(asked, &place)? {
                Some(stat) => Some(stat),
                None => continue,
            },
        };
        if still.is_some() && old.as_ref().map(stamp) != still {
            return Err(asked.conflict());
        }
        let Some(folder) = folder(asked, &place)? else { continue };
        let new = Temporary::make(asked, folder, old.as_ref())?;
        new.fill(asked, content, old.as_ref())?;
        if new.take_place(asked, &place, still)? {
            return Ok(place.path());
        }
    }
    Err(asked.conflict())
}

/// The file that is to be replaced, if we may write it; none if it is another thing by now.
fn writable(asked: &Asked<'_>, place: &Place) -> Result<Option<Stat>> {
    let open = |how| openat(&*place.folder, &place.name, FILE | how, Mode::empty());
    let file = match open(OFlags::WRONLY) {
        // A program that runs can be replaced, though not written.
        Err(Errno::TXTBSY) => open(OFlags::RDONLY),
        other => other,
    };
    let file = match file {
        Ok(file) => file,
        Err(Errno::LOOP | Errno::MLINK | Errno::NOENT) => return Ok(None),
        Err(why) => return Err(asked.failed(&why.into())),
    };
    let stat = fstat(&file).map_err(|why| asked.failed(&why.into()))?;
    regular(asked, &stat)?;
    // Who may everything is held to what the file says.
    if !Mode::from_raw_mode(stat.st_mode).intersects(WRITE) {
        return Err(asked.failed(&std::io::ErrorKind::PermissionDenied.into()));
    }
    Ok(Some(stat))
}

/// The folder of the file, with those that are missing made; none if another thing is there by now.
fn folder(asked: &Asked<'_>, place: &Place) -> Result<Option<Arc<OwnedFd>>> {
    let mut folder = Arc::clone(&place.folder);
    for name in &place.missing {
        match mkdirat(&*folder, name, NEW_FOLDER) {
            Ok(()) => sync(&folder),
            Err(Errno::EXIST) => {}
            Err(why) => return Err(asked.failed(&why.into())),
        }
        folder = match open_folder(&folder, name) {
            Ok(inner) => Arc::new(inner),
            Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR | Errno::NOENT) => return Ok(None),
            Err(why) => return Err(asked.failed(&why.into())),
        };
    }
    Ok(Some(folder))
}

/// A file that is to take a place; it goes if it does not come to that.
struct Temporary {
    folder: Arc<OwnedFd>,
    name: String,
    file: OwnedFd,
}

impl Temporary {
    fn make(asked: &Asked<'_>, folder: Arc<OwnedFd>, old: Option<&Stat>) -> Result<Self> {
        let name = format!("{TEMPORARY}{}", uuid::Uuid::new_v4().simple());
        let how = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mode = if old.is_some() { PRIVATE } else { NEW_FILE };
        let file = openat(&*folder, &name, how, mode).map_err(|why| asked.failed(&why.into()))?;
        Ok(Self { folder, name, file })
    }

    /// Writes the content, to the disk, with the owner and the mode of the file before.
    fn fill(&self, asked: &Asked<'_>, content: &[u8], old: Option<&Stat>) -> Result<()> {
        let fill = || -> std::io::Result<()> {
            let mut file = File::from(self.file.try_clone()?);
            file.write_all(content)?;
            if let Some(old) = old {
                let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
                let has_owner = fchown(&self.file, Some(owner), None).is_ok();
                let has_group = fchown(&self.file, None, Some(group)).is_ok();
                let mode = Mode::from_raw_mode(old.st_mode);
                fchmod(&self.file, kept(mode, has_owner, has_group))?;
            }
            file.sync_all()
        };
        fill().map_err(|why| asked.failed(&why))
    }

    /// Takes the place, if what is there is still what it was; whether it did.
    fn take_place(self, asked: &Asked<'_>, place: &Place, still: Option<Stamp>) -> Result<bool> {
        let here = Place::at(Arc::clone(&self.folder), &place.name);
        let look = LAST_LOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match here.state(asked)? {
            State::Link => return Ok(false),
            State::Missing => None,
            State::Regular(stat) => Some(stamp(&stat)),
        };
        if still.is_some() && now != still {
            return Err(asked.conflict());
        }
        renameat(&*self.folder, &self.name, &*self.folder, &place.name)
            .map_err(|why| asked.failed(&why.into()))?;
        drop(look);
        sync(&self.folder);
        Ok(true)
    }
}

/// The mode of a new file: that of the old one, if it has the same owner and group. Another group may
/// no more than everybody.
fn kept(mode: Mode, has_owner: bool, has_group: bool) -> Mode {
    let mode = if has_owner && has_group { mode } else { mode & PLAIN };
    if has_group {
        return mode;
    }
    let everybody = Mode::from_raw_mode((mode & Mode::RWXO).as_raw_mode() << 3);
    (mode - Mode::RWXG) | everybody
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After it took its place there is none of this name.
        _ = unlinkat(&*self.folder, &self.name, AtFlags::empty());
    }
}

/// Writes a folder's entries to the disk. Not every disk can; then they are there when they are.
fn sync(folder: &OwnedFd) {
    if let Ok(itself) = itself(folder) {
        _ = rustix::fs::fsync(&itself);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_owner_or_group_gets_no_rights_from_a_mode() {
        let table = [
            (0o4755, true, true, 0o4755),
            (0o4755, false, true, 0o755),
            (0o2770, true, false, 0o700),
            (0o640, true, false, 0o600),
            (0o644, false, false, 0o644),
        ];
        for (mode, has_owner, has_group, expected) in table {
            let kept = kept(Mode::from_raw_mode(mode), has_owner, has_group);
            assert_eq!(kept, Mode::from_raw_mode(expected), "{mode:o}");
        }
    }
}
