//! What is on a disk after its power was cut, by the journal of all that was done to it.
//!
//! A file holds for sure what was written before its last sync, and a folder the names that it had at
//! its own; of what came later anything may be there or not.

use std::collections::{BTreeMap, HashMap};
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long the power was away: a lock of git that is older than ten minutes is nobody's.
const AWAY: Duration = Duration::from_secs(3_600);

/// One thing that was done.
#[derive(Debug)]
enum Event {
    Write {
        inode: u64,
        offset: usize,
        bytes: Vec<u8>,
    },
    Cut {
        inode: u64,
        length: usize,
    },
    Sync {
        inode: u64,
    },
    SyncAll,
    Create {
        inode: u64,
        path: PathBuf,
    },
    MakeFolder {
        inode: u64,
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
        swaps: bool,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    /// Something was said on standard output.
    Say(String),
}

/// What was done to a folder, in order.
pub(super) struct Journal {
    events: Vec<Event>,
    begin: Vec<(PathBuf, u64, Option<Vec<u8>>)>,
}

/// What survives of what was not synced.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fate {
    /// By chance some writes survive, one of them in half; without it, none.
    pub(super) chance: Option<u64>,
    /// Names survive that their folders were not synced for.
    pub(super) names: bool,
}

/// A file in the making.
#[derive(Default, Clone)]
struct File {
    safe: Vec<u8>,
    open: Vec<Open>,
}

#[derive(Clone)]
enum Open {
    Write(usize, Vec<u8>),
    Cut(usize),
}

impl File {
    fn sync(&mut self) {
        for open in std::mem::take(&mut self.open) {
            apply(&mut self.safe, &open, 1);
        }
    }

    /// The bytes after the cut.
    fn left(&self, dice: &mut Option<Dice>) -> Vec<u8> {
        let mut bytes = self.safe.clone();
        let Some(dice) = dice else { return bytes };
        for open in &self.open {
            match dice.roll() % 4 {
                0 => {}
                1 => apply(&mut bytes, open, 2),
                _ => apply(&mut bytes, open, 1),
            }
        }
        bytes
    }
}

/// Carries out a write, or one part of so many of it.
fn apply(bytes: &mut Vec<u8>, open: &Open, parts: usize) {
    match open {
        Open::Cut(length) => bytes.resize(*length, 0),
        Open::Write(offset, new) => {
            // A sector is written or is not.
            let new = if parts > 1 { &new[..new.len() / parts / 512 * 512] } else { new };
            bytes.resize(bytes.len().max(offset + new.len()), 0);
            bytes[*offset..offset + new.len()].copy_from_slice(new);
        }
    }
}

/// Numbers that look random and are always the same.
#[derive(Clone, Copy)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// What became of names.
struct Entry {
    what: What,
    is_safe: bool,
}

enum What {
    Add(PathBuf, usize),
    Folder(PathBuf),
    Rename(PathBuf, PathBuf, bool),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
}

impl What {
    fn is_in(&self, folder: &Path) -> bool {
        let paths: [&Path; 2] = match self {
            Self::Add(path, _) | Self::Folder(path) | Self::Remove(path) => [path, path],
            Self::Rename(from, to, _) | Self::Link(from, to) => [from, to],
        };
        paths.iter().any(|path| path.parent() == Some(folder))
    }
}

impl Journal {
    /// Remembers what is in a folder before anything is done.
    pub(super) fn begin(folder: &Path) -> Self {
        let mut begin = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            begin.push((folder.clone(), std::fs::metadata(&folder).unwrap().ino(), None));
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let inode = std::fs::metadata(&path).unwrap().ino();
                    let bytes = std::fs::read(&path).unwrap();
                    begin.push((path, inode, Some(bytes)));
                }
            }
        }
        Self { events: Vec::new(), begin }
    }

    /// Reads what the shim wrote.
    pub(super) fn read(&mut self, journal: &Path) {
        let bytes = std::fs::read(journal).unwrap();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (head, after) = rest.split_at(25);
            let long = |at: usize| u64::from_ne_bytes(head[at..at + 8].try_into().unwrap());
            let short =
                |at: usize| u32::from_ne_bytes(head[at..at + 4].try_into().unwrap()) as usize;
            let (a, after) = after.split_at(short(17));
            let (b, after) = after.split_at(short(21));
            rest = after;
            let path = |bytes: &[u8]| PathBuf::from(String::from_utf8(bytes.to_vec()).unwrap());
            let (inode, number) = (long(1), long(9));
            let number = usize::try_from(number).unwrap();
            self.events.push(match head[0] {
                b'W' => Event::Write { inode, offset: number, bytes: a.to_vec() },
                b'T' => Event::Cut { inode, length: number },
                b'S' => Event::Sync { inode },
                b'F' => Event::SyncAll,
                b'C' => Event::Create { inode, path: path(a) },
                b'M' => Event::MakeFolder { inode, path: path(a) },
                b'R' => Event::Rename { from: path(a), to: path(b), swaps: number == 2 },
                b'L' => Event::Link { from: path(a), to: path(b) },
                b'U' => Event::Remove { path: path(a) },
                b'A' => Event::Say(String::from_utf8_lossy(a).into_owned()),
                other => panic!("{other} in the journal"),
            });
        }
    }

    /// How many things were done.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// After which events something was said, and what.
    pub(super) fn said(&self) -> impl Iterator<Item = (usize, &str)> {
        self.events.iter().enumerate().filter_map(|(at, event)| match event {
            Event::Say(text) => Some((at + 1, text.as_str())),
            _ => None,
        })
    }

    /// Writes into `to` what is there of `folder` when the power is cut after so many events.
    pub(super) fn cut(&self, after: usize, fate: Fate, folder: &Path, to: &Path) {
        let (files, names, folders) = self.state(after, fate);
        let place = |path: &Path| to.join(path.strip_prefix(folder).unwrap());
        for path in &folders {
            std::fs::create_dir_all(place(path)).unwrap();
        }
        let mut dice = fate.chance.map(Dice);
        for (path, file) in &names {
            if path.to_string_lossy().ends_with("-shm") {
                continue;
            }
            let path = place(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, files[*file].left(&mut dice)).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - AWAY).unwrap();
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        }
        std::fs::set_permissions(to, Permissions::from_mode(0o700)).unwrap();
    }

    /// The files, their names and the folders at the cut.
    fn state(
        &self,
        after: usize,
        fate: Fate,
    ) -> (Vec<File>, BTreeMap<PathBuf, usize>, Vec<PathBuf>) {
        let mut files: Vec<File> = Vec::new();
        let mut known: HashMap<u64, usize> = HashMap::new();
        let mut folders: HashMap<u64, PathBuf> = HashMap::new();
        let mut names: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let mut made: Vec<PathBuf> = Vec::new();
        for (path, inode, bytes) in &self.begin {
            match bytes {
                Some(bytes) => {
                    known.insert(*inode, files.len());
                    names.insert(path.clone(), files.len());
                    files.push(File { safe: bytes.clone(), open: Vec::new() });
                }
                None => {
                    folders.insert(*inode, path.clone());
                    made.push(path.clone());
                }
            }
        }
        let mut entries: Vec<Entry> = Vec::new();
        let note = |what| Entry { what, is_safe: fate.names };
        for event in &self.events[..after] {
            match event {
                Event::Write { inode, offset, bytes } => {
                    let file = known[inode];
                    files[file].open.push(Open::Write(*offset, bytes.clone()));
                }
                Event::Cut { inode, length } => files[known[inode]].open.push(Open::Cut(*length)),
                Event::Sync { inode } => {
                    if let Some(folder) = folders.get(inode) {
                        let inside = entries.iter_mut().filter(|entry| entry.what.is_in(folder));
                        inside.for_each(|entry| entry.is_safe = true);
                    } else {
                        files[known[inode]].sync();
                    }
                }
                Event::SyncAll => {
                    files.iter_mut().for_each(File::sync);
                    entries.iter_mut().for_each(|entry| entry.is_safe = true);
                }
                Event::Create { inode, path } => {
                    // It may be that of a folder which is gone.
                    folders.remove(inode);
                    known.insert(*inode, files.len());
                    entries.push(note(What::Add(path.clone(), files.len())));
                    files.push(File::default());
                }
                Event::MakeFolder { inode, path } => {
                    folders.insert(*inode, path.clone());
                    entries.push(note(What::Folder(path.clone())));
                }
                Event::Rename { from, to, swaps } => {
                    entries.push(note(What::Rename(from.clone(), to.clone(), *swaps)));
                }
                Event::Link { from, to } => {
                    entries.push(note(What::Link(from.clone(), to.clone())));
                }
                Event::Remove { path } => entries.push(note(What::Remove(path.clone()))),
                Event::Say(_) => {}
            }
        }
        for entry in entries.into_iter().filter(|entry| entry.is_safe) {
            rename(&mut names, &mut made, entry.what);
        }
        (files, names, made)
    }
}

/// Does to names what was done to them. What is not there cannot be renamed.
fn rename(names: &mut BTreeMap<PathBuf, usize>, folders: &mut Vec<PathBuf>, what: What) {
    match what {
        What::Add(path, file) => drop(names.insert(path, file)),
        What::Folder(path) => folders.push(path),
        What::Rename(from, to, swaps) => {
            let Some(file) = names.remove(&from) else { return };
            if let Some(other) = names.insert(to, file).filter(|_| swaps) {
                names.insert(from, other);
            }
        }
        What::Link(from, to) => {
            if let Some(file) = names.get(&from).copied() {
                names.insert(to, file);
            }
        }
        What::Remove(path) => {
            names.remove(&path);
            folders.retain(|folder| *folder != path);
        }
    }
}
