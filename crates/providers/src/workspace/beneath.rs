//! Paths walked with descriptors, so that nothing outside the roots is reached whatever is swapped
//! meanwhile.
//!
//! The walk starts at the descriptor of a root and opens one folder after the other, none of them
//! through a link. A link is read and its target put before what is left of the path; where that
//! leads out of the root, the walk goes on by names alone, opens nothing, and must come back to a
//! root, whose descriptor it then goes on with. So `..`, relative and absolute links work as ever as
//! long as they end below a root, and the kernel never follows a link for us, magic ones of `/proc`
//! included. It needs nothing that is not in every Unix.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use engine::Result;
use engine::ports::{Opened, Stamp};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::Asked;
pub(super) use super::replace::replace;

/// A path leads through no more links than this.
const LINKS_MAX: usize = 40;

/// What changes under our hands is tried anew so many times.
pub(super) const TRIES_MAX: usize = 64;

/// How a folder is opened: to go on from it, never through a link. Where the system can, that needs
/// no right to list it.
const FOLDER: OFlags =
    REACHED.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const REACHED: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const REACHED: OFlags = OFlags::RDONLY;

/// How a file is opened: never through a link, and without waiting for whoever is at the other end.
pub(super) const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens a regular file.
pub(super) fn open(asked: &Asked<'_>) -> Result<Opened> {
    let roots = Root::all(asked)?;
    for _ in 0..TRIES_MAX {
        let place = Walk::new(asked, &roots).run()?;
        if let Some(lost) = &place.lost {
            return Err(lost.not_found(asked, true));
        }
        match place.state(asked)? {
            State::Regular(_) => {}
            State::Link => continue,
            State::Missing => return Err(place.as_lost().not_found(asked, false)),
        }
        let file = match openat(&*place.folder, &place.name, FILE | OFlags::RDONLY, Mode::empty()) {
            Ok(file) => file,
            // It was swapped for a link, or taken away.
            Err(Errno::LOOP | Errno::MLINK | Errno::NOENT) => continue,
            Err(why) => return Err(asked.failed(&why.into())),
        };
        let stat = fstat(&file).map_err(|why| asked.failed(&why.into()))?;
        regular(asked, &stat)?;
        let stamp = stamp(&stat);
        let bytes = Box::new(File::from(file));
        return Ok(Opened { path: place.path(), size: stamp.size, stamp, bytes });
    }
    Err(asked.conflict())
}

/// A root, resolved and opened.
pub(super) struct Root {
    path: PathBuf,
    folder: Arc<OwnedFd>,
    is_first: bool,
}

impl Root {
    /// The roots that are there. The first must be, if the path is relative to it.
    pub(super) fn all(asked: &Asked<'_>) -> Result<Vec<Self>> {
        let mut roots = Vec::with_capacity(asked.roots.len());
        for (number, root) in asked.roots.iter().enumerate() {
            match Self::open(root, number == 0) {
                Ok(root) => roots.push(root),
                Err(why) if number == 0 && !asked.path.starts_with('/') => {
                    let why = format!("is refused: the folder {}: {why}", root.display());
                    return Err(asked.forbidden(&why));
                }
                Err(_) => {}
            }
        }
        Ok(roots)
    }

    fn open(root: &Path, is_first: bool) -> std::io::Result<Self> {
        let path = std::fs::canonicalize(root)?;
        let folder = Arc::new(rustix::fs::open(&path, FOLDER, Mode::empty())?);
        Ok(Self { path, folder, is_first })
    }
}

/// Where a path leads: a name in a folder that is open.
pub(super) struct Place {
    /// The folder.
    pub(super) folder: Arc<OwnedFd>,
    /// Its absolute path.
    folder_path: PathBuf,
    /// Folders below it that are not there, from the outer to the inner.
    pub(super) missing: Vec<OsString>,
    /// The name of the file in the innermost of them. What it names was no link a moment ago.
    pub(super) name: OsString,
    /// What on the way was not there first.
    lost: Option<Lost>,
}

/// What is at a place.
pub(super) enum State {
    /// Nothing.
    Missing,
    /// A regular file.
    Regular(Stat),
    /// A link, which was not there a moment ago.
    Link,
}

impl Place {
    /// A name in a folder.
    pub(super) fn at(folder: Arc<OwnedFd>, name: &OsStr) -> Self {
        let (folder_path, name) = (PathBuf::new(), name.to_owned());
        Self { folder, folder_path, missing: Vec::new(), name, lost: None }
    }

    /// The absolute path.
    pub(super) fn path(&self) -> PathBuf {
        let folder = self.missing.iter().fold(self.folder_path.clone(), |path, one| path.join(one));
        folder.join(&self.name)
    }

    /// What is there, or why it is none of our business.
    pub(super) fn state(&self, asked: &Asked<'_>) -> Result<State> {
        if !self.missing.is_empty() {
            return Ok(State::Missing);
        }
        let stat = match statat(&*self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(State::Missing),
            Err(why) => return Err(asked.failed(&why.into())),
        };
        if kind(&stat) == FileType::Symlink {
            return Ok(State::Link);
        }
        regular(asked, &stat)?;
        Ok(State::Regular(stat))
    }

    fn as_lost(&self) -> Lost {
        Lost {
            folder: Arc::clone(&self.folder),
            folder_path: self.folder_path.clone(),
            name: self.name.clone(),
        }
    }
}

/// A name that is not in a folder.
struct Lost {
    folder: Arc<OwnedFd>,
    folder_path: PathBuf,
    name: OsString,
}

impl Lost {
    fn not_found(&self, asked: &Asked<'_>, is_on_the_way: bool) -> engine::Error {
        let listed = itself(&self.folder).and_then(Dir::new);
        let entries = listed.into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        let names = names.filter(|name| name != "." && name != ".." && !is_temporary(name));
        asked.not_found(&self.folder_path, &self.name.to_string_lossy(), is_on_the_way, names)
    }
}

/// How temporary files of ours begin.
pub(super) const TEMPORARY: &str = ".lorekeep-";

fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY)
}

/// One step of a path.
enum Step {
    Up,
    Into(OsString),
}

/// Where a walk is.
enum At<'a> {
    /// Below a root.
    Inside {
        root: &'a Root,
        /// The folders below it, with their names.
        folders: Vec<(OsString, Arc<OwnedFd>)>,
        /// Names below the last of them that were not opened: what is missing, or the last name.
        names: Vec<OsString>,
    },
    /// Outside of all roots, where nothing is opened.
    Outside(PathBuf),
}

/// A walk along a path.
pub(super) struct Walk<'a> {
    asked: &'a Asked<'a>,
    roots: &'a [Root],
    at: At<'a>,
    /// The steps that are left, the next one last.
    ahead: Vec<Step>,
    links: usize,
    lost: Option<Lost>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(asked: &'a Asked<'a>, roots: &'a [Root]) -> Self {
        let at = At::Outside(PathBuf::from("/"));
        let mut walk = Self { asked, roots, at, ahead: Vec::new(), links: 0, lost: None };
        let path = Path::new(asked.path);
        if !path.is_absolute()
            && let Some(first) = roots.iter().find(|root| root.is_first)
        {
            walk.at = At::inside(first);
        }
        walk.plan(path);
        walk
    }

    /// Where the path leads, with all links resolved.
    pub(super) fn run(mut self) -> Result<Place> {
        loop {
            self.come_in();
            let Some(step) = self.ahead.pop() else { break };
            self.step(step)?;
        }
        let At::Inside { root, folders, mut names } = self.at else {
            return Err(self.asked.outside());
        };
        let name = names.pop().filter(|_| !self.asked.names_folder());
        let Some(name) = name else { return Err(self.asked.folder()) };
        let (folder, folder_path) = (last(root, &folders), path_of(root, &folders));
        self.asked.refuse_closed(&folder_path)?;
        Ok(Place { folder, folder_path, missing: names, name, lost: self.lost })
    }

    /// Puts the steps of a path before those that are left.
    fn plan(&mut self, path: &Path) {
        let steps = path.components().rev().filter_map(|component| match component {
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Into(name.to_owned())),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        });
        self.ahead.extend(steps);
    }

    /// Goes on below a root if the walk has just come to one.
    fn come_in(&mut self) {
        if let At::Outside(path) = &self.at
            && let Some(root) = self.roots.iter().find(|root| root.path == *path)
        {
            self.at = At::inside(root);
        }
    }

    fn step(&mut self, step: Step) -> Result<()> {
        match (&mut self.at, step) {
            (At::Outside(path), Step::Up) => _ = path.pop(),
            (At::Outside(path), Step::Into(name)) => {
                path.push(name);
                if let Ok(target) = std::fs::read_link(&*path) {
                    path.pop();
                    self.follow(&target)?;
                }
            }
            (At::Inside { root, folders, names }, Step::Up) => {
                if names.pop().is_none() && folders.pop().is_none() {
                    let above = root.path.parent().unwrap_or(&root.path);
                    self.at = At::Outside(above.to_owned());
                }
            }
            (At::Inside { names, .. }, Step::Into(name)) if !names.is_empty() => names.push(name),
            (At::Inside { .. }, Step::Into(name)) if self.ahead.is_empty() => self.end(name)?,
            (At::Inside { .. }, Step::Into(name)) => self.go_into(name)?,
        }
        Ok(())
    }

    /// The last step: to what is no link.
    fn end(&mut self, name: OsString) -> Result<()> {
        match self.link(&name) {
            Ok(target) => return self.follow(&target),
            Err(Errno::INVAL | Errno::NOENT) => {}
            Err(why) => return Err(self.asked.failed(&why.into())),
        }
        if let At::Inside { names, .. } = &mut self.at {
            names.push(name);
        }
        Ok(())
    }

    /// A step into a folder, or along a link.
    fn go_into(&mut self, name: OsString) -> Result<()> {
        for _ in 0..TRIES_MAX {
            let At::Inside { root, folders, names } = &mut self.at else { return Ok(()) };
            let folder = last(root, folders);
            let why = match openat(&*folder, &name, FOLDER, Mode::empty()) {
                Ok(opened) => {
                    folders.push((name, Arc::new(opened)));
                    return Ok(());
                }
                Err(Errno::NOENT) => {
                    let folder_path = path_of(root, folders);
                    let lost = || Lost { folder, folder_path, name: name.clone() };
                    self.lost.get_or_insert_with(lost);
                    names.push(name);
                    return Ok(());
                }
                Err(why) => why,
            };
            if let Ok(target) = self.link(&name) {
                return self.follow(&target);
            }
            // It may have been swapped since; what is neither a folder nor a link stays a file.
            let stat = statat(&*folder, &name, AtFlags::SYMLINK_NOFOLLOW);
            let is_file =
                |stat: Stat| !matches!(kind(&stat), FileType::Directory | FileType::Symlink);
            if stat.is_ok_and(is_file) || !matches!(why, Errno::LOOP | Errno::MLINK | Errno::NOTDIR)
            {
                return Err(self.asked.failed(&why.into()));
            }
        }
        Err(self.asked.conflict())
    }

    /// The target of the link of that name in the folder where the walk is.
    fn link(&self, name: &OsStr) -> Result<PathBuf, Errno> {
        let At::Inside { root, folders, .. } = &self.at else { return Err(Errno::INVAL) };
        let target = readlinkat(&*last(root, folders), name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Goes on at the target of a link.
    fn follow(&mut self, target: &Path) -> Result<()> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(self.asked.invalid("leads through too many links"));
        }
        if target.is_absolute() {
            self.at = At::Outside(PathBuf::from("/"));
        }
        self.plan(target);
        Ok(())
    }
}

impl<'a> At<'a> {
    const fn inside(root: &'a Root) -> Self {
        Self::Inside { root, folders: Vec::new(), names: Vec::new() }
    }
}

/// The innermost folder.
fn last(root: &Root, folders: &[(OsString, Arc<OwnedFd>)]) -> Arc<OwnedFd> {
    Arc::clone(folders.last().map_or(&root.folder, |(_, folder)| folder))
}

/// Its absolute path.
fn path_of(root: &Root, folders: &[(OsString, Arc<OwnedFd>)]) -> PathBuf {
    folders.iter().fold(root.path.clone(), |path, (name, _)| path.join(name))
}

/// Opens a folder in another, which is no link.
pub(super) fn open_folder(folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(folder, name, FOLDER, Mode::empty())
}

/// A folder opened so that it can be listed, and written to the disk.
pub(super) fn itself(folder: &OwnedFd) -> Result<OwnedFd, Errno> {
    let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(folder, ".", how, Mode::empty())
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Refuses what is no regular file.
pub(super) fn regular(asked: &Asked<'_>, stat: &Stat) -> Result<()> {
    let what = match kind(stat) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(asked.folder()),
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    };
    Err(asked.invalid(&format!("is {what}, not a regular file")))
}

/// What tells a file in its state from others. The time is that of the last change of any kind,
/// which nobody can set back.
#[allow(clippy::unnecessary_cast, reason = "the types of the fields differ between systems")]
pub(super) fn stamp(stat: &Stat) -> Stamp {
    Stamp {
        file: (stat.st_dev as u64, stat.st_ino as u64),
        size: stat.st_size as u64,
        changed: stat.st_ctime as i128 * 1_000_000_000 + stat.st_ctime_nsec as i128,
    }
}
