//! `lorekeep reindex`: vectors for what has none, a new index, or a try of another model.

mod check;
mod meter;

use std::process::ExitCode;

use anyhow::{Result, bail};
use engine::Engine;
use engine::index::{self, ModelState, State};
use serde_json::{Value, json};

use crate::cli::ReindexArgs;
use crate::config::Settings;
use crate::{output, wiring};
use meter::Meter;

/// The model that is part of the program.
const BUILT_IN: &str = "builtin";

pub(crate) fn run(args: &ReindexArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let engine = wiring::open_once(&chosen(&settings, args)?)?;
    if args.check {
        return check::run(args, &settings, &engine);
    }
    let mut meter = Meter::default();
    index::complete(&engine, |model, progress| meter.tell(model, progress))?;
    meter.finish();
    let state = index::save(&engine, args.rebuild)?;
    if args.json {
        output::json(&describe(&engine, &state)?)?;
    } else {
        print(&engine, &state)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings with the model that the command line names.
fn chosen(settings: &Settings, args: &ReindexArgs) -> Result<Settings> {
    match args.embedder.as_deref() {
        None | Some(BUILT_IN) => Ok(settings.clone()),
        Some(other) => bail!("embedder {other:?} is unknown; it takes {BUILT_IN}"),
    }
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
