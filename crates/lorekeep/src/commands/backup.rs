//! `lorekeep backup`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use store::Store;

use crate::cli::BackupArgs;
use crate::output;

pub(crate) fn run(args: &BackupArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    let dir = settings.data_dir.clone();
    let Some(file) = &args.file else { return list(&dir) };
    store::settle(&dir)?;
    if !dir.join(store::FILE_NAME).exists() {
        bail!("there is no store at {} to back up", dir.display());
    }
    super::try_note(&settings, &format!("back everything up to {}", file.display()));
    let report = Store::open(&dir)?.backup(file)?;
    let (memories, bytes) = (report.memories, report.bytes);
    output::line(format!("{}: {memories} memories, {bytes} bytes", file.display()));
    let ledger = dir.join(engine::LEDGER);
    if ledger.exists() {
        let ledger = ledger.display();
        output::note(format!(
            "decisions are in it as they are now; their history is git's: git clone {ledger}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The backups that servers made, the newest first.
fn list(dir: &Path) -> Result<ExitCode> {
    let all = store::backups(dir)?;
    if all.is_empty() {
        let folder = dir.join(store::BACKUPS);
        output::note(format!("none yet in {}; a server that runs makes them", folder.display()));
    }
    for kept in &all {
        let memories = kept.memories.map_or("?".to_owned(), |count| count.to_string());
        let state = match (kept.is_whole(), kept.before_migration) {
            (false, _) => ", damaged",
            (true, true) => ", made before the schema changed",
            (true, false) => "",
        };
        let (at, schema, bytes) = (kept.at, kept.schema, kept.bytes);
        let path = kept.path.display();
        output::line(format!(
            "{at}  {memories} memories, {bytes} bytes, schema {schema}{state}: {path}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
