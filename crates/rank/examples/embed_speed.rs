//! How long the built-in embedder takes: `cargo run --release -p rank --example embed_speed`.

#![allow(clippy::print_stdout, reason = "an example that prints figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use rank::embed::{Embedding, MODEL_ID, Quantised, StaticEmbedder};

const SHORT: [&str; 8] = [
    "black background preference for the IDE",
    "The user likes dark colour themes in editors",
    "We deploy on Fridays only after the smoke tests have passed.",
    "The SQLite database runs in WAL mode with synchronous=FULL",
    "memory_search returns camelCaseNames and snake_case_names unchanged",
    "Le café était fermé à Noël",
    "invoice 2024-00317 of 1,299.99 EUR",
    "Ada prefers tea to coffee in the afternoon",
];
const ROUNDS: u32 = 20_000;
const SCANNED: usize = 10_000;

fn main() {
    let start = Instant::now();
    let embedder = StaticEmbedder::built_in();
    let loaded = start.elapsed();
    let first = embedder.embed(SHORT[0]);
    println!("{MODEL_ID}: load {loaded:?}, load and first text {:?}", start.elapsed());

    let short = per_call(ROUNDS, |at| embedder.embed(SHORT[at % SHORT.len()]));
    println!("short sentence        {:8.2} µs", micros(short));
    let long = SHORT.join(". ").repeat(8);
    let long = per_call(ROUNDS / 20, |_| embedder.embed(&long));
    println!("512 tokens            {:8.2} µs", micros(long));

    let embeddings: Vec<Embedding> = SHORT.iter().filter_map(|text| embedder.embed(text)).collect();
    let many: Vec<Embedding> = embeddings.iter().cycle().take(SCANNED).cloned().collect();
    let codes: Vec<Quantised> = many.iter().map(Quantised::of).collect();
    let Some(query) = first else { return };
    let rounded = Quantised::of(&query);
    let quantise = per_call(ROUNDS, |at| Quantised::of(&many[at % SCANNED]));
    println!("to int8               {:8.2} µs", micros(quantise));
    let scan = per_call(100, |_| many.iter().map(|one| query.cosine(one)).fold(0.0, f32::max));
    println!("scan of 10,000, f32   {:8.2} µs", micros(scan));
    let scan = per_call(100, |_| codes.iter().map(|one| rounded.cosine(one)).fold(0.0, f32::max));
    println!("scan of 10,000, int8  {:8.2} µs", micros(scan));
}

/// The time of one call, as the best of five runs: what else the machine does only adds to it.
fn per_call<T>(calls: u32, mut call: impl FnMut(usize) -> T) -> Duration {
    let run = |_| {
        let start = Instant::now();
        (0..calls as usize).for_each(|at| drop(black_box(call(black_box(at)))));
        start.elapsed() / calls
    };
    (0..5).map(run).min().unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}
