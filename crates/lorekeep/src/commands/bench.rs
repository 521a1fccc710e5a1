//! `lorekeep bench`: this build on this machine, through the real server on real pipes.

mod calibration;
pub(crate) mod client;
mod documents;
mod graph;
mod knowledge;
mod learning;
mod ledger;
mod load;
pub(crate) mod measure;
mod recall;
mod scale;
mod sentences;
mod timing;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{BenchArgs, BenchWhat};
use crate::output;
use measure::Figure;

pub(crate) fn run(args: &BenchArgs) -> Result<ExitCode> {
    match &args.what {
        Some(BenchWhat::Recall(args)) => return recall::run(args),
        Some(BenchWhat::Calibration(args)) => return calibration::run(args),
        Some(BenchWhat::Scale(args)) => return scale::run(args),
        Some(BenchWhat::Documents(args)) => return documents::run(args),
        Some(BenchWhat::Learning(args)) => return learning::run(args),
        Some(BenchWhat::Ledger(args)) => return ledger::run(args),
        Some(BenchWhat::Knowledge(args)) => return knowledge::run(args),
        Some(BenchWhat::Graph(args)) => return graph::run(args),
        Some(BenchWhat::Load(args)) => return load::run(args),
        None => {}
    }
    let scratch = scratch(args.dir.as_deref())?;
    warn_of_debug();
    let time = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let figures = measure::all(scratch.path(), time)?;
    print(&figures, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// Says that a debug build is slow, if this is one.
fn warn_of_debug() {
    if cfg!(debug_assertions) {
        output::note(
            "this is a debug build: the figures of a release build are several times better",
        );
    }
}

/// A directory for the stores of a measurement, which goes with it.
fn scratch(dir: Option<&Path>) -> Result<TempDir> {
    match dir {
        Some(dir) => tempfile::tempdir_in(dir).with_context(|| dir.display().to_string()),
        None => Ok(tempfile::tempdir()?),
    }
}

/// Prints what was measured beside what is wanted.
fn print(figures: &[Figure], as_json: bool) -> Result<()> {
    if as_json {
        let rows: Vec<Value> = figures.iter().map(describe).collect();
        return output::json(&json!({"figures": rows}));
    }
    let rows: Vec<[String; 4]> = figures.iter().map(row).collect();
    output::table(["what", "measured", "wanted", ""], &rows);
    Ok(())
}

fn describe(figure: &Figure) -> Value {
    json!({
        "what": figure.what,
        "value": figure.value,
        "unit": figure.unit,
        "wanted": figure.wanted.map(|(_, value)| value),
        "met": figure.is_met(),
    })
}

fn row(figure: &Figure) -> [String; 4] {
    let wanted = figure.wanted.map_or_else(String::new, |(bound, value)| {
        let sign = match bound {
            measure::Bound::AtLeast => "≥",
            measure::Bound::AtMost => "≤",
        };
        format!("{sign} {value} {}", figure.unit)
    });
    let verdict = match figure.is_met() {
        Some(true) => "met",
        Some(false) => "missed",
        None => "",
    };
    let value = format!("{:.*} {}", usize::from(figure.value < 100.0), figure.value, figure.unit);
    [figure.what.clone(), value, wanted, verdict.to_owned()]
}
