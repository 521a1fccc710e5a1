//! How long a commit takes: `cargo run --release -p ledger --example commit_speed [files …]`.
//!
//! On ext4 a new file takes up to a millisecond where many were removed in the last five minutes: it
//! passes over each of those. So what is measured here is removed at the end, and a second run is
//! slower than the first.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a measurement prints and may fail")]

use std::path::Path;
use std::time::{Duration, Instant};

use ledger::{Ledger, blob_id};
use model::{Draft, DraftFile, EpisodeId, Timestamp};
use tempfile::TempDir;

const SINGLE_COMMITS: u64 = 400;
/// Single commits in a row, and after how many of them the ledger is settled.
const ROW: u64 = 2_000;
const ROW_SETTLED: usize = 256;
const BATCHES: u64 = 20;
const BATCH: u64 = 50;

fn main() {
    let sizes: Vec<u64> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000] } else { sizes };
    println!(
        "  files  single µs (median, mean)   in batches of 50 µs   settle ms   edits ms   tidy ms"
    );
    let mut dirs: Vec<TempDir> = sizes.iter().copied().map(measure).collect();
    println!(
        "  files  {ROW} in a row: µs each with settling   settle ms (mean)   packs   bytes each"
    );
    dirs.extend(sizes.into_iter().map(measure_row));
    drop(dirs);
}

fn filled(dir: &Path, files: u64) -> Ledger {
    let ledger = Ledger::open(dir).expect("opens");
    let numbers: Vec<u64> = (0..files).collect();
    for chunk in numbers.chunks(1_000) {
        let drafts: Vec<Draft> = chunk.iter().map(|number| draft(*number, 0)).collect();
        ledger.lock().expect("held").commit(&drafts).expect("committed");
    }
    ledger.lock().expect("held").settle().expect("settled");
    ledger
}

fn measure_row(files: u64) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let ledger = filled(dir.path(), files);
    let (_, before) = packs(dir.path());
    let (mut settling, mut settles) = (Duration::ZERO, 0);
    let all = timed(|| {
        for turn in 0..ROW {
            let one = [draft(turn * 7919 % files, 1 + turn / files)];
            ledger.lock().expect("held").commit(&one).expect("committed");
            if ledger.unsettled() >= ROW_SETTLED {
                settling += timed(|| ledger.lock().expect("held").settle().expect("settled"));
                settles += 1;
            }
        }
        ledger.lock().expect("held").settle().expect("settled");
    });
    let (packs, bytes) = packs(dir.path());
    println!(
        "{files:>7} {:>36} {:>18.1} {packs:>7} {:>12}",
        (all / ROW as u32).as_micros(),
        settling.as_secs_f64() * 1e3 / f64::from(settles),
        bytes.saturating_sub(before) / ROW,
    );
    dir
}

/// How many packs there are, and of how many bytes with their indexes.
fn packs(dir: &Path) -> (usize, u64) {
    let folder = std::fs::read_dir(dir.join(".git/objects/pack")).expect("packs");
    let sizes: Vec<u64> =
        folder.map(|entry| entry.and_then(|e| e.metadata()).expect("a file").len()).collect();
    (sizes.len() / 2, sizes.iter().sum())
}

fn measure(files: u64) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let ledger = filled(dir.path(), files);
    let mut times = Vec::new();
    for turn in 0..SINGLE_COMMITS {
        let one = [draft(turn * 7919 % files, 1)];
        times.push(timed(|| ledger.lock().expect("held").commit(&one).expect("committed")));
    }
    let mut batches = Duration::ZERO;
    for turn in 0..BATCHES {
        let numbers = (0..BATCH).map(|at| (turn * BATCH + at) * 104_729 % files);
        let drafts: Vec<Draft> = numbers.map(|number| draft(number, 2 + turn)).collect();
        batches += timed(|| ledger.lock().expect("held").commit(&drafts).expect("committed"));
    }
    let mut held = ledger.lock().expect("held");
    let settle = timed(|| held.settle().expect("settled"));
    let edits = timed(|| assert_eq!(held.edits().expect("edits"), []));
    drop(held);
    let tidy = timed(|| ledger.tidy().expect("tidied"));
    times.sort();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    println!(
        "{files:>7} {:>10} {:>10} {:>20} {:>17.1} {:>10.1} {:>9.0}",
        times[times.len() / 2].as_micros(),
        mean.as_micros(),
        (batches / (BATCHES * BATCH) as u32).as_micros(),
        settle.as_secs_f64() * 1e3,
        edits.as_secs_f64() * 1e3,
        tidy.as_secs_f64() * 1e3,
    );
    dir
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn content(number: u64, version: u64) -> String {
    format!(
        "---\nfid: {number:012x}\n---\n\n# Record {number}\n\n{}{version}\n",
        "why so? ".repeat(80)
    )
}

/// A change of one file, whose name is spread over 256 folders.
fn draft(number: u64, version: u64) -> Draft {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    let path = format!("default/{:02x}/decision_{spread:012x}.md", spread >> 40);
    Draft {
        episode: EpisodeId((number << 8 | version).to_be_bytes()),
        files: vec![DraftFile {
            path,
            content: Some(content(number, version)),
            was: (version > 0).then(|| blob_id(content(number, version - 1).as_bytes())),
        }],
        subject: format!("record {number}"),
        body: "because".to_owned(),
        author: "Ada".to_owned(),
        at: Timestamp::UNIX_EPOCH,
    }
}
