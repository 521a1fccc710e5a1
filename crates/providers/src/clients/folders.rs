//! The folders that we made, so that they can go again and those of others stay.

use std::collections::BTreeSet;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

/// The list of the folders we made: a path a line in a file of ours.
#[derive(Debug)]
pub(crate) struct Folders {
    file: PathBuf,
    made: BTreeSet<PathBuf>,
}

impl Folders {
    /// Reads the list in the folder `state`; none is an empty one.
    pub(crate) fn open(state: &Path) -> Self {
        let file = state.join("folders-made");
        let text = fs::read_to_string(&file).unwrap_or_default();
        Self { file, made: text.lines().map(PathBuf::from).collect() }
    }

    /// Makes the folders above a file.
    pub(crate) fn make(&mut self, path: &Path) -> Result<()> {
        let missing = missing_above(path);
        let Some(folder) = path.parent().filter(|_| !missing.is_empty()) else { return Ok(()) };
        fs::create_dir_all(folder)?;
        // Our own folder is on the list like every other.
        let own = missing_above(&self.file);
        self.made.extend(missing.into_iter().chain(own));
        self.save()
    }

    /// Removes the folders above a file that we made, as far as they are empty.
    pub(crate) fn unmake(&mut self, path: &Path) -> Result<()> {
        let ours: Vec<PathBuf> =
            above(path).filter(|folder| self.made.contains(*folder)).map(Path::to_owned).collect();
        if ours.is_empty() {
            return Ok(());
        }
        for folder in ours {
            // One that is not empty holds another file of ours, or has become somebody else's.
            if fs::remove_dir(&folder).is_ok() || !folder.exists() {
                self.made.remove(&folder);
            }
        }
        let own: Vec<PathBuf> = above(&self.file).map(Path::to_owned).collect();
        if !self.made.iter().all(|folder| own.contains(folder)) {
            return self.save();
        }
        fs::remove_file(&self.file)?;
        for folder in own.iter().filter(|folder| self.made.contains(*folder)) {
            let _ = fs::remove_dir(folder);
        }
        self.made.clear();
        Ok(())
    }

    fn save(&self) -> Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let lines = self.made.iter().filter_map(|path| path.to_str());
        let lines = lines.filter(|path| !path.contains('\n'));
        fs::write(&self.file, lines.map(|path| format!("{path}\n")).collect::<String>())
    }
}

/// The folders above a file, the nearest first.
fn above(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty())
}

fn missing_above(path: &Path) -> Vec<PathBuf> {
    above(path).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}
