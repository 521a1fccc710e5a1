//! A clock, ids and a model that tests decide on, and an engine on a store of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use model::scope::OwnerId;
use model::{Caller, Identity, Layer, MemoryId, Role, Timestamp, time};

use crate::ports::{
    FileError, FileState, Hit, Job, ParseFailure, Parsed, Place, Room, Walked, Web,
};
use crate::{
    BuiltIn, Calibration, Clock, Embedder, Embedding, Engine, Error, ErrorKind, Files, Ids, Limits,
    Meaning, Purpose, Setup,
};

/// A clock that goes on by one second whenever it is asked, from 2026-01-01.
#[derive(Debug)]
pub struct TickingClock(AtomicI64);

/// 2026-01-01T00:00:00Z.
const START_MICROS: i64 = 1_767_225_600_000_000;

impl Default for TickingClock {
    fn default() -> Self {
        Self(AtomicI64::new(START_MICROS))
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        time::from_micros(self.0.fetch_add(1_000_000, Ordering::Relaxed)).unwrap_or_default()
    }

    fn glance(&self) -> Timestamp {
        time::from_micros(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}

/// Ids that count up: the first ends in 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl CountingIds {
    /// Ids that count up from behind `number`, for a second engine on the same store.
    pub fn behind(number: u64) -> Self {
        Self(AtomicU64::new(number))
    }
}

impl Ids for CountingIds {
    fn memory_id(&self) -> MemoryId {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        MemoryId::from_random(bytes)
    }
}

/// The files of this machine, all of them and as they are; it knows no PDF.
#[derive(Debug, Clone, Copy)]
pub struct PlainFiles;

impl PlainFiles {
    fn error(why: &std::io::Error) -> FileError {
        match why.kind() {
            std::io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Unreadable(why.to_string()),
        }
    }
}

impl Files for PlainFiles {
    fn resolve(&self, path: &str) -> Result<PathBuf, FileError> {
        std::fs::canonicalize(path).map_err(|why| Self::error(&why))
    }

    fn absolute(&self, path: &str) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.into())
    }

    fn state(&self, path: &Path) -> Result<FileState, FileError> {
        let state = std::fs::metadata(path).map_err(|why| Self::error(&why))?;
        let since = state.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(0));
        Ok(FileState { size: state.len(), modified, is_dir: state.is_dir() })
    }

    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
        if self.state(path)?.size > max {
            return Err(FileError::Unreadable(format!("it is larger than {max} bytes")));
        }
        std::fs::read(path).map_err(|why| Self::error(&why))
    }

    fn walk(&self, dir: &Path, recursive: bool, each: &mut dyn FnMut(Walked) -> bool) {
        let Ok(entries) = std::fs::read_dir(dir) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            match self.state(&path) {
                Ok(state) if state.is_dir => {
                    if recursive {
                        self.walk(&path, true, each);
                    }
                }
                Ok(state) => _ = each(Walked::File(path, state)),
                Err(_) => _ = each(Walked::Failed(path, "it is gone".to_owned())),
            }
        }
    }

    fn parse(&self, job: Job, bytes: &[u8], _: Room) -> Result<Parsed, ParseFailure> {
        match job {
            Job::PdfPages => Err(ParseFailure::Refused("it knows no PDF".to_owned())),
            job => rank::chunk::run(job, bytes).map_err(ParseFailure::Refused),
        }
    }
}

/// An engine with a ticking clock and counting ids on the store in `dir`.
pub fn engine(dir: &std::path::Path, limits: Limits) -> crate::Result<Engine> {
    Engine::open(dir, Setup { limits, ..setup(Meaning::BuiltIn) })
}

/// An admin with the id `me` in every layer.
pub fn everybody() -> Caller {
    let me = || OwnerId::nearest("me");
    let open = Layer::ALL.into_iter().filter_map(|layer| Some((layer, me()?)));
    let identity = Identity::default().with_all_projects();
    let identity = open.fold(identity, |identity, (layer, id)| identity.with(layer, id));
    Caller::new(identity, Role::Admin)
}

/// A set-up with a ticking clock and counting ids, without limits.
pub fn setup(meaning: Meaning) -> Setup {
    Setup {
        clock: Box::<TickingClock>::default(),
        ids: Box::<CountingIds>::default(),
        files: Box::new(PlainFiles),
        meaning,
        limits: Limits::default(),
        read_only: false,
        keeps_index: false,
        keeps_queries: true,
        audits_reads: false,
        injects_from: model::TrustLevel::Agent,
        store_trust_max: model::TrustLevel::Person,
        trust: model::Trust::Open,
        secrets: crate::secrets::Policy::default(),
        knowledge_dir: None,
        outside: crate::Outside::default(),
        backups: crate::Rhythm::NEVER,
    }
}

/// A model that knows words which the built-in one does not, and has other vectors of the same
/// cosines for all else. It is out of reach whenever a test says so.
#[derive(Debug, Clone, Default)]
pub struct FakeModel {
    /// Pairs of a word, and of one that the built-in model knows it by.
    pub words: &'static [(&'static str, &'static str)],
    /// Whether it is out of reach.
    pub fails: Arc<AtomicBool>,
    /// Whether nobody knows yet what its cosines weigh.
    pub is_unweighed: bool,
    /// How many texts it has embedded.
    pub embedded: Arc<AtomicU64>,
}

impl FakeModel {
    /// Its id.
    pub const ID: &'static str = "fake-model-v1";
}

impl Embedder for FakeModel {
    fn model(&self) -> &str {
        Self::ID
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String> {
        if self.fails.load(Ordering::Relaxed) {
            return Err("the fake model is out of reach".to_owned());
        }
        self.embedded.fetch_add(texts.len() as u64, Ordering::Relaxed);
        let known = |text: &&str| {
            let known = |text: String, (word, known): &(&str, &str)| text.replace(word, known);
            self.words.iter().fold((*text).to_owned(), known)
        };
        let texts: Vec<String> = texts.iter().map(known).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let turned = |vector: Embedding| {
            let numbers = vector.as_slice();
            Embedding::towards(numbers.iter().rev().chain(&[0.0; 16]).copied().collect::<Vec<_>>())
        };
        let vectors = BuiltIn.embed(&texts, purpose)?;
        Ok(vectors.into_iter().map(|vector| vector.and_then(turned)).collect())
    }

    fn calibration(&self) -> Option<Calibration> {
        (!self.is_unweighed).then_some(Calibration::BUILT_IN)
    }
}

/// A web in which every search finds pages that are called like the query and its number, every query
/// that says where (`coffee in London`) finds places, and there is one page: <https://example.org/>.
/// It searches nothing for `no key`, and reads nothing on `localhost`.
#[derive(Debug, Clone, Copy)]
pub struct FakeWeb;

impl FakeWeb {
    /// It has no more results than this.
    const RESULTS: usize = 30;

    fn has_key(query: &str) -> crate::Result<()> {
        let message = "Brave Search is disabled or API key is not configured";
        if query == "no key" { Err(Error::new(ErrorKind::Outside, message)) } else { Ok(()) }
    }
}

impl Web for FakeWeb {
    fn search(&self, query: &str, count: usize, offset: usize) -> crate::Result<Vec<Hit>> {
        Self::has_key(query)?;
        let hit = |number: usize| Hit {
            title: format!("{query} {number}"),
            url: format!("https://example.org/{number}"),
            description: format!("Page {number} about {query}"),
        };
        Ok((1..=Self::RESULTS).skip(offset * count).take(count).map(hit).collect())
    }

    fn places(&self, query: &str, count: usize) -> crate::Result<Vec<Place>> {
        Self::has_key(query)?;
        let Some((what, town)) = query.split_once(" in ") else { return Ok(Vec::new()) };
        let place = |number: usize| Place {
            title: format!("{what} {number}"),
            address: format!("{number} Main Street, {town}"),
            phone: String::new(),
            rating: 4.5,
        };
        Ok((1..=Self::RESULTS).take(count).map(place).collect())
    }

    fn read(&self, url: &str) -> crate::Result<String> {
        if url.contains("localhost") {
            let message = "the host localhost is not read: it is this machine; only public addresses \
                are, unless the server is started with --allow-private-urls";
            return Err(Error::new(ErrorKind::Forbidden, message));
        }
        if url != "https://example.org/" {
            return Err(Error::new(ErrorKind::Outside, "HTTP 404: Not Found"));
        }
        let page =
            "Title: Example\n\nURL Source: https://example.org/\n\nMarkdown Content:\n# Example";
        Ok(page.to_owned())
    }
}
