//! What the store holds as lines of JSON, and back.

use model::time::rfc3339;
use model::{
    Chunk, ContentHash, Document, Entity, Episode, EpisodeId, EpisodeKind, EventKind, Kind, Layer,
    Link, Memory, MemoryId, NewEdge, NewEvent, Origin, Provenance, RecordId, Relation, Scope,
    Timestamp, TrustLevel, of_hex,
};
use serde_json::{Value, json};
use store::Exported;

/// The file a thing belongs into, and its line.
pub(super) fn line(exported: &Exported) -> (&'static str, Value) {
    match exported {
        Exported::Memory(memory, validated) => {
            let mut value = of_memory(memory);
            value["validatedAt"] = json!(validated.map(rfc3339));
            ("memories.jsonl", value)
        }
        Exported::Placed(memory) => ("memories.md", of_memory(memory)),
        Exported::Edge(edge) => (
            "edges.jsonl",
            json!({"source": edge.source.to_string(), "target": edge.target.to_string(),
                   "relation": edge.relation.name(), "weight": edge.weight}),
        ),
        Exported::Event(memory, event) => (
            "events.jsonl",
            json!({"memory": memory.to_string(), "kind": event.kind.name(), "context": event.context,
                   "session": event.session, "at": rfc3339(event.at)}),
        ),
        Exported::Episode(episode) => ("episodes.jsonl", of_episode(episode)),
        Exported::Entity(entity, mirror) => (
            "facts.jsonl",
            json!({"entity": entity.name, "scope": of_scope(&entity.scope), "kind": entity.kind,
                   "summary": entity.summary, "createdAt": rfc3339(entity.created_at),
                   "updatedAt": rfc3339(entity.updated_at), "revision": entity.revision,
                   "memory": of_memory(mirror)}),
        ),
        Exported::Link(scope, link, mirror) => (
            "facts.jsonl",
            json!({"from": link.from, "relation": link.relation, "to": link.to,
                   "scope": of_scope(scope), "createdAt": rfc3339(link.created_at),
                   "validAt": rfc3339(link.valid_at), "invalidAt": link.invalid_at.map(rfc3339),
                   "memory": of_memory(mirror)}),
        ),
        Exported::Document(document, chunks) => ("documents.jsonl", of_document(document, chunks)),
    }
}

fn of_scope(scope: &Scope) -> Value {
    json!({"layer": scope.layer.name(), "owner": scope.owner})
}

fn of_memory(memory: &Memory) -> Value {
    json!({
        "id": memory.id.to_string(), "scope": of_scope(&memory.scope), "origin": memory.origin.name(),
        "kind": memory.kind.name(), "content": memory.content, "category": memory.category,
        "tags": memory.tags, "importance": memory.importance, "confidence": memory.confidence,
        "metadata": memory.metadata, "thread": memory.thread, "archived": memory.archived,
        "accessCount": memory.access_count, "createdAt": rfc3339(memory.created_at),
        "updatedAt": rfc3339(memory.updated_at), "accessedAt": rfc3339(memory.accessed_at),
        "revision": memory.revision, "provenance": of_provenance(&memory.provenance),
    })
}

fn of_provenance(from: &Provenance) -> Value {
    json!({"trust": from.level.name(), "who": from.who, "client": from.client, "tool": from.tool,
           "source": from.source})
}

/// Where a memory comes from; exports of older versions do not say.
fn provenance(value: &Value) -> Read<Provenance> {
    let from = &value["provenance"];
    if from.is_null() {
        return Ok(Provenance::UNKNOWN);
    }
    Ok(Provenance {
        who: optional(from, "who"),
        client: optional(from, "client"),
        tool: optional(from, "tool"),
        source: optional(from, "source"),
        level: named(from, "trust", TrustLevel::named)?,
    })
}

fn of_episode(episode: &Episode) -> Value {
    let linked: Vec<String> = episode.linked.iter().map(RecordId::to_string).collect();
    json!({"id": episode.id.to_string(), "namespace": episode.namespace.as_str(),
           "kind": episode.kind.name(), "description": episode.description,
           "metadata": episode.metadata, "at": rfc3339(episode.at), "linked": linked})
}

fn of_document(document: &Document, chunks: &[Chunk]) -> Value {
    let chunk = |chunk: &Chunk| {
        json!({"content": chunk.content, "startLine": chunk.start_line, "endLine": chunk.end_line,
               "page": chunk.page, "headerPath": chunk.header_path})
    };
    json!({"path": document.path, "scope": of_scope(&document.scope),
           "hash": model::hex(&document.hash.0), "size": document.size,
           "modified": document.modified, "indexedAt": rfc3339(document.indexed_at),
           "chunks": chunks.iter().map(chunk).collect::<Vec<_>>()})
}

/// Something of a line; the error names the field that is wrong.
pub(crate) type Read<T> = Result<T, String>;

fn text<'a>(value: &'a Value, key: &str) -> Read<&'a str> {
    value[key].as_str().ok_or_else(|| format!("{key} should be a text"))
}

fn optional(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

fn number(value: &Value, key: &str) -> Read<f64> {
    value[key].as_f64().ok_or_else(|| format!("{key} should be a number"))
}

fn whole(value: &Value, key: &str) -> Read<u64> {
    value[key].as_u64().ok_or_else(|| format!("{key} should be a whole number"))
}

fn fraction(value: &Value, key: &str) -> Read<f64> {
    let found = number(value, key)?;
    if (0.0..=1.0).contains(&found) { Ok(found) } else { Err(format!("{key} should be 0 to 1")) }
}

fn time(value: &Value, key: &str) -> Read<Timestamp> {
    text(value, key)?.parse().map_err(|_| format!("{key} should be a time"))
}

fn maybe_time(value: &Value, key: &str) -> Read<Option<Timestamp>> {
    if value[key].is_null() { Ok(None) } else { time(value, key).map(Some) }
}

fn named<T>(value: &Value, key: &str, named: impl Fn(&str) -> Option<T>) -> Read<T> {
    let name = text(value, key)?;
    named(name).ok_or_else(|| format!("{key} {name:?} is unknown"))
}

fn parsed<T: std::str::FromStr>(value: &Value, key: &str) -> Read<T> {
    let text = text(value, key)?;
    text.parse().map_err(|_| format!("{key} {text:?} is no id"))
}

/// Where something lies.
pub(crate) fn scope(value: &Value) -> Read<Scope> {
    let scope = &value["scope"];
    Ok(Scope {
        layer: named(scope, "layer", Layer::named)?,
        owner: text(scope, "owner")?.to_owned(),
    })
}

/// A memory, and when its confidence was last found out.
pub(crate) fn memory(value: &Value) -> Read<(Memory, Option<Timestamp>)> {
    let memory = Memory {
        id: parsed::<MemoryId>(value, "id")?,
        scope: scope(value)?,
        origin: named(value, "origin", Origin::named)?,
        kind: named(value, "kind", Kind::named)?,
        content: text(value, "content")?.to_owned(),
        category: optional(value, "category"),
        tags: texts(value, "tags"),
        importance: fraction(value, "importance")?,
        confidence: fraction(value, "confidence")?,
        metadata: value["metadata"].as_object().cloned().unwrap_or_default(),
        thread: optional(value, "thread"),
        archived: value["archived"].as_bool().unwrap_or(false),
        access_count: whole(value, "accessCount")?,
        created_at: time(value, "createdAt")?,
        updated_at: time(value, "updatedAt")?,
        accessed_at: time(value, "accessedAt")?,
        provenance: provenance(value)?,
        revision: whole(value, "revision")?,
    };
    Ok((memory, maybe_time(value, "validatedAt")?))
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let list = value[key].as_array().map_or(&[][..], Vec::as_slice);
    model::memory::distinct(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// An edge.
pub(crate) fn edge(value: &Value) -> Read<NewEdge> {
    Ok(NewEdge {
        source: parsed(value, "source")?,
        target: parsed(value, "target")?,
        relation: named(value, "relation", Relation::named)?,
        weight: fraction(value, "weight")?,
    })
}

/// What became of a memory.
pub(crate) fn event(value: &Value) -> Read<NewEvent> {
    Ok(NewEvent {
        memory: parsed(value, "memory")?,
        kind: named(value, "kind", EventKind::named)?,
        context: optional(value, "context"),
        session: optional(value, "session"),
        at: time(value, "at")?,
    })
}

/// What happened.
pub(crate) fn episode(value: &Value) -> Read<Episode> {
    let linked = texts(value, "linked");
    let linked = linked.iter().map(|id| id.parse().map_err(|_| format!("linked {id:?} is no id")));
    Ok(Episode {
        id: parsed::<EpisodeId>(value, "id")?,
        namespace: text(value, "namespace")?.parse()?,
        kind: named(value, "kind", EpisodeKind::named)?,
        description: text(value, "description")?.to_owned(),
        metadata: value["metadata"].as_object().cloned().unwrap_or_default(),
        at: time(value, "at")?,
        linked: linked.collect::<Read<_>>()?,
    })
}

/// An entity, with its memory.
pub(crate) fn entity(value: &Value) -> Read<(Entity, Memory)> {
    let (mirror, _) = memory(&value["memory"])?;
    let entity = Entity {
        scope: scope(value)?,
        name: text(value, "entity")?.to_owned(),
        kind: optional(value, "kind"),
        summary: optional(value, "summary"),
        created_at: time(value, "createdAt")?,
        updated_at: time(value, "updatedAt")?,
        revision: whole(value, "revision")?,
        mirror: mirror.id,
    };
    Ok((entity, mirror))
}

/// A link, with its memory.
pub(crate) fn link(value: &Value) -> Read<(Scope, Link, Memory)> {
    let (mirror, _) = memory(&value["memory"])?;
    let link = Link {
        from: text(value, "from")?.to_owned(),
        relation: text(value, "relation")?.to_owned(),
        to: text(value, "to")?.to_owned(),
        created_at: time(value, "createdAt")?,
        valid_at: time(value, "validAt")?,
        invalid_at: maybe_time(value, "invalidAt")?,
    };
    Ok((scope(value)?, link, mirror))
}

/// A document with its chunks.
pub(crate) fn document(value: &Value) -> Read<(Document, Vec<Chunk>)> {
    let hash = of_hex(text(value, "hash")?).ok_or("hash should be 64 hex digits")?;
    let document = Document {
        scope: scope(value)?,
        path: text(value, "path")?.to_owned(),
        hash: ContentHash(hash),
        size: whole(value, "size")?,
        modified: value["modified"].as_i64().ok_or("modified should be a whole number")?,
        indexed_at: time(value, "indexedAt")?,
    };
    let small = |value: &Value, key: &str| {
        u32::try_from(whole(value, key)?).map_err(|_| format!("{key} is too large"))
    };
    let chunk = |value: &Value| {
        Ok(Chunk {
            content: text(value, "content")?.to_owned(),
            start_line: small(value, "startLine")?,
            end_line: small(value, "endLine")?,
            page: if value["page"].is_null() { None } else { Some(small(value, "page")?) },
            header_path: optional(value, "headerPath"),
        })
    };
    let chunks = value["chunks"].as_array().ok_or("chunks should be a list")?;
    Ok((document, chunks.iter().map(chunk).collect::<Read<_>>()?))
}
