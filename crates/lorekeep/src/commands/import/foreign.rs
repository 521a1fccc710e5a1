//! Memories, notes, decisions and conversations of other systems.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use engine::Engine;
use engine::document::Progress;
use engine::import::{self, Options, Report, Skipped};
use model::{Caller, Layer, Role, TrustLevel};
use providers::import::{Format, files, guess, read};
use serde_json::{Value, json};

use super::super::index::meter::Meter;
use super::super::knowledge::require;
use crate::cli::ImportArgs;
use crate::output::{self, one_line};
use crate::wiring;

/// So many of the things that were left out are printed for a person.
const LISTED_MAX: usize = 20;

pub(super) fn run(args: &ImportArgs, format: &str) -> Result<ExitCode> {
    let settings = super::super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    require(&caller, Role::User)?;
    let engine = wiring::open_once(&settings)?;
    // What others kept is no person's word, whoever brings it.
    let engine = engine.acting(engine.actor().no_more_than(TrustLevel::Agent));
    let mut taken = Taken::default();
    let found = find(args, format, &mut taken);
    let options = options(&caller, args)?;
    let work = Work { engine: &engine, caller: &caller, options };
    let one = found.len() == 1;
    let meter = if args.json {
        Meter::hidden()
    } else {
        Meter::start(if one { "things" } else { "files" })
    };
    for (at, (format, file)) in found.iter().enumerate() {
        if !one {
            meter.tell(Progress { walked: 0, done: at, all: found.len() });
        }
        let done = work.one(*format, file, if one { Some(&meter) } else { None });
        taken.add(file, done)?;
    }
    meter.finish();
    show(args, &taken)?;
    Ok(if taken.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The files of all paths, each with its format; a path that nothing can be found at has failed.
fn find(args: &ImportArgs, format: &str, taken: &mut Taken) -> Vec<(Format, PathBuf)> {
    let mut found = Vec::new();
    for path in &args.paths {
        let format = match Format::named(format) {
            Some(format) => Ok(format),
            None => guess(path).inspect(|guessed| {
                taken.guessed.push((path.clone(), *guessed));
            }),
        };
        match format.and_then(|format| Ok((format, files(format, path)?))) {
            Ok((format, files)) => found.extend(files.into_iter().map(|file| (format, file))),
            Err(why) => taken.failed.push((path.clone(), why)),
        }
    }
    found
}

fn options(caller: &Caller, args: &ImportArgs) -> Result<Options> {
    let own = match args.layer {
        Layer::Project => caller.identity.scope(Layer::Project),
        _ => caller.identity.default_scope(),
    };
    let documents = own.ok_or_else(|| anyhow!("this caller has no place for documents"))?;
    Ok(Options { layer: args.layer, documents, dry_run: args.dry_run })
}

struct Work<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    options: Options,
}

impl Work<'_> {
    /// Takes in one file. The inner error is the file's own.
    fn one(
        &self,
        format: Format,
        file: &Path,
        meter: Option<&Meter>,
    ) -> Result<Result<Report, String>> {
        let source = match read(format, file) {
            Ok(source) => source,
            Err(why) => return Ok(Err(why)),
        };
        let all = source.incoming.len();
        let mut tell = |done| {
            if let Some(meter) = meter {
                meter.tell(Progress { walked: 0, done, all });
            }
        };
        Ok(Ok(import::take_in(self.engine, self.caller, &source, &self.options, &mut tell)?))
    }
}

/// What became of everything.
#[derive(Default)]
struct Taken {
    total: Report,
    files: Vec<(PathBuf, Report)>,
    failed: Vec<(PathBuf, String)>,
    guessed: Vec<(PathBuf, Format)>,
}

impl Taken {
    fn add(&mut self, file: &Path, done: Result<Result<Report, String>>) -> Result<()> {
        match done? {
            Ok(report) => {
                self.total.add(report.clone());
                self.files.push((file.to_owned(), report));
            }
            Err(why) => self.failed.push((file.to_owned(), why)),
        }
        Ok(())
    }
}

fn show(args: &ImportArgs, taken: &Taken) -> Result<()> {
    let Report { new, updated, unchanged, skipped, secrets } = &taken.total;
    if args.json {
        let file = |(file, report): &(PathBuf, Report)| {
            json!({"file": file, "new": report.new, "updated": report.updated,
                   "unchanged": report.unchanged, "skipped": report.skipped.len()})
        };
        let failed: Vec<Value> =
            taken.failed.iter().map(|(file, why)| json!({"file": file, "why": why})).collect();
        let guessed: Vec<Value> = taken
            .guessed
            .iter()
            .map(|(path, format)| json!({"path": path, "format": format.name()}))
            .collect();
        return output::json(&json!({
            "new": new, "updated": updated, "unchanged": unchanged, "dryRun": args.dry_run,
            "skipped": skipped.iter().map(describe).collect::<Vec<_>>(),
            "files": taken.files.iter().map(file).collect::<Vec<_>>(),
            "failed": failed, "guessed": guessed, "secretsRedacted": secrets,
        }));
    }
    for (path, format) in &taken.guessed {
        output::note(format!("{} looks like {}", path.display(), format.name()));
    }
    let rows: Vec<[String; 2]> = skipped
        .iter()
        .take(LISTED_MAX)
        .map(|one| [one_line(&one.place), one_line(&one.why)])
        .collect();
    if !rows.is_empty() {
        output::table(["Left out", "Why"], &rows);
    }
    if skipped.len() > LISTED_MAX {
        output::note(format!("and {} more; --json lists them all", skipped.len() - LISTED_MAX));
    }
    for (file, why) in &taken.failed {
        output::note(format!("{}: nothing was taken: {}", file.display(), one_line(why)));
    }
    let would = if args.dry_run { " (nothing is written)" } else { "" };
    output::line(format!(
        "{new} new, {updated} updated, {unchanged} unchanged, {} left out, {} failed{would}",
        skipped.len(),
        taken.failed.len()
    ));
    if *secrets > 0 {
        output::line(format!("secrets: {secrets} redacted"));
    }
    Ok(())
}

fn describe(one: &Skipped) -> Value {
    json!({"place": one.place, "why": one.why})
}
