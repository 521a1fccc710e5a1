//! `lorekeep bench documents`.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::DocumentsArgs;

pub(crate) fn run(args: &DocumentsArgs) -> Result<ExitCode> {
    let _ = args;
    Ok(ExitCode::SUCCESS)
}
