//! Options of `token`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Options of `token`.
#[derive(Debug, Args)]
#[command(after_help = "\
Whoever calls a server over HTTP brings a token, from this machine as well. The first `serve --http`
makes one for you and leaves it in the file http-token of the store's directory. A running server
notices new and revoked tokens by itself.

A token leaves out of what the server offers and never adds to it: no tool that the server does not
offer, no role above the server's own.")]
pub(crate) struct TokenArgs {
    /// What to do
    #[command(subcommand)]
    pub(crate) what: TokenWhat,
}

/// What `token` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenWhat {
    /// Make a token and print it: it is shown this once and kept nowhere
    New(Box<NewTokenArgs>),
    /// List the tokens: what each gives, and whether it is good
    List(ListTokensArgs),
    /// Revoke a token: from now on it lets nobody in
    Revoke(RevokeTokenArgs),
}

/// Options of `token new`.
#[derive(Debug, Default, Args)]
pub(crate) struct NewTokenArgs {
    /// What it is called, e.g. laptop; no two good tokens have the same name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// What its bearer may do: guest (read), user (read and write) or admin
    #[arg(long, default_value = "user")]
    pub(crate) role: String,
    /// Whose memories it opens; without any id, those of who runs the server, in all projects
    #[arg(long, value_name = "ID")]
    pub(crate) user: Option<String>,
    /// The agent, one of the user's
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// The session, one of the user's
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The project
    #[arg(long, value_name = "ID")]
    pub(crate) project: Option<String>,
    /// The team
    #[arg(long, value_name = "ID")]
    pub(crate) team: Option<String>,
    /// The organisation
    #[arg(long, value_name = "ID")]
    pub(crate) org: Option<String>,
    /// The company
    #[arg(long, value_name = "ID")]
    pub(crate) company: Option<String>,
    /// Open every project to its bearer, not only the one named
    #[arg(long)]
    pub(crate) all_projects: bool,
    /// Leave only these toolsets of those on offer
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) toolsets: Vec<String>,
    /// Leave nothing that writes
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Let its bearer open the files below this folder of the server's machine; may be given more than
    /// once. Who runs the server may anyway
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// The ledger's namespaces that are open to its bearer, or all; without it, that of the project
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) namespaces: Vec<String>,
    /// How long it is good: a number and m, h, d, w or y, e.g. 30d; without it, until it is revoked
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) expires: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Directory of the store [LOREKEEP_DATA_DIR, data-dir]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// Options of `token list`.
#[derive(Debug, Args)]
pub(crate) struct ListTokensArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Directory of the store [LOREKEEP_DATA_DIR, data-dir]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// Options of `token revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeTokenArgs {
    /// Its id or its name
    #[arg(value_name = "ID|NAME")]
    pub(crate) which: String,
    /// Directory of the store [LOREKEEP_DATA_DIR, data-dir]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}
