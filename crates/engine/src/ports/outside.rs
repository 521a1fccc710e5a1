//! What the engine reaches beyond its store, as far as whoever set it up allows: files that people
//! work on, commands, the web, and a model that reads texts.

use std::io::{Read, Seek};
use std::path::PathBuf;
use std::time::Duration;

use crate::Result;

/// What is allowed beyond the store. What is not there is refused, with how to get it.
#[derive(Default)]
pub struct Outside {
    /// The files below the roots.
    pub workspace: Option<Box<dyn Workspace>>,
    /// What runs commands.
    pub shell: Option<Box<dyn Shell>>,
    /// The web.
    pub web: Option<Box<dyn Web>>,
    /// A model that reads texts.
    pub reader: Option<Box<dyn Reader>>,
}

/// What can be read from any place.
pub trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// A file that was opened below a root.
pub struct Opened {
    /// Its absolute path, with links resolved.
    pub path: PathBuf,
    /// How many bytes it has.
    pub size: u64,
    /// Which file it is, in the state that it is in.
    pub stamp: Stamp,
    /// Its bytes.
    pub bytes: Box<dyn Bytes>,
}

/// Tells a file and its state from others: device, number, size, and when it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The device and the number of the file on it.
    pub file: (u64, u64),
    /// How many bytes it has.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub changed: i128,
}

/// Reads and replaces files below roots. A path is relative to the first root, or absolute and
/// below any. Nothing outside is ever touched, whatever links lie on the way or are swapped in
/// meanwhile; errors name the path that was asked for.
pub trait Workspace: Send + Sync {
    /// The roots where the caller names none.
    fn roots(&self) -> Vec<PathBuf>;

    /// Opens a regular file.
    fn open(&self, roots: &[PathBuf], path: &str) -> Result<Opened>;

    /// Puts `content` in the place of a file, or makes it with the folders it lies in: at once, so
    /// that nobody ever reads half of it. The mode stays. If `still` is given, the file must be in
    /// that state. Answers the absolute path.
    fn replace(
        &self,
        roots: &[PathBuf],
        path: &str,
        content: &[u8],
        still: Option<Stamp>,
    ) -> Result<PathBuf>;
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What the shell is told.
    pub command: String,
    /// Where it runs, as a path of the workspace; none for the first root.
    pub directory: Option<String>,
    /// How long it may run.
    pub time_max: Duration,
    /// How many characters of its output are kept.
    pub output_max: usize,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The status it ended with; as a shell tells it, 128 and the number of the signal that ended it.
    pub status: i32,
    /// What it wrote, both streams together and in their order. If it was more than is kept, the
    /// first half and the last half of that.
    pub output: String,
    /// How many characters were cut out.
    pub cut: u64,
    /// Whether its time was over.
    pub is_late: bool,
    /// Whether it was ended because nobody waits for it any more.
    pub is_cancelled: bool,
}

/// Runs commands in a directory below a root.
pub trait Shell: Send + Sync {
    /// Why an order would be refused, if it would: asked before, so that what is refused is not noted
    /// as done.
    fn admits(&self, roots: &[PathBuf], order: &Order) -> Result<()>;

    /// Runs one, and hears from `go_on` several times a second whether to go on; it is told how long
    /// it has run. Whatever the command started has ended when this answers.
    fn run(
        &self,
        roots: &[PathBuf],
        order: &Order,
        go_on: &mut dyn FnMut(Duration) -> bool,
    ) -> Result<Ran>;
}

/// What a search of the web found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What it says.
    pub description: String,
}

/// A place that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Its name.
    pub title: String,
    /// Where it is; empty if unknown.
    pub address: String,
    /// Its telephone number; empty if unknown.
    pub phone: String,
    /// What people think of it, from 0 to 5; 0 if unknown.
    pub rating: f64,
}

/// Searches the web and reads its pages.
pub trait Web: Send + Sync {
    /// Pages that fit a query, `offset` pages of results further.
    fn search(&self, query: &str, count: usize, offset: usize) -> Result<Vec<Hit>>;

    /// Places that fit a query; none if it found none or asks for none.
    fn places(&self, query: &str, count: usize) -> Result<Vec<Place>>;

    /// What a page says, as Markdown.
    fn read(&self, url: &str) -> Result<String>;
}

/// A model that answers questions about texts.
pub trait Reader: Send + Sync {
    /// Who answers, for people: the kind of server and the model.
    fn name(&self) -> &str;

    /// The answer, a JSON document, to a question that says what it should be. An error says in one
    /// sentence what failed, where, and what would help.
    fn answer(&self, system: &str, question: &str) -> Result<String, String>;
}
