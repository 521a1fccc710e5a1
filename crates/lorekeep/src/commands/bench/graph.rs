//! `lorekeep bench graph`: facts added from several clients, one thing with many links among very
//! many, and the first page of a large file.
//!
//! The large graph is filled by the verbs; what is measured goes through real servers on pipes.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use engine::fact::{self, NewLink};
use model::{Caller, Identity, Layer, Role};
use serde_json::json;

use super::client::Client;
use super::measure::{Bound, Figure};
use super::scale;
use super::timing::{median, settle};
use crate::cli::GraphBenchArgs;
use crate::output;

/// Whose graph it is.
const USER: &str = "ada";

/// How many clients add links at once, each with a server of its own, and how many calls each has
/// under way.
const CLIENTS: usize = 8;
const WINDOW: usize = 64;
const WANTED_LINKS: f64 = 2_000.0;

/// How many links the thing has that is looked at, and how long that may take.
const HUB_LINKS: u64 = 1_000;
const WANTED_LOOK: f64 = 3.0;

/// How many links of the large graph a thing has, and how many are kept at once.
const LINKS_EACH: u64 = 10;
const BATCH: u64 = 5_000;

/// How long the first page of a large file may take.
const WANTED_PAGE: f64 = 5.0;

/// How often each call is made.
const CALLS: usize = 50;

pub(crate) fn run(args: &GraphBenchArgs) -> Result<ExitCode> {
    let scratch = super::scratch(args.dir.as_deref())?;
    if cfg!(debug_assertions) {
        output::note("this is a debug build: it says little of a release build");
    }
    let time = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let mut figures = vec![adding(&scratch.path().join("add"), time)?];
    figures.extend(looking(&scratch.path().join("look"), args.links)?);
    figures.extend(reading(&scratch.path().join("read"), args.bytes)?);
    super::print(&figures, args.json)?;
    Ok(ExitCode::SUCCESS)
}

fn start(dir: &Path, options: &[&str]) -> Result<Client> {
    let user = format!("user={USER}");
    Client::start_with(dir, &[&["--identity", &user], options].concat())
}

/// Links from many clients at once, every one a new fact.
fn adding(dir: &Path, time: Duration) -> Result<Figure> {
    let rates = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || add(dir, client, time))).collect();
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut sum = 0.0;
    for rate in rates {
        sum += rate.map_err(|_| anyhow!("a client panicked"))??;
    }
    let what = format!("add_memory_link, {CLIENTS} clients, durable");
    Ok(Figure::new(&what, sum, "/s", Some((Bound::AtLeast, WANTED_LINKS))))
}

/// How many links a second one client adds, over about this time.
fn add(dir: &Path, client: usize, time: Duration) -> Result<f64> {
    let mut server = start(dir, &[])?;
    let link = |number: u64| {
        let (from, to) = (number / LINKS_EACH, number % 997);
        json!({"from": format!("Service {client}-{from}"), "relation": "depends on",
               "to": format!("Library {client}-{to}")})
    };
    server.call("add_memory_link", &link(0))?;
    let began = Instant::now();
    let (mut sent, mut done) = (0, 0_u32);
    while began.elapsed() < time {
        while sent - u64::from(done) < WINDOW as u64 {
            sent += 1;
            server.send_call("add_memory_link", &link(sent))?;
        }
        server.receive()?;
        done += 1;
    }
    let rate = f64::from(done) / began.elapsed().as_secs_f64();
    while u64::from(done) < sent {
        server.receive()?;
        done += 1;
    }
    Ok(rate)
}

/// A thing with many links, in a graph of them alone and among very many others.
fn looking(dir: &Path, links: u64) -> Result<Vec<Figure>> {
    let (mut medians, mut spent) = (Vec::new(), None);
    for (name, others) in [("few", 0), ("many", links)] {
        let dir = dir.join(name);
        let began = Instant::now();
        fill(&dir, others)?;
        output::note(format!("{others} links in {:.0} s", began.elapsed().as_secs_f64()));
        let mut server = start(&dir, &[])?;
        server.call("get_memory_object", &json!({"name": "Hub"}))?;
        // A server that finds a million new memories reads them first.
        settle(&server)?;
        medians.push(median(&mut server, "get_memory_object", &json!({"name": "Hub"}), CALLS)?);
        spent = server.cpu_seconds().map(|before| -> Result<f64> {
            median(&mut server, "get_memory_object", &json!({"name": "Hub"}), CALLS)?;
            let after = server.cpu_seconds().unwrap_or(before);
            Ok((after - before) * 1e3 / (CALLS + 1) as f64)
        });
    }
    let what = format!("get_memory_object with {HUB_LINKS} links, median");
    let among = format!("… among {links} links");
    let mut figures = vec![
        Figure::new(&what, medians[0], "ms", None),
        Figure::new(&among, medians[1], "ms", Some((Bound::AtMost, WANTED_LOOK))),
    ];
    if let Some(spent) = spent {
        figures.push(Figure::new("… server's processor time each", spent?, "ms", None));
    }
    Ok(figures)
}

/// A graph of so many links, and a thing with [`HUB_LINKS`] of its own.
fn fill(dir: &Path, links: u64) -> Result<()> {
    let engine = scale::open(dir)?;
    let user = USER.parse().map_err(|why: String| anyhow!(why))?;
    let caller = Caller::new(Identity::default().with(Layer::User, user), Role::User);
    let link = |from: String, to: String| NewLink {
        from,
        relation: "depends on".to_owned(),
        to,
        summary: None,
    };
    let hub: Vec<NewLink> =
        (0..HUB_LINKS).map(|number| link("Hub".to_owned(), format!("Spoke {number}"))).collect();
    fact::link_all(&engine, &caller, &hub)?;
    let things = (links / LINKS_EACH).max(1);
    let number_of = |number: u64| (number * 7_919 + number / things + 1) % things;
    for first in (0..links).step_by(BATCH as usize) {
        let numbers = first..links.min(first + BATCH);
        let batch: Vec<NewLink> = numbers
            .map(|number| {
                let (from, to) = (number % things, number_of(number));
                link(format!("Service {from}"), format!("Service {to}"))
            })
            .collect();
        fact::link_all(&engine, &caller, &batch)?;
    }
    Ok(())
}

/// The first page of a large file when it is read for the first time, and what a later page costs.
fn reading(dir: &Path, bytes: u64) -> Result<Vec<Figure>> {
    let root = dir.join("root");
    std::fs::create_dir_all(&root)?;
    write_log(&root.join("large.log"), bytes)?;
    let mut server = start(&dir.join("store"), &["--root", &root.display().to_string()])?;
    let page = |offset: u64| json!({"file_path": "large.log", "limit": 1_000, "offset": offset});
    server.call("grz_read_file", &json!({"file_path": "large.log", "limit": 1, "offset": 0}))?;
    let lines = server.answer()?["metadata"]["total_lines"].as_u64().context("total_lines")?;
    let memory = server.memory_mb();
    drop(server);
    let mut server = start(&dir.join("store"), &["--root", &root.display().to_string()])?;
    server.call("grz_read_file", &json!({"file_path": "large.log", "limit": 1, "offset": 0}))?;
    let first = median(&mut server, "grz_read_file", &page(0), CALLS)?;
    let last = median(&mut server, "grz_read_file", &page(lines.saturating_sub(1_000)), CALLS)?;
    let megabytes = bytes >> 20;
    let wanted = Some((Bound::AtMost, WANTED_PAGE));
    let mut figures = vec![
        Figure::new(&format!("grz_read_file, first page of {megabytes} MB"), first, "ms", wanted),
        Figure::new("… the last page", last, "ms", None),
    ];
    let memory = memory.map(|mb| ("… server's memory", mb, Some((Bound::AtMost, 50.0))));
    figures.extend(memory.map(|(what, mb, wanted)| Figure::new(what, mb, "MB", wanted)));
    Ok(figures)
}

/// A file like a log, of so many bytes.
fn write_log(path: &Path, bytes: u64) -> Result<()> {
    let mut file = std::io::BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    let (mut written, mut number) = (0, 0_u64);
    while written < bytes {
        number += 1;
        let line = format!("2026-11-16T12:00:00Z INFO request {number} was answered in 12 ms\n");
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    Ok(file.flush()?)
}
