//! A text written in the person's editor.

use std::io::{IsTerminal, stdin};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What becomes of `text` in the person's editor; `missing` says what nobody gave otherwise.
pub(crate) fn edited(text: &str, missing: &str) -> Result<String> {
    if !stdin().is_terminal() {
        bail!("{missing}; there is no terminal to write it at");
    }
    let named = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR"));
    let Some(editor) = editor else {
        bail!("{missing}, and neither VISUAL nor EDITOR names an editor to write it in");
    };
    let file = tempfile::Builder::new().prefix("lorekeep-").suffix(".md").tempfile()?;
    std::fs::write(file.path(), text)?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let ended = Command::new(program).args(words).arg(file.path()).status();
    if !ended.with_context(|| editor.clone())?.success() {
        bail!("{editor} failed; nothing is recorded");
    }
    Ok(std::fs::read_to_string(file.path())?)
}
