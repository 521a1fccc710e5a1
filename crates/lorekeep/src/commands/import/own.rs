//! What `lorekeep export` wrote.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use engine::document::Progress;
use engine::export;
use engine::import::{self, Report};
use model::{Role, TrustLevel};
use serde_json::json;

use super::super::index::meter::Meter;
use super::super::knowledge::{follow, require};
use crate::cli::ImportArgs;
use crate::output::{self, one_line};
use crate::wiring;

pub(super) fn run(args: &ImportArgs) -> Result<ExitCode> {
    let settings = super::super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    require(&caller, Role::User)?;
    let mut engine = wiring::open_once(&settings)?;
    if !args.trust_export {
        let actor = engine.actor().no_more_than(TrustLevel::Agent);
        engine = engine.acting(actor);
    }
    let (mut total, mut records, mut items) = (Report::default(), 0, 0);
    for dir in &args.paths {
        let meter = if args.json { Meter::hidden() } else { Meter::start("lines") };
        let all = lines(dir);
        let mut tell = |done| meter.tell(Progress { walked: 0, done, all });
        let taken = import::take_back(&engine, dir, args.dry_run, &mut tell);
        meter.finish();
        total.add(taken?);
        if args.dry_run {
            continue;
        }
        let scratch = tempfile::tempdir()?;
        let scratch = scratch.path().join("ledger");
        records += import::take_ledger(&engine, &caller, dir, &scratch, &mut total)?;
        items += import::take_knowledge(&engine, dir, &mut total)?;
        if items > 0 {
            follow(&engine, &caller);
        }
    }
    let Report { new, updated, unchanged, skipped, secrets } = &total;
    if args.json {
        let skipped: Vec<_> =
            skipped.iter().map(|one| json!({"place": one.place, "why": one.why})).collect();
        output::json(&json!({"new": new, "updated": updated, "unchanged": unchanged,
            "skipped": skipped, "decisions": records, "knowledge": items, "secretsRedacted": secrets,
            "dryRun": args.dry_run}))?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in skipped {
        output::note(format!("{}: {}", one_line(&one.place), one_line(&one.why)));
    }
    let would = if args.dry_run { " (nothing is written)" } else { "" };
    output::line(format!(
        "{new} new, {updated} updated, {unchanged} unchanged, {} left out, {records} decisions, \
         {items} files of knowledge{would}",
        skipped.len()
    ));
    if *secrets > 0 {
        output::line(format!("secrets: {secrets} redacted"));
    }
    Ok(ExitCode::SUCCESS)
}

/// How many lines an export has, by its manifest; none if it cannot be read, which is told later.
fn lines(dir: &Path) -> usize {
    let text = std::fs::read_to_string(dir.join(export::MANIFEST)).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let counts = export::LINES.iter().filter_map(|name| manifest["counts"][*name].as_u64());
    usize::try_from(counts.sum::<u64>()).unwrap_or(usize::MAX)
}
