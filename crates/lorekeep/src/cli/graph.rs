//! The options of `graph`.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use model::Timestamp;

use super::StoreArgs;

/// Options of `graph`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct GraphArgs {
    /// What to do instead of showing a thing
    #[command(subcommand)]
    pub what: Option<GraphWhat>,
    /// The exact name of a thing
    pub name: Option<String>,
    /// How to draw it
    #[arg(long, value_name = "FORMAT", default_value = "text",
          value_parser = PossibleValuesParser::new(["text", "mermaid", "dot", "json"]))]
    pub format: String,
    /// How many steps away others are drawn
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub depth: u8,
    /// Show what held at this time, e.g. 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<Timestamp>,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// What `graph` can do besides showing a thing.
#[derive(Debug, Subcommand)]
pub(crate) enum GraphWhat {
    /// Let two names be one thing: the links of the first become the second's
    Merge(MergeArgs),
}

/// Options of `graph merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The name that goes
    pub from: String,
    /// The name that stays
    pub into: String,
    #[command(flatten)]
    pub store: StoreArgs,
}
