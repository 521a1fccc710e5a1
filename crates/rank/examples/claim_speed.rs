//! How long claims take to read and to compare: `cargo run --release -p rank --example claim_speed`.

#![allow(clippy::print_stdout, reason = "an example that prints figures")]

use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rank::claim::{Claims, contradiction};

const TEXTS: [&str; 8] = [
    "The API rate limit is 100 requests per minute",
    "The user prefers tabs over spaces in all JavaScript projects",
    "We deploy on Fridays only after the smoke tests have passed.",
    "The SQLite database runs in WAL mode with synchronous=FULL",
    "The primary database in production is PostgreSQL 15, hosted on AWS in Frankfurt",
    "Feature flags are read at startup and never reloaded",
    "The invoice of 2026-01-05 is 1,299.99 EUR and due within 30 days",
    "Ada prefers tea to coffee in the afternoon",
];
const ROUNDS: u32 = 20_000;
const MANY: usize = 10_000;

fn main() {
    let start = Instant::now();
    black_box(Claims::of(TEXTS[0]));
    println!("first text            {:8.2} µs", micros(start.elapsed()));
    for text in TEXTS {
        let time = per_call(ROUNDS, |_| Claims::of(text));
        println!("{:8.2} µs  {text}", micros(time));
    }
    let claims: Vec<Claims> = TEXTS.iter().map(|text| Claims::of(text)).collect();
    let other = Claims::of("The API rate limit is 60 requests per minute");
    let same = Claims::of("The API rate limit is 100 requests/minute");
    println!(
        "contradiction, found  {:8.3} µs",
        micros(per_call(ROUNDS, |_| contradiction(&claims[0], &other)))
    );
    println!(
        "the same, not found   {:8.3} µs",
        micros(per_call(ROUNDS, |_| contradiction(&claims[0], &same)))
    );
    let apart = per_call(ROUNDS, |at| contradiction(&claims[at % 8], &claims[(at + 1) % 8]));
    println!("of other things       {:8.3} µs", micros(apart));
    whole_store();
}

/// All of a store against all of it, by shared keys.
fn whole_store() {
    let start = Instant::now();
    let text = |at: usize| format!("The timeout of service {} is {} seconds", at / 4, 10 + at % 3);
    let claims: Vec<Claims> = (0..MANY).map(|at| Claims::of(&text(at))).collect();
    let read = start.elapsed();
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, one) in claims.iter().enumerate() {
        one.keys().iter().for_each(|key| by_key.entry(*key).or_default().push(at));
    }
    let pairs = by_key.values().flat_map(|ids| {
        ids.iter().enumerate().flat_map(|(at, a)| ids[at + 1..].iter().map(move |b| (*a, *b)))
    });
    let (mut compared, mut found) = (0, 0);
    for (a, b) in pairs {
        compared += 1;
        found += usize::from(contradiction(&claims[a], &claims[b]).is_some());
    }
    println!(
        "{MANY} texts: read {read:?}, all {:?}, {compared} pairs, {found} found",
        start.elapsed()
    );
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
