//! `lorekeep history`: how a decision came to be.

use std::process::ExitCode;

use anyhow::Result;
use engine::record::{self, History, StoredRecord};
use engine::{Engine, ErrorKind, trust};
use model::time;
use serde_json::{Value, json};

use crate::cli::HistoryArgs;
use crate::{output, wiring};

pub(crate) fn run(args: &HistoryArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.ledger.store)?;
    super::refuse_missing(&settings)?;
    let engine = wiring::open_to_read(&settings)?;
    let namespace = args.ledger.namespace.clone();
    let namespace = record::read_in(&wiring::caller(&settings), Some(namespace));
    let history = record::history(&engine, &namespace, args.fid);
    let history = history.map_err(|error| match error.kind {
        ErrorKind::NotFound => anyhow::anyhow!("{error}; `lorekeep log` lists what there is"),
        _ => error.into(),
    })?;
    match args.graph.as_deref() {
        _ if args.ledger.json => {
            let past = history.past.iter().map(|stored| describe(&engine, stored));
            let past: Vec<Value> = past.collect();
            let current = describe(&engine, &history.current);
            output::json(&json!({"current": current, "history": past}))?;
        }
        Some("mermaid") => output::line(tools::mermaid::chain(&history).trim_end()),
        Some(_) => draw(&history),
        None => tell(&engine, &history),
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(engine: &Engine, stored: &StoredRecord) -> Value {
    let record = &stored.record;
    json!({"fid": record.id.to_string(), "title": record.title, "status": record.status.name(),
           "target": record.target, "rationale": record.rationale,
           "created_at": time::rfc3339(record.created_at),
           "superseded_by": record.superseded_by.map(|id| id.to_string()),
           "caution": trust::record_caution(engine, stored).told()})
}

fn all(history: &History) -> impl Iterator<Item = &StoredRecord> {
    history.past.iter().chain([&history.current])
}

/// The chain as a drawing, oldest first.
fn draw(history: &History) {
    for (number, stored) in all(history).enumerate() {
        let record = &stored.record;
        if number > 0 {
            output::line("│");
            output::line(format!("▼ {}", record.created_at.strftime("%Y-%m-%d")));
        }
        let (title, status) = (output::one_line(&record.title), record.status.name());
        output::line(format!("● {} {title} ({status})", output::styled(output::STRONG, record.id)));
    }
}

/// The chain in words, oldest first.
fn tell(engine: &Engine, history: &History) {
    for (number, stored) in all(history).enumerate() {
        if number > 0 {
            output::line("");
        }
        let record = &stored.record;
        let title = output::one_line(&record.title);
        output::line(format!("{} {title}", output::styled(output::STRONG, record.id)));
        let (status, phase) = (record.status.name(), record.phase.name());
        let made = record.created_at.strftime("%Y-%m-%d");
        let target = output::one_line(&record.target);
        output::line(format!(
            "  {status} {}, {phase}, {target}, confidence {}, since {made}",
            record.kind.name(),
            record.confidence
        ));
        if let Some(caution) = trust::record_caution(engine, stored).told() {
            output::line(format!("  Caution: {}", output::one_line(&caution)));
        }
        output::line(format!("  Why: {}", output::one_line(&record.rationale)));
        for consequence in &record.consequences {
            output::line(format!("  - {}", output::one_line(consequence)));
        }
    }
}
