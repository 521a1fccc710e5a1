//! `lorekeep install`: Lorekeep where people work.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::{InstallArgs, InstallWhat};

mod pre_commit;

pub(crate) fn run(args: &InstallArgs) -> Result<ExitCode> {
    match &args.what {
        InstallWhat::PreCommit(args) => pre_commit::run(args),
    }
}
