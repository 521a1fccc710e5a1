//! The files that people work on, below the roots that are allowed: read by page, written, edited.
//! Which files those are and how they are reached is the [`Workspace`]'s business.

mod edit;
mod kind;
mod lines;
mod page;

use std::io::Read;
use std::path::{Path, PathBuf};

use model::Caller;

pub use edit::{Edit, Edited, edit};
pub(crate) use lines::Counts;
pub use page::{Attached, Page, Span, read};

use crate::ports::{Opened, Workspace};
use crate::{Engine, Error, ErrorKind, Result};

/// A file that is written or edited has no more bytes than this.
pub const WRITTEN_BYTES_MAX: u64 = 50 << 20;

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The absolute path, with links resolved.
    pub path: PathBuf,
    /// How many bytes the file has.
    pub bytes: u64,
}

/// Puts `content` in the place of a file, or makes it with the folders it lies in.
pub fn write(engine: &Engine, caller: &Caller, path: &str, content: &str) -> Result<Written> {
    let workspace = writable(engine)?;
    let bytes = content.len() as u64;
    if bytes > WRITTEN_BYTES_MAX {
        return Err(too_large("content", bytes));
    }
    let shown = match workspace.open(roots(caller)?, path) {
        Ok(there) => there.path.display().to_string(),
        // What is refused is not noted as done.
        Err(error) if error.kind == ErrorKind::Forbidden => return Err(error),
        // It is not there yet, or the write says what is wrong.
        Err(_) => meant(engine, workspace, roots(caller)?, path).display().to_string(),
    };
    let path = engine.noted(&format!("write {shown}"), || {
        workspace.replace(roots(caller)?, path, content.as_bytes(), None)
    })?;
    Ok(Written { path, bytes })
}

/// Where a file will be that is not there yet, links on the way resolved.
fn meant(engine: &Engine, workspace: &dyn Workspace, roots: &[PathBuf], path: &str) -> PathBuf {
    let roots = if roots.is_empty() { workspace.roots() } else { roots.to_vec() };
    let given = roots.first().map_or_else(|| path.into(), |root| root.join(path));
    let there = |folder: &Path| {
        let below = given.strip_prefix(folder).ok()?;
        Some(engine.files.resolve(folder.to_str()?).ok()?.join(below))
    };
    given.ancestors().skip(1).find_map(there).unwrap_or_else(|| given.clone())
}

/// The caller's folders. Who names none has those of the workspace, if they are at this machine.
pub(crate) fn roots(caller: &Caller) -> Result<&[PathBuf]> {
    if caller.confined && caller.roots.is_empty() {
        let why = "no folder of this machine is open to this caller; a token opens those that it is \
                   made with: `lorekeep token new --root DIR`";
        return Err(Error::new(ErrorKind::Forbidden, why));
    }
    Ok(&caller.roots)
}

/// The files, if they are offered.
fn workspace(engine: &Engine) -> Result<&dyn Workspace> {
    let message = "files are not offered here; start the server with --toolsets files";
    let offered = engine.outside.workspace.as_deref();
    offered.ok_or_else(|| Error::new(ErrorKind::Forbidden, message))
}

/// The files, if they may be changed.
fn writable(engine: &Engine) -> Result<&dyn Workspace> {
    if engine.read_only {
        let message = "files are not changed: this server is started to read alone (read-only)";
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    workspace(engine)
}

fn too_large(what: &str, bytes: u64) -> Error {
    let (bytes, max) = (grouped(bytes), WRITTEN_BYTES_MAX >> 20);
    let message = format!("{what} has {bytes} bytes; at most {max} MB are written or edited");
    Error::new(ErrorKind::Limit, message)
}

/// All bytes of a file that has no more than `max`; none if it has more.
fn all_bytes(opened: &mut Opened, max: u64) -> Result<Option<Vec<u8>>> {
    if opened.size > max {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(opened.size).unwrap_or_default());
    opened
        .bytes
        .as_mut()
        .take(max + 1)
        .read_to_end(&mut bytes)
        .map_err(|why| unread(opened, &why))?;
    Ok((bytes.len() as u64 <= max).then_some(bytes))
}

/// A file that could be opened and not be read.
fn unread(opened: &Opened, why: &std::io::Error) -> Error {
    Error::new(ErrorKind::Outside, format!("{}: {why}", opened.path.display()))
}

/// A number with its thousands set apart: `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let table = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in table {
            assert_eq!(grouped(number), text);
        }
    }
}
