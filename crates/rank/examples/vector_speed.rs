//! How fast the nearest vectors are found, and how many of them:
//! `cargo run --release -p rank --example vector_speed`.

#![allow(clippy::print_stdout, reason = "an example that prints figures")]

#[path = "../src/vector/sentences.rs"]
mod sentences;

use std::hint::black_box;
use std::time::{Duration, Instant};

use rank::bits::Bits;
use rank::embed::{DIMENSIONS, Embedding, Quantised, StaticEmbedder};
use rank::vector::{Probe, Vectors};
use sentences::{Dice, Sentences};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const KEPT_PERCENT: [usize; 4] = [100, 50, 10, 1];
/// Around the number of allowed slots from which two stages are taken.
const CROSSOVER: [usize; 7] = [1_000, 2_000, 3_000, 4_000, 5_000, 8_000, 16_000];
const QUERIES: usize = 100;
const K: usize = 10;

fn main() {
    for size in SIZES {
        let sentences = Sentences::new();
        let embedder = StaticEmbedder::built_in();
        let questions = (0..QUERIES)
            .map(|at| sentences.question((at * 7_919 % size) as u64))
            .collect::<Vec<_>>();
        let questions =
            questions.iter().filter_map(|text| embedder.embed(text)).collect::<Vec<_>>();
        measure("sentences", size, &questions, |at| embedder.embed(&sentences.sentence(at)));
    }
    let questions = (0..QUERIES as u64).filter_map(|at| noise(!at)).collect::<Vec<_>>();
    measure("noise", 100_000, &questions, noise);
}

/// A vector in any direction, which no text has: the hardest case.
fn noise(seed: u64) -> Option<Embedding> {
    let mut dice = Dice::new(seed);
    let mut number = || (0..6).map(|_| dice.below(1 << 20) as f32 - (1 << 19) as f32).sum::<f32>();
    Embedding::towards((0..DIMENSIONS).map(|_| number()).collect::<Vec<f32>>())
}

fn measure(
    name: &str,
    size: usize,
    questions: &[Embedding],
    vector: impl Fn(u64) -> Option<Embedding>,
) {
    let (mut vectors, mut pushing) = (Vectors::new(DIMENSIONS), Duration::ZERO);
    for at in 0..size as u64 {
        let vector = vector(at).map(|vector| Quantised::of(&vector));
        let start = Instant::now();
        vectors.push(vector.as_ref());
        pushing += start.elapsed();
    }
    let start = Instant::now();
    let (codes, scales) = vectors.as_parts();
    let again = Vectors::from_parts(DIMENSIONS, codes.to_vec(), scales.to_vec());
    let opening = start.elapsed();
    println!(
        "\n{size} {name}: {:.1} MB; a push {:.2} µs; from parts {:.0} ms",
        vectors.bytes() as f64 / 1e6,
        micros(pushing) / size as f64,
        micros(opening) / 1e3,
    );
    drop(again);
    println!("allowed   exact: wall p50   CPU mean      nearest: p50     mean    ratio   recall");
    let probes: Vec<Probe> = questions.iter().filter_map(|one| vectors.probe(one)).collect();
    let kept = KEPT_PERCENT.map(|percent| size * percent / 100).into_iter();
    for kept in kept.chain(CROSSOVER.into_iter().filter(|kept| *kept < size)) {
        let mut dice = Dice::new(1);
        let allowed = Bits::filled(size, |_| dice.below(size) < kept);
        let (exact_wall, exact_cpu, exact) =
            median(&probes, |probe| vectors.nearest_exact(probe, &allowed, K));
        let (wall, cpu, found) = median(&probes, |probe| vectors.nearest(probe, &allowed, K));
        println!(
            "{:>7}   {:>12.3} ms {:>8.3}   {:>12.3} ms {:>8.3}   {:>6.1}   {:>6.3}",
            allowed.count(),
            exact_wall,
            exact_cpu,
            wall,
            cpu,
            exact_wall / wall,
            recall(&exact, &found)
        );
    }
}

type Found = Vec<Vec<(u32, f32)>>;

/// The median time of a search in milliseconds, the mean CPU time, and what was found.
fn median(probes: &[Probe], search: impl Fn(&Probe) -> Vec<(u32, f32)>) -> (f64, f64, Found) {
    let found = probes.iter().map(&search).collect();
    let mut times = Vec::new();
    let before = cpu_millis();
    for probe in probes {
        let start = Instant::now();
        black_box(search(black_box(probe)));
        times.push(start.elapsed());
    }
    let cpu = (cpu_millis() - before) / probes.len() as f64;
    times.sort();
    (micros(times[times.len() / 2]) / 1e3, cpu, found)
}

/// The CPU time of this process, as Linux tells it to the nanosecond; elsewhere not a number.
fn cpu_millis() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).map_or(f64::NAN, |ns: f64| ns / 1e6)
}

/// How many of those found are as near as the exact ones. Of equals any will do.
fn recall(exact: &Found, found: &Found) -> f64 {
    let (mut hits, mut all) = (0, 0);
    for (exact, found) in exact.iter().zip(found) {
        let floor = exact.last().map_or(f32::INFINITY, |last| last.1);
        hits += found.iter().filter(|one| one.1 >= floor).count();
        all += exact.len();
    }
    hits as f64 / all as f64
}

fn micros(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}
