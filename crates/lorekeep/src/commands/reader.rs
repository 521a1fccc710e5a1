//! `lorekeep reader`: the process that files are parsed in. Nobody types it.

use std::process::ExitCode;

use anyhow::Result;

pub(crate) fn run() -> Result<ExitCode> {
    providers::reader_process::serve(rank::chunk::run)?;
    Ok(ExitCode::SUCCESS)
}
