//! Searching a store of some size: the first search of a fresh process, then one after the other.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use model::Layer;
use serde_json::{Value, json};

use super::fill::{ALONE, CALLER};
use super::sentences::{Dice, Sentences};
use crate::commands::bench::client::Client;
use crate::commands::bench::timing::{millis, settle, share, sorted, wait_for};

/// How many different queries are asked, in turn.
const QUERIES: usize = 1000;

/// No fewer calls are measured, however short the time is.
const CALLS_MIN: usize = 300;

/// How many calls come before those that are measured.
const CALLS_WARM: usize = 100;

/// How many hits are asked for.
const LIMIT: usize = 10;

/// A store smaller than this has no snapshot.
const SNAPSHOT_MIN: u64 = 2_000;

/// The kinds of queries, by name.
const KINDS: [&str; 4] = ["questions", "keywords", "with a tag", "among one"];

/// What was seen at one size.
#[derive(Debug, Clone)]
pub(super) struct Searched {
    /// How many memories there were.
    pub(super) memories: u64,
    /// How many searches were measured.
    pub(super) calls: usize,
    /// How long they took, in milliseconds: half, 95 % and 99 % of them no longer.
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    /// The median of each kind of query.
    pub(super) kinds: Vec<(&'static str, f64)>,
    /// The server's processor time for each, in milliseconds.
    pub(super) cpu: Option<f64>,
    /// The first search of a fresh process that reads every row, in milliseconds.
    pub(super) cold: f64,
    /// The same where there is a snapshot.
    pub(super) cold_snapshot: Option<f64>,
    /// The server's memory beyond that of one on an empty store, in megabytes.
    pub(super) memory: Option<f64>,
}

/// A query, and of which kind it is.
struct Asked {
    kind: usize,
    arguments: Value,
}

/// The memory of a server on an empty store, in megabytes.
pub(super) fn memory_of_nothing(dir: &Path, sentences: &Sentences) -> Result<Option<f64>> {
    let mut client = start(dir)?;
    for asked in queries(sentences, 0).iter().take(CALLS_WARM) {
        client.call("memory_search", &asked.arguments)?;
    }
    Ok(client.memory_mb())
}

/// Measures the store in `dir`, for about `time`.
pub(super) fn measure(
    dir: &Path,
    sentences: &Sentences,
    memories: u64,
    time: Duration,
) -> Result<Searched> {
    let queries = queries(sentences, memories);
    let index = dir.join("lorekeep.index");
    if index.exists() {
        std::fs::remove_file(&index)?;
    }
    let (mut client, cold) = first(dir, &queries)?;
    let mut cold_snapshot = None;
    if memories >= SNAPSHOT_MIN {
        wait_for(|| index.exists())?;
        drop(client);
        let (warm, millis) = first(dir, &queries)?;
        (client, cold_snapshot) = (warm, Some(millis));
    }
    for asked in queries.iter().take(CALLS_WARM) {
        client.call("memory_search", &asked.arguments)?;
    }
    settle(&client)?;
    let before = client.cpu_seconds();
    let times = ask(&mut client, &queries, time)?;
    let spent = client.cpu_seconds().zip(before).map(|(after, before)| after - before);
    let all = sorted(times.iter().map(|(_, millis)| *millis));
    let median = |kind: usize| {
        let own = times.iter().filter(|(own, _)| *own == kind).map(|(_, millis)| *millis);
        share(&sorted(own), 0.5)
    };
    Ok(Searched {
        memories,
        calls: all.len(),
        p50: share(&all, 0.5),
        p95: share(&all, 0.95),
        p99: share(&all, 0.99),
        kinds: (0..KINDS.len()).map(|kind| (KINDS[kind], median(kind))).collect(),
        cpu: spent.map(|seconds| seconds * 1e3 / all.len() as f64),
        cold,
        cold_snapshot,
        memory: client.memory_mb(),
    })
}

/// A server for the caller whose searches are measured.
fn start(dir: &Path) -> Result<Client> {
    let ids = CALLER.map(|(layer, id)| format!("{}={id}", layer.name()));
    let options: Vec<&str> = ids.iter().flat_map(|id| ["--identity", id]).collect();
    Client::start_with(dir, &options)
}

/// A fresh server, and how long its first search took.
fn first(dir: &Path, queries: &[Asked]) -> Result<(Client, f64)> {
    let mut client = start(dir)?;
    let began = Instant::now();
    client.call("memory_search", &queries[0].arguments)?;
    Ok((client, millis(began)))
}

/// Of which kind each query was, and how long it took.
fn ask(client: &mut Client, queries: &[Asked], time: Duration) -> Result<Vec<(usize, f64)>> {
    let began = Instant::now();
    let mut times = Vec::new();
    for asked in queries.iter().cycle() {
        if times.len() >= CALLS_MIN && began.elapsed() >= time {
            break;
        }
        let began = Instant::now();
        client.call("memory_search", &asked.arguments)?;
        times.push((asked.kind, millis(began)));
    }
    Ok(times)
}

/// Different queries about the first `memories` sentences: eight of ten questions or keywords where
/// the caller has most of its memories, one with a tag, and one where it has one memory only.
fn queries(sentences: &Sentences, memories: u64) -> Vec<Asked> {
    let about = memories.max(QUERIES as u64) as usize;
    let names = |layers: &[Layer]| layers.iter().map(|layer| layer.name()).collect::<Vec<_>>();
    let open = names(&[Layer::User, Layer::Project, Layer::Team, Layer::Org]);
    let dice = &mut Dice::of(memories);
    let mut seen = HashSet::new();
    let mut queries = Vec::with_capacity(QUERIES);
    while queries.len() < QUERIES {
        let number = dice.below(about) as u64;
        let kind = [0, 0, 1, 0, 2, 0, 1, 0, 3, 1][queries.len() % 10];
        let text = if kind == 1 { sentences.keywords(number) } else { sentences.question(number) };
        if !seen.insert((kind, text.clone())) {
            continue;
        }
        let mut arguments =
            json!({"query": text, "layers": open, "limit": LIMIT, "threshold": 0.0});
        match kind {
            2 => arguments["tags"] = json!([sentences.tag(number)]),
            3 => arguments["layers"] = json!(names(&[ALONE])),
            _ => {}
        }
        queries.push(Asked { kind, arguments });
    }
    queries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_differ_and_every_kind_is_among_them() {
        let queries = queries(&Sentences::new(), 50);
        let count = |kind: usize| queries.iter().filter(|asked| asked.kind == kind).count();
        assert_eq!([0, 1, 2, 3].map(count), [500, 300, 100, 100]);
    }
}
