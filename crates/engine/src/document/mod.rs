//! The verbs on documents: index files and folders, delete, count.

mod delete;
mod folder;
mod ingest;
mod parse;
mod permits;
mod told;

use std::path::{Component, Path, PathBuf};

use model::{Caller, ChunkId, ContentHash, Document, Scope, StoredChunk};
use sha2::{Digest, Sha256};

pub use delete::{Cleared, clear, delete_chunks, delete_file};
pub use folder::{Bounds, FailedFile, Folder, FolderReport, Left, Progress, index_folder};
pub use ingest::{IndexedFile, index_file};
pub(crate) use permits::Permits;
pub use store::DocumentStats;
pub(crate) use told::{Told, told};

use crate::ports::FileError;
use crate::{Engine, Error, ErrorKind, Result};

/// A larger file is not read.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// Counts the documents that the caller may see.
pub fn stats(engine: &Engine, scopes: &[Scope]) -> Result<DocumentStats> {
    Ok(engine.store.document_stats(scopes)?)
}

/// The part of a document with this id, if the caller may see it.
pub fn chunk(engine: &Engine, caller: &Caller, id: ChunkId) -> Result<StoredChunk> {
    let found = engine.store.load_chunks(&[id])?.pop();
    found
        .filter(|chunk| caller.identity.sees(&chunk.scope))
        .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("Chunk not found: {id}")))
}

/// Whether something was read from the file of this path, in any spelling, into this place. The file
/// may be gone.
pub fn is_known(engine: &Engine, scope: &Scope, path: &str) -> Result<bool> {
    for name in spellings(engine, path) {
        if engine.store.document(scope, &name)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The hash of a file's bytes.
fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash(Sha256::digest(bytes).into())
}

/// The path as the store keeps it.
fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The names that a path may have in the store, the likeliest first. What is out of the caller's reach
/// is not looked for on this machine's disk: the answer would tell what is there, and where links go.
pub(crate) fn names(engine: &Engine, caller: &Caller, path: &str) -> Vec<String> {
    // Who is at this machine may know what is there.
    if !caller.confined {
        return spellings(engine, path);
    }
    match reach(engine, &caller.roots, path) {
        Reach::Inside => spellings(engine, path),
        Reach::ByLink => vec![name(&engine.files.absolute(path))],
        Reach::Outside => vec![path.to_owned()],
    }
}

/// A path with links resolved, and as it was given, for a file that is gone.
fn spellings(engine: &Engine, path: &str) -> Vec<String> {
    let resolved = engine.files.resolve(path).ok();
    let given: PathBuf = engine.files.absolute(path);
    let mut names: Vec<String> = resolved.iter().chain([&given]).map(|path| name(path)).collect();
    names.dedup();
    names
}

/// Where a path is for a caller.
enum Reach {
    /// Where it may be opened.
    Inside,
    /// Outside the caller's folders, by a link that lies in one of them.
    ByLink,
    /// Outside, by its own words.
    Outside,
}

fn reach(engine: &Engine, roots: &[PathBuf], path: &str) -> Reach {
    let resolved = |path: &Path| engine.files.resolve(path.to_str()?).ok();
    let given = engine.files.absolute(path);
    let roots = roots.iter().filter_map(|root| Some((root, resolved(root)?)));
    let is_named = |(root, found): &(&PathBuf, PathBuf)| {
        stays_below(&given, root) || stays_below(&given, found)
    };
    let roots: Vec<_> = roots.filter(is_named).collect();
    // What leaves the folders by its own words is not looked at, not even on its way back.
    if roots.is_empty() {
        return Reach::Outside;
    }
    // Of what is not there, the last folder on the way that is.
    let nearest = given.ancestors().find_map(resolved);
    let is_below = |root: &PathBuf| nearest.as_ref().is_some_and(|found| found.starts_with(root));
    match roots.iter().any(|(_, root)| is_below(root)) {
        true => Reach::Inside,
        false => Reach::ByLink,
    }
}

/// The folders whose documents are read for a caller: its own, else those of the workspace, else the
/// working directory. None for a person, who names any path by hand.
fn folders(engine: &Engine, caller: &Caller) -> Option<Vec<PathBuf>> {
    if caller.names_paths {
        return None;
    }
    if caller.confined || !caller.roots.is_empty() {
        return Some(caller.roots.clone());
    }
    let workspace = engine.outside.workspace.as_ref().map(|workspace| workspace.roots());
    let here = || vec![engine.files.absolute(".")];
    Some(workspace.filter(|roots| !roots.is_empty()).unwrap_or_else(here))
}

/// Refuses a path outside the caller's folders, whether or not anything is there. For who is not at
/// this machine a link that leads out of them is like one that leads nowhere.
fn within_reach(engine: &Engine, caller: &Caller, what: &str, path: &str) -> Result<()> {
    let Some(roots) = folders(engine, caller) else { return Ok(()) };
    let forbidden = |why: String| Error::new(ErrorKind::Forbidden, why);
    let allowed = || {
        let roots: Vec<_> = roots.iter().map(|root| root.display().to_string()).collect();
        let roots = roots.join(", ");
        format!("the allowed folders: {roots}; start the server with --root DIR to allow another")
    };
    match (reach(engine, &roots, path), caller.confined) {
        (Reach::Inside, _) => Ok(()),
        (Reach::ByLink, true) => {
            let why = format!("{path} leads out of the folders that are open to this caller");
            engine.note_denial(&forbidden(why));
            Err(not_found(what, path))
        }
        (Reach::ByLink, false) => {
            Err(forbidden(format!("{path} leads by a link out of {}", allowed())))
        }
        (Reach::Outside, true) => {
            let why = format!("{path} is outside the folders whose files are open to this caller");
            Err(forbidden(why))
        }
        (Reach::Outside, false) => {
            let meant = engine.files.absolute(path);
            let meant = match Path::new(path) == meant {
                true => String::new(),
                false => format!(" ({})", meant.display()),
            };
            Err(forbidden(format!("{path}{meant} is outside {}", allowed())))
        }
    }
}

/// Whether a path is below a folder, and at every name of it.
fn stays_below(path: &Path, root: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else { return false };
    let mut depth = 0_usize;
    below.components().all(|part| match part {
        Component::ParentDir => {
            let is_inside = depth > 0;
            depth = depth.saturating_sub(1);
            is_inside
        }
        Component::Normal(_) => {
            depth += 1;
            true
        }
        _ => true,
    })
}

fn not_found(what: &str, path: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("{what} not found: {path}"))
}

fn unreadable(what: &str, path: &str, why: FileError) -> Error {
    match why {
        FileError::NotFound => not_found(what, path),
        FileError::Unreadable(why) => Error::new(
            ErrorKind::InvalidValue,
            format!("Failed to read {}: {why}", what.to_lowercase()),
        ),
    }
}

/// Whether a file that looks like this is surely the one that was read: size and time are the same,
/// and the time is not so late that it could have been changed again within the same tick.
fn is_surely_same(known: &Document, size: u64, modified: i64) -> bool {
    const TICK_NANOS: i64 = 2_000_000_000;
    let read = known.indexed_at.as_microsecond().saturating_mul(1000);
    (known.size, known.modified) == (size, modified) && modified < read.saturating_sub(TICK_NANOS)
}
