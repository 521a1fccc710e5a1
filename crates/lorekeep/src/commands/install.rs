//! `lorekeep install`: Lorekeep where people work.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::{InstallArgs, InstallWhat};

mod clients;
pub(crate) mod pre_commit;
pub(crate) mod work;

pub(crate) fn run(args: &InstallArgs) -> Result<ExitCode> {
    match &args.what {
        Some(InstallWhat::PreCommit(args)) => pre_commit::install(args.dry_run),
        None => clients::run(args),
    }
}
