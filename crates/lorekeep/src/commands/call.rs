//! `lorekeep call`.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};
use tools::{Catalogue, Selection};

use crate::cli::CallArgs;
use crate::{output, settings, wiring};

pub(crate) fn run(args: &CallArgs) -> Result<ExitCode> {
    let settings = settings::load([&*args.store, &*args.limits, &*args.outside])?;
    let arguments = read(&args.arguments)?;
    let selection = Selection {
        read_only: settings.selection.read_only,
        exclude: settings.selection.exclude.clone(),
        ..Selection::all()
    };
    let catalogue = Catalogue::new(selection);
    let unknown = || anyhow!(unknown(&args.tool));
    let definition = catalogue.find(&args.tool).ok_or_else(unknown)?;
    let engine = wiring::open_once(&settings)?;
    let caller = wiring::calling(&settings);
    let reply = definition.call(arguments, &tools::Context::new(&engine, &caller));
    output::json(&reply.value)?;
    reply.note.into_iter().for_each(output::note);
    Ok(if reply.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn unknown(name: &str) -> String {
    format!("tool {name:?} is unknown or switched off; `lorekeep tools --toolsets all` lists them")
}

fn read(arguments: &str) -> Result<Map<String, Value>> {
    let mut text = arguments.to_owned();
    if text == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text)?;
    }
    let value: Value = serde_json::from_str(&text)
        .with_context(|| format!("the arguments are no JSON: {text}"))?;
    match value {
        Value::Object(object) => Ok(object),
        other => bail!("the arguments are {other}; they must be a JSON object"),
    }
}
