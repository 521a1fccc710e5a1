//! The targets of `fuzz/` with plain Rust: the kept corpus, and mutations of it that are the same
//! every time. What cargo-fuzz found is in the corpus, so that it stays found.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "it is a library there")]
mod targets;

/// So many mutations of each target are tried, …
const MUTATIONS: usize = 3_000;

/// … or as many as there is time for: on a slow machine fewer are better than none.
const TIME_MAX: Duration = Duration::from_secs(6);

/// Tries for so many seconds instead, and others each time: where there is no nightly Rust.
const SECONDS: &str = "LOREKEEP_FUZZ_SECONDS";

/// No more files, and no larger ones, are kept of a target.
const FILES_MAX: usize = 40;
const BYTES_MAX: u64 = 4 << 10;

pub(crate) fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|why| panic!("{}: {why}", dir.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 1).unwrap() % end.max(1)
    }
}

/// What breaks readers.
const WORDS: [&str; 24] = [
    "\u{0}",
    "\n",
    "\r\n",
    "---\n",
    "```",
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[[",
    "]]",
    "<",
    ">",
    "&#0;",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\u{1f600}",
    "99999999999999999999",
    "-1",
    ": ",
    "password=\"a1b2c3d4e5!\"",
    "://a:b1c@d",
];

fn mutated(all: &[(PathBuf, Vec<u8>)], dice: &mut Dice) -> Vec<u8> {
    let mut data = all[dice.below(all.len())].1.clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(data.len() + 1);
        let end = (at + dice.below(16)).min(data.len());
        match dice.below(6) {
            0 if at < data.len() => data[at] ^= 1 << dice.below(8),
            1 => drop(data.drain(at..end)),
            2 => {
                let part = data[at..end].to_vec();
                data.splice(at..at, part.repeat(1 + dice.below(20)));
            }
            3 => {
                let other = &all[dice.below(all.len())].1;
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(64)).min(other.len());
                data.splice(at..end, other[from..to].iter().copied());
            }
            4 => data.truncate(at),
            _ => drop(data.splice(at..at, WORDS[dice.below(WORDS.len())].bytes())),
        }
    }
    data.truncate(8 << 10);
    data
}

fn tried(name: &str, target: fn(&[u8])) {
    let all = corpus(name);
    assert!(!all.is_empty() && all.len() <= FILES_MAX, "{name}: {} files", all.len());
    for (path, data) in &all {
        assert!(data.len() as u64 <= BYTES_MAX, "{} is too large", path.display());
        let outcome = std::panic::catch_unwind(|| target(data));
        assert!(outcome.is_ok(), "{}", path.display());
    }
    let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok());
    let (time_max, most) = match seconds {
        Some(seconds) => (Duration::from_secs(seconds), usize::MAX),
        None => (TIME_MAX, MUTATIONS),
    };
    let now = || std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64);
    let seed = seconds.map_or(0, |_| now());
    let (mut dice, began) = (Dice(0x2545_f491_4f6c_dd1d ^ seed), Instant::now());
    for number in 0..most {
        if began.elapsed() > time_max {
            break;
        }
        let data = mutated(&all, &mut dice);
        let outcome = std::panic::catch_unwind(|| target(&data));
        assert!(outcome.is_ok(), "{name}: mutation {number} {:?}", String::from_utf8_lossy(&data));
    }
}

#[test]
fn the_library_of_the_configuration_has_the_binarys_dependencies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names = |path: &str| -> Vec<String> {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let (_, rest) = text.split_once("[dependencies]").unwrap();
        let ours = rest.split("[dev-dependencies]").next().unwrap();
        let name = |line: &str| line.split(['.', ' ']).next().map(str::to_owned);
        let lines = ours.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        // Its allocator is none of the configuration's.
        let mut names: Vec<String> = lines.filter_map(name).filter(|n| n != "mimalloc").collect();
        names.sort();
        names
    };
    assert_eq!(names("fuzz/config/Cargo.toml"), names("crates/lorekeep/Cargo.toml"));
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            tried(stringify!($name), targets::$name);
        })*

        #[test]
        fn no_target_and_no_corpus_is_forgotten() {
            let tested = [$(stringify!($name)),*];
            assert_eq!(tested, targets::TARGETS.map(|(name, _)| name));
            let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
            let names = |dir: &str, path: &Path| -> Vec<String> {
                let entries = std::fs::read_dir(path.join(dir)).unwrap();
                let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
                let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap().path())).collect();
                names.sort();
                names
            };
            // The configuration's is tried where it is: it is the binary's own.
            let mut all: Vec<String> = tested.map(str::to_owned).into_iter().chain(["config".into()]).collect();
            all.sort();
            assert_eq!(names("fuzz_targets", &dir), all);
            assert_eq!(names("corpus", &dir), all);
        }
    };
}

targets! { lines tools records items chunks pdf search patterns keep clients pages }
