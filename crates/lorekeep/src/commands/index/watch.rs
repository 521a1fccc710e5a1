//! `lorekeep index --watch`: the store follows the files.
//!
//! An event says no more than that something changed below a path: then the path is indexed again,
//! which opens only what changed. So an event that was lost or misread does no harm for longer than
//! until the next round, and there is one every few minutes.

mod eyes;

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use engine::document::{self, FailedFile};

use super::Work;
use super::interrupt::Interrupt;
use super::meter::Meter;
use super::summary::Summary;
use crate::cli::IndexArgs;
use crate::output;
use eyes::Eyes;

/// A round begins when nothing has changed for so long, …
const QUIET: Duration = Duration::from_millis(300);
/// … or so long after the first change.
const QUIET_MAX: Duration = Duration::from_secs(2);

/// There is a round at least this often, because systems lose events.
const PAUSE_MAX: Duration = Duration::from_secs(300);

/// The same where the system tells of no changes, or a path is out of reach.
const PAUSE_MAX_BLIND: Duration = Duration::from_secs(5);

pub(crate) fn run(work: &Work<'_>, args: &IndexArgs, data_dir: &Path) -> Result<ExitCode> {
    let absolute = |path: &String| {
        let path = std::fs::canonicalize(path).with_context(|| path.clone())?;
        path.into_os_string().into_string().map_err(|path| anyhow::anyhow!("{path:?} is no text"))
    };
    let paths = args.paths.iter().map(absolute).collect::<Result<Vec<_>>>()?;
    let (wake, woken) = sync_channel(1);
    let wake = move || {
        // One that is not heard is followed by one that is: there is a round to come.
        let _ = wake.try_send(());
    };
    let interrupt = Interrupt::listen(wake.clone())?;
    // The events come first: what changes during the first round makes a second one.
    let mut eyes = Eyes::open(&paths, work.recursive, data_dir, wake);
    let (mut meter, mut failed) = (Meter::start("files"), None);
    loop {
        let began = Instant::now();
        let is_whole = round(work, &paths, &interrupt, meter, &mut failed, args.json)?;
        meter = Meter::hidden();
        let pause_max = if eyes.look() {
            Duration::ZERO
        } else if eyes.see_all() && is_whole {
            PAUSE_MAX
        } else {
            PAUSE_MAX_BLIND
        };
        if !wait(&woken, &interrupt, pause_max, began.elapsed()) {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Indexes all paths, and prints what changed; whether all could be reached.
fn round(
    work: &Work<'_>,
    paths: &[String],
    interrupt: &Interrupt,
    meter: Meter,
    failed_before: &mut Option<Vec<FailedFile>>,
    is_json: bool,
) -> Result<bool> {
    let summary = match work.all(paths, interrupt, meter) {
        Ok(mut summary) => {
            remove_gone(work, paths, &mut summary)?;
            summary
        }
        Err(error) => {
            // A store that is out of reach for a moment is no reason to go.
            output::complain(&error);
            return Ok(false);
        }
    };
    let report = &summary.report;
    if report.is_cut_off {
        return Ok(true);
    }
    let is_first = failed_before.is_none();
    let is_changed = report.files_indexed + report.files_removed > 0
        || failed_before.as_ref() != Some(&report.failed);
    if is_first {
        summary.print(is_json)?;
        output::note("it follows every change now; end it with Ctrl-C");
    } else if is_changed {
        summary.print_round(is_json)?;
    }
    let is_whole = !summary.is_refused;
    *failed_before = Some(summary.report.failed);
    Ok(is_whole)
}

/// A file that was named and is gone is taken out of the store. What was read from a folder that is
/// gone stays: a disk that is not there now may come back.
fn remove_gone(work: &Work<'_>, paths: &[String], summary: &mut Summary) -> Result<()> {
    for path in paths.iter().filter(|path| !Path::new(path).exists()) {
        if document::is_known(work.engine, &work.scope, path)? {
            document::delete_file(work.engine, work.caller, path)?;
            summary.report.files_removed += 1;
        }
    }
    Ok(())
}

/// Waits for the next round; false if there is none.
fn wait(
    woken: &Receiver<()>,
    interrupt: &Interrupt,
    pause_max: Duration,
    last_took: Duration,
) -> bool {
    let ended = Instant::now();
    // Half of the time is left to others, however often something changes.
    let earliest = ended + last_took;
    let (mut next, mut first) = (ended + pause_max, None);
    loop {
        if interrupt.code().is_some() {
            return false;
        }
        match woken.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(()) => {
                let now = Instant::now();
                let first = *first.get_or_insert(now);
                next = (now + QUIET).min(first + QUIET_MAX).max(earliest);
            }
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
