//! The targets of `fuzz/` with plain Rust: the kept corpus, and a fixed number of mutations of it that are
//! the same on every machine. What cargo-fuzz found is in the corpus, so that it stays found.
//!
//! `LOREKEEP_FUZZ_RUNS` sets another number of mutations of each target, `PROPTEST_RNG_SEED` makes other ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{lorekeep, number, seed};

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "it is a library there")]
mod targets;

/// So many mutations of each target are tried: together some seconds of a processor each, at most.
const RUNS: u64 = 10_000;

/// Set in a child process of a test: the file that it writes each mutation to before it tries it.
const CHILD: &str = "LOREKEEP_FUZZ_CHILD";

/// Set in a child process of a test: the first mutation that it tries.
const FIRST: &str = "LOREKEEP_FUZZ_FIRST";

/// Files that a run of `scripts/fuzz chunks` found, in this folder.
const FOUND: &str = "LOREKEEP_FUZZ_FOUND";

/// So many of them are tried.
const FOUND_MAX: usize = 100;

/// No more files, and no larger ones, are kept of a target.
const FILES_MAX: usize = 40;
const BYTES_MAX: u64 = 4 << 10;

pub(crate) fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target))
}

/// The files of a folder, by name.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|why| panic!("{}: {why}", dir.display()));
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

/// Gives the kept corpus to a target and then mutations of it.
fn run(name: &str, target: fn(&[u8])) {
    let all = corpus(name);
    assert!(!all.is_empty() && all.len() <= FILES_MAX, "{name}: {} files", all.len());
    for (path, data) in &all {
        assert!(data.len() as u64 <= BYTES_MAX, "{} is too large", path.display());
        let outcome = std::panic::catch_unwind(|| target(data));
        assert!(outcome.is_ok(), "{}", path.display());
    }
    let (child, first) = (std::env::var_os(CHILD), number(FIRST).unwrap_or(0));
    // The state of these dice may not be zero, so the seed leaves the lowest bit alone.
    let mut dice = Dice(0x2545_f491_4f6c_dd1d ^ seed().wrapping_mul(2));
    for at in 0..number("LOREKEEP_FUZZ_RUNS").unwrap_or(RUNS) {
        let data = mutated(&all, &mut dice);
        if at < first {
            continue;
        }
        if let Some(file) = &child {
            std::fs::write(file, [&at.to_le_bytes(), data.as_slice()].concat()).unwrap();
        }
        let outcome = std::panic::catch_unwind(|| target(&data));
        assert!(outcome.is_ok(), "{name}: mutation {at} {:?}", String::from_utf8_lossy(&data));
    }
}

/// The same for a target that calls parsers of others, which may end the process: it runs in a child of
/// this test. Where a mutation ends the child, the product must survive that mutation, and the next child
/// goes on behind it.
fn run_in_child(name: &str, target: fn(&[u8]), survives: fn(&[u8])) {
    if std::env::var_os(CHILD).is_some() {
        return run(name, target);
    }
    let dir = tempfile::tempdir().unwrap();
    let (file, mut first) = (dir.path().join("mutation"), 0);
    loop {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([&format!("fuzz::{name}"), "--exact", "--nocapture"])
            .env(CHILD, &file)
            .env(FIRST, first.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stderr);
        match child.status.code() {
            Some(0) => return,
            Some(code) => panic!("{name} ended with {code}: {said}"),
            None => {}
        }
        let written = std::fs::read(&file).unwrap_or_else(|_| panic!("{name}: the corpus: {said}"));
        let (at, data) = written.split_first_chunk().unwrap();
        survives(data);
        first = u64::from_le_bytes(*at) + 1;
    }
}

/// Lets the product index a folder with this input of the target `chunks` and another file: it must answer
/// and index the other file.
fn index_survives(data: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let (extension, content) = targets::source_file(data);
    let (store, docs) = (dir.path().join("store"), dir.path().join("docs"));
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join(format!("input.{extension}")), content).unwrap();
    std::fs::write(docs.join("other.md"), "# Other\n\nThe okapi is indexed as well.\n").unwrap();
    let run = |args: &[&str]| {
        let done = lorekeep(&store).args(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&done.stdout), text(&done.stderr));
        assert!(done.status.code().is_some(), "{args:?} {:?}: {out}{err}", done.status);
        let read = serde_json::from_str::<Value>(&out);
        read.unwrap_or_else(|why| panic!("{args:?} {why}: {out}{err}"))
    };
    run(&["index", "--json", docs.to_str().unwrap()]);
    let found = run(&["call", "search", r#"{"query": "okapi", "top_k": 5}"#]);
    assert!(found.to_string().contains("The okapi is indexed"), "{found}");
}

/// A mutation that ends the parser of PDFs must be an answer of the process that reads them.
fn pdf_survives(data: &[u8]) {
    crate::pdf::assert_answer(data, "a mutation");
}

/// Files that end a grammar in this process. `scripts/fuzz chunks` finds them and says in
/// `LOREKEEP_FUZZ_FOUND` where they are; each kind is kept once.
#[test]
fn what_ends_a_grammar_does_not_end_the_product() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/endings/chunks");
    let (kept, found) = (files(&kept), std::env::var_os(FOUND).map(PathBuf::from));
    assert!(!kept.is_empty() && kept.len() <= FILES_MAX, "{} files", kept.len());
    for (path, data) in &kept {
        assert!(data.len() as u64 <= BYTES_MAX, "{} is too large", path.display());
    }
    let found = found.map(|dir| files(&dir)).unwrap_or_default();
    for (path, data) in kept.iter().chain(found.iter().take(FOUND_MAX)) {
        let outcome = std::panic::catch_unwind(|| index_survives(data));
        assert!(outcome.is_ok(), "{}", path.display());
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
    ($($name:ident $(in a child process: $survives:ident)?,)*) => {
        $(#[test]
        fn $name() {
            targets!(@run $name $($survives)?);
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
    (@run $name:ident) => {
        run(stringify!($name), targets::$name)
    };
    (@run $name:ident $survives:ident) => {
        run_in_child(stringify!($name), targets::$name, $survives)
    };
}

targets! {
    lines,
    tools,
    records,
    items,
    chunks in a child process: index_survives,
    pdf in a child process: pdf_survives,
    search,
    patterns,
    keep,
    clients,
    pages,
}
