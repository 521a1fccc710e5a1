//! Options for what may be reached beyond the store.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// What may be reached beyond the store, by the toolsets `files`, `web` and `graph`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutsideArgs {
    /// Folder whose files may be read and changed; without one, those the client works in, else the
    /// working directory [LOREKEEP_ROOTS, outside.roots]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Vec<PathBuf>,
    /// Let admins run commands in these folders [LOREKEEP_ALLOW_COMMANDS, outside.allow-commands]
    #[arg(long)]
    pub allow_commands: bool,
    /// Let pages of this machine and its network be read
    /// [LOREKEEP_ALLOW_PRIVATE_URLS, outside.allow-private-urls]
    #[arg(long)]
    pub allow_private_urls: bool,
    /// Model that reads facts out of texts: openai:MODEL[@URL] (key: LOREKEEP_EXTRACTOR_KEY) or
    /// ollama:MODEL[@URL]; without one the client's own, else rules
    /// [LOREKEEP_EXTRACTOR, outside.extractor]
    #[arg(long, value_name = "WHAT")]
    pub extractor: Option<String>,
}
