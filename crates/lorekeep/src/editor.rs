//! A text written in the person's editor.

use std::io::{IsTerminal, stdin};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What a person has at hand who named no editor.
const EDITOR_USUAL: &str = "vi";

/// What becomes of `text` in the person's editor; `missing` says what nobody gave otherwise.
pub(crate) fn edited(text: &str, missing: &str) -> Result<String> {
    if !stdin().is_terminal() {
        bail!("{missing}; there is no terminal to write it at");
    }
    let Some(editor) = named() else {
        bail!("{missing}, and neither VISUAL nor EDITOR names an editor to write it in");
    };
    written(&editor, text)
}

/// What becomes of `text` in the editor that a person asked for; without a terminal it must be named.
pub(crate) fn asked_for(text: &str) -> Result<String> {
    let usual = || stdin().is_terminal().then(|| EDITOR_USUAL.to_owned());
    let Some(editor) = named().or_else(usual) else {
        bail!("there is no terminal, and neither VISUAL nor EDITOR names an editor");
    };
    written(&editor, text)
}

/// The editor that the person named.
fn named() -> Option<String> {
    let named = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

fn written(editor: &str, text: &str) -> Result<String> {
    let file = tempfile::Builder::new().prefix("lorekeep-").suffix(".md").tempfile()?;
    std::fs::write(file.path(), text)?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let ended = Command::new(program).args(words).arg(file.path()).status();
    if !ended.with_context(|| editor.to_owned())?.success() {
        bail!("{editor} failed; nothing is recorded");
    }
    Ok(std::fs::read_to_string(file.path())?)
}
