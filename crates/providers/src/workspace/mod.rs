//! Files below roots, read and replaced.
//!
//! On Unix a path is walked folder by folder with descriptors, and links are read by the walk itself,
//! so that nothing is ever opened by a name that somebody could swap meanwhile. Elsewhere paths are
//! resolved and checked before they are used, which is weaker: see `plain`.

#[cfg(unix)]
mod beneath;
mod near;
#[cfg(any(not(unix), test))]
mod plain;
#[cfg(unix)]
mod replace;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use engine::ports::{Opened, Stamp, Workspace};
use engine::{Error, ErrorKind, Result};

#[cfg(unix)]
use beneath as system;
#[cfg(not(unix))]
use plain as system;

/// The files of this machine below roots.
#[derive(Debug, Clone)]
pub struct LocalWorkspace {
    roots: Vec<PathBuf>,
    closed: Option<PathBuf>,
}

impl LocalWorkspace {
    /// The files below `roots`, which are absolute; the first is where relative paths start. They
    /// are resolved when they are used.
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Self { roots, closed: None }
    }

    /// The same without what lies in `folder`, also if that is below a root: the store's own files
    /// are read and written by the store alone.
    #[must_use]
    pub fn without(self, folder: PathBuf) -> Self {
        Self { closed: Some(folder), ..self }
    }

    fn asked<'a>(&'a self, roots: &'a [PathBuf], path: &'a str) -> Result<Asked<'a>> {
        Asked::new(self.chosen(roots), self.closed.as_deref(), path)
    }

    /// The roots to use: those of the caller, or ours if it names none.
    fn chosen<'a>(&'a self, roots: &'a [PathBuf]) -> &'a [PathBuf] {
        if roots.is_empty() { &self.roots } else { roots }
    }
}

impl Workspace for LocalWorkspace {
    fn roots(&self) -> Vec<PathBuf> {
        self.roots.clone()
    }

    fn open(&self, roots: &[PathBuf], path: &str) -> Result<Opened> {
        let asked = self.asked(roots, path)?;
        system::open(&asked)
    }

    fn replace(
        &self,
        roots: &[PathBuf],
        path: &str,
        content: &[u8],
        still: Option<Stamp>,
    ) -> Result<PathBuf> {
        let asked = self.asked(roots, path)?;
        system::replace(&asked, content, still)
    }
}

/// A path that somebody asked for, and the roots that it must lie below; every error names it.
struct Asked<'a> {
    roots: &'a [PathBuf],
    closed: Option<&'a Path>,
    path: &'a str,
}

impl<'a> Asked<'a> {
    fn new(roots: &'a [PathBuf], closed: Option<&'a Path>, path: &'a str) -> Result<Self> {
        let asked = Self { roots, closed, path };
        if path.contains('\0') {
            return Err(asked.invalid("has a NUL character; no file has one in its name"));
        }
        if roots.is_empty() {
            return Err(asked.forbidden("is refused: no folder is allowed"));
        }
        Ok(asked)
    }

    /// The path as a person can read it.
    fn shown(&self) -> String {
        match self.path.contains(char::is_control) {
            true => format!("{:?}", self.path),
            false => self.path.to_owned(),
        }
    }

    /// Whether the path can only be one of a folder, whatever lies there.
    fn names_folder(&self) -> bool {
        self.path.is_empty() || self.path.ends_with(['/', std::path::MAIN_SEPARATOR])
    }

    fn invalid(&self, why: &str) -> Error {
        Error::new(ErrorKind::InvalidValue, format!("{} {why}", self.shown()))
    }

    fn forbidden(&self, why: &str) -> Error {
        let message =
            format!("{} {why}; start the server with --root DIR to allow another", self.shown());
        Error::new(ErrorKind::Forbidden, message)
    }

    fn outside(&self) -> Error {
        let roots: Vec<_> = self.roots.iter().map(|root| root.display().to_string()).collect();
        self.forbidden(&format!("is outside the allowed folders: {}", roots.join(", ")))
    }

    /// Refuses what lies in the closed folder; `folder` is a path without links.
    fn refuse_closed(&self, folder: &Path) -> Result<()> {
        let closed = self.closed.and_then(|closed| closed.canonicalize().ok());
        if closed.is_none_or(|closed| !folder.starts_with(closed)) {
            return Ok(());
        }
        let why = format!("{} is one of the store's own files; no tool opens them", self.shown());
        Err(Error::new(ErrorKind::Forbidden, why))
    }

    fn folder(&self) -> Error {
        self.invalid("is a folder, not a file")
    }

    fn conflict(&self) -> Error {
        let message = format!("{} changed meanwhile; read it again", self.shown());
        Error::new(ErrorKind::Conflict, message)
    }

    /// Nothing of that name is in `folder`, which has `names`. `is_on_the_way` tells whether a folder
    /// is missing and not the file itself.
    fn not_found(
        &self,
        folder: &Path,
        name: &str,
        is_on_the_way: bool,
        names: impl Iterator<Item = String>,
    ) -> Error {
        let mut message = format!("File not found: {}", self.shown());
        if is_on_the_way {
            message.push_str(&format!("; there is no {name:?} in {}", folder.display()));
        }
        let near: Vec<_> =
            near::names(name, names).iter().map(|name| format!("{name:?}")).collect();
        if !near.is_empty() {
            message.push_str(&format!("; did you mean {}?", near.join(", ")));
        }
        Error::new(ErrorKind::NotFound, message)
    }

    /// What the system says, in words.
    fn failed(&self, why: &std::io::Error) -> Error {
        use std::io::ErrorKind as Io;
        let shown = self.shown();
        match why.kind() {
            Io::PermissionDenied => {
                Error::new(ErrorKind::Forbidden, format!("{shown}: permission denied"))
            }
            Io::ReadOnlyFilesystem => {
                Error::new(ErrorKind::Forbidden, format!("{shown} lies on a read-only disk"))
            }
            Io::StorageFull | Io::QuotaExceeded => {
                Error::new(ErrorKind::Limit, format!("{shown}: the disk is full"))
            }
            Io::InvalidFilename => self.invalid("has a name that is too long"),
            Io::IsADirectory => self.folder(),
            Io::NotADirectory => self.invalid("leads through a file that is no folder"),
            Io::NotFound => Error::new(ErrorKind::NotFound, format!("File not found: {shown}")),
            _ => Error::new(ErrorKind::Outside, format!("{shown}: {why}")),
        }
    }
}
