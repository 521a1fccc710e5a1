//! The measurements.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::client::Client;

/// What is wanted of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bound {
    /// More is better.
    AtLeast,
    /// Less is better.
    AtMost,
}

/// Something measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// What.
    pub what: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
    /// What is wanted.
    pub wanted: Option<(Bound, f64)>,
}

impl Figure {
    fn new(what: &str, value: f64, unit: &'static str, wanted: Option<(Bound, f64)>) -> Self {
        Self { what: what.to_owned(), value, unit, wanted }
    }

    /// Whether it is as wanted.
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.wanted.map(|(bound, wanted)| match bound {
            Bound::AtLeast => self.value >= wanted,
            Bound::AtMost => self.value <= wanted,
        })
    }
}

/// How many processes are started to find the median start.
const STARTS: usize = 41;

/// How many calls are under way at once in a pipelined measurement.
const WINDOW: usize = 128;

/// How many clients write at once.
const CLIENTS: usize = 8;

/// Everything, each for about `time`.
pub(crate) fn all(scratch: &Path, time: Duration) -> Result<Vec<Figure>> {
    let dir = |name: &str| scratch.join(name);
    let mut figures = vec![start(&dir("start"))?];
    figures.extend(calls(&dir("calls"), time)?);
    let syncs = syncs(scratch, time)?;
    let note = json!({"type": "core", "content": "User prefers pytest over unittest for testing",
                      "tags": ["python", "testing"], "importance": "high"});
    let alone = one_at_a_time(&dir("alone"), time, &note)?;
    figures.push(Figure::new("fsyncs of this disk", syncs, "/s", None));
    let wanted = Some((Bound::AtLeast, 1_000.0));
    figures.push(Figure::new("durable store_memory, one at a time", alone, "/s", wanted));
    figures.push(Figure::new("… in fsyncs each", syncs / alone, "", None));
    let wanted = Some((Bound::AtLeast, 5_000.0));
    let together = together(&dir("together"), time, &note)?;
    figures.push(Figure::new(
        "durable store_memory, 8 processes, pipelined",
        together,
        "/s",
        wanted,
    ));
    let pipelined = pipelined_writes(&dir("pipelined"), time, &note)?;
    figures.push(Figure::new(
        "durable store_memory, 1 process, pipelined",
        pipelined,
        "/s",
        wanted,
    ));
    figures.extend(idle(&dir("idle"))?);
    Ok(figures)
}

fn start(dir: &Path) -> Result<Figure> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let began = Instant::now();
        let client = Client::start(dir)?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
        drop(client);
    }
    times.sort_by(f64::total_cmp);
    let median = times[STARTS / 2];
    Ok(Figure::new("spawn to initialize, median", median, "ms", Some((Bound::AtMost, 20.0))))
}

/// A call that does next to nothing: a search in an empty store.
fn calls(dir: &Path, time: Duration) -> Result<[Figure; 2]> {
    let mut client = Client::start(dir)?;
    let arguments = json!({"query": ""});
    client.call("memory_search", &arguments)?;
    let alone = rate(time, || client.call("memory_search", &arguments))?;
    let pipelined = pipeline(&mut client, time, "memory_search", &arguments)?;
    Ok([
        Figure::new("trivial call, one at a time", alone, "/s", Some((Bound::AtLeast, 8_000.0))),
        Figure::new("trivial call, pipelined", pipelined, "/s", Some((Bound::AtLeast, 20_000.0))),
    ])
}

/// How often this disk syncs a page appended to a file: what a durable write cannot beat alone.
fn syncs(dir: &Path, time: Duration) -> Result<f64> {
    let mut file = File::create(dir.join("syncs"))?;
    let page = [7_u8; 4096];
    rate(time, || {
        file.write_all(&page)?;
        Ok(file.sync_data()?)
    })
}

fn one_at_a_time(dir: &Path, time: Duration, note: &Value) -> Result<f64> {
    let mut client = Client::start(dir)?;
    client.call("store_memory", note)?;
    rate(time, || client.call("store_memory", note))
}

fn pipelined_writes(dir: &Path, time: Duration, note: &Value) -> Result<f64> {
    let mut client = Client::start(dir)?;
    client.call("store_memory", note)?;
    pipeline(&mut client, time, "store_memory", note)
}

fn together(dir: &Path, time: Duration, note: &Value) -> Result<f64> {
    let clients = (0..CLIENTS).map(|_| Client::start(dir)).collect::<Result<Vec<_>>>()?;
    let rates = std::thread::scope(|scope| {
        let running: Vec<_> = clients
            .into_iter()
            .map(|mut client| {
                scope.spawn(move || pipeline(&mut client, time, "store_memory", note))
            })
            .collect();
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut sum = 0.0;
    for rate in rates {
        sum += rate.map_err(|_| anyhow::anyhow!("a client panicked"))??;
    }
    Ok(sum)
}

fn idle(dir: &Path) -> Result<Option<Figure>> {
    let mut client = Client::start(dir)?;
    for tool in ["memory_search", "memory_add"] {
        client.call(tool, &json!({"query": "warm", "content": "warm"}))?;
    }
    let wanted = Some((Bound::AtMost, 30.0));
    Ok(client.memory_mb().map(|mb| Figure::new("idle memory", mb, "MB", wanted)))
}

/// How often a second `work` was done, over about `time`.
fn rate(time: Duration, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let began = Instant::now();
    let mut done = 0_u32;
    while began.elapsed() < time {
        work()?;
        done += 1;
    }
    Ok(f64::from(done) / began.elapsed().as_secs_f64())
}

/// Answers a second with [`WINDOW`] calls under way, over about `time`.
fn pipeline(client: &mut Client, time: Duration, tool: &str, arguments: &Value) -> Result<f64> {
    let began = Instant::now();
    for _ in 0..WINDOW {
        client.send_call(tool, arguments)?;
    }
    let mut done = 0_u32;
    while began.elapsed() < time {
        client.receive()?;
        client.send_call(tool, arguments)?;
        done += 1;
    }
    let rate = f64::from(done) / began.elapsed().as_secs_f64();
    for _ in 0..WINDOW {
        client.receive()?;
    }
    Ok(rate)
}
