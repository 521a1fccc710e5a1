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

/// Puts `from` in the place of `to` at once. Not by `rename` where there is a better way: to replace
/// a file by it, ext4 starts writing to the disk, which takes longer than all the rest of a commit.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_EXCHANGE) {
        Ok(()) => fs::remove_file(from),
        // There is none, or the file system cannot do it.
        Err(_) => fs::rename(from, to),
    }
}

/// Puts `from` in the place of `to` at once.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}
