//! `lorekeep hook`: a client tells what happens in a session, and is told what is good to know.
//!
//! Whatever is wrong, it exits with 0 and prints nothing: a memory must not stand in the way of work.

mod client;
mod input;
mod transcript;

use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use engine::{Engine, brief, capture, index};
use model::scope::OwnerId;
use model::{Caller, Layer, Role};
use serde_json::Value;

use crate::cli::HookArgs;
use crate::settings::Settings;
use crate::settings::outside::OutsideSettings;
use crate::{embedder, wiring};
use client::{Client, Event};
use input::Input;

/// Switches all hooks off.
const VARIABLE: &str = "LOREKEEP_HOOKS";

/// A client says no more than this.
const INPUT_BYTES_MAX: u64 = 4 << 20;

/// After this time it ends, done or not.
const TIME_MAX: Duration = Duration::from_secs(2);

/// What is put before a prompt costs no more tokens than this.
const PROMPT_TOKENS_MAX: usize = 1_500;

/// What a session starts with costs no more than this.
const START_TOKENS_MAX: usize = 2_000;

pub(crate) fn run(args: &HookArgs) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    if is_off() || stdin().is_terminal() {
        return ExitCode::SUCCESS;
    }
    // If there is no thread to have, the client's own patience ends it.
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(TIME_MAX);
        std::process::exit(0);
    });
    let answer = std::panic::catch_unwind(|| answer(args));
    if let Ok(Ok(Some(answer))) = answer {
        let answer = answer.to_string();
        // Who does not listen any more misses nothing.
        let _ = stdout().write_all(format!("{}\n", rank::keep::escaped(&answer)).as_bytes());
    }
    ExitCode::SUCCESS
}

fn is_off() -> bool {
    let value = std::env::var(VARIABLE).unwrap_or_default().to_ascii_lowercase();
    matches!(value.as_str(), "off" | "0" | "false" | "no")
}

/// What the client is told; none if there is nothing to say.
fn answer(args: &HookArgs) -> Result<Option<Value>> {
    let client = Client::named(&args.client).context("the client")?;
    let (event, name) = client.event(&args.event).context("the event")?;
    let input = Input::of(&read()?)?;
    if let Some(dir) = &input.dir {
        // A folder that is gone leaves us where we are.
        let _ = std::env::set_current_dir(dir);
    }
    let settings = super::settings(&args.store)?;
    match event {
        Event::Start => {
            let told = told(&settings, &input, |engine, caller| {
                brief::at_start(engine, caller, START_TOKENS_MAX)
            })?;
            Ok(told.map(|text| client.context(name, &text)))
        }
        Event::Prompt if client.takes_context_with_prompts() => {
            let prompt = input.prompt.as_deref().context("a prompt")?;
            let told = told(&settings, &input, |engine, caller| {
                brief::for_prompt(engine, caller, prompt, PROMPT_TOKENS_MAX)
            })?;
            Ok(told.map(|text| client.context(name, &text)))
        }
        Event::Prompt | Event::Answer => record(&settings, client, &input).map(|()| None),
        Event::End => save(settings).map(|()| None),
    }
}

fn read() -> Result<Value> {
    let mut text = String::new();
    stdin().take(INPUT_BYTES_MAX).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

/// The block of notes, from a store that is only read.
fn told(
    settings: &Settings,
    input: &Input,
    brief: impl Fn(&Engine, &Caller) -> engine::Result<Option<brief::Brief>>,
) -> Result<Option<String>> {
    let mut settings = quick(settings.clone());
    // To note that something was read takes a store that can be written to.
    settings.selection.read_only |= !settings.audit_reads;
    let engine = in_haste(wiring::open_once(&settings)?);
    engine.note_reading();
    let caller = caller(&settings, input);
    Ok(brief(&engine, &caller)?.map(|brief| brief.text))
}

/// Keeps what was said and answered, if the caller may write.
fn record(settings: &Settings, client: Client, input: &Input) -> Result<()> {
    if settings.role < Role::User || settings.selection.read_only {
        return Ok(());
    }
    let heard = match (&input.prompt, &input.transcript) {
        (Some(prompt), _) => transcript::Turn { prompt: prompt.clone(), response: String::new() },
        (None, Some(path)) => transcript::last(path)?,
        (None, None) => return Ok(()),
    };
    let interaction = capture::Interaction {
        client: client.name().to_owned(),
        session: input.session.clone(),
        prompt: heard.prompt,
        response: input.response.clone().unwrap_or(heard.response),
    };
    let settings = quick(settings.clone());
    let caller = caller(&settings, input);
    let engine = in_haste(wiring::open_once(&settings)?);
    capture::record(&engine, &caller, &interaction)?;
    Ok(())
}

/// Writes the snapshot of the index if it is due, so that the next session's prompts need not wait for
/// it. That of a model of the user's is the server's business.
fn save(settings: Settings) -> Result<()> {
    let is_ours = settings.embedder == embedder::Setting::BuiltIn;
    if !is_ours || settings.selection.read_only || super::refuse_missing(&settings).is_err() {
        return Ok(());
    }
    index::save(&in_haste(wiring::open_once(&quick(settings))?), false)?;
    Ok(())
}

/// The settings without what may take long: a model of the user's, and the world outside.
fn quick(settings: Settings) -> Settings {
    let embedder = match settings.embedder {
        embedder::Setting::Words => embedder::Setting::Words,
        _ => embedder::Setting::BuiltIn,
    };
    Settings { embedder, outside: OutsideSettings::default(), ..settings }
}

/// A damaged store is read as it is: a copy of it is not made within the time, and would be left behind.
fn in_haste(engine: Engine) -> Engine {
    engine.store().forgo_rescue();
    engine
}

/// Who works in the session.
fn caller(settings: &Settings, input: &Input) -> Caller {
    let mut caller = wiring::agent(settings);
    let session = input.session.as_deref().and_then(OwnerId::nearest);
    if let Some(session) = session.filter(|_| caller.identity.named(Layer::Session).is_none()) {
        caller.identity = caller.identity.assuming(Layer::Session, session);
    }
    caller
}
