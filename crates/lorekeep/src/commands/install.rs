//! `lorekeep install`: Lorekeep where people work.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::{InstallArgs, InstallWhat};

mod clients;
mod pre_commit;
pub(crate) mod work;

pub(crate) fn run(args: &InstallArgs) -> Result<ExitCode> {
    match &args.what {
        Some(InstallWhat::PreCommit(args)) => pre_commit::run(args),
        None => clients::run(args),
    }
}
