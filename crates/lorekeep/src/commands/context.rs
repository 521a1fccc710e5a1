//! `lorekeep context`: what an agent is told before a prompt, or when it starts.

use std::process::ExitCode;

use anyhow::Result;
use engine::brief;
use serde_json::json;

use super::memo;
use crate::cli::everyday::ContextArgs;
use crate::{output, pager, wiring};

pub(crate) fn run(args: &ContextArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.shown.store)?;
    super::refuse_missing(&settings)?;
    let (engine, caller) = (wiring::open_to_read(&settings)?, wiring::caller(&settings));
    let prompt = match args.text.join(" ").trim() {
        "" => None,
        "-" => Some(memo::from_input()?),
        text => Some(text.to_owned()),
    };
    let told = match &prompt {
        Some(prompt) => brief::for_prompt(&engine, &caller, prompt, args.budget)?,
        None => brief::at_start(&engine, &caller, args.budget)?,
    };
    wiring::leave_index(&engine);
    let (text, notes) = told.map_or_else(Default::default, |told| (told.text, told.notes));
    let tokens = engine.tokens(&text);
    if args.shown.json {
        output::json(&json!({"context": text, "tokens": tokens, "notes": notes}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if text.is_empty() {
        output::note("nothing would be told; `lorekeep search` looks for what comes near");
        return Ok(ExitCode::SUCCESS);
    }
    pager::show(&format!("{}\n", output::lines(&text)), !args.shown.no_pager)?;
    output::note(format!("{tokens} tokens, {notes} notes"));
    Ok(ExitCode::SUCCESS)
}
