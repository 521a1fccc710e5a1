//! Agent Memory: one memory a line.

use engine::import::{Incoming, IncomingMemory, Source};
use model::{Metadata, Origin};
use serde_json::Value;

use super::value::{importance, set_kind, text, texts, time_of, word};
use super::{File, Format, lines};

pub(super) fn read(file: &File<'_>) -> Result<Source, String> {
    let mut source = Source::new(Format::AgentMemory.name(), &file.name);
    for (place, found) in lines::objects(&file.name, file.text, &["memories"])? {
        match found.and_then(|object| memory(&place, &object)) {
            Ok(memory) => source.incoming.push(Incoming::Memory(Box::new(memory))),
            Err(why) => source.skip(place, why),
        }
    }
    Ok(source)
}

fn memory(place: &str, object: &Metadata) -> Result<IncomingMemory, String> {
    let content = text(object, &["content"]).ok_or("it has no content")?;
    let mut memory = IncomingMemory::new(place, content);
    memory.origin = Origin::Notes;
    memory.key = word(object, &["id"]);
    memory.category = text(object, &["category"]).map(str::to_owned);
    memory.tags = texts(object.get("tags"));
    memory.importance = object.get("importance").and_then(importance).unwrap_or(0.5);
    memory.archived = object.get("archived").and_then(Value::as_bool).unwrap_or(false);
    memory.created_at = time_of(object, &["created_at", "createdAt", "created", "timestamp"]);
    memory.updated_at = time_of(object, &["updated_at", "updatedAt", "updated"]);
    set_kind(&mut memory, text(object, &["type"]));
    if let Some(Value::Object(metadata)) = object.get("metadata") {
        memory.metadata = metadata.clone();
    }
    Ok(memory)
}
