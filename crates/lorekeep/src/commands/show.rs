//! `lorekeep show`: a memory, a decision or a part of a document in full.

use std::process::ExitCode;

use anyhow::Result;
use engine::graph::{self, Walk};
use engine::record::{self, StoredRecord};
use engine::trust::Caution;
use engine::{Engine, trust};
use model::{Caller, Direction, Memory, MemoryId, StoredChunk, Timestamp, time};
use serde_json::{Value, json};

use super::which::{self, Found};
use super::{knowledge, memo};
use crate::cli::everyday::ShowArgs;
use crate::output::{self, STRONG, WARN, cut, one_line, styled};
use crate::{pager, wiring};

/// So many columns of a neighbour's text are shown.
const NEIGHBOUR_COLUMNS: usize = 70;

/// A memory that another has to do with.
struct Neighbour {
    relation: &'static str,
    /// Whether the edge starts at the memory that is shown.
    is_outgoing: bool,
    id: MemoryId,
    text: String,
}

pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode> {
    knowledge::settle(show(args))
}

fn show(args: &ShowArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.shown.store)?;
    super::refuse_missing(&settings)?;
    let (engine, caller) = (wiring::open_to_read(&settings)?, wiring::caller(&settings));
    let (value, text) = match which::thing(&engine, &caller, &args.namespace, &args.id)? {
        Found::Memory(memory) => {
            let neighbours = neighbours(&engine, &caller, memory.id)?;
            let value = describe_memory(&engine, &memory, &neighbours);
            (value, told_memory(&engine, &memory, &neighbours))
        }
        Found::Record(stored) => (describe_record(&engine, &stored), told_record(&engine, &stored)),
        Found::Chunk(chunk) => (describe_chunk(&engine, &chunk), told_chunk(&engine, &chunk)),
    };
    if args.shown.json {
        output::json(&value)?;
    } else {
        pager::show(&text, !args.shown.no_pager)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn neighbours(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Vec<Neighbour>> {
    let walk = Walk { depth_max: 1, direction: Direction::Both, relations: Vec::new(), decay: 1.0 };
    let graph = graph::inspect(engine, caller, id, &walk)?;
    let neighbour = |edge: &model::Edge| {
        let is_outgoing = edge.source == id;
        let other = if is_outgoing { edge.target } else { edge.source };
        let node = graph.nodes.iter().find(|node| node.memory.id == other)?;
        let text = cut(&one_line(&node.memory.content), Some(NEIGHBOUR_COLUMNS));
        Some(Neighbour { relation: edge.relation.name(), is_outgoing, id: other, text })
    };
    Ok(graph.edges.iter().filter_map(neighbour).collect())
}

fn describe_memory(engine: &Engine, memory: &Memory, neighbours: &[Neighbour]) -> Value {
    let neighbour = |neighbour: &Neighbour| {
        let Neighbour { relation, is_outgoing, id, text } = neighbour;
        let direction = if *is_outgoing { "outgoing" } else { "incoming" };
        json!({"relation": relation, "direction": direction, "id": id.prefixed(), "text": text})
    };
    let mut value = memo::describe(engine, memory);
    value["type"] = json!("memory");
    value["neighbours"] = neighbours.iter().map(neighbour).collect();
    value
}

/// Lines of names and values.
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0.push_str(&format!("{name:<11} {value}\n"));
    }

    fn caution(&mut self, caution: &Caution) {
        if let Some(told) = caution.told() {
            self.add("caution", styled(WARN, one_line(&told)));
        }
    }

    /// With a text below.
    fn over(mut self, text: &str) -> String {
        self.0.push_str(&format!("\n{}\n", output::lines(text.trim())));
        self.0
    }
}

fn moment(at: Timestamp) -> String {
    format!("{} ({})", at.strftime("%Y-%m-%d %H:%M UTC"), memo::ago(at))
}

fn told_memory(engine: &Engine, memory: &Memory, neighbours: &[Neighbour]) -> String {
    let mut lines = Lines(format!("{}\n", styled(STRONG, memory.id.prefixed())));
    let (layer, owner) = (memory.scope.layer.name(), &memory.scope.owner);
    lines.add("layer", format!("{layer}, of {owner}"));
    let golden = if memory.is_golden() { styled(WARN, " (golden rule)") } else { String::new() };
    lines.add("kind", format!("{}{golden}", memory.kind.name()));
    if let Some(category) = &memory.category {
        lines.add("category", one_line(category));
    }
    if !memory.tags.is_empty() {
        lines.add("tags", one_line(&memory.tags.join(", ")));
    }
    let (importance, confidence) = (memory.importance, memory.confidence);
    lines.add("importance", format!("{importance}, confidence {confidence}"));
    lines.add("stored", moment(memory.created_at));
    lines.add("from", one_line(&trust::told_from(&memory.provenance)));
    lines.caution(&trust::caution(engine, memory));
    if memory.updated_at != memory.created_at {
        lines
            .add("changed", format!("{}, revision {}", moment(memory.updated_at), memory.revision));
    }
    if memory.access_count > 0 {
        let (times, last) = (memory.access_count, moment(memory.accessed_at));
        lines.add("read", format!("{times} times, last {last}"));
    }
    if memory.archived {
        lines.add("archived", "yes: a search leaves it out");
    }
    lines.add("came by", format!("the {} tools", memory.origin.name()));
    for (key, value) in &memory.metadata {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        lines.add("metadata", format!("{}: {}", one_line(key), one_line(&text)));
    }
    for Neighbour { relation, is_outgoing, id, text } in neighbours {
        let arrow = if *is_outgoing { "→" } else { "←" };
        lines.add("neighbour", format!("{relation} {arrow} {} {text}", memo::short(*id)));
    }
    lines.over(&memory.content)
}

fn describe_record(engine: &Engine, stored: &StoredRecord) -> Value {
    let (record, from) = (&stored.record, &stored.provenance);
    json!({"type": "decision", "fid": record.id.to_string(), "title": record.title,
           "kind": record.kind.name(), "status": record.status.name(),
           "phase": record.phase.name(), "target": record.target,
           "confidence": record.confidence, "rationale": record.rationale,
           "consequences": record.consequences, "evidence": record.evidence.len(),
           "supersedes": record.supersedes.map(|id| id.to_string()),
           "superseded_by": record.superseded_by.map(|id| id.to_string()),
           "created_at": time::rfc3339(record.created_at),
           "updated_at": time::rfc3339(record.updated_at),
           "path": record::path_of(engine, stored), "revision": stored.revision,
           "provenance": {"trust": from.level.name(), "who": from.who, "client": from.client,
                          "tool": from.tool, "source": from.source},
           "caution": trust::record_caution(engine, stored).told()})
}

fn told_record(engine: &Engine, stored: &StoredRecord) -> String {
    let record = &stored.record;
    let head = format!("{} {}\n", styled(STRONG, record.id), one_line(&record.title));
    let mut lines = Lines(head);
    let (kind, status, phase) = (record.kind.name(), record.status.name(), record.phase.name());
    lines.add("kind", format!("{kind}, {status}, {phase}"));
    lines.add("target", one_line(&record.target));
    lines.add("confidence", record.confidence);
    lines.add("recorded", moment(record.created_at));
    lines.add("from", one_line(&trust::told_from(&stored.provenance)));
    lines.caution(&trust::record_caution(engine, stored));
    if let Some(old) = record.supersedes {
        lines.add("supersedes", old);
    }
    if let Some(new) = record.superseded_by {
        lines.add("superseded", format!("by {new}; `lorekeep history {new}` tells why"));
    }
    if !record.evidence.is_empty() {
        lines.add("evidence", record.evidence.len());
    }
    lines.add("file", record::path_of(engine, stored).display());
    let then = record.consequences.iter().map(|then| format!("\n- {}", one_line(then)));
    let then: String = then.collect();
    lines.over(&format!("{}\n{then}", record.rationale.trim()))
}

fn describe_chunk(engine: &Engine, stored: &StoredChunk) -> Value {
    let chunk = &stored.chunk;
    json!({"type": "chunk", "id": stored.id.to_string(), "path": stored.path,
           "namespace": stored.scope.namespace(), "number": stored.ordinal,
           "start_line": chunk.start_line, "end_line": chunk.end_line, "page": chunk.page,
           "header_path": chunk.header_path, "content": chunk.content,
           "caution": trust::text_caution(engine, &chunk.content).told()})
}

fn told_chunk(engine: &Engine, stored: &StoredChunk) -> String {
    let chunk = &stored.chunk;
    let mut lines = Lines(format!("{}\n", styled(STRONG, stored.id)));
    lines.add("file", one_line(&stored.path));
    lines.add("namespace", stored.scope.namespace());
    lines.add("lines", format!("{} to {}", chunk.start_line, chunk.end_line));
    if let Some(page) = chunk.page {
        lines.add("page", page);
    }
    if let Some(heading) = &chunk.header_path {
        lines.add("heading", one_line(heading));
    }
    lines.caution(&trust::text_caution(engine, &chunk.content));
    lines.over(&chunk.content)
}
