//! Secrets in what a tool is given, in one place for all tools: before its arguments are read.
//!
//! A tool that only reads may be asked for anything: what is noted of its query is cleaned where it
//! is noted. One that writes and keeps nothing of it says so, with the reason
//! ([`Tool::KEEPS_NOTHING`](crate::tool::Tool::KEEPS_NOTHING)). Not here: what a secret is.

use engine::Result;
use engine::secrets::{Policy, admit_all, take};
use serde_json::{Map, Value};

use crate::tool::{Context, Definition};

/// The arguments as the tool may have them, or the error that names the field.
pub(crate) fn arguments(
    tool: &Definition,
    arguments: Map<String, Value>,
    cx: &Context<'_>,
) -> Result<Map<String, Value>> {
    if keeps(tool) { admit_all(cx.engine.secrets(), arguments) } else { Ok(arguments) }
}

/// What the client's model answered, without secrets: nobody chose its words.
pub(crate) fn answers(tool: &Definition, cx: &Context<'_>) -> Option<Result<Vec<String>, String>> {
    let mut answers = cx.answers?.clone();
    let policy = if keeps(tool) { cx.engine.secrets() } else { Policy::Keep };
    answers.iter_mut().flatten().for_each(|answer| _ = take(policy, answer));
    Some(answers)
}

/// Whether something of its arguments may be kept.
fn keeps(tool: &Definition) -> bool {
    !tool.spec.effect.read_only && tool.spec.keeps_nothing.is_none()
}

#[cfg(test)]
mod tests;
