//! The same where there are no descriptors to walk with: paths are resolved, checked, and then used
//! by name. Weaker: who can swap a folder for a link between the check and the use can lead the use
//! elsewhere.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use engine::Result;
use engine::ports::{Opened, Stamp};

use super::Asked;

/// Opens a regular file.
pub(super) fn open(asked: &Asked<'_>) -> Result<Opened> {
    let path = resolved(asked)?;
    let failed = |why: std::io::Error| asked.failed(&why);
    let found = match fs::metadata(&path) {
        Ok(found) => found,
        Err(why) if why.kind() == ErrorKind::NotFound => return Err(not_found(asked, &path)),
        Err(why) => return Err(failed(why)),
    };
    regular(asked, &found)?;
    let file = File::open(&path).map_err(failed)?;
    let stamp = stamp(&file.metadata().map_err(failed)?);
    Ok(Opened { path, size: stamp.size, stamp, bytes: Box::new(file) })
}

/// Puts `content` in the place of a file, or makes it.
pub(super) fn replace(asked: &Asked<'_>, content: &[u8], still: Option<Stamp>) -> Result<PathBuf> {
    let path = resolved(asked)?;
    let failed = |why: std::io::Error| asked.failed(&why);
    let Some(folder) = path.parent() else { return Err(asked.folder()) };
    let old = fs::metadata(&path).ok();
    if let Some(old) = &old {
        regular(asked, old)?;
        if old.permissions().readonly() {
            return Err(failed(ErrorKind::PermissionDenied.into()));
        }
    }
    if still.is_some() && old.as_ref().map(stamp) != still {
        return Err(asked.conflict());
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(content).and_then(|()| new.as_file().sync_all()).map_err(failed)?;
    new.persist(&path).map_err(|why| failed(why.error))?;
    Ok(path)
}

/// The absolute path without links, below a root. What is missing at its end is not resolved.
fn resolved(asked: &Asked<'_>) -> Result<PathBuf> {
    let roots: Vec<PathBuf> =
        asked.roots.iter().filter_map(|root| fs::canonicalize(root).ok()).collect();
    let Some(first) = roots.first() else { return Err(asked.outside()) };
    let mut path = first.clone();
    for component in Path::new(asked.path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = path.pop(),
            other => path.push(other),
        }
        path = fs::canonicalize(&path).unwrap_or(path);
    }
    if !roots.iter().any(|root| path.starts_with(root)) {
        return Err(asked.outside());
    }
    asked.refuse_closed(path.parent().unwrap_or(&path))?;
    match asked.names_folder() {
        true => Err(asked.folder()),
        false => Ok(path),
    }
}

fn not_found(asked: &Asked<'_>, path: &Path) -> engine::Error {
    let there = path.ancestors().skip(1).find(|above| above.is_dir()).unwrap_or(path);
    let mut below = path.strip_prefix(there).unwrap_or(path).components();
    let name = below.next().map(|name| name.as_os_str().to_string_lossy().into_owned());
    let entries = fs::read_dir(there).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    asked.not_found(there, &name.unwrap_or_default(), below.next().is_some(), names)
}

fn regular(asked: &Asked<'_>, found: &Metadata) -> Result<()> {
    match (found.is_file(), found.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(asked.folder()),
        _ => Err(asked.invalid("is not a regular file")),
    }
}

fn stamp(found: &Metadata) -> Stamp {
    let since = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let nanos = since.and_then(|since| i128::try_from(since.as_nanos()).ok());
    Stamp { file: (0, 0), size: found.len(), changed: nanos.unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn files_below_the_roots_are_read_and_replaced_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(dir.path().join("secret.txt"), "secret").unwrap();
        let roots = [root.clone()];
        let asked = |path| Asked::new(&roots, None, path).unwrap();
        let path = replace(&asked("a/b.txt"), b"one", None).unwrap();
        let mut opened = open(&asked("a/b.txt")).unwrap();
        let mut text = String::new();
        opened.bytes.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), opened.path), ("one", path));
        assert!(replace(&asked("a/b.txt"), b"two", Some(opened.stamp)).is_ok());
        assert!(replace(&asked("a/b.txt"), b"three", Some(opened.stamp)).is_err());
        for outside in ["../secret.txt", "a/../../secret.txt", "missing/../../secret.txt"] {
            assert_eq!(open(&asked(outside)).err().unwrap().kind, engine::ErrorKind::Forbidden);
        }
        let error = open(&asked("a/B.txt")).err().unwrap();
        assert!(error.message.ends_with("; did you mean \"b.txt\"?"), "{error}");
        let error = open(&asked("A1/b.txt")).err().unwrap();
        assert!(error.message.contains("there is no \"A1\" in "), "{error}");
    }
}
