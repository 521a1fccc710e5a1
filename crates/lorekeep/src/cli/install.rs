//! The options of `install` and `uninstall`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use providers::clients::{Client, Extras};

/// Options of `install`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Without a name it goes into every client that is found on this machine. A client that is named need
not be found. Comments and the order of a file stay; the file as it was is kept beside it, once, as
FILE.lorekeep-backup. What is installed already is left as it is.

Exit code: 0 if all is installed, 1 if a file was refused or no client was found.")]
pub(crate) struct InstallArgs {
    /// Where else
    #[command(subcommand)]
    pub what: Option<InstallWhat>,
    #[command(flatten)]
    pub clients: ClientArgs,
    /// Leave out the hooks, which bring what is remembered to an agent that did not ask
    #[arg(long)]
    pub no_hooks: bool,
    /// Leave out the instructions, which tell an agent when to search and when to remember
    #[arg(long)]
    pub no_instructions: bool,
    /// Replace an entry `lorekeep` that runs something else
    #[arg(long)]
    pub force: bool,
}

impl InstallArgs {
    /// What is installed beside the entry of the server.
    pub(crate) fn extras(&self) -> Extras {
        Extras { hooks: !self.no_hooks, instructions: !self.no_instructions }
    }
}

/// Where Lorekeep can be put to work, besides clients.
#[derive(Debug, Subcommand)]
pub(crate) enum InstallWhat {
    /// Check what is staged before each commit in this repository
    PreCommit(PreCommitArgs),
}

/// Options of `install pre-commit`.
#[derive(Debug, Args)]
#[command(after_help = "\
A hook that is there already is kept, and checks after ours. LOREKEEP_HOOKS=off skips ours once.
`lorekeep uninstall pre-commit` takes it out again.")]
pub(crate) struct PreCommitArgs {
    /// Print what would be written, and where
    #[arg(long)]
    pub dry_run: bool,
}

/// Targets of `uninstall` besides clients.
#[derive(Debug, Subcommand)]
pub(crate) enum UninstallWhat {
    /// Check commits in this repository no more
    PreCommit(UninstallPreCommitArgs),
}

/// Options of `uninstall pre-commit`.
#[derive(Debug, Args)]
#[command(after_help = "\
What others wrote into the hook stays; a hook that only `install pre-commit` made is removed.")]
pub(crate) struct UninstallPreCommitArgs {
    /// Print what would be left, and where
    #[arg(long)]
    pub dry_run: bool,
}

/// Options of `uninstall`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
A file that only `install` changed becomes what it was, byte for byte; one that it made is removed.
Memories stay where they are.

Exit code: 0 if nothing of ours is left in the clients, 1 if a file was refused.")]
pub(crate) struct UninstallArgs {
    /// Where else
    #[command(subcommand)]
    pub what: Option<UninstallWhat>,
    #[command(flatten)]
    pub clients: ClientArgs,
}

/// Which clients, and how.
#[derive(Debug, Args)]
pub(crate) struct ClientArgs {
    /// Only these clients
    #[arg(value_name = "CLIENT", value_parser = clients())]
    pub names: Vec<Client>,
    /// All of them, which is the same as naming none
    #[arg(long, conflicts_with = "names")]
    pub all: bool,
    /// Change nothing, and show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// In the files of the project here, and not in those of the user
    #[arg(long)]
    pub project: bool,
}

fn clients() -> impl TypedValueParser<Value = Client> {
    let names = PossibleValuesParser::new(Client::ALL.map(Client::name));
    names.try_map(|name| Client::named(&name).ok_or("it is no client"))
}
