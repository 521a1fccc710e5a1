//! The files of a project, and their texts: as they lie there, or as they are staged.
//!
//! Not here: what the rules say of them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ignore::WalkBuilder;
use ledger::plain::Plain;
use rank::chunk::utf16_lossy;

use super::Problem;
use crate::identity;

/// A larger file is named and not read.
const BYTES_MAX: u64 = 64 << 20;

/// A file with a NUL among so many first bytes has no text.
const BINARY_LOOKED_AT: usize = 8 << 10;

/// The folder whose files are ours.
const OWN_FOLDER: &str = ".lorekeep";

/// A project on this machine.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    pub(super) git: Option<Plain>,
}

/// What of a project is knowledge.
#[derive(Default)]
pub(super) struct Own {
    pub(super) folders: Vec<PathBuf>,
    pub(super) files: HashSet<PathBuf>,
}

impl Own {
    fn has(&self, path: &Path) -> bool {
        self.files.contains(path) || self.folders.iter().any(|dir| path.starts_with(dir))
    }
}

/// A file to look at.
pub(super) struct Source {
    /// Below the root, with `/`.
    pub(super) path: String,
    /// What is staged, where that may be another than what lies there.
    staged: Option<Vec<u8>>,
}

/// What a file holds.
pub(super) enum Content {
    Text(String),
    /// No text: an image, a program.
    Binary,
    /// More than we read.
    Large,
    /// It is not there, or no file.
    Nothing,
}

impl Tree {
    /// The project that a directory lies in.
    pub(super) fn around(dir: &Path) -> Result<Self> {
        let git = Plain::around(dir)?;
        let root = git.as_ref().map(|git| git.top().to_owned());
        Ok(Self { root: root.unwrap_or_else(|| identity::root_of(dir)), git })
    }

    /// The work tree, for what only git can tell.
    pub(super) fn need_git(&self, option: &str) -> Result<&Plain> {
        let root = self.root.display();
        self.git.as_ref().with_context(|| {
            format!("{option} needs git: {root} is no work tree, or git is not installed")
        })
    }

    /// The files to look at, in order, without our own.
    pub(super) fn sources(
        &self,
        staged: bool,
        own: &Own,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<Source>> {
        let listed = match &self.git {
            Some(git) => git.files(staged)?,
            None => self.walk(problems),
        };
        let is_ours = |path: &Path| path.starts_with(OWN_FOLDER) || own.has(&self.root.join(path));
        let mut paths = Vec::with_capacity(listed.len());
        for path in listed.into_iter().filter(|path| !is_ours(path)) {
            match path.to_str() {
                Some(path) => paths.push(path.replace(std::path::MAIN_SEPARATOR, "/")),
                None => {
                    let why = "was not looked at: its name is not UTF-8";
                    problems.push(Problem::new(path.to_string_lossy(), why));
                }
            }
        }
        paths.sort_unstable();
        let staged = if staged { self.staged(&paths)? } else { HashMap::new() };
        Ok(with_staged(paths, staged))
    }

    /// The files of a project that git does not keep.
    fn walk(&self, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
        let mut walk = WalkBuilder::new(&self.root);
        walk.hidden(false).ignore(false).require_git(false).follow_links(false);
        walk.filter_entry(|entry| entry.file_name() != ".git");
        let mut files = Vec::new();
        for entry in walk.build() {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    files.extend(entry.path().strip_prefix(&self.root).map(Path::to_owned));
                }
                Ok(_) => {}
                Err(why) => problems.push(Problem::new("", why.to_string())),
            }
        }
        files
    }

    /// The text of a file that lies there now, if it has one.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        match read(&self.root.join(path)) {
            Ok(Content::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The staged texts of the files that may be another in the work tree; none if it is no text.
    fn staged(&self, paths: &[String]) -> Result<HashMap<String, Option<Vec<u8>>>> {
        let git = self.need_git("--staged")?;
        let unstaged: HashSet<PathBuf> = git.unstaged()?.into_iter().collect();
        let is_other =
            |path: &&String| unstaged.contains(Path::new(path)) || !self.root.join(path).is_file();
        let other: Vec<String> = paths.iter().filter(is_other).cloned().collect();
        let texts = git.staged_many(&other)?;
        Ok(other.into_iter().zip(texts).collect())
    }

    /// Paths that a person gave, as they lie below the root.
    pub(super) fn below(&self, paths: &[PathBuf], sources: &[Source]) -> Result<Vec<String>> {
        paths.iter().map(|path| self.below_one(path, sources)).collect()
    }

    fn below_one(&self, path: &Path, sources: &[Source]) -> Result<String> {
        let whole = std::path::absolute(path)?;
        let real = whole.canonicalize().or_else(|error| {
            let folder = whole.parent().map(Path::canonicalize).transpose()?;
            folder.zip(whole.file_name()).map(|(folder, name)| folder.join(name)).ok_or(error)
        });
        let real = real.with_context(|| format!("{} cannot be found", path.display()))?;
        let Ok(below) = real.strip_prefix(&self.root) else {
            let root = self.root.display();
            bail!("{} lies outside of the project {root}", path.display());
        };
        let Some(below) = below.to_str() else {
            bail!("{} cannot be checked: its name is not UTF-8", path.display());
        };
        let below = below.replace(std::path::MAIN_SEPARATOR, "/");
        // What is staged may be gone from the work tree.
        if !real.exists() && !sources.iter().any(|source| is_below(&source.path, &below)) {
            bail!("{} does not exist: it takes files and folders that do", path.display());
        }
        Ok(below)
    }
}

/// Whether a file is this one or lies in this folder, where "" is the root.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn with_staged(paths: Vec<String>, mut staged: HashMap<String, Option<Vec<u8>>>) -> Vec<Source> {
    let source = |path: String| match staged.remove(&path) {
        // In the index it is no file.
        Some(None) => None,
        Some(Some(text)) => Some(Source { path, staged: Some(text) }),
        None => Some(Source { path, staged: None }),
    };
    paths.into_iter().filter_map(source).collect()
}

impl Source {
    /// Reads it; an error says why that is not possible.
    pub(super) fn read(&self, root: &Path) -> Result<Content, String> {
        if let Some(text) = &self.staged {
            let is_large = u64::try_from(text.len()).is_ok_and(|length| length > BYTES_MAX);
            return Ok(if is_large { Content::Large } else { content(text) });
        }
        match read(&root.join(&self.path)) {
            Ok(content) => Ok(content),
            Err(error) if is_gone(&error) => Ok(Content::Nothing),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn read(path: &Path) -> std::io::Result<Content> {
    let data = fs::symlink_metadata(path)?;
    if !data.is_file() {
        return Ok(Content::Nothing);
    }
    let mut file = fs::File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(BINARY_LOOKED_AT as u64).read_to_end(&mut bytes)?;
    if is_binary(&bytes) {
        return Ok(Content::Binary);
    }
    if data.len() > BYTES_MAX {
        return Ok(Content::Large);
    }
    // It may have grown meanwhile.
    file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(content(&bytes))
}

/// Whether a file that begins like this has no text. UTF-16 says what it is by a mark, and is text
/// unless it has NULs as such.
fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(BINARY_LOOKED_AT)];
    let text = utf16_lossy(head);
    text.map_or_else(|| head.contains(&0), |text| text.contains('\0'))
}

fn content(bytes: &[u8]) -> Content {
    if is_binary(bytes) {
        return Content::Binary;
    }
    if let Some(text) = utf16_lossy(bytes) {
        return Content::Text(text);
    }
    let text = String::from_utf8_lossy(bytes);
    Content::Text(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_its_folders_and_no_others() {
        for folder in ["", "src", "src/a.rs"] {
            assert!(is_below("src/a.rs", folder), "{folder}");
        }
        for folder in ["sr", "src/a", "a.rs", "src/a.rs/b"] {
            assert!(!is_below("src/a.rs", folder), "{folder}");
        }
    }

    #[test]
    fn what_has_a_nul_early_on_is_no_text() {
        assert!(matches!(content(b"MZ\0\x01"), Content::Binary));
        let late = [vec![b'x'; BINARY_LOOKED_AT], vec![0]].concat();
        assert!(matches!(content(&late), Content::Text(_)));
        let Content::Text(text) = content(b"\xef\xbb\xbfa\xffb") else { unreachable!() };
        assert_eq!(text, "a\u{fffd}b");
    }

    #[test]
    fn utf16_is_text_by_its_mark() {
        let of = |text: &str, number: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(number).collect()
        };
        for number in [u16::to_le_bytes, u16::to_be_bytes] {
            let Content::Text(text) = content(&of("a\r\nb é\u{10a}", number)) else {
                unreachable!()
            };
            assert_eq!(text, "a\r\nb é\u{10a}");
            assert!(matches!(content(&of("a\0b", number)), Content::Binary));
        }
        // UTF-32.
        assert!(matches!(content(b"\xff\xfe\0\0a\0\0\0"), Content::Binary));
    }
}
