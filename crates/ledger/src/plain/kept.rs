//! Whether git holds a file just as it lies there.

use std::collections::HashSet;
use std::path::Path;

use super::{PATHS_AT_ONCE, PATIENCE, fields, reading};
use crate::program;

/// A file below a directory, and the git id of what it says.
type Said = (String, String);

/// Those of these files that the newest commit of the repository around `dir` holds word for word. None
/// of them where there is no repository, no commit or no git: nobody has committed to what they say.
///
/// One question to git for hundreds of files, and nothing of the repository's is run by it.
pub fn committed(dir: &Path, files: &[Said]) -> HashSet<String> {
    files.chunks(PATHS_AT_ONCE).flat_map(|files| some(dir, files)).collect()
}

fn some(dir: &Path, files: &[Said]) -> HashSet<String> {
    let mut git = reading(dir);
    git.args(["ls-tree", "-z", "HEAD", "--"]).args(files.iter().map(|(path, _)| path));
    let said = program::run(git, Vec::new(), Some(PATIENCE)).ok().flatten();
    let Some(said) = said.filter(|said| said.status.success()) else { return HashSet::new() };
    let held: HashSet<Said> = fields(&said.out).filter_map(entry).collect();
    files.iter().filter(|file| held.contains(file)).map(|(path, _)| path.clone()).collect()
}

/// An entry of a tree: `mode type id`, a tab, the path.
fn entry(field: &[u8]) -> Option<Said> {
    let (about, path) = std::str::from_utf8(field).ok()?.split_once('\t')?;
    Some((path.to_owned(), about.rsplit(' ').next()?.to_owned()))
}
