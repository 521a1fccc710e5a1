//! A damaged repository: what is wrong with it, and what can be mended.
//!
//! Nothing is destroyed: what is broken is moved into a folder of `.git` before anything takes its place.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::error::{LedgerError, Result, at, if_there};
use crate::index::Paths;
use crate::lock::LockFile;
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::refs::{self, BRANCH};
use crate::settle::SETTLED;
use crate::tree::entries;
use crate::unpack::is_whole;
use crate::{Ledger, history, lock, private, program, repository};

/// How long git may take for one pack.
const GIT_TIME_MAX: Duration = Duration::from_secs(300);

/// No more than this many problems are named.
const NAMED_MAX: usize = 20;

/// What a repair did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mended {
    /// What there is again, and where it came from.
    pub restored: Vec<String>,
    /// What there is not.
    pub lost: Vec<String>,
    /// Where what was broken lies now.
    pub kept: Option<PathBuf>,
}

/// The objects that are not there or broken.
#[derive(Debug, Default)]
struct Lacking {
    /// Those that the newest commit needs.
    now: Vec<(Kind, Oid)>,
    /// Those of its history.
    before: Vec<(Kind, Oid)>,
}

impl Ledger {
    /// What is wrong with the repository: HEAD, its branch, the index, packs, and every object that can
    /// be reached.
    pub fn examine(&self) -> Result<Vec<String>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let mut problems = Vec::new();
        problems.extend(Paths::new(&self.git).read(None).err().map(|error| error.to_string()));
        for (path, _) in broken_packs(&self.git)? {
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
                let before = lacking.before.iter().filter(|_| !is_shallow);
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

    /// Mends what can be mended. `known` has the content of files by git's ids of them, `heads` the
    /// commits that are known from elsewhere, the newest first. With `dry_run` nothing is changed, and
    /// what is told is what would be tried.
    pub fn repair(
        &self,
        known: &HashMap<String, Vec<u8>>,
        heads: &[String],
        dry_run: bool,
    ) -> Result<Mended> {
        let mut mended = Mended::default();
        if !self.git.is_dir() {
            return Ok(mended);
        }
        if dry_run {
            let told = self.examine()?;
            mended.restored =
                told.iter().map(|what| format!("it would be tried: {what}")).collect();
            return Ok(mended);
        }
        let lock = LockFile::open(&self.git.join("lorekeep.lock"))?;
        lock.take(Instant::now() + lock::LOCK_PATIENCE)?;
        let mut aside = Aside::new(&self.git);
        self.mend_packs(&mut aside, &mut mended)?;
        self.mend_loose(&mut aside, &mut mended)?;
        let stood = refs::head(&self.git).ok().and_then(|head| head.id);
        self.mend_head(&mut aside, heads, &mut mended)?;
        self.mend_blobs(known, &mut mended)?;
        let is_lost = match refs::head(&self.git) {
            Ok(head) => !lacking(&Objects::new(&self.git), head.id).now.is_empty(),
            Err(_) => true,
        };
        mended.kept = aside.made.clone();
        if is_lost {
            mended.kept = Some(self.begin_anew()?);
            mended.lost.push(
                "the history of the ledger: its newest commit cannot be read; what the store holds \
                 is committed into a new repository"
                    .to_owned(),
            );
        } else {
            let head = refs::head(&self.git)?.id;
            self.mend_index(&mut aside, head != stood, &mut mended)?;
            mended.kept = aside.made;
            let before = lacking(&Objects::new(&self.git), head).before;
            let named = before.iter().take(NAMED_MAX);
            mended.lost.extend(named.map(|(kind, id)| {
                format!("{kind:?} {id} of the ledger's history; a clone may have it: git fetch")
            }));
        }
        Ok(mended)
    }

    /// Packs whose checksums are wrong: what git can unpack of them is kept, and an index is made anew.
    fn mend_packs(&self, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        for (path, is_index) in broken_packs(&self.git)? {
            let pack = path.with_extension("pack");
            let mut git = program::git(&self.dir);
            let said = if is_index {
                aside.take(&path)?;
                git.arg("index-pack").arg(&pack);
                program::run(git, Vec::new(), Some(GIT_TIME_MAX))?
            } else {
                let bytes = fs::read(&path).map_err(at(&path))?;
                aside.take(&path)?;
                aside.take(&path.with_extension("idx"))?;
                git.args(["unpack-objects", "-r", "-q"]);
                program::run(git, bytes, Some(GIT_TIME_MAX))?
            };
            match said {
                Some(said) if is_index && said.status.success() => {
                    mended.restored.push(format!("{}, from its pack", path.display()));
                }
                Some(_) if !is_index => mended
                    .restored
                    .push(format!("what git can read of {}, as single objects", path.display())),
                Some(said) => mended.lost.push(format!("{}: {}", path.display(), said.err)),
                None => mended.lost.push(format!("{}: git is not installed", path.display())),
            }
        }
        Ok(())
    }

    /// Single objects that are not what their names say are moved aside, so that others count. One of
    /// which only the checksum is broken is written again.
    fn mend_loose(&self, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        for (path, id) in broken_objects(&self.git)? {
            let content = inflated(&path).filter(|content| crate::oid::sha1(&[content]) == id);
            aside.take(&path)?;
            let told = match content {
                Some(content) => {
                    deflate_to(&path, &[&content])?;
                    format!("{}, of which only the checksum was broken", path.display())
                }
                None => format!("{} was moved aside", path.display()),
            };
            mended.restored.push(told);
        }
        Ok(())
    }

    /// HEAD and its branch: where they name nothing that can be read, the newest commit that can.
    fn mend_head(&self, aside: &mut Aside, heads: &[String], mended: &mut Mended) -> Result<()> {
        let git = &self.git;
        let objects = Objects::new(git);
        let can_be_read = |id: Oid| {
            let commit = history::find(&objects, id).ok().flatten();
            commit.is_some_and(|commit| objects.get(Kind::Tree, commit.tree).is_ok())
        };
        let head_file = git.join("HEAD");
        let said = fs::read(&head_file).unwrap_or_default();
        let leads =
            |head: &refs::Head| head.id.is_some() || heads.is_empty() || !git.join(BRANCH).exists();
        let is_ref =
            said.starts_with(b"ref: refs/heads/") && refs::head(git).is_ok_and(|head| leads(&head));
        let is_id = refs::head(git).is_ok_and(|head| head.branch.is_none() && head.id.is_some());
        if !is_ref && !is_id && !names_branch(git, &said) {
            aside.take(&head_file)?;
            private::write(&head_file, format!("ref: {BRANCH}\n").as_bytes())?;
            mended.restored.push(format!("{}: it names {BRANCH} again", head_file.display()));
        }
        let head = refs::head(git);
        let is_right = match &head {
            Ok(head) => head.id.is_none_or(can_be_read) && (head.id.is_some() || heads.is_empty()),
            Err(_) => false,
        };
        if is_right {
            return Ok(());
        }
        let settled = fs::read_to_string(git.join(SETTLED)).unwrap_or_default();
        let moves = fs::read(git.join("logs/HEAD")).unwrap_or_default();
        let moves = String::from_utf8_lossy(&moves).into_owned();
        let moved = moves.lines().rev().filter_map(|line| line.split(' ').nth(1));
        let told = heads.iter().map(String::as_str).chain(moved).chain([settled.trim()]);
        let newest = told.filter_map(|hex| hex.parse().ok()).find(|id| can_be_read(*id));
        let branch = head.ok().and_then(|head| head.branch).unwrap_or_else(|| BRANCH.to_owned());
        if let Some(newest) = newest {
            let file = git.join(&branch);
            if file.exists() {
                aside.take(&file)?;
            }
            let newest_known = heads.first().is_none_or(|head| *head == newest.to_string());
            if !newest_known {
                // The logs of moves name commits that are gone.
                aside.take(&git.join("logs/HEAD"))?;
                aside.take(&git.join("logs").join(&branch))?;
                mended.lost.push(format!(
                    "the commits after {newest}; what the store holds of them is committed again"
                ));
            }
            refs::force(git, &branch, Some(newest))?;
            mended.restored.push(format!("{branch}: it stands at {newest}, which can be read"));
        }
        Ok(())
    }

    /// Files of the newest commit that lack: from the rows, or from the work tree.
    fn mend_blobs(&self, known: &HashMap<String, Vec<u8>>, mended: &mut Mended) -> Result<()> {
        let Ok(head) = refs::head(&self.git) else { return Ok(()) };
        let lacking = lacking(&Objects::new(&self.git), head.id);
        let blobs: HashSet<Oid> = (lacking.now.iter().chain(&lacking.before))
            .filter(|(kind, _)| *kind == Kind::Blob)
            .map(|(_, id)| *id)
            .collect();
        if blobs.is_empty() {
            return Ok(());
        }
        let mut found: HashMap<Oid, Vec<u8>> = HashMap::new();
        for content in known.values() {
            let id = Oid::of(Kind::Blob, content);
            if blobs.contains(&id) {
                found.insert(id, content.clone());
            }
        }
        let mut files = Vec::new();
        crate::edits::walk(&self.dir, "", &mut files)?;
        for path in files {
            let place = self.dir.join(path);
            let Some(content) = if_there(fs::read(&place), &place)? else { continue };
            let id = Oid::of(Kind::Blob, &content);
            if blobs.contains(&id) {
                found.insert(id, content);
            }
        }
        for (id, content) in found {
            write_loose(&self.git, Kind::Blob, id, &content)?;
            mended.restored.push(format!("file {id} of git, from the store or the work tree"));
        }
        Ok(())
    }

    /// An index that cannot be read, or stands at a commit that cannot, is made anew from the newest.
    fn mend_index(&self, aside: &mut Aside, is_lost: bool, mended: &mut Mended) -> Result<()> {
        let paths = Paths::new(&self.git);
        if !is_lost && paths.read(None).is_ok() {
            return Ok(());
        }
        let index = self.git.join("index");
        aside.take(&index)?;
        // Who settles next lets it follow from nothing.
        paths.fall_behind(&[None])?;
        mended.restored.push(format!("{}, from the newest commit", index.display()));
        Ok(())
    }

    /// Puts the file of the newest commit in the place of one that cannot be read, which is kept.
    /// Where it is kept; none if the commit has no such file.
    pub fn put_back(&self, path: &str, was: &str) -> Result<Option<PathBuf>> {
        crate::worktree::check(path)?;
        let Ok(id) = was.parse::<Oid>() else { return Ok(None) };
        let content = Objects::new(&self.git).get(Kind::Blob, id)?;
        let mut aside = Aside::new(&self.git);
        let place = self.dir.join(path);
        aside.take(&place)?;
        let written = self.git.join("lorekeep.put");
        private::write(&written, &content)?;
        fs::rename(&written, &place).map_err(at(&place))?;
        Ok(aside.made)
    }

    /// Moves the repository aside; the files of the work tree stay.
    fn begin_anew(&self) -> Result<PathBuf> {
        let free = (0..).map(|n| self.dir.with_extension(format!("git-before-repair-{n}")));
        let missing = || LedgerError::Path(String::new());
        let kept = free.into_iter().find(|path| !path.exists()).ok_or_else(missing)?;
        fs::rename(&self.git, &kept).map_err(at(&self.git))?;
        repository::create(&self.git)?;
        Ok(kept)
    }
}

/// Whether HEAD names a branch that has a file.
fn names_branch(git: &Path, said: &[u8]) -> bool {
    let text = String::from_utf8_lossy(said);
    let name = text.trim().strip_prefix("ref: ").map(str::to_owned);
    name.is_some_and(|name| name.starts_with("refs/heads/") && git.join(name).is_file())
}

/// A folder for what was broken.
struct Aside {
    git: PathBuf,
    made: Option<PathBuf>,
}

impl Aside {
    fn new(git: &Path) -> Self {
        Self { git: git.to_owned(), made: None }
    }

    /// Moves a file there.
    fn take(&mut self, path: &Path) -> Result<()> {
        if !path.exists() {
            return Ok(());
        }
        let folder = match &self.made {
            Some(folder) => folder.clone(),
            None => {
                let free = (0..1_000).map(|n| self.git.join(format!("lorekeep.damaged-{n}")));
                let folder = free.into_iter().find(|path| !path.exists());
                let folder = folder.unwrap_or_else(|| self.git.join("lorekeep.damaged"));
                private::create_dir(&folder)?;
                self.made.insert(folder).clone()
            }
        };
        let below = path.strip_prefix(&self.git).unwrap_or(path);
        let name = below.to_string_lossy().replace(['/', '\\'], "_");
        fs::rename(path, folder.join(name)).map_err(at(path))
    }
}

/// The packs and indexes of packs whose checksums are wrong, and whether it is an index.
fn broken_packs(git: &Path) -> Result<Vec<(PathBuf, bool)>> {
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

/// What cannot be read of all that a commit needs and what came before it.
fn lacking(objects: &Objects, head: Option<Oid>) -> Lacking {
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

/// Where a single object lies below `objects`.
fn loose(id: Oid) -> PathBuf {
    let hex = id.to_string();
    let (prefix, rest) = hex.split_at(2);
    Path::new(prefix).join(rest)
}

/// Whether a single object is what its name says.
fn is_sound(path: &Path, id: Oid) -> bool {
    use std::io::Read;
    let Ok(file) = fs::File::open(path) else { return true };
    let mut content = Vec::new();
    let read = flate2::read::ZlibDecoder::new(file).read_to_end(&mut content);
    read.is_ok() && crate::oid::sha1(&[&content]) == id
}

/// The single objects that are not what their names say, or have broken checksums.
fn broken_objects(git: &Path) -> Result<Vec<(PathBuf, Oid)>> {
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

/// What a single object says, whatever its checksum is.
fn inflated(path: &Path) -> Option<Vec<u8>> {
    const HEADER: usize = 2;
    let bytes = fs::read(path).ok()?;
    let mut content = Vec::new();
    let mut decoder = flate2::read::DeflateDecoder::new(bytes.get(HEADER..)?);
    std::io::Read::read_to_end(&mut decoder, &mut content).ok()?;
    Some(content)
}

fn write_loose(git: &Path, kind: Kind, id: Oid, content: &[u8]) -> Result<()> {
    let path = git.join("objects").join(loose(id));
    let name = format!("{kind:?}").to_lowercase();
    deflate_to(&path, &[format!("{name} {}\0", content.len()).as_bytes(), content])
}

/// Writes a single object.
fn deflate_to(path: &Path, parts: &[&[u8]]) -> Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = parts.iter().try_for_each(|part| encoder.write_all(part));
    let bytes = written.and_then(|()| encoder.finish()).map_err(at(path))?;
    private::create_dir(path.parent().unwrap_or(path))?;
    private::write(path, &bytes)?.sync_all().map_err(at(path))
}
