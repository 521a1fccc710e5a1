//! `lorekeep audit`: what was done and refused, by whom, and whether the log of it is whole.
//!
//! Who can run this can read the store's file as well, so a person at this machine sees everybody's
//! entries. Looking leaves no trace: the store is opened to read alone.

use std::process::ExitCode;

use anyhow::Result;
use engine::Clock;
use engine::audit::{self, Archived, AuditFilter, Beside, Staying, Verified};
use model::audit::Entry;
use model::{Role, Timestamp, hex, time};
use providers::SystemClock;
use serde_json::{Value, json};

use super::knowledge::require;
use super::memo;
use crate::cli::{ArchiveAuditArgs, AuditArgs, AuditWhat, ShowAuditArgs, StoreArgs, VerifyArgs};
use crate::output::{self, BAD, GOOD, one_line, styled};
use crate::wiring::{self, Reader};

/// What the columns are called.
const HEAD: [&str; 7] = ["number", "when", "who", "client", "tool", "deed", "what"];

pub(crate) fn run(args: &AuditArgs) -> Result<ExitCode> {
    match &args.what {
        AuditWhat::Verify(args) => verify(args),
        AuditWhat::Show(args) => show(args),
        AuditWhat::Archive(args) => archive(args),
    }
}

fn open(args: &StoreArgs) -> Result<Reader> {
    let mut settings = super::settings(args)?;
    super::refuse_missing(&settings)?;
    settings.selection.read_only = true;
    Ok(Reader(wiring::open_once(&settings)?))
}

fn verify(args: &VerifyArgs) -> Result<ExitCode> {
    let beside = Beside { expected: args.expect, archives: args.archive.clone() };
    let engine = open(&args.store)?;
    let verified = audit::verify(&engine, &beside)?;
    let Verified { entries, head, fault, lost, unchecked } = &verified;
    let fault = fault.as_ref().map(ToString::to_string);
    let head = head.as_ref().map(|(number, hash)| told(*number, hash));
    if args.json {
        let is_whole = fault.is_none();
        output::json(&json!({"ok": is_whole, "entries": entries, "head": head, "fault": fault,
                             "lost": lost, "unchecked": unchecked}))?;
    } else {
        let (mark, text) = match &fault {
            None => (styled(GOOD, "ok"), format!("{entries} entries hang together")),
            Some(fault) => {
                // What is wrong may be found before those that are looked at, or behind them.
                (styled(BAD, "wrong"), format!("{fault}; {entries} other entries hang together"))
            }
        };
        output::line(format!("{mark} {text}"));
        lost.iter().for_each(|range| output::line(lost_in_repair(*range)));
        unchecked.iter().for_each(|range| output::line(not_checked(*range)));
        let none = if fault.is_none() { "none yet" } else { "not known" };
        output::line(format!("head {}", head.as_deref().unwrap_or(none)));
    }
    Ok(if fault.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn archive(args: &ArchiveAuditArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    require(&wiring::caller(&settings), Role::Admin)?;
    let now = SystemClock.now();
    let since = args.older_than.map(|span| now.checked_sub(span).unwrap_or(Timestamp::MIN));
    let staying = Staying { newest: args.keep, since };
    let moved = audit::archive(&wiring::open_once(&settings)?, &args.file, staying)?;
    let entries = moved.as_ref().map_or(0, |moved| moved.entries);
    if args.json {
        let last = moved.as_ref().map(|moved| told(moved.last.0, &moved.last.1));
        let sum = moved.as_ref().map(|moved| &moved.sum);
        output::json(&json!({"entries": entries, "last": last, "sha256": sum}))?;
        return Ok(ExitCode::SUCCESS);
    }
    match moved {
        None => output::note("no entry is old enough; nothing was written"),
        Some(Archived { entries, last: (number, hash), .. }) => {
            let file = args.file.display();
            output::line(format!(
                "{entries} entries are in {file} now, the last is {}",
                told(number, &hash)
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is told of entries that damage took.
pub(crate) fn lost_in_repair((first, last): (i64, i64)) -> String {
    format!("entries {first} to {last} were damaged and lost in a repair, which noted that")
}

/// What is told of entries in files that nobody gave.
pub(crate) fn not_checked((first, last): (i64, i64)) -> String {
    format!("entries {first} to {last} are archived and were not checked (verify --archive FILE)")
}

/// The number and the hash of an entry, to be written down.
pub(crate) fn told(number: i64, hash: &[u8; 32]) -> String {
    format!("{number}:{}", hex(hash))
}

fn show(args: &ShowAuditArgs) -> Result<ExitCode> {
    let now = SystemClock.now();
    let since = args.since.map(|span| now.checked_sub(span).unwrap_or(Timestamp::MIN));
    let filter = AuditFilter {
        who: args.who.clone(),
        tool: args.tool.clone(),
        deed: args.deed,
        since,
        limit: args.limit,
    };
    let engine = open(&args.store)?;
    let entries = audit::entries(&engine, &filter)?;
    if args.json {
        let all: Vec<Value> = entries.iter().map(describe).collect();
        output::json(&json!({"entries": all}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() {
        output::note("no entry is so; what writes or is refused leaves one");
    }
    let rows: Vec<[String; 7]> = entries.iter().map(|entry| row(entry, now)).collect();
    output::table(HEAD, &rows);
    Ok(ExitCode::SUCCESS)
}

fn describe(entry: &Entry) -> Value {
    let (noted, actor) = (&entry.noted, &entry.noted.actor);
    json!({
        "number": entry.number, "at": time::rfc3339(noted.at), "who": actor.who,
        "client": actor.client, "tool": actor.tool, "trust": actor.level.name(),
        "deed": noted.deed.name(), "what": noted.what, "hash": hex(&entry.hash),
    })
}

/// For a person how long ago, for a program when.
fn row(entry: &Entry, now: Timestamp) -> [String; 7] {
    let (noted, actor) = (&entry.noted, &entry.noted.actor);
    let seconds = now.as_second().saturating_sub(noted.at.as_second());
    let when = match output::width() {
        Some(_) => memo::age(seconds),
        None => time::rfc3339(noted.at),
    };
    let text = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
    [
        entry.number.to_string(),
        when,
        one_line(&actor.who),
        text(&actor.client),
        text(&actor.tool),
        noted.deed.name().to_owned(),
        one_line(&noted.what),
    ]
}
