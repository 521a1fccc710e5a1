//! mcp-memory-service: a table of memories in SQLite.

use std::path::Path;

use engine::import::{ForeignRow, IncomingMemory, Source};
use serde_json::Value;

use super::value::{counted_time, scaled, set_kind, tags, told_time};
use super::{Format, table};

pub(super) fn read(path: &Path) -> Result<Source, String> {
    table::read(Format::MemoryService, path, &memory)
}

fn memory(place: &str, row: &ForeignRow) -> Result<IncomingMemory, String> {
    if row.number("deleted_at").is_some() {
        return Err("it was deleted there".to_owned());
    }
    if row.text("superseded_by").is_some_and(|by| !by.is_empty()) {
        return Err("a newer version took its place there".to_owned());
    }
    let mut memory = IncomingMemory::new(place, row.text("content").ok_or("it has no content")?);
    memory.key = row.text("content_hash").or_else(|| row.text("id"));
    memory.tags = row.text("tags").map(|text| tags(&text)).unwrap_or_default();
    // It gives this tag to what has none.
    memory.tags.retain(|tag| tag != "untagged");
    let time = |column: &str| {
        row.number(column).and_then(counted_time).or_else(|| {
            told_time(&row.text(&format!("{column}_iso")).or_else(|| row.text(column))?)
        })
    };
    memory.created_at = time("created_at");
    memory.updated_at = time("updated_at");
    set_kind(&mut memory, row.text("memory_type").as_deref());
    let metadata = row.text("metadata").and_then(|text| serde_json::from_str(&text).ok());
    if let Some(Value::Object(metadata)) = metadata {
        let importance = metadata.get("importance_score").or_else(|| metadata.get("importance"));
        memory.importance =
            importance.and_then(Value::as_f64).and_then(scaled).unwrap_or(memory.importance);
        memory.metadata = metadata;
    }
    Ok(memory)
}
