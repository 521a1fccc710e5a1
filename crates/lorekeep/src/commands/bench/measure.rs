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
    /// A figure.
    pub(crate) fn new(
        what: &str,
        value: f64,
        unit: &'static str,
        wanted: Option<(Bound, f64)>,
    ) -> Self {
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

/// What a measurement of calls found.
struct Rate {
    per_second: f64,
    cpu_micros: Option<f64>,
}

impl Rate {
    /// The rate as a figure, and the server's processor time for each call.
    fn figures(self, what: &str, wanted: f64) -> Vec<Figure> {
        let wanted = Some((Bound::AtLeast, wanted));
        let cpu = self
            .cpu_micros
            .map(|micros| Figure::new("… server's processor time each", micros, "µs", None));
        let rate = Figure::new(what, self.per_second, "/s", wanted);
        std::iter::once(rate).chain(cpu).collect()
    }
}

/// Everything, each for about `time`.
pub(crate) fn all(scratch: &Path, time: Duration) -> Result<Vec<Figure>> {
    let dir = |name: &str| scratch.join(name);
    let note = json!({"type": "core", "content": "User prefers pytest over unittest for testing",
                      "tags": ["python", "testing"], "importance": "high"});
    let nothing = json!({"query": ""});
    let mut figures = vec![start(&dir("start"))?];

    // A call that does next to nothing: a search for nothing in an empty store.
    let (store, tool) = (dir("calls"), "memory_search");
    let alone = one_at_a_time(&store, time, tool, &nothing)?;
    figures.extend(alone.figures("trivial call, one at a time", 8_000.0));
    let pipelined = pipelined(&store, time, tool, &nothing)?;
    figures.extend(pipelined.figures("trivial call, pipelined", 20_000.0));

    let syncs = syncs(scratch, time)?;
    figures.push(Figure::new("fsyncs of this disk", syncs, "/s", None));
    let tool = "store_memory";
    let alone = one_at_a_time(&dir("alone"), time, tool, &note)?;
    figures.extend(alone.figures("durable store_memory, one at a time", 1_000.0));
    let pipelined = self::pipelined(&dir("pipelined"), time, tool, &note)?;
    figures.extend(pipelined.figures("durable store_memory, 1 client, pipelined", 5_000.0));
    let together = together(&dir("together"), time, tool, &note)?;
    figures.extend(together.figures("durable store_memory, 8 clients, pipelined", 5_000.0));
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

/// How often this disk syncs a page appended to a file: what a durable write cannot beat alone.
fn syncs(dir: &Path, time: Duration) -> Result<f64> {
    let mut file = File::create(dir.join("syncs"))?;
    let page = [7_u8; 4096];
    rate(time, || {
        file.write_all(&page)?;
        Ok(file.sync_data()?)
    })
}

fn one_at_a_time(dir: &Path, time: Duration, tool: &str, arguments: &Value) -> Result<Rate> {
    let mut client = Client::start(dir)?;
    client.call(tool, arguments)?;
    measure(&mut client, |client| {
        let mut done = 0;
        let per_second = rate(time, || {
            done += 1;
            client.call(tool, arguments)
        })?;
        Ok((done, per_second))
    })
}

fn pipelined(dir: &Path, time: Duration, tool: &str, arguments: &Value) -> Result<Rate> {
    let mut client = Client::start(dir)?;
    client.call(tool, arguments)?;
    measure(&mut client, |client| pipeline(client, time, tool, arguments))
}

/// The same from [`CLIENTS`] clients at once, each with a server process of its own on one store.
fn together(dir: &Path, time: Duration, tool: &str, arguments: &Value) -> Result<Rate> {
    let rates = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..CLIENTS).map(|_| scope.spawn(|| pipelined(dir, time, tool, arguments))).collect();
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut sum = Rate { per_second: 0.0, cpu_micros: None };
    for rate in rates {
        sum.per_second += rate.map_err(|_| anyhow::anyhow!("a client panicked"))??.per_second;
    }
    Ok(sum)
}

fn measure(
    client: &mut Client,
    work: impl FnOnce(&mut Client) -> Result<(u32, f64)>,
) -> Result<Rate> {
    let before = client.cpu_seconds();
    let (done, per_second) = work(client)?;
    let spent = client.cpu_seconds().zip(before).map(|(after, before)| after - before);
    Ok(Rate { per_second, cpu_micros: spent.map(|s| s * 1e6 / f64::from(done)) })
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

/// How many answers came, and how many a second, with [`WINDOW`] calls under way, over about `time`.
fn pipeline(
    client: &mut Client,
    time: Duration,
    tool: &str,
    arguments: &Value,
) -> Result<(u32, f64)> {
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
    let per_second = f64::from(done) / began.elapsed().as_secs_f64();
    for _ in 0..WINDOW {
        client.receive()?;
    }
    Ok((done, per_second))
}
