//! How long tokens take to count: `cargo run --release -p rank --example token_speed`.

#![allow(clippy::print_stdout, reason = "an example that prints figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use rank::tokens::{at_least, count};

const TEXTS: [(&str, &str); 5] = [
    ("English", "The quarterly report is due on Friday, and she said that replicas lag behind. "),
    ("code", "fn main() {\n    let x: Vec<u64> = (0..10).map(|i| i * 3).collect();\n}\n"),
    ("CJK", "日本語のテキストは空白なしで書かれます。机器学习模型正在阅读这句话。한국어 문장. "),
    ("emoji", "🎉👩‍👩‍👧‍👦🚀 great 🇩🇪 ✅✅ ok 🤷🏽‍♀️ "),
    ("spaces", "a  \t\t   b\n\n\n    c\r\n\r\n        \t d      "),
];

/// As many as one search has, and as long as they are.
const CHUNKS: u32 = 50;
const CHUNK_CHARS: usize = 1_000;

fn main() {
    let start = Instant::now();
    black_box(count("hello world"));
    println!("first use {:?}", start.elapsed());
    for (name, text) in TEXTS {
        let chunk: String = text.chars().cycle().take(CHUNK_CHARS).collect();
        let (whole, bound) = (of_chunks(|| count(&chunk)), of_chunks(|| at_least(&chunk)));
        let speed = chunk.len() as f64 * f64::from(CHUNKS) / whole.as_secs_f64() / 1e6;
        println!(
            "{name:8} {CHUNKS} chunks: count {whole:9.2?} ({speed:5.1} MB/s), bound {bound:9.2?}; \
             {} tokens, at least {}",
            count(&chunk),
            at_least(&chunk),
        );
    }
}

/// The time of all chunks, as the best of nine runs: what else the machine does only adds to it.
fn of_chunks(call: impl Fn() -> usize) -> Duration {
    let run = |_| {
        let start = Instant::now();
        for _ in 0..CHUNKS {
            black_box(call());
        }
        start.elapsed()
    };
    (0..9).map(run).min().unwrap_or_default()
}
