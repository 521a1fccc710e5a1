//! A folder into the store: file by file, on every core, in batches that each commit.
//!
//! What is committed stays if the work is cut off; the next run finds it and goes on. A run that
//! finds nothing changed reads no file at all.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use model::{Caller, Change, Document, IndexedDocument, Op, Outcome, Scope};
use rank::chunk::Format;

use super::ingest::{Fresh, Read, format, misnamed, read};
use super::{is_surely_same, name, unreadable, within_reach};
use crate::ports::{FileError, FileState, Walked};
use crate::scope::opened;
use crate::{Engine, Error, ErrorKind, Result, secrets};

/// A batch is committed once it has so many bytes of text, …
const BATCH_BYTES: usize = 1 << 20;
/// … or so many documents, …
const BATCH_DOCUMENTS: usize = 256;
/// … or so many chunks: each has a vector.
const BATCH_CHUNKS: usize = 4096;

/// So many files that failed are named.
const FAILED_NAMED_MAX: usize = 1000;

/// A folder with more files of a kind we know is refused: their list alone would fill the memory.
const LISTED_MAX: usize = 1_000_000;

/// The folder to read, and how.
#[derive(Debug, Clone, Copy)]
pub struct Folder<'a> {
    /// Its path, as the caller names it.
    pub path: &'a str,
    /// Whether the folders below it are read as well.
    pub recursive: bool,
    /// Where its documents are kept.
    pub scope: &'a Scope,
    /// How much of it is read at once.
    pub bounds: Bounds,
}

/// How much one call reads. What is in the store already does not count, so that the next call goes on
/// where this one stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// So many files.
    pub files_max: usize,
    /// So many bytes, but for one file that is larger.
    pub bytes_max: u64,
}

impl Bounds {
    /// All of it.
    pub const NONE: Self = Self { files_max: usize::MAX, bytes_max: u64::MAX };
    /// What an agent's call reads: a large repository in one call or a few, and a disk in none.
    pub const CALL: Self = Self { files_max: 50_000, bytes_max: 1 << 30 };

    /// How many of `files` are within the bounds, from the first.
    fn admit(self, files: &[&File]) -> usize {
        let mut bytes = 0_u64;
        let fits = |file: &&&File| {
            let is_first = bytes == 0;
            bytes = bytes.saturating_add(file.state.size);
            is_first || bytes <= self.bytes_max
        };
        files.iter().take(self.files_max).take_while(fits).count()
    }
}

/// What came of indexing a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderReport {
    /// How many files were read into the store.
    pub files_indexed: usize,
    /// How many chunks they have.
    pub chunks: usize,
    /// How many files were there already, as they are.
    pub files_known: usize,
    /// How many files were opened; of the others it was clear without.
    pub files_read: usize,
    /// How many bytes were read from them.
    pub bytes_read: u64,
    /// How many files that are gone were taken out of the store.
    pub files_removed: usize,
    /// How many secrets were taken out of what was read.
    pub secrets: usize,
    /// The files that could not be read, by path.
    pub failed: Vec<FailedFile>,
    /// What was left for the next call, because a bound was reached.
    pub left: Option<Left>,
    /// The files that were read as plain text though they are something else, by path.
    pub plain: Vec<FailedFile>,
    /// Whether it was told to end before all was done.
    pub is_cut_off: bool,
}

/// Files that are new or changed and were not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// How many.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
}

/// A file that could not be read, or not as what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub why: String,
}

/// How far the work is: first files are looked at, then read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// How many files were looked at, of any kind.
    pub walked: usize,
    /// How many files are done.
    pub done: usize,
    /// How many there are of a kind we know, as far as they were looked at.
    pub all: usize,
}

/// Reads every file of a kind we know below a folder into the store, within the bounds. `tell` hears of
/// each step, and the work ends early when it answers false.
pub fn index_folder(
    engine: &Engine,
    caller: &Caller,
    folder: Folder<'_>,
    tell: &mut dyn FnMut(Progress) -> bool,
) -> Result<FolderReport> {
    let Folder { path, recursive, scope, bounds } = folder;
    opened(caller, scope)?;
    within_reach(engine, caller, "Directory", path)?;
    let fail = |why| unreadable("Directory", path, why);
    let dir = engine.files.resolve(path).map_err(fail)?;
    if !engine.files.state(&dir).map_err(fail)?.is_dir {
        return Err(fail(FileError::Unreadable(format!("{path} is not a directory"))));
    }
    let mut report = FolderReport::default();
    let known = known(engine, scope, &dir, recursive)?;
    let Gathered { files, walked, goes_on } = gather(engine, &dir, recursive, &mut report, tell)?;
    if !goes_on {
        return Ok(FolderReport { is_cut_off: true, ..report });
    }
    let seen: HashSet<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    remove_gone(engine, scope, &known, &seen, &mut report)?;
    let is_same = |file: &&File| {
        let known = known.get(&file.path);
        known.is_some_and(|known| is_surely_same(known, file.state.size, file.state.modified))
    };
    let (same, mut due): (Vec<&File>, Vec<&File>) = files.iter().partition(is_same);
    // What is new comes before what only may have changed, so that each call brings the rest nearer.
    due.sort_by_key(|file| known.contains_key(&file.path));
    let (due, left) = due.split_at(bounds.admit(&due));
    report.files_known = same.len();
    let left_bytes = left.iter().map(|file| file.state.size).sum();
    report.left = (!left.is_empty()).then_some(Left { files: left.len(), bytes: left_bytes });
    let start = Progress { walked, done: same.len(), all: same.len() + due.len() };
    Work { engine, scope, known: &known, files: due }.run(report, start, tell)
}

/// What was read from this folder before, by path.
fn known(
    engine: &Engine,
    scope: &Scope,
    dir: &Path,
    recursive: bool,
) -> Result<HashMap<PathBuf, Document>> {
    let documents = engine.store.documents(std::slice::from_ref(scope))?;
    let known = documents.into_iter().map(|document| (PathBuf::from(&document.path), document));
    let is_here = |path: &Path| {
        if recursive { path.starts_with(dir) } else { path.parent() == Some(dir) }
    };
    Ok(known.filter(|(path, _)| is_here(path)).collect())
}

/// A file to be read.
struct File {
    path: PathBuf,
    state: FileState,
    format: Format,
}

/// What a walk found.
struct Gathered {
    /// The files of a kind we know, by path.
    files: Vec<File>,
    /// How many files of any kind there are.
    walked: usize,
    /// Whether it was told to go on.
    goes_on: bool,
}

fn gather(
    engine: &Engine,
    dir: &Path,
    recursive: bool,
    report: &mut FolderReport,
    tell: &mut dyn FnMut(Progress) -> bool,
) -> Result<Gathered> {
    const FILES_BETWEEN_NEWS: usize = 256;
    let (mut files, mut walked_by) = (Vec::new(), 0_usize);
    let mut goes_on = tell(Progress::default());
    engine.files.walk(dir, recursive, &mut |walked| {
        walked_by += 1;
        match walked {
            Walked::File(path, state) => match (format(&path), misnamed(engine, &path)) {
                (Some(_), Some(why)) => report.fail(&shown(engine, &path), why),
                (Some(format), None) => files.push(File { path, state, format }),
                (None, _) => {}
            },
            Walked::Failed(path, why) => report.fail(&path, why),
        }
        if walked_by.is_multiple_of(FILES_BETWEEN_NEWS) {
            goes_on = tell(Progress { walked: walked_by, done: 0, all: files.len() });
        }
        goes_on && files.len() <= LISTED_MAX
    });
    if files.len() > LISTED_MAX {
        let dir = dir.display();
        let why = format!("{dir} has more than {LISTED_MAX} files to read; index its subfolders");
        return Err(Error::new(ErrorKind::Limit, why));
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(Gathered { files, walked: walked_by, goes_on })
}

/// A path as it may be told.
fn shown(engine: &Engine, path: &Path) -> PathBuf {
    let mut path = name(path);
    secrets::take(engine.secrets, &mut path);
    PathBuf::from(path)
}

/// Takes documents out of the store whose files are gone, or left out of the folder by now (hidden,
/// ignored). One that cannot be looked at is not gone.
fn remove_gone(
    engine: &Engine,
    scope: &Scope,
    known: &HashMap<PathBuf, Document>,
    seen: &HashSet<&Path>,
    report: &mut FolderReport,
) -> Result<()> {
    let saw_all = report.failed.is_empty();
    let is_gone = |path: &&PathBuf| {
        !seen.contains(path.as_path())
            && match engine.files.state(path) {
                Err(FileError::NotFound) => true,
                Err(FileError::Unreadable(_)) => false,
                Ok(_) => saw_all,
            }
    };
    let paths: Vec<String> = known.keys().filter(is_gone).map(|path| name(path)).collect();
    report.files_removed = paths.len();
    if !paths.is_empty() {
        engine.apply(Change::of(Op::DeleteDocuments { scope: scope.clone(), paths }))?;
    }
    Ok(())
}

impl FolderReport {
    fn fail(&mut self, path: &Path, why: String) {
        if self.failed.len() < FAILED_NAMED_MAX {
            self.failed.push(FailedFile { path: name(path), why });
        }
    }
}

/// What became of a file, or of a batch of them.
enum News {
    /// It was read, and is there already.
    Same { bytes: u64 },
    /// It was read, and waits for its batch.
    Read { bytes: u64, secrets: usize },
    /// It was read as plain text; why.
    Plain(PathBuf, String),
    /// It cannot be read.
    Failed(PathBuf, String),
    /// A batch of those that were read is in the store.
    Stored { files: usize, chunks: usize },
}

/// All that is to be done.
struct Work<'a> {
    engine: &'a Engine,
    scope: &'a Scope,
    known: &'a HashMap<PathBuf, Document>,
    files: &'a [&'a File],
}

/// Documents that are committed together.
#[derive(Default)]
struct Batch {
    documents: Vec<IndexedDocument>,
    bytes: usize,
    /// How many of the documents are new or changed, and how many chunks those have.
    files: usize,
    chunks: usize,
}

impl Work<'_> {
    fn run(
        self,
        mut report: FolderReport,
        start: Progress,
        tell: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<FolderReport> {
        let (next, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (news, heard) = channel();
        let Progress { mut done, all, .. } = start;
        let mut goes_on = tell(start);
        std::thread::scope(|threads| {
            let workers: Vec<_> = (0..workers().min(self.files.len()))
                .map(|_| {
                    let (work, news, next, ends) = (&self, news.clone(), &next, &ends);
                    threads.spawn(move || work.work(next, ends, &news))
                })
                .collect();
            drop(news);
            for news in heard {
                done += report.take(news);
                goes_on = goes_on && tell(Progress { done, ..start });
                if !goes_on {
                    ends.store(true, Ordering::Relaxed);
                }
            }
            let fault = || Error::new(ErrorKind::Internal, "indexing broke off".to_owned());
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(fault())))
        })?;
        report.failed.sort();
        report.plain.sort();
        report.is_cut_off = done < all;
        Ok(report)
    }

    /// Takes files until there are no more, or it ends.
    fn work(&self, next: &AtomicUsize, ends: &AtomicBool, news: &Sender<News>) -> Result<()> {
        let mut batch = Batch::default();
        while !ends.load(Ordering::Relaxed) {
            let Some(file) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let bytes = file.state.size;
            let (what, fresh) = match self.read(file) {
                Ok(Read::Same) => (News::Same { bytes }, None),
                Ok(Read::Touched(fresh)) => (News::Same { bytes }, Some(fresh)),
                Ok(Read::New(fresh)) => (News::Read { bytes, secrets: fresh.secrets }, Some(fresh)),
                Err(why) => (News::Failed(file.path.clone(), why), None),
            };
            let is_new = matches!(what, News::Read { .. });
            // Whoever listens does so to the end.
            let _ = news.send(what);
            let Some(fresh) = fresh else { continue };
            // A large file's batch is full, and the file leaves the memory before its permit ends.
            let Fresh { document, plain, permit: _permit, .. } = fresh;
            if let Some(why) = plain {
                let _ = news.send(News::Plain(file.path.clone(), why));
            }
            batch.add(document, is_new);
            if batch.is_full() {
                self.store(std::mem::take(&mut batch), news)?;
            }
        }
        self.store(batch, news)
    }

    /// What a file brings.
    fn read(&self, file: &File) -> std::result::Result<Read<'_>, String> {
        let known = self.known.get(&file.path);
        // What breaks a reader must not take the other files with it.
        let read = std::panic::AssertUnwindSafe(|| {
            read(self.engine, self.scope, &file.path, file.state, file.format, known)
        });
        let read = std::panic::catch_unwind(read);
        read.unwrap_or_else(|_| Err("reading it failed".to_owned()))
    }

    fn store(&self, batch: Batch, news: &Sender<News>) -> Result<()> {
        let Batch { files, chunks, .. } = batch;
        if batch.documents.is_empty() {
            return Ok(());
        }
        let ops = batch.documents.into_iter().map(|new| Op::PutDocument(Box::new(new))).collect();
        if self.engine.apply_texts(Change { guards: Vec::new(), ops })? != Outcome::Applied {
            return Err(Error::new(ErrorKind::Internal, "a batch was not stored".to_owned()));
        }
        let _ = news.send(News::Stored { files, chunks });
        Ok(())
    }
}

impl Batch {
    fn add(&mut self, document: IndexedDocument, is_new: bool) {
        if is_new {
            self.files += 1;
            self.chunks += document.chunks.len();
        }
        self.bytes += document.chunks.iter().map(|chunk| chunk.chunk.content.len()).sum::<usize>();
        self.documents.push(document);
    }

    fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES
            || self.documents.len() >= BATCH_DOCUMENTS
            || self.documents.iter().map(|new| new.chunks.len()).sum::<usize>() >= BATCH_CHUNKS
    }
}

impl FolderReport {
    /// Counts the news, and says with how many files the work is done.
    fn take(&mut self, news: News) -> usize {
        match news {
            News::Same { bytes } => {
                self.files_known += 1;
                self.opened(bytes);
            }
            News::Read { bytes, secrets } => {
                self.secrets += secrets;
                self.opened(bytes);
            }
            News::Failed(path, why) => {
                self.opened(0);
                self.fail(&path, why);
            }
            News::Plain(path, why) => {
                if self.plain.len() < FAILED_NAMED_MAX {
                    self.plain.push(FailedFile { path: name(&path), why });
                }
                return 0;
            }
            News::Stored { files, chunks } => {
                self.files_indexed += files;
                self.chunks += chunks;
                return 0;
            }
        }
        1
    }

    fn opened(&mut self, bytes: u64) {
        self.files_read += 1;
        self.bytes_read += bytes;
    }
}

/// Two for each core: one that waits for a reader process or a commit leaves its core to another.
fn workers() -> usize {
    2 * crate::parallel::cores()
}
