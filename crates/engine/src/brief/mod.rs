//! What an agent should know, before a prompt or when a session starts: notes of ours within a budget of
//! tokens, each with its id and date, as data and not as instructions.
//!
//! Nothing here writes or counts as reading, and nothing takes long: a person waits for it.

mod render;
mod sources;

use model::Caller;
pub(crate) use sources::namespaces;

use crate::{Engine, Result};

/// Notes, ready to be put before a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    /// The block, with its marks.
    pub text: String,
    /// How many notes it holds.
    pub notes: usize,
}

/// What has to do with a prompt: rules that bind, golden rules, decisions, memories. None if there is
/// nothing to say.
pub fn for_prompt(
    engine: &Engine,
    caller: &Caller,
    prompt: &str,
    budget: usize,
) -> Result<Option<Brief>> {
    let notes = sources::for_prompt(engine, caller, prompt)?;
    Ok(render::brief(&notes, budget))
}

/// What is good to know when a session starts, or starts anew after its context was cut: rules that
/// bind, golden rules, the newest decisions, what matters most and what is newest.
pub fn at_start(engine: &Engine, caller: &Caller, budget: usize) -> Result<Option<Brief>> {
    Ok(render::brief(&sources::at_start(engine, caller)?, budget))
}
