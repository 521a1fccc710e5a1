//! `lorekeep bench scale`: how long a search takes as the store grows.
//!
//! One store grows from size to size. At each the real server is asked over its pipes by one client,
//! one call after the other, with filters on. Beside it: what a memory costs in the server's memory,
//! and what embedding costs who stores.

mod fill;
mod plot;
mod searching;
mod storing;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::measure::{Bound, Figure};
use super::sentences::{self, Sentences};
use crate::cli::ScaleArgs;
use crate::output;
pub(super) use fill::open;
use searching::Searched;
use storing::Storing;

/// What is wanted of the median at some sizes, in milliseconds.
const WANTED: [(u64, f64); 3] = [(10_000, 0.5), (100_000, 1.5), (1_000_000, 8.0)];

/// What is wanted of the memory that 100,000 memories take, in megabytes.
const WANTED_MEMORY: f64 = 80.0;

/// Of fewer memories, what they take cannot be told from chance.
const MEMORY_SIZE_MIN: u64 = 10_000;

/// What is wanted of the rate of writes with vectors, in percent of that without.
const WANTED_PERCENT: f64 = 80.0;

/// All that was seen.
struct Seen {
    sizes: Vec<Searched>,
    storing: [Storing; 2],
}

pub(crate) fn run(args: &ScaleArgs) -> Result<ExitCode> {
    let scratch = super::scratch(args.dir.as_deref())?;
    if cfg!(debug_assertions) {
        output::note("this is a debug build: it says little of a release build");
    }
    let time = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    ensure!(args.sizes.is_sorted() && args.sizes[0] > 0, "--sizes must ascend from 1 or more");
    let seen = measure(scratch.path(), &args.sizes, time)?;
    if let Some(file) = &args.plot {
        let picture = plot::picture(&seen.sizes, &WANTED);
        std::fs::write(file, picture).with_context(|| file.display().to_string())?;
    }
    if args.json {
        output::json(&describe(&seen))?;
    } else {
        print(&seen);
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(scratch: &Path, sizes: &[u64], time: Duration) -> Result<Seen> {
    let sentences = Sentences::new();
    let storing = storing::measure(&scratch.join("storing"), &sentences, time)?;
    let nothing = searching::memory_of_nothing(&scratch.join("empty"), &sentences)?;
    let store = scratch.join("store");
    fill::put_alone(&fill::open(&store)?, &sentences)?;
    let (mut seen, mut filled) = (Vec::new(), 0);
    for &size in sizes {
        let began = Instant::now();
        fill::fill(&fill::open(&store)?, &sentences, filled, size)?;
        let spent = began.elapsed().as_secs_f64();
        output::note(format!("{size} memories: {} more in {spent:.1} s", size - filled));
        filled = size;
        let mut searched = searching::measure(&store, &sentences, size, time)?;
        searched.memory = searched.memory.zip(nothing).map(|(all, nothing)| all - nothing);
        seen.push(searched);
    }
    Ok(Seen { sizes: seen, storing })
}

/// The figures of which something is wanted.
fn figures(seen: &Seen) -> Vec<Figure> {
    let size = |wanted: u64| seen.sizes.iter().find(|searched| searched.memories == wanted);
    let mut figures: Vec<Figure> = WANTED
        .iter()
        .filter_map(|(memories, wanted)| {
            let what = format!("search among {memories}, median");
            let wanted = Some((Bound::AtMost, *wanted));
            Some(Figure::new(&what, size(*memories)?.p50, "ms", wanted))
        })
        .collect();
    let largest = seen.sizes.last().filter(|searched| searched.memories >= MEMORY_SIZE_MIN);
    figures.extend(largest.and_then(memory_each).map(|mb| {
        let what = "memory for 100000 more memories";
        Figure::new(what, mb, "MB", Some((Bound::AtMost, WANTED_MEMORY)))
    }));
    figures.extend(seen.storing.iter().map(|storing| {
        let what = format!("{}: with vectors / without", storing.what);
        Figure::new(&what, storing.ratio() * 100.0, "%", Some((Bound::AtLeast, WANTED_PERCENT)))
    }));
    figures
}

/// The memory that 100,000 memories take, in megabytes.
fn memory_each(searched: &Searched) -> Option<f64> {
    Some(searched.memory? * 100_000.0 / searched.memories as f64)
}

fn describe(seen: &Seen) -> Value {
    let size = |searched: &Searched| {
        let kinds = searched.kinds.iter().map(|(kind, p50)| ((*kind).to_owned(), (*p50).into()));
        json!({
            "memories": searched.memories,
            "calls": searched.calls,
            "p50_ms": searched.p50,
            "p95_ms": searched.p95,
            "p99_ms": searched.p99,
            "p50_ms_by_kind": kinds.collect::<serde_json::Map<String, Value>>(),
            "cpu_ms": searched.cpu,
            "first_ms": searched.cold,
            "first_with_snapshot_ms": searched.cold_snapshot,
            "memory_mb": searched.memory,
            "memory_mb_per_100000": memory_each(searched),
        })
    };
    let storing = |storing: &Storing| {
        json!({"what": storing.what, "with_vectors": storing.with,
               "without": storing.without, "ratio": storing.ratio()})
    };
    json!({
        "sizes": seen.sizes.iter().map(size).collect::<Vec<_>>(),
        "storing": seen.storing.iter().map(storing).collect::<Vec<_>>(),
        "figures": figures(seen).iter().map(super::describe).collect::<Vec<_>>(),
    })
}

fn print(seen: &Seen) {
    let number = |value: f64| format!("{value:.2}");
    let some = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
    let whole = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.0}"));
    let row = |searched: &Searched| {
        [
            searched.memories.to_string(),
            number(searched.p50),
            number(searched.p95),
            number(searched.p99),
            some(searched.cpu),
            whole(Some(searched.cold)),
            whole(searched.cold_snapshot),
            whole(searched.memory),
        ]
    };
    let rows: Vec<[String; 8]> = seen.sizes.iter().map(row).collect();
    let head = [
        "memories",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "cpu ms",
        "first ms",
        "first with snapshot ms",
        "memory MB",
    ];
    output::table(head, &rows);
    let kinds = |searched: &Searched| {
        let kinds = searched.kinds.iter().map(|(kind, p50)| format!("{kind} {p50:.2}"));
        format!(
            "{} memories, medians in ms: {}",
            searched.memories,
            kinds.collect::<Vec<_>>().join(", ")
        )
    };
    seen.sizes.iter().map(kinds).for_each(output::line);
    for storing in &seen.storing {
        let Storing { what, with, without } = storing;
        output::line(format!("{what}: {with:.0} /s with vectors, {without:.0} /s without"));
    }
    let rows: Vec<[String; 4]> = figures(seen).iter().map(super::row).collect();
    output::table(["what", "measured", "wanted", ""], &rows);
}
