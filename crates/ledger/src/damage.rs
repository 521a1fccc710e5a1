//! What is wrong with a repository.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Result, if_there};
use crate::index::Paths;
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::repair::loose;
use crate::tree::entries;
use crate::unpack::is_whole;
use crate::{Ledger, history, lost, program, refs};

/// No more than this many problems are named.
pub(crate) const NAMED_MAX: usize = 20;

/// How long git may take for one pack.
pub(crate) const GIT_TIME_MAX: Duration = Duration::from_secs(300);

/// How git tells that it is its settings that it refuses, and nothing else of the repository.
const REFUSED: [&str; 4] = ["config value", "config variable", "compression level", "repo version"];

/// The objects that are not there or broken.
#[derive(Debug, Default)]
pub(crate) struct Lacking {
    /// Those that the newest commit needs.
    pub(crate) now: Vec<(Kind, Oid)>,
    /// Those of its history.
    pub(crate) before: Vec<(Kind, Oid)>,
}

impl Ledger {
    /// What is wrong with the repository: HEAD, its branch, the index, packs, and every object that can
    /// be reached. What is known to be lost is told by [`Ledger::lost`].
    pub fn examine(&self) -> Result<Vec<String>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let mut problems: Vec<String> = config_flaw(&self.git)?.into_iter().collect();
        problems.extend(Paths::new(&self.git).read(None).err().map(|error| error.to_string()));
        for (path, _) in broken_packs(&self.git)? {
            problems.push(format!("{} is broken: its checksum is wrong", path.display()));
        }
        for path in broken_aids(&self.git)? {
            problems.push(format!("{} is broken: its checksum is wrong", path.display()));
        }
        let broken = broken_objects(&self.git)?.into_iter().take(NAMED_MAX);
        problems.extend(
            broken.map(|(path, _)| format!("{} is not what its name says", path.display())),
        );
        // A shallow clone has no history to lack.
        let is_shallow = self.git.join("shallow").exists();
        match refs::head(&self.git) {
            Err(error) => problems.push(error.to_string()),
            Ok(head) => {
                let lacking = lacking(&Objects::new(&self.git), head.id);
                let named = lacking.now.iter().map(|one| (one, "the newest commit"));
                // What a repair could not bring back is no damage that another one mends.
                let lost = lost::ids(&self.git)?;
                let is_new = |(_, id): &&(Kind, Oid)| !is_shallow && !lost.contains(id);
                let before = lacking.before.iter().filter(is_new);
                let named = named.chain(before.map(|one| (one, "history")));
                problems.extend(named.take(NAMED_MAX).map(|((kind, id), of)| {
                    let place = self.git.join("objects").join(loose(*id));
                    let place = if place.exists() { place } else { self.git.join("objects/pack") };
                    format!("{kind:?} {id} of {of} cannot be read ({})", place.display())
                }));
            }
        }
        Ok(problems)
    }
}

/// What git says of its settings, if it cannot read them or refuses what they say. Without git nobody needs them.
pub(crate) fn config_flaw(git: &Path) -> Result<Option<String>> {
    let path = git.join("config");
    let mut listed = program::git(git);
    listed.args(["config", "--list", "--file"]).arg(&path);
    // A list has all values, whatever they are; a look at the branches takes them at their words. What is wrong
    // with a person's own settings is not to be mended here.
    let mut used = program::git(git);
    used.args(["--git-dir=.", "for-each-ref", "--count=1"]);
    used.env("LC_ALL", "C").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let is_of_settings = |said: &str| REFUSED.iter().any(|words| said.contains(words));
    for (command, is_any) in [(listed, true), (used, false)] {
        let said = program::run(command, Vec::new(), Some(GIT_TIME_MAX))?;
        let said = said.filter(|said| !said.status.success());
        if let Some(said) = said.filter(|said| is_any || is_of_settings(&said.err)) {
            return Ok(Some(format!("{} cannot be read by git: {}", path.display(), said.err)));
        }
    }
    Ok(None)
}

/// Files that git keeps beside the objects to be quicker, and whose checksums are wrong. It can do without.
pub(crate) fn broken_aids(git: &Path) -> Result<Vec<PathBuf>> {
    let mut broken = Vec::new();
    for folder in ["objects/pack", "objects/info", "objects/info/commit-graphs"] {
        let folder = git.join(folder);
        let Some(files) = if_there(fs::read_dir(&folder), &folder)? else { continue };
        for file in files.filter_map(|file| Some(file.ok()?.path())) {
            let ending = file.extension().and_then(|ending| ending.to_str());
            let is_aid = matches!(ending, Some("rev" | "bitmap" | "graph"))
                || file.ends_with("commit-graph")
                || file.ends_with("multi-pack-index");
            if is_aid && !if_there(fs::read(&file), &file)?.is_none_or(|bytes| is_whole(&bytes)) {
                broken.push(file);
            }
        }
    }
    Ok(broken)
}

/// The packs and indexes of packs whose checksums are wrong, and whether it is an index.
pub(crate) fn broken_packs(git: &Path) -> Result<Vec<(PathBuf, bool)>> {
    let folder = git.join("objects/pack");
    let mut broken = Vec::new();
    let Some(files) = if_there(fs::read_dir(&folder), &folder)? else { return Ok(broken) };
    for file in files.filter_map(|file| Some(file.ok()?.path())) {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_ours = matches!(ending, "pack" | "idx");
        if is_ours && !if_there(fs::read(&file), &file)?.is_none_or(|bytes| is_whole(&bytes)) {
            broken.push((file.clone(), ending == "idx"));
        }
    }
    // A pack before its index: with the pack, the index goes.
    broken.sort_by_key(|(_, is_index)| *is_index);
    let packs: HashSet<PathBuf> = broken
        .iter()
        .filter(|(_, is_index)| !is_index)
        .map(|(path, _)| path.with_extension(""))
        .collect();
    broken.retain(|(path, is_index)| !is_index || !packs.contains(&path.with_extension("")));
    Ok(broken)
}

/// The indexes that whole packs should have and have not.
pub(crate) fn without_index(git: &Path) -> Result<Vec<PathBuf>> {
    let folder = git.join("objects/pack");
    let Some(files) = if_there(fs::read_dir(&folder), &folder)? else { return Ok(Vec::new()) };
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let packs = files.filter(|file| file.extension().is_some_and(|ending| ending == "pack"));
    let is_lone = |pack: &PathBuf| {
        !pack.with_extension("idx").exists() && fs::read(pack).is_ok_and(|bytes| is_whole(&bytes))
    };
    Ok(packs.filter(is_lone).map(|pack| pack.with_extension("idx")).collect())
}

/// What cannot be read of all that a commit needs and what came before it.
pub(crate) fn lacking(objects: &Objects, head: Option<Oid>) -> Lacking {
    let mut lacking = Lacking::default();
    let (mut seen, mut commits) = (HashSet::new(), Vec::from_iter(head));
    let mut is_first = true;
    while let Some(id) = commits.pop() {
        if !seen.insert(id) || seen.len() > history::COMMITS_WALKED_MAX * 10 {
            continue;
        }
        let list = if is_first { &mut lacking.now } else { &mut lacking.before };
        match history::find(objects, id) {
            Ok(Some(commit)) => {
                below(objects, commit.tree, &mut seen, list);
                commits.extend(commit.parents);
            }
            _ => list.push((Kind::Commit, id)),
        }
        is_first = false;
    }
    lacking
}

/// Whether all that a commit itself needs can be read.
pub(crate) fn is_complete(objects: &Objects, id: Oid) -> bool {
    let Ok(Some(commit)) = history::find(objects, id) else { return false };
    let mut lacking = Vec::new();
    below(objects, commit.tree, &mut HashSet::new(), &mut lacking);
    lacking.is_empty()
}

fn below(objects: &Objects, tree: Oid, seen: &mut HashSet<Oid>, list: &mut Vec<(Kind, Oid)>) {
    if tree == crate::oid::empty_tree() || !seen.insert(tree) {
        return;
    }
    let Ok(raw) = objects.get(Kind::Tree, tree) else {
        return list.push((Kind::Tree, tree));
    };
    for entry in entries(&raw) {
        if entry.is_dir() {
            below(objects, entry.id, seen, list);
        } else if entry.is_file()
            && seen.insert(entry.id)
            && objects.get(Kind::Blob, entry.id).is_err()
        {
            list.push((Kind::Blob, entry.id));
        }
    }
}

/// Whether a single object is what its name says, and nothing lies behind it: git refuses that.
fn is_sound(path: &Path, id: Oid) -> bool {
    fs::File::open(path).map_or(true, |file| says(BufReader::new(file), id))
}

/// Whether these are the bytes of a single object of that id.
pub(crate) fn says(bytes: impl BufRead, id: Oid) -> bool {
    let mut decoder = flate2::bufread::ZlibDecoder::new(bytes);
    let mut content = Vec::new();
    decoder.read_to_end(&mut content).is_ok()
        && crate::oid::sha1(&[&content]) == id
        && decoder.into_inner().fill_buf().is_ok_and(<[u8]>::is_empty)
}

/// The single objects that are not what their names say, or have broken checksums.
pub(crate) fn broken_objects(git: &Path) -> Result<Vec<(PathBuf, Oid)>> {
    let folder = git.join("objects");
    let mut broken = Vec::new();
    let Some(entries) = if_there(fs::read_dir(&folder), &folder)? else { return Ok(broken) };
    for entry in entries.filter_map(|entry| entry.ok()) {
        let prefix = entry.file_name().to_string_lossy().into_owned();
        if prefix.len() != 2 {
            continue;
        }
        let Ok(files) = fs::read_dir(entry.path()) else { continue };
        for file in files.filter_map(|file| file.ok()) {
            let name = file.file_name().to_string_lossy().into_owned();
            let Ok(id) = format!("{prefix}{name}").parse::<Oid>() else { continue };
            if !is_sound(&file.path(), id) {
                broken.push((file.path(), id));
            }
        }
    }
    Ok(broken)
}
