//! `lorekeep restore`.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::RestoreArgs;
use crate::{output, wiring};

pub(crate) fn run(args: &RestoreArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    let by = wiring::attribution(&settings);
    let dir = settings.data_dir;
    let (report, kept) = store::restore(&args.file, &dir, &by)?;
    output::line(format!("{}: {} memories are back", dir.display(), report.memories));
    if let Some(kept) = kept {
        output::line(format!("the store that was there is kept as {}", kept.display()));
    }
    Ok(ExitCode::SUCCESS)
}
