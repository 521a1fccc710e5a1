//! `lorekeep edit`: a memory is changed, in the person's editor or by options.

mod form;

use std::cell::Cell;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use engine::memory::{self, Revised};
use engine::{Engine, Error, ErrorKind, secrets};
use model::{Caller, Memory, MemoryPatch, Role};
use serde_json::json;

use super::{knowledge, memo, which};
use crate::cli::everyday::EditArgs;
use crate::output::{self, STRONG, styled};
use crate::{editor, wiring};

pub(crate) fn run(args: &EditArgs) -> Result<ExitCode> {
    knowledge::settle(edit(args))
}

fn edit(args: &EditArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let caller = wiring::caller(&settings);
    knowledge::require(&caller, Role::User)?;
    let engine = wiring::open_once(&settings)?;
    let memory = which::memory(&engine, &caller, &args.id)?;
    if let Some(patch) = told(args)? {
        return tell(&engine, args, &save(&engine, &caller, &memory, &patch)?);
    }
    let form = form::written(&memory);
    let text = editor::asked_for(&form)?;
    if text == form {
        output::note("nothing changed");
        return Ok(ExitCode::SUCCESS);
    }
    let Some(read) = form::read(&text).transpose() else {
        output::note("the text is empty; nothing changed");
        return Ok(ExitCode::FAILURE);
    };
    let saved = read.and_then(|patch| Ok(save(&engine, &caller, &memory, &patch)?));
    match saved {
        Ok(revised) => tell(&engine, args, &revised),
        Err(error) => Err(kept(error, &text)?),
    }
}

/// What the options say is new; none if they say nothing.
fn told(args: &EditArgs) -> Result<Option<MemoryPatch>> {
    memo::check_tags("--tag", &args.tags)?;
    let content = match args.content.as_deref() {
        Some("-") => Some(memo::kept(&memo::from_input()?)?),
        Some(text) => Some(memo::kept(text).context("--content")?),
        None => None,
    };
    let tags = (args.no_tags || !args.tags.is_empty()).then(|| args.tags.clone());
    let EditArgs { kind, importance, .. } = *args;
    let patch = MemoryPatch { content, kind, tags, importance, ..MemoryPatch::default() };
    Ok(Some(patch).filter(|patch| *patch != MemoryPatch::default()))
}

/// Saves it unless others changed the memory since it was read.
fn save(
    engine: &Engine,
    caller: &Caller,
    read: &Memory,
    patch: &MemoryPatch,
) -> engine::Result<Revised> {
    let mut patch = patch.clone();
    if let Some(content) = &mut patch.content {
        *content = secrets::admit(engine.secrets(), "the text", content)?;
    }
    if let Some(tags) = &mut patch.tags {
        *tags = secrets::admit_each(engine.secrets(), "--tag", tags)?;
    }
    let is_overtaken = Cell::new(false);
    let revised = memory::revise(engine, caller, read.id, |now| {
        is_overtaken.set(!is_as_read(read, now));
        if is_overtaken.get() { MemoryPatch::default() } else { patch.clone() }
    });
    let revised = revised.map_err(|error| match error.kind {
        ErrorKind::NotFound => {
            Error { message: format!("{error}; it was there a moment ago"), ..error }
        }
        _ => error,
    })?;
    if is_overtaken.get() {
        let id = read.id.prefixed();
        let why = format!("{id} was changed by others meanwhile; nothing of yours is saved");
        return Err(Error::new(ErrorKind::Conflict, why));
    }
    Ok(revised)
}

/// Whether a memory still says what was read. That it was read again is no change.
fn is_as_read(read: &Memory, now: &Memory) -> bool {
    let said = |memory: &Memory| {
        let Memory { content, kind, category, tags, importance, archived, .. } = memory.clone();
        (content, kind, category, tags, importance, archived)
    };
    said(read) == said(now)
}

/// The same error, with the name of a file that holds what was written.
fn kept(error: anyhow::Error, text: &str) -> Result<anyhow::Error> {
    let file = tempfile::Builder::new().prefix("lorekeep-edit-").suffix(".md").tempfile()?;
    std::fs::write(file.path(), text)?;
    let (_, path) = file.keep()?;
    let message = format!("{error:#}; what you wrote is kept in {}", path.display());
    Ok(match error.downcast::<Error>() {
        Ok(error) => Error { message, ..error }.into(),
        Err(_) => anyhow!(message),
    })
}

fn tell(engine: &Engine, args: &EditArgs, revised: &Revised) -> Result<ExitCode> {
    let Revised { memory, fields } = revised;
    let names: Vec<String> =
        fields.iter().map(|field| format!("{field:?}").to_lowercase()).collect();
    if args.json {
        output::json(&json!({"changed": names, "memory": memo::describe(engine, memory)}))?;
    } else if names.is_empty() {
        output::note("nothing changed");
    } else {
        let id = styled(STRONG, memory.id.prefixed());
        output::line(format!("{id} has a new {}", names.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}
