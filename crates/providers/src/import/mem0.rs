//! mem0: memories with the ids of whose they are.

use engine::import::{Incoming, IncomingMemory, Source};
use model::Metadata;
use serde_json::Value;

use super::value::{set_kind, text, texts, time_of, word};
use super::{File, Format, lines};

pub(super) fn read(file: &File<'_>) -> Result<Source, String> {
    let mut source = Source::new(Format::Mem0.name(), &file.name);
    for (place, found) in lines::objects(&file.name, file.text, &["results", "memories"])? {
        match found.and_then(|object| memory(&place, &object)) {
            Ok(memory) => source.incoming.push(Incoming::Memory(Box::new(memory))),
            Err(why) => source.skip(place, why),
        }
    }
    Ok(source)
}

fn memory(place: &str, object: &Metadata) -> Result<IncomingMemory, String> {
    let content = text(object, &["memory", "text", "data", "content"]);
    let mut memory = IncomingMemory::new(place, content.ok_or("it has no memory")?);
    memory.key = word(object, &["id", "hash"]);
    memory.tags = texts(object.get("categories"));
    memory.created_at = time_of(object, &["created_at"]);
    memory.updated_at = time_of(object, &["updated_at"]);
    if let Some(Value::Object(metadata)) = object.get("metadata") {
        set_kind(&mut memory, text(metadata, &["type", "category"]));
        memory.tags.extend(texts(metadata.get("tags")));
        memory.metadata = metadata.clone();
    }
    for key in ["user_id", "agent_id", "app_id", "run_id"] {
        if let Some(id) = word(object, &[key]) {
            memory.metadata.insert(key.to_owned(), Value::String(id));
        }
    }
    Ok(memory)
}
