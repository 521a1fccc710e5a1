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
merges it into the memory that nearly says the same, d drops it for good, s skips it, q ends.

Memories and records that read like orders to an agent come first: agents find them when they search,
and are not told them unasked until a person approves them here (a), or never if one rejects them (r).
Only who sits at a terminal may do that.")]
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
    /// Let agents be told these unasked, by their ids
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub approve: Vec<String>,
    /// Never let agents be told these unasked
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub reject: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}
