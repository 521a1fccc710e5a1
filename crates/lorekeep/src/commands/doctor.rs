//! `lorekeep doctor`: what is wrong, and how to mend it.

mod audit;
mod clock;
mod disk;
mod knowledge;
mod repair;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use engine::Clock;
use engine::record::{self, Checked, Edited, Outlook};
use providers::SystemClock;
use serde_json::{Value, json};
use serve::http::tokens::{FILE_NAME as TOKENS_FILE, Tokens};
use store::{ModelState, SCHEMA_VERSION, Store, StoreError};

use crate::cli::DoctorArgs;
use crate::output::{self, BAD, GOOD, WARN, styled};
use crate::settings::Settings;
use crate::store_origin::{self, StoreOrigin};
use crate::wiring;

/// What to do about damage.
const MEND: &str = "mend: lorekeep doctor --repair";

/// What is wrong, with what to do about it.
fn mended(what: &str) -> String {
    if what.contains(MEND) { what.to_owned() } else { format!("{what}; {MEND}") }
}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    state: State,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Good,
    Worth,
    Wrong,
}

pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode> {
    let mut settings = super::settings(&args.store)?;
    if args.repair && settings.selection.read_only && !args.dry_run {
        bail!(
            "--repair changes the store, and --read-only allows no change; --dry-run says what it would do"
        );
    }
    settings.selection.read_only |= args.dry_run;
    let repaired = args.repair.then(|| repair::run(&settings, args.dry_run)).transpose()?;
    let mut findings = vec![version(), configuration(&settings)];
    findings.extend(permissions(&settings.data_dir));
    findings.extend(origin(&settings.data_dir));
    findings.extend(disk::look(&settings));
    findings.extend(store(&settings));
    findings.extend(backups(&settings));
    findings.extend(tokens(&settings.data_dir));
    findings.extend(ledger(&settings));
    findings.extend(audit::look(&settings));
    findings.extend(knowledge::look(&settings));
    if args.json {
        let all: Vec<Value> = findings.iter().map(describe).collect();
        let mut told = json!({"healthy": healthy(&findings), "findings": all});
        if let Some(repaired) = &repaired {
            told["repair"] = repaired.describe();
        }
        output::json(&told)?;
    } else {
        repaired.iter().for_each(repair::Report::print);
        findings.iter().for_each(print);
    }
    Ok(if healthy(&findings) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn healthy(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.state != State::Wrong)
}

fn describe(finding: &Finding) -> Value {
    json!({"what": finding.what, "state": word(finding.state), "text": finding.text})
}

fn word(state: State) -> &'static str {
    match state {
        State::Good => "ok",
        State::Worth => "note",
        State::Wrong => "wrong",
    }
}

fn print(finding: &Finding) {
    let style = match finding.state {
        State::Good => GOOD,
        State::Worth => WARN,
        State::Wrong => BAD,
    };
    let mark = styled(style, format!("{:<5}", word(finding.state)));
    output::line(format!("{mark} {:<13} {}", finding.what, output::lines(&finding.text)));
}

fn finding(what: &'static str, state: State, text: impl Into<String>) -> Finding {
    Finding { what, state, text: text.into() }
}

fn version() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    finding("version", State::Good, format!("lorekeep {version}, schema {SCHEMA_VERSION}"))
}

fn configuration(settings: &Settings) -> Finding {
    let files: Vec<_> = settings.files.iter().map(|file| file.display().to_string()).collect();
    let files = if files.is_empty() { "no file".to_owned() } else { files.join(", ") };
    let keys: Vec<_> = settings.sources.iter().map(|(key, _)| *key).collect();
    let text = match keys.is_empty() {
        true => format!("{files}, defaults"),
        false => format!("{files}; set: {}", keys.join(", ")),
    };
    finding("configuration", State::Good, text)
}

/// The store is its owner's alone; that others may list its directory is worth a word.
fn permissions(dir: &Path) -> Vec<Finding> {
    [(dir.to_owned(), State::Worth), (dir.join(store::FILE_NAME), State::Wrong)]
        .into_iter()
        .filter_map(|(path, open)| {
            let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
            Some((path, open, mode))
        })
        .map(|(path, open, mode)| {
            let shown = path.display();
            if mode & 0o077 == 0 {
                finding("permissions", State::Good, format!("{shown} is yours alone ({mode:o})"))
            } else {
                let text =
                    format!("{shown} is open to others ({mode:o}); mend: chmod go-rwx '{shown}'");
                finding("permissions", open, text)
            }
        })
        .collect()
}

/// A store that may be anybody's is believed no more than an agent.
fn origin(dir: &Path) -> Option<Finding> {
    let StoreOrigin::Foreign(why) = StoreOrigin::of(dir) else { return None };
    let text = format!(
        "nothing in it is believed above the level agent, and its tokens let nobody in: {}",
        store_origin::explained(dir, &why)
    );
    Some(finding("origin", State::Worth, text))
}

fn store(settings: &Settings) -> Vec<Finding> {
    let (dir, is_to_read) = (&settings.data_dir, settings.selection.read_only);
    let path = dir.join(store::FILE_NAME);
    if !is_to_read && let Err(error) = store::settle(dir) {
        return vec![finding("store", State::Wrong, error.to_string())];
    }
    if !path.exists() {
        let text = format!("none yet at {}; the first call makes it", path.display());
        return vec![finding("store", State::Worth, text)];
    }
    let opened = if is_to_read { Store::open_read_only(dir) } else { Store::open(dir) };
    let damage = opened.as_ref().ok().and_then(|store| store.damage()).map(str::to_owned);
    let health = match opened.and_then(|store| store.health()) {
        Ok(health) => health,
        // Nothing is wrong with it.
        Err(error @ StoreError::Older { .. }) => {
            return vec![finding("store", State::Worth, error.to_string())];
        }
        Err(error) => {
            let told = error.to_string();
            let told = if error.is_damage() { mended(&told) } else { told };
            return vec![finding("store", State::Wrong, told)];
        }
    };
    let memories = health.memories;
    let chunks = match health.chunks {
        0 => String::new(),
        chunks => format!(" and {chunks} chunks of documents"),
    };
    let text =
        format!("{} with {memories} memories{chunks}, schema {}", path.display(), health.schema);
    let mut findings = vec![finding("store", State::Good, text)];
    let texts = memories + health.chunks + health.records;
    findings.extend(health.models.iter().map(|model| vectors(model, texts)));
    findings.extend(clock::look(&health, SystemClock.now()));
    let noted = damage.filter(|what| !health.problems.contains(what));
    findings.extend(
        noted
            .into_iter()
            .chain(health.problems)
            .map(|problem| finding("integrity", State::Wrong, mended(&problem))),
    );
    if healthy(&findings) {
        findings.push(finding("integrity", State::Good, "every page, key and index entry holds"));
    }
    findings
}

/// The backups that a server made, and that one is too old is worth a word.
fn backups(settings: &Settings) -> Vec<Finding> {
    let folder = settings.data_dir.join(store::BACKUPS);
    if folder.exists() && !folder.is_dir() {
        let text = format!(
            "{} is no folder: none can be made, and none is used; mend: move it elsewhere",
            folder.display()
        );
        return vec![finding("backups", State::Worth, text)];
    }
    let all = match store::backups(&settings.data_dir) {
        Ok(all) => all,
        Err(error) => return vec![finding("backups", State::Worth, error.to_string())],
    };
    let Some(newest) = all.first() else { return Vec::new() };
    let broken = all.iter().filter(|kept| !kept.is_whole());
    let broken = broken.map(|kept| {
        let text = format!(
            "{} is damaged; a repair reads it only where no other is whole",
            kept.path.display()
        );
        finding("backups", State::Worth, text)
    });
    let rhythm = match (settings.backups.keep, settings.backups.every) {
        (0, _) => "and no more are made (keep is 0)".to_owned(),
        (_, every) => format!("one every {}", crate::settings::shown(every)),
    };
    let text = format!("{}, the newest of {}, {rhythm}", newest.at, all.len());
    std::iter::once(finding("backups", State::Good, text)).chain(broken).collect()
}

/// A list of tokens that cannot be read lets nobody in; without one there is nothing to say.
fn tokens(dir: &Path) -> Option<Finding> {
    let path = dir.join(TOKENS_FILE);
    let why = Tokens::at(dir).list().err().filter(|_| path.exists())?;
    let text = format!(
        "{}: {why}: nobody is let in by a token; mend: put a copy of it back, or move it elsewhere and \
         make new ones (lorekeep token new)",
        path.display()
    );
    Some(finding("tokens", State::Wrong, text))
}

/// Vectors that lack are no harm: words find those texts, and a server adds the vectors.
fn vectors(model: &ModelState, texts: u64) -> Finding {
    let ModelState { name, vectors, .. } = model;
    let state = if *vectors == texts { State::Good } else { State::Worth };
    finding("vectors", state, format!("{vectors} of {texts} texts, by {name}"))
}

fn ledger(settings: &Settings) -> Vec<Finding> {
    let path = settings.data_dir.join(engine::LEDGER);
    if !path.exists() {
        let text = format!("none yet at {}; the first decision makes it", path.display());
        return vec![finding("ledger", State::Good, text)];
    }
    let is_to_read = settings.selection.read_only;
    let opened = is_to_read.then(|| Store::open_read_only(&settings.data_dir));
    if matches!(opened, Some(Err(StoreError::Older { .. }))) {
        // That is told of the store.
        return Vec::new();
    }
    let checked = wiring::open_once(settings).and_then(|engine| record::check(&engine));
    match checked {
        Ok(Some(checked)) => looked_at(&path, &checked),
        Ok(None) => {
            let text = format!("{} is no git repository", path.display());
            vec![finding("ledger", State::Wrong, text)]
        }
        Err(error) => vec![finding("ledger", State::Wrong, error.to_string())],
    }
}

fn looked_at(path: &Path, checked: &Checked) -> Vec<Finding> {
    if !checked.damage.is_empty() {
        let wrong = checked.damage.iter();
        let wrong = wrong.map(|what| finding("ledger", State::Wrong, mended(what)));
        return wrong.collect();
    }
    let head: String = checked.head.iter().flat_map(|head| head.chars().take(10)).collect();
    let text = format!("{} with {} files, at commit {head}", path.display(), checked.files);
    let mut findings = vec![finding("ledger", State::Good, text)];
    findings.extend(checked.lost.iter().map(|what| finding("ledger", State::Worth, what)));
    findings.extend(checked.unfinished.map(|what| {
        finding("ledger", State::Worth, format!("{what} is under way; finish it with git"))
    }));
    findings.extend(checked.broken.iter().map(|problem| {
        let text =
            format!("{problem}; mend the file, or: lorekeep doctor --repair puts back git's");
        finding("ledger", State::Wrong, text)
    }));
    let is_broken =
        |edited: &&Edited| checked.broken.iter().any(|problem| problem.path == edited.path);
    findings.extend(checked.edits.iter().filter(|edited| !is_broken(edited)).map(|edited| {
        let Edited { path, how, outlook } = edited;
        let next = match outlook {
            Outlook::TakenIn => {
                "`lorekeep call sync_git` takes it in, and so does a tool that changes the record"
                    .into()
            }
            Outlook::Deleted => {
                "`lorekeep call sync_git` deletes the record, `lorekeep doctor --repair` \
                                 puts the file back"
                    .into()
            }
            Outlook::Refused(flaws) => {
                let flaws: Vec<_> = flaws.iter().map(ToString::to_string).collect();
                format!("it cannot be taken in: {}", flaws.join("; "))
            }
        };
        let text = format!("{path} was edited by hand ({how}); {next}");
        finding("ledger", State::Worth, text)
    }));
    findings.extend(
        checked
            .differing
            .iter()
            .map(|id| finding("ledger", State::Wrong, mended(&record::not_as_git(id)))),
    );
    let wrong = checked.problems.iter();
    findings.extend(wrong.map(|problem| finding("ledger", State::Wrong, problem.to_string())));
    findings
}
