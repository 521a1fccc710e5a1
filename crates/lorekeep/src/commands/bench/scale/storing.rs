//! What embedding costs who stores: the rate of durable writes with vectors and without, in turn.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::sentences::Sentences;
use crate::commands::bench::client::Client;

/// How often with and without take turns, so that a busy moment of the machine hits both.
const TURNS: u32 = 8;

/// How many writes are under way at once in a pipeline.
const WINDOW: usize = 128;

const TOOL: &str = "store_memory";

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

/// Both ways of writing, each for about twice `time`, by servers on stores of their own.
pub(super) fn measure(dir: &Path, sentences: &Sentences, time: Duration) -> Result<[Storing; 2]> {
    let with = Client::start_with(&dir.join("with"), &["--embedder", "builtin"])?;
    let without = Client::start_with(&dir.join("without"), &["--embedder", "none"])?;
    let mut writers = [with, without].map(|client| Writer { client, sentences, next: 0 });
    for writer in &mut writers {
        writer.one_at_a_time(Duration::ZERO)?;
    }
    Ok([
        in_turn(&mut writers, time, "durable store_memory, one at a time", Writer::one_at_a_time)?,
        in_turn(&mut writers, time, "durable store_memory, pipelined", Writer::pipelined)?,
    ])
}

fn in_turn<'a>(
    writers: &mut [Writer<'a>; 2],
    time: Duration,
    what: &'static str,
    rate: fn(&mut Writer<'a>, Duration) -> Result<f64>,
) -> Result<Storing> {
    let mut rates = [0.0; 2];
    for _ in 0..TURNS {
        for (sum, writer) in rates.iter_mut().zip(&mut *writers) {
            *sum += rate(writer, time / TURNS)?;
        }
    }
    let [with, without] = rates.map(|sum| sum / f64::from(TURNS));
    Ok(Storing { what, with, without })
}

/// A server, and the sentence that it stores next.
struct Writer<'a> {
    client: Client,
    sentences: &'a Sentences,
    next: u64,
}

impl Writer<'_> {
    /// How many sentences a second are stored when each waits for the one before; at least one is.
    fn one_at_a_time(&mut self, time: Duration) -> Result<f64> {
        let (began, mut done) = (Instant::now(), 0_u32);
        while done == 0 || began.elapsed() < time {
            let arguments = self.arguments();
            self.client.call(TOOL, &arguments)?;
            done += 1;
        }
        Ok(f64::from(done) / began.elapsed().as_secs_f64())
    }

    /// The same with [`WINDOW`] of them under way.
    fn pipelined(&mut self, time: Duration) -> Result<f64> {
        let began = Instant::now();
        let (mut sent, mut done) = (0, 0_u32);
        while done < sent || began.elapsed() < time {
            while sent < done + WINDOW as u32 && began.elapsed() < time {
                let arguments = self.arguments();
                self.client.send_call(TOOL, &arguments)?;
                sent += 1;
            }
            if done < sent {
                self.client.receive()?;
                done += 1;
            }
        }
        Ok(f64::from(done) / began.elapsed().as_secs_f64())
    }

    /// Those of the next call.
    fn arguments(&mut self) -> Value {
        self.next += 1;
        let tags = self.sentences.tags(self.next);
        json!({"type": "core", "content": self.sentences.sentence(self.next), "tags": tags})
    }
}
