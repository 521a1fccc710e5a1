//! The options of the commands around capture: `hook` and `review`.

use clap::Args;

use super::StoreArgs;

/// Options of `hook`.
#[derive(Debug, Args)]
#[command(after_help = "\
Reads the client's JSON from standard input and answers in its form. It never fails: without anything
to say, or if anything is wrong, it prints nothing and exits with 0. LOREKEEP_HOOKS=off switches it off.")]
pub(crate) struct HookArgs {
    /// The client: claude-code, codex, vscode, cursor or gemini
    pub client: String,
    /// The client's own name of what happens, e.g. SessionStart, UserPromptSubmit or Stop
    pub event: String,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `review`.
#[derive(Debug, Args)]
#[command(after_help = "\
In a terminal it shows one sentence after the other and takes one key each: k keeps it as a memory, m
merges it into the memory that nearly says the same, d drops it for good, s skips it, q ends.")]
pub(crate) struct ReviewArgs {
    /// Keep these as memories, by their numbers
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub keep: Vec<i64>,
    /// Merge these into the memories that nearly say the same
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub merge: Vec<i64>,
    /// Drop these for good
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub drop: Vec<i64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}
