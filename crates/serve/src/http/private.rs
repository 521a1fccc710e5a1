//! Files that grant something: only their owner may write them, or put others into their place.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::geteuid;
use tempfile::NamedTempFile;

/// The bits of a mode by which others than the owner write.
const OTHERS_WRITE: u32 = 0o022;

/// The bits by which others than the owner read.
const OTHERS_READ: u32 = 0o044;

/// Refuses a file of somebody else, or in a folder of somebody else, or that others can write to. A
/// file that is not there yet is nobody's.
///
/// # Errors
///
/// Which of the two it is, who else can write to it, and what to type.
pub fn refuse_foreign(path: &Path) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    for path in [dir, path] {
        match fs::metadata(path) {
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            found => {
                if let Some(why) = foreign(path, &found?, geteuid().as_raw()) {
                    return Err(io::Error::new(ErrorKind::PermissionDenied, why));
                }
            }
        }
    }
    Ok(())
}

/// The user that a file or folder belongs to, if that is neither this one nor root.
pub fn other_owner(path: &Path) -> Option<u32> {
    other_than(fs::metadata(path).ok()?.uid(), geteuid().as_raw())
}

/// Root may do anything anyway.
fn other_than(owner: u32, user: u32) -> Option<u32> {
    Some(owner).filter(|owner| *owner != user && *owner != 0)
}

/// Replaces a file at once by one that only its owner may read and write.
///
/// # Errors
///
/// Why it cannot be written; then the old one is still there.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    // Such a file is its owner's alone from the beginning.
    let mut file = NamedTempFile::new_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(dir)?.sync_all()
}

/// The state of a file: what changes when somebody writes it, puts another into its place, or lets others at it.
pub(super) type Stamp = [i128; 6];

/// The state of a file as it is now, if there is one.
pub(super) fn stamp(path: impl AsRef<Path>) -> Option<Stamp> {
    let file = fs::metadata(path).ok()?;
    Some([
        file.mtime().into(),
        file.mtime_nsec().into(),
        file.ctime().into(),
        file.ctime_nsec().into(),
        file.size().into(),
        file.ino().into(),
    ])
}

/// Whether others than the owner can read a file.
pub(super) fn is_shown(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.mode() & OTHERS_READ != 0)
}

/// Why a file or folder is not this user's alone to write, if so.
fn foreign(path: &Path, found: &Metadata, user: u32) -> Option<String> {
    let (path, mode) = (path.display(), found.mode() & 0o7777);
    if let Some(owner) = other_than(found.uid(), user) {
        return Some(format!(
            "{path} belongs to the user {owner}, and not to {user}, who runs this: whoever it belongs \
             to could say who is let in and what is trusted; chown it, or take another --data-dir"
        ));
    }
    (mode & OTHERS_WRITE != 0).then(|| {
        format!(
            "{path} can be written by others (mode {mode:o}), who could say who is let in and what is \
             trusted; chmod go-w {path}"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_others_can_write_or_own_lets_nobody_in() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tokens.json");
        assert!(refuse_foreign(&file).is_ok(), "it is not there yet");
        fs::write(&file, "{}").unwrap();
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        set(&file, 0o644);
        assert!(refuse_foreign(&file).is_ok() && is_shown(&file));
        for (path, good, bad) in [(dir.path(), 0o755, 0o777), (&file, 0o600, 0o620)] {
            set(path, bad);
            let why = refuse_foreign(&file).unwrap_err().to_string();
            assert!(why.contains("chmod go-w") && why.contains(&format!("{bad:o}")), "{why}");
            set(path, good);
            assert!(refuse_foreign(&file).is_ok());
        }
        assert!(!is_shown(&file));
        let found = fs::metadata(&file).unwrap();
        let other = found.uid() + 1;
        let why = foreign(&file, &found, other);
        assert_eq!(why.is_some(), found.uid() != 0, "root may do anything anyway");
        assert!(foreign(&file, &found, found.uid()).is_none());
    }
}
