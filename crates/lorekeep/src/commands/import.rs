//! `lorekeep import`: what other systems kept.

mod foreign;
mod own;

use std::process::ExitCode;

use anyhow::Result;
use engine::knowledge::{self, Import, Imported, ImportedFile, Outcome};
use model::Role;
use serde_json::{Value, json};

use super::knowledge::{follow, require, settle};
use crate::cli::{AUTO, ImportAdrArgs, ImportArgs, ImportWhat, OWN};
use crate::output::{self, one_line};
use crate::wiring;

pub(crate) fn run(args: &ImportArgs) -> Result<ExitCode> {
    if let Some(ImportWhat::Adr(args)) = &args.what {
        return settle(adr(args));
    }
    match args.format.as_deref() {
        Some(OWN) => settle(own::run(args)),
        format => settle(foreign::run(args, format.unwrap_or(AUTO))),
    }
}

fn adr(args: &ImportAdrArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    require(&caller, Role::User)?;
    let engine = wiring::open_once(&settings)?;
    let (dir, layer, here, dry_run) = (args.dir.as_str(), args.layer, args.here, args.dry_run);
    let imported = knowledge::import(&engine, &caller, &Import { dir, layer, here, dry_run })?;
    if imported.commit.is_some() {
        follow(&engine, &caller);
    }
    show(args, &imported)?;
    let is_whole = imported.count(Outcome::Failed) == 0;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(args: &ImportAdrArgs, imported: &Imported) -> Result<()> {
    let totals = Outcome::ALL.map(|outcome| (outcome.name(), imported.count(outcome)));
    if args.json {
        let files: Vec<Value> = imported.files.iter().map(describe).collect();
        let totals: serde_json::Map<String, Value> =
            totals.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect();
        return output::json(&json!({"files": files, "totals": totals, "dryRun": args.dry_run,
                                    "commit": imported.commit}));
    }
    let rows: Vec<[String; 5]> = imported.files.iter().map(row).collect();
    output::table(["File", "Id", "Status", "", "Notes"], &rows);
    let totals = totals.map(|(name, count)| format!("{count} {name}")).join(", ");
    let would = if args.dry_run { " (nothing is written)" } else { "" };
    output::note(format!("{totals}{would}"));
    if let Some(commit) = &imported.commit {
        output::note(format!("commit {commit}"));
    }
    Ok(())
}

fn describe(file: &ImportedFile) -> Value {
    json!({"file": file.file, "id": file.id, "status": file.status.map(model::ItemStatus::name),
           "outcome": file.outcome.name(), "notes": file.notes})
}

fn row(file: &ImportedFile) -> [String; 5] {
    let status = file.status.map(model::ItemStatus::name);
    [
        one_line(&file.file),
        file.id.clone().unwrap_or_default(),
        status.unwrap_or_default().to_owned(),
        file.outcome.name().to_owned(),
        one_line(&file.notes.join("; ")),
    ]
}
