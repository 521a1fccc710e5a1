//! `lorekeep doctor --repair`: what is damaged is moved aside, and what can be restored takes its place.

use std::path::PathBuf;

use anyhow::Result;
use engine::record;
use serde_json::{Value, json};

use crate::commands;
use crate::output::{self, BAD, GOOD, styled};
use crate::settings::Settings;
use crate::wiring;

/// What was done, or would be.
#[derive(Default)]
pub(super) struct Report {
    is_dry: bool,
    problems: Vec<String>,
    restored: Vec<String>,
    lost: Vec<String>,
    kept: Vec<PathBuf>,
}

/// Repairs the store, then the ledger; with `is_dry` it says what it would do.
pub(super) fn run(settings: &Settings, is_dry: bool) -> Result<Report> {
    let mut report = Report { is_dry, ..Report::default() };
    let dir = &settings.data_dir;
    let mut anew = false;
    let mut is_whole = dir.join(store::FILE_NAME).exists();
    let by = (!is_dry).then(|| wiring::attribution(settings));
    // How many problems and losses are in the audit log already, and what was restored.
    let mut noted = (0, 0, 0);
    if let Some(repair) = store::repair(dir, by.as_ref())? {
        anew = repair.records_lost;
        is_whole = !is_dry;
        report.problems.extend(repair.problems);
        report.restored.extend(repair.restored);
        report.lost.extend(repair.lost);
        report.kept.extend(repair.kept);
        if !is_dry {
            report.restored.push("tags, tallies and the index are made anew".to_owned());
        }
        if repair.is_noted {
            noted = (report.problems.len(), report.lost.len(), report.restored.len());
        }
    }
    // What git holds is taken in by whoever opens the store; without a store there is nothing to mend
    // the ledger by.
    let opened = (is_whole && dir.join(engine::LEDGER).exists())
        .then(|| wiring::open_once(settings))
        // Of a store that is not opened to read, the look at it tells why.
        .filter(|opened| !is_dry || opened.is_ok());
    if let Some(engine) = opened {
        let repaired = record::repair(&engine?, anew, is_dry)?;
        report.problems.extend(repaired.problems);
        report.restored.extend(repaired.restored);
        report.lost.extend(repaired.lost);
        report.kept.extend(repaired.kept);
    }
    let done = (report.problems.len(), report.lost.len(), report.restored.len());
    if !is_dry && is_whole && done != noted {
        let (found, lost) = (done.0 - noted.0, done.1 - noted.1);
        let restored = report.restored.get(noted.2..).unwrap_or_default();
        let first = restored.first().map_or(String::new(), |what| format!(": {what}"));
        let what = format!(
            "repair the store: {found} problems, {lost} lost, {} restored{first}",
            restored.len()
        );
        commands::try_note(settings, &what);
    }
    Ok(report)
}

impl Report {
    pub(super) fn describe(&self) -> Value {
        json!({
            "dryRun": self.is_dry,
            "problems": self.problems,
            "restored": self.restored,
            "lost": self.lost,
            "kept": self.kept.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        })
    }

    pub(super) fn print(&self) {
        let (again, gone) =
            if self.is_dry { ("would be restored", "could not be") } else { ("restored", "lost") };
        self.problems.iter().for_each(|what| output::line(format!("found: {what}")));
        for what in &self.restored {
            output::line(format!("{}: {what}", styled(GOOD, again)));
        }
        for what in &self.lost {
            output::line(format!("{}: {what}", styled(BAD, gone)));
        }
        for path in &self.kept {
            output::line(format!("what was damaged is kept: {}", path.display()));
        }
        if self.problems.is_empty() && self.restored.is_empty() && self.lost.is_empty() {
            output::line("nothing is to be repaired");
        }
    }
}
