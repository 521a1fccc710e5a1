//! `lorekeep reindex --check`: another model on the user's own queries, with nothing switched.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use engine::check::{Changed, Check, DEPTH, Trial, check};
use engine::{Engine, index, memory};
use model::{Memory, MemoryId};
use serde_json::{Value, json};

use super::meter::Meter;
use crate::cli::ReindexArgs;
use crate::output::{self, BAD, GOOD, STRONG, cut, one_line, styled};
use crate::settings::Settings;
use crate::{commands, wiring};

/// No more queries are tried at once.
const QUERIES_MAX: usize = 10_000;

pub(crate) fn run(args: &ReindexArgs, settings: &Settings, new: &Engine) -> Result<ExitCode> {
    let caller = wiring::caller(settings);
    let trials = match &args.queries {
        Some(file) => read(file)?,
        None => memory::queries(new, &caller)?
            .into_iter()
            .map(|query| Trial { text: query.text, wanted: Vec::new() })
            .collect(),
    };
    if trials.is_empty() {
        output::note("there are no queries to try: ask something first, or give --queries FILE");
    }
    let mut meter = Meter::default();
    index::fill(new, |model, progress| meter.tell(model, progress))?;
    meter.finish();
    // What is searched with when the command line names no other.
    let usual = args.store.without(&["embedder", "embedder-dimensions"]);
    let old = wiring::open_once(&commands::settings(&usual)?)?;
    let result = check(&old, new, &caller, &trials)?;
    if args.json {
        output::json(&describe(&result))?;
    } else {
        print(&result);
    }
    Ok(ExitCode::SUCCESS)
}

/// The queries of a file: one a line, and behind a tab the ids that should be found.
fn read(file: &Path) -> Result<Vec<Trial>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let trials = lines.map(|(line, number)| {
        trial(line).with_context(|| format!("{}, line {number}", file.display()))
    });
    let trials = trials.collect::<Result<Vec<_>>>()?;
    if trials.len() > QUERIES_MAX {
        bail!("{} has {} queries; it may have {QUERIES_MAX}", file.display(), trials.len());
    }
    Ok(trials)
}

fn trial(line: &str) -> Result<Trial> {
    let (text, ids) = line.split_once('\t').unwrap_or((line, ""));
    let ids = ids.split([' ', ',', '\t']).filter(|id| !id.is_empty());
    let id = |id: &str| id.parse::<MemoryId>().map_err(|_| anyhow!("{id:?} is no memory id"));
    Ok(Trial { text: text.trim().to_owned(), wanted: ids.map(id).collect::<Result<_>>()? })
}

fn print(check: &Check) {
    let Check { queries, wanted, found_by_old, found_by_new, overlap, .. } = check;
    let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "words alone".to_owned());
    let line = |name: &str, text: String| output::line(format!("{name:<10} {text}"));
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    line("old", name(&check.old));
    line("new", name(&check.new));
    line("queries", queries.to_string());
    if *wanted > 0 {
        let share = |found: usize| percent(found as f64 / *wanted as f64);
        let side = |found: usize| format!("{found} of {wanted} ({})", share(found));
        let (old, new) = (side(*found_by_old), side(*found_by_new));
        line(&format!("recall@{DEPTH}"), format!("old {old}, new {new}"));
    }
    line("overlap", format!("{} of the first {DEPTH} are the same", percent(*overlap)));
    for Changed { text, overlap, gone, come } in &check.changed {
        let head = format!("{} ({} the same)", one_line(text), percent(*overlap));
        output::line(format!("\n{}", styled(STRONG, head)));
        gone.iter().for_each(|memory| print_memory(&styled(BAD, "-"), memory));
        come.iter().for_each(|memory| print_memory(&styled(GOOD, "+"), memory));
    }
}

fn print_memory(sign: &str, memory: &Memory) {
    let line = format!("{}  {}", memory.id.prefixed(), one_line(&memory.content));
    let room = output::width().map(|width| width.saturating_sub(4));
    output::line(format!("  {sign} {}", cut(&line, room)));
}

fn describe(check: &Check) -> Value {
    let memories = |memories: &[Memory]| -> Vec<Value> {
        let one = |memory: &Memory| json!({"id": memory.id.prefixed(), "content": memory.content});
        memories.iter().map(one).collect()
    };
    let changed = check.changed.iter().map(|changed| {
        json!({"query": changed.text, "overlap": changed.overlap,
               "gone": memories(&changed.gone), "come": memories(&changed.come)})
    });
    json!({
        "old": check.old,
        "new": check.new,
        "queries": check.queries,
        "wanted": check.wanted,
        "found_by_old": check.found_by_old,
        "found_by_new": check.found_by_new,
        "overlap": check.overlap,
        "changed": changed.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_query_and_what_should_be_found() {
        assert_eq!(trial("tea ").unwrap(), Trial { text: "tea".into(), wanted: Vec::new() });
        let id = MemoryId::from_random([7; 16]);
        let line = format!("green tea\t{}, {id}", id.prefixed());
        let expected = Trial { text: "green tea".into(), wanted: vec![id, id] };
        assert_eq!(trial(&line).unwrap(), expected);
        assert!(trial("tea\tmem_nonsense").unwrap_err().to_string().contains("no memory id"));
    }
}
