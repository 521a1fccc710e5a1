//! The reference memory server: entities with observations, and relations between them.

use engine::import::{Incoming, IncomingMemory, Source};
use model::Metadata;
use serde_json::{Value, json};

use super::value::{text, texts};
use super::{File, Format, lines};

/// What there is to say of a thing has no more characters than this.
const SUMMARY_CHARS_MAX: usize = 1_000;

pub(super) fn read(file: &File<'_>) -> Result<Source, String> {
    let mut source = Source::new(Format::ServerMemory.name(), &file.name);
    // A whole graph in one object, as its tool read_graph answers.
    if let Ok(Value::Object(graph)) = serde_json::from_str::<Value>(file.text)
        && (graph.contains_key("entities") || graph.contains_key("relations"))
    {
        for (key, take) in [("entities", entity as Take), ("relations", relation as Take)] {
            let list = graph.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (value, at) in list.iter().zip(1..) {
                let place = format!("{}#{key}/{at}", file.name);
                match value.as_object() {
                    Some(object) => take(&mut source, place, object),
                    None => source.skip(place, "it is no object"),
                }
            }
        }
        return Ok(source);
    }
    for (place, found) in lines::objects(&file.name, file.text, &[])? {
        let object = match found {
            Ok(object) => object,
            Err(why) => {
                source.skip(place, why);
                continue;
            }
        };
        match text(&object, &["type"]) {
            Some("entity") => entity(&mut source, place, &object),
            Some("relation") => relation(&mut source, place, &object),
            other => source.skip(
                place,
                format!("type is {}; it takes entity or relation", other.unwrap_or("missing")),
            ),
        }
    }
    Ok(source)
}

type Take = fn(&mut Source, String, &Metadata);

fn entity(source: &mut Source, place: String, object: &Metadata) {
    let Some(name) = text(object, &["name"]) else {
        return source.skip(place, "the entity has no name");
    };
    let kind = text(object, &["entityType"]);
    let observations = texts(object.get("observations"));
    for observation in &observations {
        let mut memory = IncomingMemory::new(&place, format!("{name}: {}", observation.trim()));
        memory.tags.extend(kind.map(str::to_owned));
        memory.metadata.insert("entity".to_owned(), json!(name));
        if observation.trim().is_empty() {
            source.skip(&place, "an observation is empty");
        } else {
            source.incoming.push(Incoming::Memory(Box::new(memory)));
        }
    }
    let summary: String = observations.join("; ").chars().take(SUMMARY_CHARS_MAX).collect();
    source.incoming.push(Incoming::Thing {
        place,
        name: name.to_owned(),
        kind: kind.map(str::to_owned),
        summary: Some(summary).filter(|summary| !summary.trim().is_empty()),
    });
}

fn relation(source: &mut Source, place: String, object: &Metadata) {
    let words = [text(object, &["from"]), text(object, &["relationType"]), text(object, &["to"])];
    match words {
        [Some(from), Some(relation), Some(to)] => {
            let link = [from, relation, to].map(str::to_owned);
            source.incoming.push(Incoming::Link { place, link });
        }
        _ => source.skip(place, "the relation lacks from, relationType or to"),
    }
}
