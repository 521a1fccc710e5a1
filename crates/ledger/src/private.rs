//! Files and folders for nobody but their owner.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::error::{Result, at};

/// Makes the folder and those above it, if they are not there.
pub(crate) fn create_dir(dir: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(at(dir))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a file that must not be there.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    options().write(true).create_new(true).open(path)
}

/// Opens a file to write behind its end.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    options().append(true).create(true).open(path)
}

/// Opens a file to read and write, making it if it is not there.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Writes a whole file.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<File> {
    let mut file =
        options().write(true).create(true).truncate(true).open(path).map_err(at(path))?;
    file.write_all(content).map_err(at(path))?;
    Ok(file)
}

/// Writes a whole file into a spare one that is there already, if nothing else is called by it.
/// To make and remove files is what takes time: ext4 looks at every file that was removed in the
/// last seconds before it makes one.
pub(crate) fn recycle(path: &Path, content: &[u8]) -> Result<File> {
    let known = fs::symlink_metadata(path).ok();
    if known.as_ref().is_some_and(|known| !known.is_file() || is_linked(known)) {
        fs::remove_file(path).map_err(at(path))?;
    }
    let mut file = open(path).map_err(at(path))?;
    file.write_all(content).map_err(at(path))?;
    if known.is_some_and(|known| known.len() > content.len() as u64) {
        file.set_len(content.len() as u64).map_err(at(path))?;
    }
    Ok(file)
}

#[cfg(unix)]
fn is_linked(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn is_linked(_: &fs::Metadata) -> bool {
    false
}

/// Puts `from` in the place of `to` at once; what was there is in the place of `from` then, if the
/// system can do that, and true is returned. Better than `rename`, by which ext4 starts writing to
/// the disk when a file is replaced.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn swap(from: &Path, to: &Path) -> io::Result<bool> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_EXCHANGE) {
        Ok(()) => Ok(true),
        // There is none, or the file system cannot do it.
        Err(_) => fs::rename(from, to).map(|()| false),
    }
}

/// Puts `from` in the place of `to` at once.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn swap(from: &Path, to: &Path) -> io::Result<bool> {
    fs::rename(from, to).map(|()| false)
}

/// Makes the file `path` with this content, which must not be there, out of a spare one.
pub(crate) fn create_of(spare: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    if path.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let linked = recycle(spare, content).map_err(io::Error::other);
    match linked.and_then(|_| fs::hard_link(spare, path)) {
        Err(error) if !is_expected(&error) => {
            let written = create_new(path)?.write_all(content);
            if written.is_err() {
                // Half a lock would be taken for somebody else's, and waited for.
                fs::remove_file(path).unwrap_or_default();
            }
            written
        }
        done => done,
    }
}

/// Whether making a file failed for a reason that lies in the file.
fn is_expected(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound)
}

/// Puts what [`create_of`] made in the place of `to`, and keeps what was there as the spare one.
pub(crate) fn replace_by(spare: &Path, path: &Path, to: &Path) -> io::Result<()> {
    let is_swapped = swap(path, to)?;
    // One of its two names.
    match fs::remove_file(spare) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if is_swapped { fs::rename(path, spare) } else { Ok(()) }
}
