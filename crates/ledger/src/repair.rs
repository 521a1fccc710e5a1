//! A damaged repository: what is wrong with it, and what can be mended.
//!
//! Nothing is destroyed: what is broken is moved into a folder of `.git` before anything takes its place.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::aside::Aside;
use crate::damage::{
    GIT_TIME_MAX, NAMED_MAX, broken_aids, broken_objects, broken_packs, config_flaw, is_complete,
    lacking, says, without_index,
};
use crate::error::{LedgerError, Result, at, if_there};
use crate::index::Paths;
use crate::lock::LockFile;
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::pack::Pack;
use crate::refs::{self, BRANCH};
use crate::settle::SETTLED;
use crate::unpack::{self, is_whole};
use crate::{Ledger, bit, history, lock, lost, packs, private, program, repository};

/// So many commits are tried at most, to find one that is whole.
const COMMITS_TRIED_MAX: usize = 500;

/// What a repair did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mended {
    /// What there is again, and where it came from.
    pub restored: Vec<String>,
    /// What there is not.
    pub lost: Vec<String>,
    /// Where what was broken lies now.
    pub kept: Option<PathBuf>,
    /// Whether the branch stands at an older commit than before.
    pub is_set_back: bool,
}

impl Ledger {
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
        self.mend_config(&mut aside, &mut mended)?;
        self.mend_packs(&mut aside, &mut mended)?;
        self.mend_loose(&mut aside, &mut mended)?;
        let stood = refs::head(&self.git).ok().and_then(|head| head.id);
        self.mend_head(&mut aside, heads, &mut mended)?;
        self.mend_trees(&mut mended)?;
        self.mend_blobs(known, &mut mended)?;
        self.step_back(&mut aside, heads, &mut mended)?;
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
            mended.lost.extend(named.map(|(kind, id)| lost::describe(kind.name(), *id)));
            lost::note(&self.git, &before)?;
        }
        Ok(mended)
    }

    /// Settings that git cannot read are what they were at the beginning; aids that are broken go.
    fn mend_config(&self, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        if config_flaw(&self.git)?.is_some() {
            let config = self.git.join("config");
            aside.take(&config)?;
            repository::create_config(&self.git)?;
            let told = format!(
                "{}, as it is at first; remotes and the like are to be set again",
                config.display()
            );
            mended.restored.push(told);
        }
        for path in broken_aids(&self.git)? {
            aside.take(&path)?;
            mended.restored.push(format!("{} was moved aside; git makes it anew", path.display()));
        }
        Ok(())
    }

    /// What git keeps to be quicker tells of packs and commits that are gone.
    fn drop_aids(&self, aside: &mut Aside) -> Result<()> {
        let aids = ["info/commit-graph", "info/commit-graphs", "pack/multi-pack-index"];
        aids.iter().try_for_each(|aid| aside.take(&self.git.join("objects").join(aid)))
    }

    /// Packs whose checksums are wrong, and packs that lost their indexes.
    fn mend_packs(&self, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        let mut broken = broken_packs(&self.git)?;
        broken.extend(without_index(&self.git)?.into_iter().map(|path| (path, true)));
        if !broken.is_empty() {
            self.drop_aids(aside)?;
        }
        for (path, is_index) in broken {
            if is_index {
                self.mend_pack_index(&path, aside, mended)?;
            } else {
                self.mend_pack(&path, aside, mended)?;
            }
        }
        Ok(())
    }

    /// An index of a pack is made anew.
    fn mend_pack_index(&self, path: &Path, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        aside.take(path)?;
        let mut git = program::git(&self.dir);
        git.arg("index-pack").arg(path.with_extension("pack"));
        match program::run(git, Vec::new(), Some(GIT_TIME_MAX))? {
            Some(said) if said.status.success() => {
                mended.restored.push(format!("{}, from its pack", path.display()));
            }
            Some(said) => mended.lost.push(format!("{}: {}", path.display(), said.err)),
            None => mended.lost.push(format!("{}: git is not installed", path.display())),
        }
        Ok(())
    }

    /// What can be read of a pack is kept: all of it, if only one bit had turned; by its index each object
    /// that is what its id says, in a new pack; without one, what git can unpack from the beginning on.
    fn mend_pack(&self, path: &Path, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        let index = path.with_extension("idx");
        let told = if_there(fs::read(&index), &index)?.filter(|told| is_whole(told));
        let bytes = fs::read(path).map_err(at(path))?;
        if let Some(places) = told.and_then(|told| unpack::places(&told)) {
            let objects = Objects::new(&self.git);
            let mut pack = Pack::new();
            let mut broken = Vec::new();
            let ends = places.iter().skip(1).map(|(offset, _)| *offset).chain([bytes.len()]);
            for ((offset, id), end) in places.iter().zip(ends) {
                match objects.salvage(*id) {
                    Some((kind, content)) => {
                        pack.add(kind, *id, &content);
                    }
                    None => broken.push(*offset..end),
                }
            }
            let (count, kept) = (places.len(), places.len() - broken.len());
            // Without the header of the pack nothing can be read, wherever it lies.
            let header = places.first().map(|(offset, _)| 0..*offset);
            let broken = header.into_iter().chain(broken).flatten();
            if kept < count
                && let Some(whole) = bit::turn_back(&bytes, broken, is_whole)
            {
                aside.take(path)?;
                private::write(path, &whole)?.sync_all().map_err(at(path))?;
                mended.restored.push(format!("{}, of which one bit had turned", path.display()));
                return Ok(());
            }
            // Where only what nobody reads was broken the new pack has the name of the old one, which makes
            // way first; else the new one is there before the old one goes.
            let finished = Some(pack.finish()).filter(|_| kept > 0);
            let is_same = |name: Oid| path.ends_with(format!("pack-{name}.pack"));
            let (after, before): (Vec<_>, Vec<_>) =
                finished.iter().partition(|finished| is_same(finished.name));
            before.into_iter().try_for_each(|finished| packs::keep(&self.git, finished))?;
            aside.take(path)?;
            aside.take(&index)?;
            after.into_iter().try_for_each(|finished| packs::keep(&self.git, finished))?;
            let told =
                format!("{kept} of the {count} objects in {}, in a new pack", path.display());
            mended.restored.push(told);
            return Ok(());
        }
        aside.take(path)?;
        aside.take(&index)?;
        let mut git = program::git(&self.dir);
        git.args(["unpack-objects", "-r", "-q"]);
        let told = path.display();
        match program::run(git, bytes, Some(GIT_TIME_MAX))? {
            Some(_) => {
                mended.restored.push(format!("what git can read of {told}, as single objects"));
            }
            None => mended.lost.push(format!("{told}: git is not installed")),
        }
        Ok(())
    }

    /// Single objects that are not what their names say are moved aside, so that others count. One whose
    /// content is whole (the checksum is broken, or something lies behind it) is written again.
    fn mend_loose(&self, aside: &mut Aside, mended: &mut Mended) -> Result<()> {
        for (path, id) in broken_objects(&self.git)? {
            let bytes = if_there(fs::read(&path), &path)?.unwrap_or_default();
            let content = inflated(&bytes).filter(|content| crate::oid::sha1(&[content]) == id);
            let turned = || bit::turn_back(&bytes, 0..bytes.len(), |tried| says(tried, id));
            let turned = if content.is_none() { turned() } else { None };
            aside.take(&path)?;
            let told = match (content, turned) {
                (Some(content), _) => {
                    deflate_to(&path, &[&content])?;
                    format!("{}, whose content was whole", path.display())
                }
                (None, Some(whole)) => {
                    private::write(&path, &whole)?.sync_all().map_err(at(&path))?;
                    format!("{}, of which one bit had turned", path.display())
                }
                (None, None) => format!("{} was moved aside", path.display()),
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
        if let Some(newest) = self.newest(heads, &can_be_read) {
            self.set_back(aside, newest, heads, mended)?;
        }
        Ok(())
    }

    /// Where the newest commit lacks something that cannot be had anywhere, the newest that does not takes
    /// its place: better than no history at all.
    fn step_back(&self, aside: &mut Aside, heads: &[String], mended: &mut Mended) -> Result<()> {
        let objects = Objects::new(&self.git);
        let Ok(Some(head)) = refs::head(&self.git).map(|head| head.id) else { return Ok(()) };
        if is_complete(&objects, head) {
            return Ok(());
        }
        let told = self.newest(heads, &|id| is_complete(&objects, id));
        let before = || {
            let parent = |id: &Oid| history::find(&objects, *id).ok()??.parents.first().copied();
            let mut line = std::iter::successors(Some(head), parent).take(COMMITS_TRIED_MAX);
            line.find(|id| is_complete(&objects, *id))
        };
        match told.or_else(before) {
            Some(newest) => self.set_back(aside, newest, heads, mended),
            None => Ok(()),
        }
    }

    /// The newest good one of the commits that are told of anywhere.
    fn newest(&self, heads: &[String], is_good: &dyn Fn(Oid) -> bool) -> Option<Oid> {
        let settled = fs::read_to_string(self.git.join(SETTLED)).unwrap_or_default();
        let moves = fs::read(self.git.join("logs/HEAD")).unwrap_or_default();
        let moves = String::from_utf8_lossy(&moves).into_owned();
        let moved = moves.lines().rev().filter_map(|line| line.split(' ').nth(1));
        let told = heads.iter().map(String::as_str).chain(moved).chain([settled.trim()]);
        let mut ids = told.filter_map(|hex| hex.parse().ok()).take(COMMITS_TRIED_MAX);
        ids.find(|id| is_good(*id))
    }

    /// Sets the branch to a commit that can be read.
    fn set_back(
        &self,
        aside: &mut Aside,
        newest: Oid,
        heads: &[String],
        mended: &mut Mended,
    ) -> Result<()> {
        let git = &self.git;
        let branch = refs::leads_to(git);
        self.drop_aids(aside)?;
        aside.take(&git.join(&branch))?;
        let newest_known = heads.first().is_none_or(|head| *head == newest.to_string());
        if !newest_known {
            // The logs of moves name commits that are gone.
            aside.take(&git.join("logs/HEAD"))?;
            aside.take(&git.join("logs").join(&branch))?;
            mended.is_set_back = true;
            mended.lost.push(format!(
                "the commits after {newest}; what the store holds of them is committed again"
            ));
        }
        refs::force(git, &branch, Some(newest))?;
        mended.restored.push(format!("{branch}: it stands at {newest}, which can be read"));
        Ok(())
    }

    /// Folders of the newest commit that lack: git's index names all that is in them.
    fn mend_trees(&self, mended: &mut Mended) -> Result<()> {
        let lack = || {
            let head = refs::head(&self.git).ok().and_then(|head| head.id);
            let now = lacking(&Objects::new(&self.git), head).now;
            now.iter().filter(|(kind, _)| *kind == Kind::Tree).count()
        };
        let before = lack();
        if before == 0 {
            return Ok(());
        }
        let mut git = program::git(&self.dir);
        git.args(["write-tree", "--missing-ok"]);
        // Without git, or where it cannot read its index, an older commit has to do.
        program::run(git, Vec::new(), Some(GIT_TIME_MAX))?;
        if lack() < before {
            mended.restored.push("folders of the newest commit, from the index of git".to_owned());
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
        self.worktree().write(&place, &content)?;
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

/// Where a single object lies below `objects`.
pub(crate) fn loose(id: Oid) -> PathBuf {
    let hex = id.to_string();
    let (prefix, rest) = hex.split_at(2);
    Path::new(prefix).join(rest)
}

/// What a single object says, whatever its checksum is.
fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    const HEADER: usize = 2;
    let mut content = Vec::new();
    let mut decoder = flate2::read::DeflateDecoder::new(bytes.get(HEADER..)?);
    std::io::Read::read_to_end(&mut decoder, &mut content).ok()?;
    Some(content)
}

fn write_loose(git: &Path, kind: Kind, id: Oid, content: &[u8]) -> Result<()> {
    let path = git.join("objects").join(loose(id));
    let header = format!("{} {}\0", kind.name(), content.len());
    deflate_to(&path, &[header.as_bytes(), content])
}

/// Writes a single object.
fn deflate_to(path: &Path, parts: &[&[u8]]) -> Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = parts.iter().try_for_each(|part| encoder.write_all(part));
    let bytes = written.and_then(|()| encoder.finish()).map_err(at(path))?;
    private::create_dir(path.parent().unwrap_or(path))?;
    private::write(path, &bytes)?.sync_all().map_err(at(path))
}
