//! `lorekeep knowledge list`.

use std::process::ExitCode;

use anyhow::Result;
use engine::knowledge::{self, Catalogue, Entry, Failure};
use model::{Caller, Item};
use serde_json::{Value, json};

use crate::cli::ListArgs;
use crate::output::{self, BAD, one_line, styled};
use crate::wiring;

pub(super) fn run(args: &ListArgs) -> Result<ExitCode> {
    let settings = super::super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    let engine = wiring::open_to_read(&settings)?;
    let catalogue = knowledge::listed(&engine, &caller);
    let open = catalogue.open(&caller).map(|(_, entry)| entry);
    let mut entries: Vec<&Entry> = open.filter(|entry| is_asked(args, &entry.item)).collect();
    entries.sort_by_key(|entry| (std::cmp::Reverse(entry.item.layer), &entry.item.id));
    if args.json {
        let items: Vec<Value> = entries.iter().map(|entry| describe(&catalogue, entry)).collect();
        let failed = catalogue.failed(&caller);
        let failures: Vec<Value> =
            failed.map(|failure| describe_failure(&catalogue, failure)).collect();
        output::json(&json!({"items": items, "failures": failures}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<[String; 6]> = entries.iter().map(|entry| row(&entry.item)).collect();
    if rows.is_empty() {
        output::note("no items");
    } else {
        output::table(["Id", "Type", "Layer", "Status", "Title", "Rules"], &rows);
    }
    tell_failures(&catalogue, &caller);
    Ok(ExitCode::SUCCESS)
}

fn is_asked(args: &ListArgs, item: &Item) -> bool {
    let is_of_status = match args.statuses[..] {
        [] => args.all || !item.status.is_past(),
        _ => args.statuses.contains(&item.status),
    };
    is_of_status
        && args.kind.is_none_or(|kind| item.kind == kind)
        && args.layer.is_none_or(|layer| item.layer == layer)
}

fn row(item: &Item) -> [String; 6] {
    [
        item.id.clone(),
        item.kind.name().to_owned(),
        item.layer.name().to_owned(),
        item.status.name().to_owned(),
        one_line(&item.title),
        item.constraints.len().to_string(),
    ]
}

fn describe(catalogue: &Catalogue, entry: &Entry) -> Value {
    let item = &entry.item;
    json!({"id": item.id, "type": item.kind.name(), "layer": item.layer.name(),
           "owner": item.owner, "status": item.status.name(), "title": item.title,
           "rules": item.constraints.len(), "tags": item.tags,
           "file": catalogue.roots[entry.root].dir.join(&entry.path)})
}

fn describe_failure(catalogue: &Catalogue, failure: &Failure) -> Value {
    json!({"file": catalogue.roots[failure.root].dir.join(&failure.path), "why": failure.why,
           "id": failure.item})
}

fn tell_failures(catalogue: &Catalogue, caller: &Caller) {
    for failure in catalogue.failed(caller) {
        let file = catalogue.roots[failure.root].dir.join(&failure.path);
        output::note(format!("{} {}: {}", styled(BAD, "failed"), file.display(), failure.why));
    }
}
