//! `lorekeep add`: something worth remembering is kept.

use std::io::{IsTerminal, stdin};
use std::process::ExitCode;

use anyhow::Result;
use engine::memory::{self, NewMemory, Place, Remembered};
use engine::secrets;
use model::{Metadata, Origin, Role};
use serde_json::json;

use super::{knowledge, memo};
use crate::cli::everyday::AddArgs;
use crate::output::{self, STRONG, styled};
use crate::{editor, wiring};

pub(crate) fn run(args: &AddArgs) -> Result<ExitCode> {
    knowledge::settle(add(args))
}

fn add(args: &AddArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    knowledge::require(&caller, Role::User)?;
    memo::check_tags("--tag", &args.tags)?;
    let new = NewMemory {
        origin: Origin::Layers,
        place: Place::Layer(args.layer),
        kind: args.kind,
        content: secrets::admit(settings.secrets, "the text", &memo::kept(&text(args)?)?)?,
        category: None,
        tags: secrets::admit_each(settings.secrets, "--tag", &args.tags)?,
        importance: args.importance,
        metadata: Metadata::new(),
    };
    let engine = wiring::open_once(&settings)?;
    let remembered = memory::remember_once(&engine, &caller, new, memory::Sameness::Exact);
    let remembered = remembered.map_err(|error| memo::hinted(error, Some(args.layer)))?;
    let (id, is_new) = match remembered {
        Remembered::New(memory) => (memory.id, true),
        Remembered::Known(id) => (id, false),
    };
    if args.json {
        output::json(&json!({"id": id.prefixed(), "created": is_new}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = styled(STRONG, id.prefixed());
    let (layer, short) = (args.layer.name(), memo::short(id));
    if is_new {
        output::line(format!("{shown} is kept in layer {layer}"));
    } else {
        output::line(format!("{shown} says the same already in layer {layer}"));
    }
    output::note(format!("`lorekeep show {short}` shows it, `lorekeep edit {short}` changes it"));
    Ok(ExitCode::SUCCESS)
}

/// The text: as it was typed, piped in or written in the editor.
fn text(args: &AddArgs) -> Result<String> {
    let typed = args.text.join(" ");
    match typed.as_str() {
        _ if args.edit => editor::asked_for(&typed),
        "-" => memo::from_input(),
        "" if stdin().is_terminal() => editor::asked_for(""),
        "" => memo::from_input(),
        _ => Ok(typed),
    }
}
