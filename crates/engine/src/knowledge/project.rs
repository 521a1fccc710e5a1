//! The files and dependencies of the caller's project, for rules about the whole of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ledger::plain::Plain;
use rules::{Project, manifest};

use super::git_failed;
use crate::{Engine, Result};

/// A larger manifest is not read.
const MANIFEST_BYTES_MAX: u64 = 16 << 20;

/// Reads which files the project below `root` has, and its manifests, as far as those of `planned`
/// (paths below the root, and texts) do not replace them. None if `stop` said so.
pub(super) fn read(
    engine: &Engine,
    root: &Path,
    planned: &[(&str, &str)],
    stop: &dyn Fn() -> bool,
) -> Result<Option<Project>> {
    let Some(mut paths) = paths(engine, root, stop)? else { return Ok(None) };
    paths.extend(planned.iter().map(|(path, _)| (*path).to_owned()));
    paths.sort_unstable();
    paths.dedup();
    let text = |path: &str| {
        let planned = planned.iter().find(|(planned, _)| *planned == path);
        planned.map(|(_, text)| (*text).to_owned()).or_else(|| {
            let bytes = engine.files.read(&root.join(path), MANIFEST_BYTES_MAX).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        })
    };
    let manifests = paths.iter().filter(|path| manifest::is_manifest(path));
    let mut is_readable = true;
    let mut texts = BTreeMap::new();
    for path in manifests {
        match text(path) {
            Some(text) => _ = texts.insert(path.clone(), text),
            None => is_readable = false,
        }
    }
    let found = manifest::list(&texts, &text);
    // The unreadable part may be the very thing that is asked for.
    let dependencies = found.listed.filter(|_| is_readable && found.problems.is_empty());
    Ok(Some(Project { paths, dependencies }))
}

/// The files below the root that are there, with `/`.
fn paths(engine: &Engine, root: &Path, stop: &dyn Fn() -> bool) -> Result<Option<Vec<String>>> {
    let below = |path: &Path| {
        let path = path.strip_prefix(root).ok()?.to_str()?;
        Some(path.replace(std::path::MAIN_SEPARATOR, "/"))
    };
    let mut paths = Vec::new();
    let mut is_stopped = false;
    if let Some(git) = Plain::around(root).map_err(git_failed)? {
        let is_there = |path: &PathBuf| engine.files.state(path).is_ok_and(|state| !state.is_dir);
        let known = git.files(false).map_err(git_failed)?;
        for path in known.iter().map(|path| git.top().join(path)) {
            is_stopped = stop();
            if is_stopped {
                break;
            }
            paths.extend(below(&path).filter(|_| is_there(&path)));
        }
    } else {
        engine.files.walk_project(root, &mut |path| {
            paths.extend(below(path));
            is_stopped = stop();
            !is_stopped
        });
    }
    Ok((!is_stopped).then_some(paths))
}
