//! `lorekeep bench documents`: how fast files get into the store, and how fast they are found there.
//!
//! Markdown is made and read by `lorekeep index`, as a person would do it: once into an empty store,
//! once more when nothing has changed. Then the real server is asked over its pipes by one client,
//! one call after the other.

mod indexing;
mod pages;

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::client::Client;
use super::measure::{Bound, Figure};
use super::sentences::{Dice, Sentences};
use super::timing::{millis, settle, share, sorted};
use crate::cli::DocumentsArgs;
use crate::output;
use indexing::Indexed;

/// What is wanted of reading Markdown, in megabytes a second.
const WANTED_RATE: f64 = 20.0;

/// What is wanted of a run that finds nothing changed: so many times as fast.
const WANTED_RATIO: f64 = 20.0;

/// What is wanted of the median search among so many chunks, in milliseconds.
const WANTED_SEARCH: (u64, f64) = (100_000, 3.0);

/// The tool that is asked, and what it may answer with.
const TOOL: &str = "search_with_budget";
const TOKENS_MAX: u64 = 2_000;

/// How many different queries are asked, in turn.
const QUERIES: usize = 1000;

/// How many calls come before those that are measured, and how many are measured at the least.
const CALLS_WARM: usize = 100;
const CALLS_MIN: usize = 300;

/// All that was seen.
struct Seen {
    first: Indexed,
    second: Indexed,
    searched: Searched,
}

/// What was seen of the searches.
struct Searched {
    calls: usize,
    /// How long they took, in milliseconds: half, and 95 % of them no longer.
    p50: f64,
    p95: f64,
    /// The server's processor time for each, in milliseconds.
    cpu: Option<f64>,
    /// The first one of a fresh server, in milliseconds.
    cold: f64,
    /// The server's memory beyond that of one on an empty store, in megabytes.
    memory: Option<f64>,
}

pub(crate) fn run(args: &DocumentsArgs) -> Result<ExitCode> {
    let scratch = super::scratch(args.dir.as_deref())?;
    if cfg!(debug_assertions) {
        output::note("this is a debug build: it says little of a release build");
    }
    let time = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let seen = measure(scratch.path(), args.megabytes, time)?;
    if args.json {
        output::json(&describe(&seen))?;
    } else {
        print(&seen);
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(scratch: &Path, megabytes: u64, time: Duration) -> Result<Seen> {
    let sentences = Sentences::new();
    let (docs, store) = (scratch.join("docs"), scratch.join("store"));
    let said = pages::write(&docs, &sentences, megabytes)?;
    let first = indexing::index(&store, &docs)?;
    let second = indexing::index(&store, &docs)?;
    let nothing = search(&scratch.join("empty"), &queries(&sentences, said), Duration::ZERO)?;
    let mut searched = search(&store, &queries(&sentences, said), time)?;
    searched.memory = searched.memory.zip(nothing.memory).map(|(all, nothing)| all - nothing);
    Ok(Seen { first, second, searched })
}

/// Different questions about what the files say.
fn queries(sentences: &Sentences, said: u64) -> Vec<Value> {
    let (dice, mut seen, mut queries) = (&mut Dice::of(said), HashSet::new(), Vec::new());
    while queries.len() < QUERIES {
        let number = dice.below(said.max(QUERIES as u64) as usize) as u64;
        let is_question = dice.below(3) > 0;
        let text =
            if is_question { sentences.question(number) } else { sentences.keywords(number) };
        if seen.insert(text.clone()) {
            queries.push(json!({"query": text, "max_tokens": TOKENS_MAX}));
        }
    }
    queries
}

/// Asks a fresh server on the store in `dir`, for about `time`.
fn search(dir: &Path, queries: &[Value], time: Duration) -> Result<Searched> {
    let mut client = Client::start(dir)?;
    let began = Instant::now();
    client.call(TOOL, &queries[0])?;
    let cold = millis(began);
    for query in queries.iter().take(CALLS_WARM) {
        client.call(TOOL, query)?;
    }
    settle(&client)?;
    let (before, began) = (client.cpu_seconds(), Instant::now());
    let mut times = Vec::new();
    for query in queries.iter().cycle() {
        if times.len() >= CALLS_MIN && began.elapsed() >= time {
            break;
        }
        let began = Instant::now();
        client.call(TOOL, query)?;
        times.push(millis(began));
    }
    let spent = client.cpu_seconds().zip(before).map(|(after, before)| after - before);
    let times = sorted(times.into_iter());
    Ok(Searched {
        calls: times.len(),
        p50: share(&times, 0.5),
        p95: share(&times, 0.95),
        cpu: spent.map(|seconds| seconds * 1e3 / times.len() as f64),
        cold,
        memory: client.memory_mb(),
    })
}

/// The figures, and what is wanted of some.
fn figures(seen: &Seen) -> Vec<Figure> {
    let Seen { first, second, searched } = seen;
    let chunks = first.chunks;
    let (rate, ratio) = (first.megabytes / first.seconds, first.seconds / second.seconds);
    let (many, wanted) = WANTED_SEARCH;
    let wanted = (chunks >= many).then_some((Bound::AtMost, wanted));
    let least = |wanted| Some((Bound::AtLeast, wanted));
    let mut figures = vec![
        Figure::new("index Markdown", rate, "MB/s", least(WANTED_RATE)),
        Figure::new("… again, nothing changed", ratio, "×", least(WANTED_RATIO)),
        Figure::new("… files opened then", second.files_read as f64, "", None),
    ];
    let mb = first.megabytes;
    let some = |what: &str, value: Option<f64>, unit| {
        value.map(|value| Figure::new(what, value, unit, None))
    };
    figures.extend(some("… processor time each MB", first.cpu.map(|s| s * 1e3 / mb), "ms"));
    figures.extend(some("… most memory", first.memory, "MB"));
    let what = format!("{TOOL} among {chunks} chunks, median");
    figures.push(Figure::new(&what, searched.p50, "ms", wanted));
    figures.push(Figure::new("… 95 % within", searched.p95, "ms", None));
    figures.extend(some("… server's processor time each", searched.cpu, "ms"));
    figures.push(Figure::new("… first of a fresh server", searched.cold, "ms", None));
    let memory = searched.memory.map(|memory| memory * many as f64 / chunks.max(1) as f64);
    figures.extend(some(&format!("memory for {many} chunks"), memory, "MB"));
    figures
}

fn describe(seen: &Seen) -> Value {
    let indexed = |indexed: &Indexed| {
        json!({"seconds": indexed.seconds, "megabytes": indexed.megabytes,
               "files_read": indexed.files_read, "chunks": indexed.chunks,
               "cpu_seconds": indexed.cpu, "memory_mb": indexed.memory})
    };
    json!({
        "first": indexed(&seen.first),
        "second": indexed(&seen.second),
        "searches": seen.searched.calls,
        "figures": figures(seen).iter().map(super::describe).collect::<Vec<_>>(),
    })
}

fn print(seen: &Seen) {
    let Indexed { files_read, megabytes, chunks, seconds, .. } = &seen.first;
    output::line(format!(
        "{files_read} files of {megabytes:.0} MB became {chunks} chunks in {seconds:.1} s"
    ));
    let rows: Vec<[String; 4]> = figures(seen).iter().map(super::row).collect();
    output::table(["what", "measured", "wanted", ""], &rows);
}
