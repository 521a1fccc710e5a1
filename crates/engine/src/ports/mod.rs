//! What the engine asks of the world. Handed in, so that a test decides what time it is.

mod outside;

use std::path::{Path, PathBuf};

use model::{EpisodeId, MemoryId, RecordId, Timestamp};
pub use rank::calibrate::Calibration;
pub use rank::chunk::{Job, Parsed};
pub use rank::embed::Embedding;

pub use outside::{
    Bytes, Hit, Opened, Order, Outside, Place, Ran, Reader, Shell, Stamp, Web, Workspace,
};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time now, to the microsecond.
    fn now(&self) -> Timestamp;

    /// The same for the books, which no answer tells: a clock that ticks by being asked does not.
    fn glance(&self) -> Timestamp {
        self.now()
    }
}

/// Makes new identities.
pub trait Ids: Send + Sync {
    /// A memory id that no memory has.
    fn memory_id(&self) -> MemoryId;

    /// A record id that no record has.
    fn record_id(&self) -> RecordId {
        let [.., a, b, c, d, e, f] = *self.memory_id().as_bytes();
        RecordId([a, b, c, d, e, f])
    }

    /// An episode id that no episode has.
    fn episode_id(&self) -> EpisodeId {
        let [.., a, b, c, d, e, f, g, h] = *self.memory_id().as_bytes();
        EpisodeId([a, b, c, d, e, f, g, h])
    }
}

/// What a text is embedded for; some models treat the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Passage,
    /// To find.
    Query,
}

/// Turns texts into vectors. Two vectors can be compared if the same model made them.
pub trait Embedder: Send + Sync {
    /// The model's id: the same for the same vectors, on every machine and after every restart.
    /// It is kept beside each vector.
    fn model(&self) -> &str;

    /// One vector a text, in their order; none for a text of which the model knows nothing. An
    /// error says in one sentence what failed, where, and what would help; no vector is half there.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String>;

    /// What its cosines weigh, if that is known; else it is found out on pairs of texts of ours.
    fn calibration(&self) -> Option<Calibration> {
        None
    }
}

/// What a file system tells of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    /// How many bytes it has.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: i64,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    /// There is none of that name.
    NotFound,
    /// It cannot be read; in one sentence, why.
    Unreadable(String),
}

/// What a walk through a directory comes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Walked {
    /// A file.
    File(PathBuf, FileState),
    /// Something that cannot be looked at, and why.
    Failed(PathBuf, String),
}

/// Reads files of this machine.
pub trait Files: Send + Sync {
    /// The absolute path of what is there, with links resolved.
    fn resolve(&self, path: &str) -> Result<PathBuf, FileError>;

    /// The absolute path that this would have, whether or not anything is there.
    fn absolute(&self, path: &str) -> PathBuf;

    /// What is there.
    fn state(&self, path: &Path) -> Result<FileState, FileError>;

    /// The bytes of a file, if they are no more than `max`.
    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>, FileError>;

    /// Every file below a directory, in no order: not the hidden ones, not what version control
    /// leaves out, and nothing that a link leads to outside of it. Ends early when `each` answers
    /// false.
    fn walk(&self, dir: &Path, recursive: bool, each: &mut dyn FnMut(Walked) -> bool);

    /// Every file of a project, in no order: hidden ones too, but not what version control leaves out
    /// or keeps for itself, and nothing that a link leads to. Ends early when `each` answers false.
    fn walk_project(&self, root: &Path, each: &mut dyn FnMut(&Path) -> bool) {
        self.walk(root, true, &mut |walked| match walked {
            Walked::File(path, _) => each(&path),
            Walked::Failed(..) => true,
        });
    }

    /// Every file below a directory whose name ends so, by its path below, in an order that stays the
    /// same while nothing changes, and as cheaply as can be: nothing hidden, nothing that a link leads
    /// to, nothing whose name is no UTF-8, whatever version control thinks of it.
    fn scan(&self, dir: &Path, ending: &str) -> Vec<(String, FileState)> {
        let mut found = Vec::new();
        self.walk(dir, true, &mut |walked| {
            if let Walked::File(path, state) = walked
                && let Some(below) = path.strip_prefix(dir).ok().and_then(Path::to_str)
                && below.ends_with(ending)
            {
                found.push((below.to_owned(), state));
            }
            true
        });
        found
    }

    /// Has a parser do a job with the bytes of a file. It comes back, whatever the bytes are, takes
    /// bounded memory, and ends nothing of this process.
    fn parse(&self, job: Job, bytes: &[u8], room: Room) -> Result<Parsed, ParseFailure>;
}

/// How much a parser may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Others parse at the same time.
    Shared,
    /// No other does.
    Alone,
}

/// Why parsing a file gave nothing; each says so in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseFailure {
    /// The file cannot be indexed.
    Refused(String),
    /// The parser ended, took too long or did not start.
    Ended(String),
    /// It needs more memory than there is room for.
    TooLarge(String),
}
