//! `lorekeep completions` and `lorekeep man`: rendered from the command line's definition.

use std::io::{Write, stdout};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs, ManArgs};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lorekeep", &mut text);
    stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode> {
    match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
            clap_mangen::generate_to(Cli::command(), dir)?;
        }
        None => clap_mangen::Man::new(Cli::command()).render(&mut stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
