//! `lorekeep decide`: a person records a decision.

use std::io::{IsTerminal, Read, stdin};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use engine::record::{self, NewRecord, Recorded, Similar};
use engine::{Engine, ErrorKind, secrets};
use model::record::{REASON_CHARS_MIN, TITLE_CHARS_MIN, is_target};
use model::{Caller, Record, Role};
use serde_json::{Value, json};

use crate::cli::DecideArgs;
use crate::{editor, output, wiring};

pub(crate) fn run(args: &DecideArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.ledger.store)?;
    let caller = wiring::caller(&settings);
    let needed = if args.supersedes.is_some() { Role::Admin } else { Role::User };
    if caller.role < needed {
        bail!(
            "decide needs the role {} for this; this caller is {}",
            needed.name(),
            caller.role.name()
        );
    }
    let new = admitted(settings.secrets, new_record(&caller, args)?)?;
    let engine = wiring::open_once(&settings)?;
    match decide(&engine, &caller, args, &new)? {
        (Some(record), conflicts) => {
            show(&engine, args, &new, &record, &conflicts)?;
            Ok(ExitCode::SUCCESS)
        }
        (None, conflicts) => {
            refuse(args, &conflicts)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The record as it may be kept: without secrets, or not at all.
fn admitted(policy: secrets::Policy, new: NewRecord) -> engine::Result<NewRecord> {
    secrets::admit_name(policy, "--namespace", new.namespace.namespace().as_str())?;
    Ok(NewRecord {
        title: secrets::admit(policy, "the title", &new.title)?,
        target: secrets::admit(policy, "--target", &new.target)?,
        rationale: secrets::admit(policy, "--because", &new.rationale)?,
        consequences: secrets::admit_each(policy, "--then", &new.consequences)?,
        ..new
    })
}

/// The record, if it was made, and what it is in conflict with.
fn decide(
    engine: &Engine,
    caller: &Caller,
    args: &DecideArgs,
    new: &NewRecord,
) -> Result<(Option<Record>, Vec<Similar>)> {
    if args.allow_conflict {
        let (record, conflicts) = record::record_beside_conflicts(engine, caller, new)?;
        return Ok((Some(record), conflicts));
    }
    let Some(old) = args.supersedes else {
        return Ok(match record::record(engine, caller, new)? {
            Recorded::Created(record) => (Some(*record), Vec::new()),
            Recorded::Conflict(conflicts) => (None, conflicts),
        });
    };
    let done = record::supersede(engine, caller, old, new);
    let done = done.map_err(|error| match error.kind {
        ErrorKind::NotFound => anyhow::anyhow!("{error}; `lorekeep log` lists what there is"),
        _ => error.into(),
    })?;
    Ok((Some(done.new), Vec::new()))
}

fn new_record(caller: &Caller, args: &DecideArgs) -> Result<NewRecord> {
    let title = args.title.join(" ");
    if title.trim().chars().count() < TITLE_CHARS_MIN {
        bail!("the title {title:?} is too short; it takes at least {TITLE_CHARS_MIN} characters");
    }
    if !is_target(&args.target) {
        bail!("--target got {:?}; it takes small letters, digits and _", args.target);
    }
    let rationale = match args.because.as_deref() {
        Some("-") => {
            let mut text = String::new();
            stdin().read_to_string(&mut text).context("standard input")?;
            // What is piped in ends with a line feed that nobody typed.
            text.trim_end_matches(['\n', '\r']).to_owned()
        }
        Some(reason) => reason.to_owned(),
        None => edited(&title)?,
    };
    let length = rationale.trim().chars().count();
    if length < REASON_CHARS_MIN {
        bail!("a reason of {length} characters is too short; it takes at least {REASON_CHARS_MIN}");
    }
    Ok(NewRecord {
        namespace: record::write_in(caller, Some(args.ledger.namespace.clone()))?,
        kind: args.kind,
        title,
        target: args.target.clone(),
        rationale,
        consequences: args.consequences.clone(),
        confidence: args.confidence,
        phase: args.phase,
    })
}

/// The reason, as it is written in the person's editor. Lines that start with `;` are left out.
fn edited(title: &str) -> Result<String> {
    if !stdin().is_terminal() {
        bail!("--because is missing; it takes the reason, or - to read it from standard input");
    }
    let form = format!("\n; Why: {title}\n; An empty reason records nothing.\n");
    let text = editor::edited(&form, "--because is missing")?;
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with(';')).collect();
    // The form has blank lines around the reason.
    Ok(lines.join("\n").trim().to_owned())
}

fn show(
    engine: &Engine,
    args: &DecideArgs,
    new: &NewRecord,
    record: &Record,
    conflicts: &[Similar],
) -> Result<()> {
    let stored = record::stored(engine, &new.namespace.reading(), record.id)?;
    let path = record::path_of(engine, &stored);
    if args.ledger.json {
        return output::json(&json!({"fid": record.id.to_string(), "status": record.status.name(),
                                    "supersedes": args.supersedes.map(|id| id.to_string()),
                                    "conflicts": views(conflicts), "path": path}));
    }
    let id = output::styled(output::STRONG, record.id);
    output::line(format!("{id} {}", output::one_line(&record.title)));
    output::line(format!("  {}, {}, {}", record.kind.name(), record.status.name(), path.display()));
    list(conflicts, "linked with what it is in conflict with");
    Ok(())
}

fn refuse(args: &DecideArgs, similar: &[Similar]) -> Result<()> {
    if args.ledger.json {
        return output::json(&json!({"status": "conflict", "conflicts": views(similar)}));
    }
    list(similar, "nothing is recorded: this holds already");
    if let Some(first) = similar.first() {
        let id = first.record.id;
        output::note(format!("to replace it: --supersedes {id}; to keep both: --allow-conflict"));
    }
    Ok(())
}

fn views(similar: &[Similar]) -> Vec<Value> {
    let view = |similar: &Similar| {
        let Similar { record, similarity } = similar;
        json!({"fid": record.id.to_string(), "title": record.title, "similarity": similarity})
    };
    similar.iter().map(view).collect()
}

/// Lists records under a headline, if there are any.
fn list(similar: &[Similar], headline: &str) {
    if !similar.is_empty() {
        output::note(headline);
    }
    for Similar { record, similarity } in similar {
        let title = output::one_line(&record.title);
        output::note(format!("  {} {title} (similarity {similarity:.2})", record.id));
    }
}
