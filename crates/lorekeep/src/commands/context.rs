//! `lorekeep context`: what an agent is told before a prompt.

use std::process::ExitCode;

use anyhow::Result;
use engine::{Engine, memory, record, scope};
use model::Caller;
use serde_json::json;

use super::memo;
use crate::cli::everyday::ContextArgs;
use crate::{output, pager, wiring};

/// So many decisions are told at the most.
const DECISIONS_MAX: usize = 3;

/// What is told.
struct Told {
    text: String,
    memories: usize,
    decisions: usize,
}

pub(crate) fn run(args: &ContextArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.shown.store)?;
    super::refuse_missing(&settings)?;
    let (engine, caller) = (wiring::open_once(&settings)?, wiring::caller(&settings));
    let prompt = match args.text.join(" ").trim() {
        "" => None,
        "-" => Some(memo::from_input()?),
        text => Some(text.to_owned()),
    };
    let Told { text, memories, decisions } = told(&engine, &caller, prompt.as_deref(), args)?;
    wiring::leave_index(&engine);
    let tokens = engine.tokens(&text);
    if args.shown.json {
        output::json(&json!({"context": text, "tokens": tokens, "memories": memories,
                             "decisions": decisions}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if text.is_empty() {
        output::note("nothing would be told; `lorekeep search` looks for what comes near");
        return Ok(ExitCode::SUCCESS);
    }
    pager::show(&format!("{}\n", output::lines(&text)), !args.shown.no_pager)?;
    output::note(format!("{tokens} tokens: {memories} memories, {decisions} decisions"));
    Ok(ExitCode::SUCCESS)
}

/// What the memories and the ledger have to say to a prompt.
fn told(
    engine: &Engine,
    caller: &Caller,
    prompt: Option<&str>,
    args: &ContextArgs,
) -> Result<Told> {
    let scopes = scope::searched(engine, caller, None)?;
    let briefing = memory::context(engine, caller, prompt, scopes, args.budget)?;
    let mut parts = vec![briefing.text];
    let mut decisions = 0;
    if let Some(prompt) = prompt {
        let query = record::Query {
            text: prompt.to_owned(),
            namespace: args.namespace.clone(),
            kind: None,
            target: None,
            mode: record::Mode::default(),
            limit: DECISIONS_MAX,
        };
        let context = record::context(engine, caller, &query)?;
        decisions = context.hits.hits.len();
        parts.push(context.text.trim_end().to_owned());
    }
    parts.retain(|part| !part.is_empty());
    Ok(Told { text: parts.join("\n\n"), memories: briefing.memories, decisions })
}
