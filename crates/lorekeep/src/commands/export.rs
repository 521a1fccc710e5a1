//! `lorekeep export`: everything, for another store, for people and for git.

use std::process::ExitCode;

use anyhow::Result;
use engine::export;
use model::Role;
use serde_json::json;

use super::knowledge::{require, settle};
use crate::cli::ExportArgs;
use crate::{output, wiring};

pub(crate) fn run(args: &ExportArgs) -> Result<ExitCode> {
    settle(write(args))
}

fn write(args: &ExportArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    require(&wiring::caller(&settings), Role::User)?;
    let engine = wiring::open_once(&settings)?;
    let export = || export::export(&engine, env!("CARGO_PKG_VERSION"), &args.dir);
    // A store that nobody may write to can be exported all the same.
    let report = match settings.selection.read_only || engine.store().damage().is_some() {
        true => export()?,
        false => engine.noted(&format!("export everything to {}", args.dir.display()), export)?,
    };
    let lacking = engine.incomplete();
    let code = if lacking.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if args.json {
        output::json(&json!({"dir": args.dir, "counts": report.counts}))?;
        lacking.into_iter().for_each(output::note);
        return Ok(code);
    }
    for (name, count) in &report.counts {
        output::line(format!("{count}\t{name}"));
    }
    let dir = args.dir.display();
    let taken = format!("`lorekeep import lorekeep {dir}` takes it into another store");
    match lacking {
        None => output::note(format!("everything is in {dir}; {taken}")),
        Some(why) => output::note(format!("what can be read is in {dir}; {taken}. But {why}")),
    }
    Ok(code)
}
