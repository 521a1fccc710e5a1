//! `lorekeep index`: files and folders into the store, once, or following every change.

mod interrupt;
pub(crate) mod meter;
mod summary;
mod watch;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use engine::document::{self, Bounds, FailedFile, Folder, FolderReport};
use engine::{Engine, ErrorKind, scope};
use model::{Caller, Role, Scope};

use crate::cli::IndexArgs;
use crate::embedder::Setting;
use crate::{output, wiring};
use interrupt::Interrupt;
use meter::Meter;
use summary::Summary;

pub(crate) fn run(args: &IndexArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    // Who stays looks after the index too; after a single run a server does, or `reindex`.
    let engine =
        if args.watch { wiring::opener(&settings)()? } else { wiring::open_once(&settings)? };
    // Who types a path means it, wherever it leads.
    let caller = Caller { names_paths: true, ..wiring::caller(&settings) };
    let needed = Role::User;
    if caller.role < needed {
        bail!("index needs the role {}; this caller is {}", needed.name(), caller.role.name());
    }
    let scope = scope::named(&engine, &caller, &args.namespace)?;
    let work = Work { engine: &engine, caller: &caller, scope, recursive: !args.no_recursive };
    if args.watch {
        return watch::run(&work, args, &settings.data_dir);
    }
    let interrupt = Interrupt::listen(|| {})?;
    let summary = work.all(&args.paths, &interrupt, Meter::start("files"))?;
    summary.print(args.json)?;
    if let Setting::Model(_) = &settings.embedder {
        output::note("the chosen model's vectors come with the next server, or with `reindex`");
    }
    Ok(match interrupt.code() {
        Some(code) if summary.report.is_cut_off => ExitCode::from(code),
        _ if summary.is_refused => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

/// How paths are read into the store.
struct Work<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    scope: Scope,
    recursive: bool,
}

impl Work<'_> {
    /// Reads these paths, one after the other. One that cannot be read keeps no other from it.
    fn all(&self, paths: &[String], interrupt: &Interrupt, meter: Meter) -> Result<Summary> {
        let (mut summary, began) = (Summary::default(), Instant::now());
        for path in paths {
            if interrupt.code().is_some() {
                summary.report.is_cut_off = true;
                break;
            }
            match self.one(path, interrupt, &meter) {
                Ok(report) => summary.add(report),
                Err(error) if is_of_path(error.kind) => summary.refuse(path, error.message),
                Err(error) => return Err(error.into()),
            }
        }
        meter.finish();
        summary.took = began.elapsed();
        Ok(summary)
    }

    fn one(
        &self,
        path: &str,
        interrupt: &Interrupt,
        meter: &Meter,
    ) -> engine::Result<FolderReport> {
        let Self { engine, caller, scope, recursive } = self;
        let found = std::fs::metadata(path);
        if found.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            let mut tell = |progress| {
                meter.tell(progress);
                interrupt.code().is_none()
            };
            let folder = Folder { path, recursive: *recursive, scope, bounds: Bounds::NONE };
            return document::index_folder(engine, caller, folder, &mut tell);
        }
        let file = document::index_file(engine, caller, path, scope)?;
        Ok(FolderReport {
            files_indexed: usize::from(!file.is_known),
            files_known: usize::from(file.is_known),
            chunks: if file.is_known { 0 } else { file.chunks.len() },
            files_read: 1,
            bytes_read: found.map_or(0, |found| found.len()),
            secrets: file.secrets,
            plain: file.plain.map(|why| FailedFile { path: file.path, why }).into_iter().collect(),
            ..FolderReport::default()
        })
    }
}

/// Whether the path is what is wrong, so that the others are worth a try.
fn is_of_path(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::InvalidValue)
}
