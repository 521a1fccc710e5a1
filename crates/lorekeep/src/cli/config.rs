//! Options of `config` and `trust`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::StoreArgs;

/// Options of `config`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub what: ConfigWhat,
}

/// Subcommands of `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigWhat {
    /// List all settings: the value that holds here, and where it comes from
    List(ListConfigArgs),
    /// Print one setting
    Get(GetConfigArgs),
    /// Print where the user's own configuration file is
    Path,
}

/// Options of `config list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lorekeep config list
  lorekeep config list --role guest --json")]
pub(crate) struct ListConfigArgs {
    /// Only what somebody set
    #[arg(long)]
    pub set: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `config get`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lorekeep config get data-dir
  lorekeep config get role")]
pub(crate) struct GetConfigArgs {
    /// The setting's key, e.g. data-dir
    pub key: String,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `trust`.
#[derive(Debug, Args)]
#[command(after_help = "\
A project's lorekeep.toml may only restrict what agents may do. In a trusted folder it may set anything, as
your own file does, until the file changes. A store in a trusted folder is believed as your own.

Examples:
  lorekeep trust
  lorekeep trust ~/work/web --remove")]
pub(crate) struct TrustArgs {
    /// The folder, if not the working directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Trust the folder no longer
    #[arg(long, conflicts_with = "list")]
    pub remove: bool,
    /// List the trusted folders
    #[arg(long, conflicts_with = "dir")]
    pub list: bool,
}
