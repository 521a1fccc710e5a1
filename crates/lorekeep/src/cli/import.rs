//! Options of `import`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueHint};
use model::Layer;
use providers::import::Format;

use super::{ImportAdrArgs, StoreArgs, layers};

/// The format that is guessed.
pub(crate) const AUTO: &str = "auto";

/// The format of our own exports.
pub(crate) const OWN: &str = "lorekeep";

/// Options of `import`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
server-memory       the reference memory server's JSONL: entities, observations, relations
claude              CLAUDE.md, AGENTS.md, or a folder of Claude's automatic memory
basic-memory        notes with observations and relations
obsidian            a vault: notes, tags and links
markdown            any Markdown, a memory a section
mem0                an export as JSON
mcp-memory-service  its SQLite database
ledgermind          its folder; the decisions go into the ledger
theo                its SQLite database
agent-memory        its JSONL
chatgpt             conversations.json; searchable documents, not memories
claude-export       conversations.json; searchable documents, not memories
lorekeep            what `lorekeep export` wrote
auto                guesses which of these it is, and says so
adr                 architecture decisions as knowledge: `lorekeep import adr --help`

A file is taken in whole or not at all. What was imported before is recognised: it is brought up to date
if it changed there and nobody changed it here, and else left alone.

Exit code: 0 if every file was taken, 1 if one could not be (the others are in).")]
pub(crate) struct ImportArgs {
    /// What is imported, if not as below
    #[command(subcommand)]
    pub what: Option<ImportWhat>,
    /// What wrote it
    #[arg(value_name = "FORMAT", required = true, value_parser = formats())]
    pub format: Option<String>,
    /// Files and folders
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// The layer that memories go to
    #[arg(long, value_name = "LAYER", default_value = "user", value_parser = layers())]
    pub layer: Layer,
    /// Write nothing: only tell what would become of it
    #[arg(long)]
    pub dry_run: bool,
    /// Believe an export of lorekeep what it says of the trust in its memories; else they are trusted
    /// like an agent's at the most
    #[arg(long)]
    pub trust_export: bool,
    /// Print JSON, with everything that was left out
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Memories, edges, events, episodes, facts and documents go into lines of JSON, memories also into Markdown,
the ledger into a git bundle, and the knowledge is copied. Vectors stay behind.
`lorekeep import lorekeep DIR` takes it all into another store, with ids and times.")]
pub(crate) struct ExportArgs {
    /// The folder to make; it must be empty or not there yet
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// What can be imported as knowledge.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportWhat {
    /// Architecture decisions that MADR, adr-tools or Log4brains wrote
    Adr(ImportAdrArgs),
}

fn formats() -> PossibleValuesParser {
    let names = Format::ALL.map(Format::name).into_iter().chain([OWN, AUTO]);
    PossibleValuesParser::new(names)
}
