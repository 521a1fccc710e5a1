//! What changed since a commit, line by line.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;

use super::{PATIENCE, Plain, fields, line, succeed, text_of};
use crate::error::{Result, at};
use crate::program;

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Where it lies below the top, with `/`.
    pub path: String,
    /// Whether there was none of that name before. One that was renamed has the lines that changed
    /// besides.
    pub is_new: bool,
    /// Whether it is not there any more.
    pub is_gone: bool,
    /// Its new and changed lines, from 1. Of one that git takes for binary (UTF-16 too, and what a
    /// repository's attributes call so) they are not known: any may have changed. Where lines were deleted and none came in
    /// their place, an empty range before the line that follows.
    pub lines: Vec<Range<usize>>,
}

/// How git shall tell it, whatever a person set.
const DIFF: [&str; 14] = [
    "diff",
    "--raw",
    "-z",
    "--patch",
    "--unified=0",
    "--inter-hunk-context=0",
    "--find-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=all",
    "--abbrev=40",
    "--diff-algorithm=default",
];

/// All lines that a file may have.
const ANY_LINE: Range<usize> = 1..usize::MAX;

/// A file whose first bytes hold a NUL is binary, as for git.
const BINARY_LOOKED_AT: usize = 8000;

impl Plain {
    /// What changed since `base` (where it and HEAD parted; none means since HEAD): in the index if
    /// `staged`, else in the work tree with what git does not know yet and does not ignore. Paths
    /// that are not UTF-8 are left out.
    pub fn changed(&self, base: Option<&str>, staged: bool) -> Result<Vec<Changed>> {
        let base = self.base(base)?;
        let mut git = if staged { self.git_of_index() } else { self.git() };
        git.args(DIFF).args(staged.then_some("--cached")).args([base.as_str(), "--"]);
        let said = succeed(program::run(git, Vec::new(), Some(PATIENCE))?)?;
        let mut changed = read(&said);
        if !staged {
            self.add_unknown(&mut changed)?;
        }
        changed.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changed)
    }

    /// What is compared with: a commit, or the tree without files.
    fn base(&self, base: Option<&str>) -> Result<String> {
        let told = base.map(|rev| self.resolve(rev)).transpose()?;
        match (told, self.head()?) {
            (Some(told), Some(head)) => {
                let parted = self.ask_whether(["merge-base", &told, &head])?;
                Ok(parted.map_or(told, |parted| text_of(line(&parted))))
            }
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => {
                let empty = self.ask(["hash-object", "-t", "tree", "--stdin"])?;
                Ok(text_of(line(&empty)))
            }
        }
    }

    /// Adds the files that git does not know yet.
    fn add_unknown(&self, changed: &mut Vec<Changed>) -> Result<()> {
        let listed = self.ask(["ls-files", "--others", "--exclude-standard", "-z"])?;
        for path in fields(&listed).filter_map(|path| std::str::from_utf8(path).ok()) {
            // A slash at the end: a repository of its own.
            if path.ends_with('/') {
                continue;
            }
            let file = self.top.join(path);
            let is_file = fs::symlink_metadata(&file).is_ok_and(|data| data.is_file());
            let text = match fs::read(&file) {
                Ok(text) if is_file => text,
                Ok(_) => Vec::new(),
                Err(error) if !is_file || error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(at(&file)(error)),
            };
            let path = path.to_owned();
            // One that was taken out of the index alone is told as gone.
            changed.retain(|one| one.path != path);
            changed.push(Changed { path, is_new: true, is_gone: false, lines: all_lines(&text) });
        }
        Ok(())
    }
}

fn all_lines(text: &[u8]) -> Vec<Range<usize>> {
    if text.is_empty() {
        return Vec::new();
    }
    if text.iter().take(BINARY_LOOKED_AT).any(|byte| *byte == 0) {
        return vec![ANY_LINE];
    }
    let ends = text.iter().filter(|byte| **byte == b'\n').count();
    let lines = ends + usize::from(!text.ends_with(b"\n"));
    std::iter::once(1..lines + 1).collect()
}

/// Reads the list of files, each part of which ends with a NUL, and the patch behind it.
fn read(said: &[u8]) -> Vec<Changed> {
    let mut rest = said;
    let mut files: Vec<(Vec<Changed>, usize)> = Vec::new();
    while rest.first() == Some(&b':') {
        let head = text_of(part(&mut rest));
        let what = head.rsplit(' ').next().and_then(|word| word.bytes().next()).unwrap_or_default();
        let old = matches!(what, b'R' | b'C').then(|| part(&mut rest));
        let names = [old, Some(part(&mut rest))];
        files.push((told(what, names), patches(what)));
    }
    let patch = rest.strip_prefix(b"\0").unwrap_or(rest);
    let mut sections = sections(patch).into_iter();
    for (told, patches) in &mut files {
        let lines: Vec<Range<usize>> = sections.by_ref().take(*patches).flatten().collect();
        if let Some(file) = told.iter_mut().find(|file| !file.is_gone) {
            file.lines = lines;
        }
    }
    files.into_iter().flat_map(|(told, _)| told).filter(|file| !file.path.is_empty()).collect()
}

/// The part up to the next NUL.
fn part<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let part = &rest[..end];
    *rest = rest.get(end + 1..).unwrap_or_default();
    part
}

/// How many patches a file has: two when it becomes something else, none in a conflict.
fn patches(what: u8) -> usize {
    match what {
        b'T' => 2,
        b'U' => 0,
        _ => 1,
    }
}

/// The files that an entry tells of. One whose name is not UTF-8 has none.
fn told(what: u8, [old, name]: [Option<&[u8]>; 2]) -> Vec<Changed> {
    let file = |name: &[u8], is_new: bool, is_gone: bool| Changed {
        path: std::str::from_utf8(name).unwrap_or_default().to_owned(),
        is_new,
        is_gone,
        lines: Vec::new(),
    };
    let is_new = matches!(what, b'A' | b'R' | b'C');
    let gone = old.filter(|_| what == b'R').map(|old| file(old, false, true));
    let there = name.map(|name| file(name, is_new, what == b'D'));
    there.into_iter().chain(gone).collect()
}

/// The lines that each patch makes, one file after the other.
fn sections(patch: &[u8]) -> Vec<Vec<Range<usize>>> {
    let mut sections: Vec<Vec<Range<usize>>> = Vec::new();
    for line in patch.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            sections.push(Vec::new());
        } else if line.starts_with(b"Binary files ") {
            sections.last_mut().into_iter().for_each(|section| section.push(ANY_LINE));
        } else if let Some(section) = sections.last_mut() {
            section.extend(range(line));
        }
    }
    sections
}

/// The new lines of a hunk: `@@ -1,2 +3,4 @@`.
fn range(line: &[u8]) -> Option<Range<usize>> {
    let line = String::from_utf8_lossy(line.strip_prefix(b"@@ -")?);
    let place = line.split(' ').nth(1)?.strip_prefix('+')?;
    let (start, count) = place.split_once(',').unwrap_or((place, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    // What was deleted stood behind the line that git names.
    Some(if count > 0 { start..start + count } else { start + 1..start + 1 })
}
