//! A folder of `.git` for what was broken, so that nothing is destroyed.
//!
//! Nothing in it is ever overwritten: what has the name of another gets a number.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Result, at};
use crate::private;

/// So much of a path is kept as a name; file systems take 255 bytes.
const NAME_BYTES_MAX: usize = 200;

/// The folder, which is made for the first file.
pub(crate) struct Aside {
    git: PathBuf,
    pub(crate) made: Option<PathBuf>,
}

impl Aside {
    /// One of the repository whose `.git` this is.
    pub(crate) fn new(git: &Path) -> Self {
        Self { git: git.to_owned(), made: None }
    }

    /// Moves a file there.
    pub(crate) fn take(&mut self, path: &Path) -> Result<()> {
        if !path.exists() {
            return Ok(());
        }
        let folder = match &self.made {
            Some(folder) => folder.clone(),
            None => {
                let folder = free(|n| self.git.join(format!("lorekeep.damaged-{n}")));
                private::create_dir(&folder)?;
                self.made.insert(folder).clone()
            }
        };
        let ledger = self.git.parent().unwrap_or(&self.git);
        let below = path.strip_prefix(&self.git).or_else(|_| path.strip_prefix(ledger));
        let name = below.unwrap_or(path).to_string_lossy().replace(['/', '\\'], "_");
        // The end of a path says more than its beginning.
        let cut =
            (name.len().saturating_sub(NAME_BYTES_MAX)..).find(|at| name.is_char_boundary(*at));
        let name = &name[cut.unwrap_or_default()..];
        let place = free(|n| match n {
            0 => folder.join(name),
            n => folder.join(format!("{name}.{n}")),
        });
        fs::rename(path, place).map_err(at(path))
    }
}

/// The first of many names that nothing has.
fn free(nth: impl Fn(u64) -> PathBuf) -> PathBuf {
    let mut n = 0;
    while nth(n).symlink_metadata().is_ok() {
        n += 1;
    }
    nth(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_aside_overwrites_nothing_and_has_a_name_that_fits() {
        let dir = tempfile::tempdir().expect("a directory");
        let git = dir.path().join(".git");
        let long = dir.path().join(["long"; 50].join("/")).join("last.md");
        fs::create_dir_all(long.parent().expect("a folder")).expect("made");
        fs::create_dir_all(&git).expect("made");
        let mut aside = Aside::new(&git);
        for content in ["one", "two"] {
            fs::write(&long, content).expect("written");
            fs::write(dir.path().join("a.md"), content).expect("written");
            aside.take(&long).expect("taken");
            aside.take(&dir.path().join("a.md")).expect("taken");
        }
        let folder = aside.made.expect("a folder");
        let mut kept: Vec<_> = fs::read_dir(&folder)
            .expect("a folder")
            .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
            .collect();
        kept.sort();
        assert_eq!(kept[..2], ["a.md", "a.md.1"]);
        assert!(
            kept[2].ends_with("long_last.md") && kept[3].ends_with("long_last.md.1"),
            "{kept:?}"
        );
        assert_eq!(fs::read_to_string(folder.join("a.md")).expect("read"), "one");
    }
}
