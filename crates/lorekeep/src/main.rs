//! The `lorekeep` binary: reads the command line and the configuration, wires the floors together,
//! and prints. No logic of its own.

mod cli;
mod commands;
mod editor;
mod embedder;
mod identity;
mod output;
mod pager;
mod settings;
mod store_origin;
mod traces;
mod trusted;
mod wiring;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

#[cfg(fuzzing)]
pub use settings::fuzz_config;

/// Glibc keeps what it was given back, for each thread anew: a server that lives long would grow for hours.
#[cfg(all(target_os = "linux", target_env = "gnu", not(fuzzing)))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // A client takes an error for a word of its own; a hook never has one.
        Err(error) if error.use_stderr() && is_hook() => return ExitCode::SUCCESS,
        Err(error) => return output::misuse(&error),
    };
    match run(cli.command) {
        Ok(code) => code,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(2)
        }
    }
}

/// Whether a client calls.
fn is_hook() -> bool {
    std::env::args_os().nth(1).is_some_and(|command| command == "hook")
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(args) => commands::serve::run(&args),
        Command::Tools(args) => commands::tools::run(&args),
        Command::Call(args) => commands::call::run(&args),
        Command::Add(args) => commands::add::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Recall(args) => commands::recall::run(&args),
        Command::Show(args) => commands::show::run(&args),
        Command::Edit(args) => commands::edit::run(&args),
        Command::Forget(args) => commands::forget::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Stats(args) => commands::stats::run(&args),
        Command::Context(args) => commands::context::run(&args),
        Command::Index(args) => commands::index::run(&args),
        Command::Decide(args) => commands::decide::run(&args),
        Command::Log(args) => commands::log::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::History(args) => commands::history::run(&args),
        Command::Graph(args) => commands::graph::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Install(args) => commands::install::run(&args),
        Command::Uninstall(args) => commands::uninstall::run(&args),
        Command::Knowledge(args) => commands::knowledge::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Review(args) => commands::review::run(&args),
        Command::Hook(args) => Ok(commands::hook::run(&args)),
        Command::Export(args) => commands::export::run(&args),
        Command::Help(args) => commands::help::run(&args),
        Command::Token(args) => commands::token::run(&args),
        Command::Config(args) => commands::config::run(&args),
        Command::Trust(args) => commands::trust::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Backup(args) => commands::backup::run(&args),
        Command::Restore(args) => commands::restore::run(&args),
        Command::Reindex(args) => commands::reindex::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Tour(args) => commands::tour::run(&args),
        Command::Completions(args) => commands::generate::completions(&args),
        Command::Man(args) => commands::generate::man(&args),
        Command::Reader => commands::reader::run(),
    }
}
