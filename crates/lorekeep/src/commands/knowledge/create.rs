//! `lorekeep knowledge new`.

use std::io::{Read, stdin};
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::knowledge::{self, NewItem};
use model::{ItemStatus, Metadata, Role};

use super::{follow, form, require, tell};
use crate::cli::NewArgs;
use crate::{editor, wiring};

pub(super) fn run(args: &NewArgs) -> Result<ExitCode> {
    let settings = super::super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    require(&caller, Role::User)?;
    let new = NewItem {
        id: args.id.clone(),
        kind: args.kind,
        layer: args.layer,
        here: args.here,
        title: args.title.join(" "),
        summary: args.summary.clone().unwrap_or_default(),
        status: ItemStatus::Draft,
        severity: args.severity,
        tags: args.tags.clone(),
        constraints: args.constraints.clone(),
        content: content(args)?,
        metadata: Metadata::new(),
        created_at: None,
        supersedes: None,
        superseded_by: Vec::new(),
    };
    let engine = wiring::open_once(&settings)?;
    let written = knowledge::create(&engine, &caller, &new)?;
    follow(&engine, &caller);
    tell(&written, "is a draft", args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// The text: from a file or standard input, else headings to fill in; then as the editor leaves it.
fn content(args: &NewArgs) -> Result<String> {
    let text = match args.content.as_deref() {
        Some(path) if path.as_os_str() == "-" => {
            let mut text = String::new();
            stdin().read_to_string(&mut text).context("standard input")?;
            text
        }
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("--content {}", path.display()))?,
        None => form::of(args.kind).to_owned(),
    };
    if args.edit { editor::edited(&text, "--edit opens an editor") } else { Ok(text) }
}
