//! `lorekeep reindex`: vectors for what has none, a new index, or a try of another model.

mod check;
mod meter;

use std::process::ExitCode;

use anyhow::Result;
use engine::Engine;
use engine::index::{self, ModelState, State};
use engine::record;
use serde_json::{Value, json};

use crate::cli::ReindexArgs;
use crate::{output, wiring};
use meter::Meter;

pub(crate) fn run(args: &ReindexArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    // Who asks for a model wants that one and no other, so that one that does not open is an error.
    let engine = wiring::open_with(&settings, settings.embedder.open()?)?;
    if args.check {
        return check::run(args, &settings, &engine);
    }
    // What git holds is the record; what is not in it is not in the view.
    let (records, problems) = record::rebuild(&engine)?;
    for problem in &problems {
        output::note(format!("ledger: {problem}"));
    }
    let mut meter = Meter::default();
    index::complete(&engine, |model, progress| meter.tell(model, progress))?;
    meter.finish();
    let state = index::save(&engine, args.rebuild)?;
    if args.json {
        let mut all = describe(&engine, &state)?;
        all["records"] = records.into();
        output::json(&all)?;
    } else {
        print(&engine, &state)?;
        if records > 0 {
            output::line(format!("ledger: {records} records, from its files"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(engine: &Engine, state: &State) -> Result<()> {
    for ModelState { name, vectors, .. } in &state.models {
        let memories = vectors + engine.store().count_unembedded(name)?;
        let serves = state.serving.as_deref() == Some(name);
        let serves = if serves { ", and serves the searches" } else { "" };
        output::line(format!("{name}: {vectors} of {memories} memories{serves}"));
    }
    if state.snapshot {
        output::line("the index is written beside the store");
    }
    Ok(())
}

fn describe(engine: &Engine, state: &State) -> Result<Value> {
    let model = |model: &ModelState| -> Result<Value> {
        let lacking = engine.store().count_unembedded(&model.name)?;
        Ok(json!({"model": model.name, "vectors": model.vectors, "lacking": lacking,
                  "complete": model.complete}))
    };
    let models = state.models.iter().map(model).collect::<Result<Vec<_>>>()?;
    Ok(json!({"serving": state.serving, "models": models, "snapshot": state.snapshot}))
}
