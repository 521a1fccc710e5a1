//! Git's index: what people staged, and which files git need not look into.
//!
//! Only entries of files that the ledger changed are touched, and only if nobody staged anything
//! else there. A large index is written in `settle` alone; until then it is *behind*: the file
//! `.git/lorekeep.behind` names the commit it stands at, and we hold git's own lock, so that nobody
//! commits what is old by mistake.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::{State, decode, write};

use crate::error::{LedgerError, Result, at, if_there};
use crate::oid::{Oid, sha1};
use crate::private;
use crate::refs::age;
use crate::unpack::is_whole;
use crate::worktree::stat;

/// An index with more entries is not written in a commit.
pub(crate) const ENTRIES_AT_ONCE_MAX: u32 = 1000;

/// What our lock of the index begins with.
const OURS: &str = "lorekeep";

/// A lock of somebody else that is older was left by something that died.
const FOREIGN_AGE_MAX: Duration = Duration::from_secs(600);

/// What became of a file.
#[derive(Debug)]
pub(crate) struct Moved {
    pub(crate) path: String,
    pub(crate) old: Option<Oid>,
    pub(crate) new: Option<Oid>,
    /// Of the file, if it says what it should.
    pub(crate) stat: Option<Stat>,
}

/// An index in memory, and the file it was read from.
pub(crate) struct Index {
    pub(crate) state: State,
    stamp: Option<Stamp>,
}

/// How a file is known again without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
    inode: u64,
}

/// The commit that an index stands at; none is the one before the first.
pub(crate) type Base = Option<Oid>;

/// The commits that an index may stand at: whoever wrote it may have ended before that was noted.
pub(crate) type Stands = Vec<Base>;

/// The files that have to do with the index.
pub(crate) struct Paths {
    index: PathBuf,
    lock: PathBuf,
    behind: PathBuf,
    temporary: PathBuf,
    /// What the next lock is made of.
    spare: PathBuf,
}

impl Paths {
    pub(crate) fn new(git: &Path) -> Self {
        Self {
            index: git.join("index"),
            lock: git.join("index.lock"),
            behind: git.join("lorekeep.behind"),
            temporary: git.join("lorekeep.index"),
            spare: git.join("lorekeep.note"),
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        let metadata = fs::metadata(&self.index).ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Stamp { modified: metadata.modified().ok()?, length: metadata.len(), inode })
    }

    /// How many entries the index has, by its header.
    pub(crate) fn count(&self) -> Result<u32> {
        let mut header = [0; 12];
        let read = fs::File::open(&self.index)
            .and_then(|mut file| io::Read::read_exact(&mut file, &mut header));
        match if_there(read, &self.index)? {
            Some(()) => Ok(u32::from_be_bytes([header[8], header[9], header[10], header[11]])),
            None => Ok(0),
        }
    }

    /// Reads the index, unless `cached` is what lies there.
    pub(crate) fn read(&self, cached: Option<Index>) -> Result<Index> {
        let stamp = self.stamp();
        if let Some(cached) = cached.filter(|cached| stamp.is_some() && cached.stamp == stamp) {
            return Ok(cached);
        }
        let Some(bytes) = if_there(fs::read(&self.index), &self.index)? else {
            return Ok(Index { state: State::new(gix::hash::Kind::Sha1), stamp: None });
        };
        // Git may be told to leave the checksum out; then there are zeros.
        let damaged =
            |why: &str| LedgerError::Damaged { path: self.index.clone(), why: why.into() };
        if !is_whole(&bytes) && !bytes.ends_with(&[0; 20]) {
            return Err(damaged("its checksum is wrong"));
        }
        let time = stamp.map_or(SystemTime::UNIX_EPOCH, |stamp| stamp.modified).into();
        let options = decode::Options::default();
        let read = State::from_bytes(&bytes, time, gix::hash::Kind::Sha1, options);
        let (state, _) = read.map_err(|error| LedgerError::Damaged {
            path: self.index.clone(),
            why: error.to_string(),
        })?;
        Ok(Index { state, stamp })
    }

    /// Whether git could read the index, if there is one.
    pub(crate) fn is_whole(&self) -> Result<bool> {
        let Some(bytes) = if_there(fs::read(&self.index), &self.index)? else { return Ok(true) };
        // Git may be told to leave the checksum out.
        let is_unchecked = bytes.ends_with(&[0; 20]);
        Ok(bytes.len() > 32 && bytes.starts_with(b"DIRC") && (is_unchecked || is_whole(&bytes)))
    }

    /// Puts the index out of the way, and notes that another is to be made.
    pub(crate) fn put_away(&self) -> Result<()> {
        let away = self.index.with_extension("broken");
        if_there(fs::rename(&self.index, &away), &self.index)?;
        self.fall_behind(&[None])
    }

    /// Whether the index is to be made.
    pub(crate) fn is_away(&self) -> bool {
        self.is_behind() && !self.index.exists()
    }

    /// Takes git's lock of the index, with where it may stand from now on; false if somebody else
    /// has it.
    pub(crate) fn take(&self, stands: &[Base]) -> Result<bool> {
        for _ in 0..3 {
            match private::create_of(&self.spare, &self.lock, note(stands).as_bytes()) {
                Ok(()) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if self.ours()?.is_some() {
                        return Ok(true);
                    }
                    if age(&self.lock).is_none_or(|age| age < FOREIGN_AGE_MAX) {
                        return Ok(false);
                    }
                    if_there(fs::remove_file(&self.lock), &self.lock)?;
                }
                Err(error) => return Err(at(&self.lock)(error)),
            }
        }
        Ok(false)
    }

    /// Where our lock says that the index may stand, if the lock is ours.
    pub(crate) fn ours(&self) -> Result<Option<Stands>> {
        let bytes = if_there(fs::read(&self.lock), &self.lock)?.unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap_or_default();
        Ok(text.starts_with(OURS).then(|| stands(&text)))
    }

    /// Gives git's lock back, if it is ours.
    pub(crate) fn give_back(&self) -> Result<()> {
        if self.ours()?.is_some() {
            if_there(fs::remove_file(&self.lock), &self.lock)?;
        }
        Ok(())
    }

    /// The commits the index may stand at, if it is behind. An unreadable one is taken for the first.
    pub(crate) fn behind(&self) -> Result<Option<Stands>> {
        let bytes = if_there(fs::read(&self.behind), &self.behind)?;
        Ok(bytes.map(|bytes| stands(&String::from_utf8_lossy(&bytes))))
    }

    /// Whether the index is behind.
    pub(crate) fn is_behind(&self) -> bool {
        self.behind.exists()
    }

    /// Notes that the index stands at one of these and stays there for now.
    pub(crate) fn fall_behind(&self, stands: &[Base]) -> Result<()> {
        private::write(&self.behind, note(stands).as_bytes()).map(drop)
    }

    /// Notes that an index that is behind may stand at `head` from now on, too.
    fn may_stand_at(&self, head: Base) -> Result<()> {
        let append = |mut file: fs::File| io::Write::write_all(&mut file, note(&[head]).as_bytes());
        private::append(&self.behind).and_then(append).map_err(at(&self.behind))
    }

    /// Writes an index that was behind and stands at `head` now, and gives git's lock back.
    pub(crate) fn write_caught_up(&self, index: &mut Index, head: Base) -> Result<()> {
        self.may_stand_at(head)?;
        self.write(index)?;
        // Before the note goes: what a lock that is left over says may be older.
        self.give_back()
    }

    /// Takes that note back.
    pub(crate) fn catch_up(&self) -> Result<()> {
        if_there(fs::remove_file(&self.behind), &self.behind).map(drop)
    }

    /// Writes the index. Git's lock must be ours.
    pub(crate) fn write(&self, index: &mut Index) -> Result<()> {
        // The ids of folders that git keeps in it are not true any more.
        index.state.remove_tree();
        let mut bytes = Vec::with_capacity(index.state.entries().len() * 140 + 64);
        let options = write::Options::default();
        index.state.write_to(&mut bytes, options).map_err(|error| LedgerError::Damaged {
            path: self.index.clone(),
            why: error.to_string(),
        })?;
        let checksum = sha1(&[&bytes]);
        bytes.extend_from_slice(&checksum.0);
        private::write(&self.temporary, &bytes)?;
        // What was there is removed, not written over: somebody may be reading it.
        if private::swap(&self.temporary, &self.index).map_err(at(&self.index))? {
            fs::remove_file(&self.temporary).map_err(at(&self.temporary))?;
        }
        index.stamp = self.stamp();
        Ok(())
    }
}

fn note(stands: &[Base]) -> String {
    let line = |base: &Base| base.map_or(format!("{OURS} -\n"), |id| format!("{OURS} {id}\n"));
    stands.iter().map(line).collect()
}

/// What a note says. A line that was cut off is the commit before the first.
fn stands(note: &str) -> Stands {
    let known = |line: &str| line.strip_prefix(OURS)?.trim().parse().ok();
    let mut stands: Stands = note.lines().map(known).collect();
    if stands.is_empty() {
        stands.push(None);
    }
    stands
}

impl Index {
    /// When it was written, as git compares it with files.
    fn written(&self) -> (u64, u32) {
        let since =
            self.stamp.and_then(|stamp| stamp.modified.duration_since(SystemTime::UNIX_EPOCH).ok());
        since.map_or((0, 0), |since| (since.as_secs(), since.subsec_nanos()))
    }

    /// Whether a file of that stat may have changed after it without a trace.
    pub(crate) fn is_racy(&self, stat: &Stat) -> bool {
        (u64::from(stat.mtime.secs), stat.mtime.nsecs) >= self.written()
    }

    /// Makes git look into files that may have changed without a trace since the index was written:
    /// once it is written again, its time would speak for them. Git goes by whole seconds; with
    /// `dir`, a file whose stat is the same to the nanosecond is believed all the same.
    fn doubt_racy(&mut self, dir: Option<&Path>) {
        let (seconds, nanos) = self.written();
        let (entries, paths) = self.state.entries_mut_and_pathbacking();
        for entry in entries {
            let modified = (u64::from(entry.stat.mtime.secs), entry.stat.mtime.nsecs);
            if modified.0 < seconds {
                continue;
            }
            let is_same = |dir: &Path| {
                let path = entry.path_in(paths).to_path_lossy();
                stat(&dir.join(path)) == Some(entry.stat)
            };
            if modified >= (seconds, nanos) || !dir.is_some_and(is_same) {
                entry.stat.size = 0;
            }
        }
    }

    /// The file at that path as it was staged; none also while it is being merged.
    pub(crate) fn staged(&self, path: &BStr) -> Option<&gix::index::Entry> {
        self.state.entry_by_path_and_stage(path, Stage::Unconflicted)
    }

    /// Lets the entries follow their files. Whether anything changed. With `dir`, other files are
    /// looked at where that saves git from reading them.
    pub(crate) fn follow(&mut self, moved: &[Moved], dir: Option<&Path>) -> bool {
        // Those that are looked at now are beyond doubt, so this comes first.
        self.doubt_racy(dir);
        let mut gone: HashSet<usize> = HashSet::new();
        let mut fresh: Vec<&Moved> = Vec::new();
        let mut changed = false;
        for file in moved {
            let path = BStr::new(file.path.as_str());
            let at = self.state.entry_index_by_path_and_stage(path, Stage::Unconflicted);
            match (at, file.new) {
                (Some(at), new) => {
                    let entry = &mut self.state.entries_mut()[at];
                    let id = Oid::from_slice(entry.id.as_bytes());
                    if id != file.old && id != file.new {
                        // Somebody staged something else.
                        continue;
                    }
                    changed = true;
                    match new {
                        Some(new) => {
                            entry.id = new.to_gix();
                            entry.stat = file.stat.unwrap_or_default();
                        }
                        None => drop(gone.insert(at)),
                    }
                }
                (None, Some(_)) if file.old.is_none() && self.state.entry_range(path).is_none() => {
                    fresh.push(file);
                }
                _ => {}
            }
        }
        changed |= !fresh.is_empty();
        if !gone.is_empty() {
            self.state.remove_entries(|at, _, _| gone.contains(&at));
        }
        self.insert(&fresh);
        changed
    }

    fn insert(&mut self, fresh: &[&Moved]) {
        for file in fresh {
            let Some(id) = file.new else { continue };
            let stat = file.stat.unwrap_or_default();
            let path = BStr::new(file.path.as_str());
            let (flags, mode) = (Flags::empty(), Mode::FILE);
            self.state.dangerously_push_entry(stat, id.to_gix(), flags, mode, path);
        }
        if !fresh.is_empty() {
            self.state.sort_entries();
        }
    }

    /// The paths that are being merged.
    pub(crate) fn unmerged(&self) -> Vec<String> {
        let is_unmerged = |entry: &&gix::index::Entry| entry.stage() != Stage::Unconflicted;
        let paths = self.state.entries().iter().filter(is_unmerged);
        let mut paths: Vec<String> =
            paths.map(|entry| entry.path(&self.state).to_str_lossy().into_owned()).collect();
        paths.dedup();
        paths
    }
}
