//! Theo: memories with confidence and importance in SQLite.

use std::path::Path;

use engine::import::{ForeignRow, IncomingMemory, Source};
use model::Origin;
use serde_json::{Value, json};

use super::value::{scaled, set_kind, tags, told_time};
use super::{Format, table};

pub(super) fn read(path: &Path) -> Result<Source, String> {
    table::read(Format::Theo, path, &memory)
}

fn memory(place: &str, row: &ForeignRow) -> Result<IncomingMemory, String> {
    let mut memory = IncomingMemory::new(place, row.text("content").ok_or("it has no content")?);
    memory.origin = Origin::Learning;
    memory.key = row.text("id");
    memory.tags = row.text("tags").map(|text| tags(&text)).unwrap_or_default();
    set_kind(&mut memory, row.text("memory_type").or_else(|| row.text("type")).as_deref());
    memory.importance = row.number("importance").and_then(scaled).unwrap_or(memory.importance);
    memory.confidence = row.number("confidence");
    memory.created_at = row.text("created_at").and_then(|text| told_time(&text));
    memory.updated_at = row.text("updated_at").and_then(|text| told_time(&text));
    let metadata = row.text("metadata").and_then(|text| serde_json::from_str(&text).ok());
    if let Some(Value::Object(metadata)) = metadata {
        memory.metadata = metadata;
    }
    for column in ["namespace", "session_id", "source_file"] {
        if let Some(text) = row.text(column) {
            memory.metadata.insert(column.to_owned(), json!(text));
        }
    }
    Ok(memory)
}
