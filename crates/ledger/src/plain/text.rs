//! The texts of files at a commit and in the index.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{PATHS_AT_ONCE, PATIENCE, Plain, fields, literal, path_of, succeed};
use crate::error::{LedgerError, Result};
use crate::program;

impl Plain {
    /// The text of a file at a commit; none if it is not there.
    pub fn show(&self, rev: &str, file: &Path) -> Result<Option<Vec<u8>>> {
        let (commit, path) = (self.resolve(rev)?, self.relative(file)?);
        let listed = self.ask(["ls-tree", "-z", "--full-tree", &commit, "--", &path])?;
        let mut entries = fields(&listed).filter_map(|entry| {
            let entry = std::str::from_utf8(entry).ok()?;
            let (head, name) = entry.split_once('\t')?;
            let [_, "blob", id] = head.split(' ').collect::<Vec<_>>()[..] else { return None };
            (name == path).then(|| id.to_owned())
        });
        let Some(id) = entries.next() else { return Ok(None) };
        self.ask(["cat-file", "blob", &id]).map(Some)
    }

    /// The files that git knows, below the top, with `/`: those of the index if `staged`, else with
    /// those that it does not know yet and does not ignore. One may not be there any more.
    pub fn files(&self, staged: bool) -> Result<Vec<PathBuf>> {
        let mut git = if staged { self.git_of_index() } else { self.git() };
        git.args(["ls-files", "-z", "--cached"]);
        if !staged {
            git.args(["--others", "--exclude-standard"]);
        }
        let listed = succeed(program::run(git, Vec::new(), Some(PATIENCE))?)?;
        // A slash at the end: a repository of its own.
        let files = fields(&listed).filter(|path| !path.ends_with(b"/"));
        let mut files: Vec<PathBuf> = files.map(path_of).collect();
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }

    /// The files of the index that are, or may be, another in the work tree.
    pub fn unstaged(&self) -> Result<Vec<PathBuf>> {
        let mut git = self.git_of_index();
        git.args(["diff-files", "--name-only", "-z", "--no-relative", "--ignore-submodules=all"]);
        let listed = succeed(program::run(git, Vec::new(), Some(PATIENCE))?)?;
        Ok(fields(&listed).map(path_of).collect())
    }

    /// The text of a file in the index; none if it is not there.
    pub fn staged(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let texts = self.staged_many(&[path.to_owned()])?;
        Ok(texts.into_iter().next().flatten())
    }

    /// The same for many files. What is no file, or in conflict, has no text.
    pub fn staged_many(&self, paths: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let ids = self.staged_ids(paths)?;
        let wanted: Vec<&String> = paths.iter().filter_map(|path| ids.get(path)).collect();
        let mut texts = self.blobs(&wanted)?.into_iter();
        Ok(paths.iter().map(|path| ids.get(path).and_then(|_| texts.next())).collect())
    }

    /// The ids of files in the index.
    fn staged_ids(&self, paths: &[String]) -> Result<HashMap<String, String>> {
        if paths.is_empty() {
            return Ok(HashMap::new());
        }
        let mut git = self.git_of_index();
        git.args(["ls-files", "--stage", "-z", "--"]);
        // For many it is all of them.
        if paths.len() <= PATHS_AT_ONCE {
            git.args(paths.iter().map(|path| literal(path)));
        }
        let listed = succeed(program::run(git, Vec::new(), Some(PATIENCE))?)?;
        let entry = |entry: &[u8]| {
            let (head, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
            let [mode, id, "0"] = head.split(' ').collect::<Vec<_>>()[..] else { return None };
            mode.starts_with("100").then(|| (path.to_owned(), id.to_owned()))
        };
        Ok(fields(&listed).filter_map(entry).collect())
    }

    /// Git with the index that is to be committed.
    pub(super) fn git_of_index(&self) -> std::process::Command {
        let mut git = self.git();
        if let Some(index) = &self.index {
            git.env("GIT_INDEX_FILE", index);
        }
        git
    }

    /// The contents of objects that are there.
    fn blobs(&self, ids: &[&String]) -> Result<Vec<Vec<u8>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let mut git = self.git();
        git.args(["cat-file", "--batch"]);
        let said = succeed(program::run(git, input.into_bytes(), Some(PATIENCE))?)?;
        let mut rest = said.as_slice();
        let blob = |id: &&String| {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let head = std::str::from_utf8(&rest[..end]).ok()?;
            let length: usize = head.rsplit_once(' ')?.1.parse().ok()?;
            let text = rest.get(end + 1..end + 1 + length)?;
            rest = rest.get(end + 2 + length..)?;
            head.starts_with(id.as_str()).then(|| text.to_vec())
        };
        let blobs: Option<Vec<Vec<u8>>> = ids.iter().map(blob).collect();
        blobs.ok_or_else(|| {
            let why = "the index names objects that are not there".to_owned();
            LedgerError::Damaged { path: self.top.clone(), why }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(dir: &Path, index: Option<&Path>, args: &[&str]) {
        let mut git = program::git(dir);
        git.args(args);
        if let Some(index) = index {
            git.env("GIT_INDEX_FILE", index);
        }
        assert!(git.output().unwrap().status.success(), "git {args:?}");
    }

    #[test]
    fn a_hook_sees_the_index_it_was_called_for() {
        let dir = tempfile::tempdir().unwrap();
        let mut plain = Plain::around_or_new(dir.path()).unwrap();
        let index = plain.top().join(".git/next-index.lock");
        std::fs::write(plain.top().join("a.md"), "a\n").unwrap();
        git(plain.top(), Some(&index), &["add", "a.md"]);
        assert_eq!(plain.staged("a.md").unwrap(), None);
        plain.index = Some(index);
        assert_eq!(plain.staged("a.md").unwrap(), Some(b"a\n".to_vec()));
        assert_eq!(plain.changed(None, true).unwrap().len(), 1);
    }
}
