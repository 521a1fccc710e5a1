//! `lorekeep log`: the commits of the ledger.

use std::process::ExitCode;

use anyhow::Result;
use engine::record;
use serde_json::json;

use crate::cli::LogArgs;
use crate::{output, wiring};

pub(crate) fn run(args: &LogArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let engine = wiring::open_to_read(&settings)?;
    let entries = record::log(&engine, args.fid, args.limit)?;
    if args.json {
        let entries = entries.iter().map(|entry| {
            json!({"commit": entry.id.to_string(), "author": entry.author,
                   "at": model::time::rfc3339(entry.at), "subject": entry.subject,
                   "body": entry.body})
        });
        output::json(&entries.collect::<Vec<_>>().into())?;
        return Ok(ExitCode::SUCCESS);
    }
    match args.fid {
        Some(id) if entries.is_empty() => {
            output::note(format!("no commits of {id}; `lorekeep log` lists what there is"));
        }
        _ if entries.is_empty() => output::note("no commits; `lorekeep decide` makes the first"),
        _ => {}
    }
    for entry in &entries {
        let id: String = entry.id.to_string().chars().take(10).collect();
        let id = output::styled(output::WARN, id);
        let subject = output::one_line(&entry.subject);
        let (at, author) = (entry.at.strftime("%Y-%m-%d %H:%M"), output::one_line(&entry.author));
        output::line(format!("{id} {at} {author}: {subject}"));
    }
    Ok(ExitCode::SUCCESS)
}
