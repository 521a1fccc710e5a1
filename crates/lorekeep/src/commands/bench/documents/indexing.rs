//! `lorekeep index` as a process of its own, watched from outside.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// How often the process is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// What a run of `index` did.
pub(super) struct Indexed {
    /// From its start to its end.
    pub(super) seconds: f64,
    /// How much it read.
    pub(super) megabytes: f64,
    /// How many files it opened.
    pub(super) files_read: u64,
    /// How many chunks it stored.
    pub(super) chunks: u64,
    /// The processor time it took, in seconds, where the system tells.
    pub(super) cpu: Option<f64>,
    /// The most it had in memory, in megabytes, where the system tells.
    pub(super) memory: Option<f64>,
}

/// Indexes the folder `docs` into the store in `dir`.
pub(super) fn index(dir: &Path, docs: &Path) -> Result<Indexed> {
    let before = cpu_of_children();
    let began = Instant::now();
    let mut child = Command::new(std::env::current_exe()?)
        .args(["index", "--json", "--data-dir"])
        .arg(dir)
        .arg(docs)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut memory: Option<f64> = None;
    let ended = loop {
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        memory = memory_mb(&child).or(memory);
        std::thread::sleep(PAUSE);
    };
    let seconds = began.elapsed().as_secs_f64();
    let mut text = String::new();
    child.stdout.take().context("no pipe")?.read_to_string(&mut text)?;
    ensure!(ended.success(), "indexing failed: {text}");
    let said: Value = serde_json::from_str(&text)?;
    let number = |name: &str| said[name].as_u64().with_context(|| name.to_owned());
    Ok(Indexed {
        seconds,
        megabytes: number("bytes_read")? as f64 / 1e6,
        files_read: number("files_read")?,
        chunks: number("chunks")?,
        cpu: cpu_of_children().zip(before).map(|(after, before)| after - before),
        memory,
    })
}

/// The processor time of all processes that we started and that have ended, in seconds.
fn cpu_of_children() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / TICKS_PER_SECOND)
}

/// The most that the process has had in memory so far, in megabytes.
fn memory_mb(child: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
