//! `lorekeep backup`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use store::Store;

use crate::cli::BackupArgs;
use crate::output;

pub(crate) fn run(args: &BackupArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    let dir = settings.data_dir;
    if !dir.join(store::FILE_NAME).exists() {
        bail!("there is no store at {} to back up", dir.display());
    }
    let report = Store::open(&dir)?.backup(&args.file)?;
    let (memories, bytes) = (report.memories, report.bytes);
    output::line(format!("{}: {memories} memories, {bytes} bytes", args.file.display()));
    let ledger = dir.join(engine::LEDGER);
    if ledger.exists() {
        let ledger = ledger.display();
        output::note(format!(
            "decisions are in it as they are now; their history is git's: git clone {ledger}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
