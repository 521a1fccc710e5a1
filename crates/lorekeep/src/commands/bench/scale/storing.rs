//! What embedding costs who stores: the rate of durable writes with vectors and without, in turn.
//!
//! Both go through the same verb in this process: what the wire adds would only make the two more
//! alike.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use engine::{Engine, Meaning};

use super::fill;
use super::sentences::Sentences;

/// How often with and without take turns, so that a busy moment of the machine hits both.
const TURNS: u32 = 8;

/// How many writes are under way at once in a pipeline.
const WINDOW: usize = 64;

/// The rates of one way of writing, a second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Storing {
    /// What is done.
    pub(super) what: &'static str,
    /// With vectors.
    pub(super) with: f64,
    /// Without.
    pub(super) without: f64,
}

impl Storing {
    /// With vectors, as a share of without.
    pub(super) fn ratio(&self) -> f64 {
        self.with / self.without
    }
}

/// Both ways of writing, each for about twice `time`, in stores of their own.
pub(super) fn measure(dir: &Path, sentences: &Sentences, time: Duration) -> Result<[Storing; 2]> {
    let with = fill::open(&dir.join("with"), Meaning::BuiltIn)?;
    let without = fill::open(&dir.join("without"), Meaning::Words)?;
    let next = AtomicU64::new(0);
    let storing = |what, threads| -> Result<Storing> {
        let mut rates = [0.0; 2];
        for turn in 0..2 * TURNS {
            let at = turn as usize % 2;
            let engine = [&with, &without][at];
            rates[at] += rate(engine, sentences, &next, threads, time / TURNS)?;
        }
        let [with, without] = rates.map(|sum| sum / f64::from(TURNS));
        Ok(Storing { what, with, without })
    };
    Ok([
        storing("durable writes, one at a time", 1)?,
        storing("durable writes, many under way", WINDOW)?,
    ])
}

/// How many new sentences a second so many threads store.
fn rate(
    engine: &Engine,
    sentences: &Sentences,
    next: &AtomicU64,
    threads: usize,
    time: Duration,
) -> Result<f64> {
    let (began, first) = (Instant::now(), next.load(Ordering::Relaxed));
    let work = || -> Result<()> {
        while began.elapsed() < time {
            let number = next.fetch_add(1, Ordering::Relaxed);
            fill::put_one(engine, sentences, number)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| anyhow!("a thread panicked"))?)
    })?;
    let done = next.load(Ordering::Relaxed) - first;
    Ok(done as f64 / began.elapsed().as_secs_f64())
}
