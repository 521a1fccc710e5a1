//! A memory from elsewhere, brought into our bounds, and how it is recognised.

use model::confidence::CONFIDENCE_NEW;
use model::memory::{distinct, named_thread};
use model::{Actor, Memory, MemoryId, Metadata, Provenance, Scope, Timestamp, TrustLevel, hex};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{CONTENT_CHARS_MAX, IMPORTED_FROM, IMPORTED_HASH, IMPORTED_ID, IncomingMemory};
use crate::limits::TAGS_MAX;

/// A tag from elsewhere has no more characters than this.
const TAG_CHARS_MAX: usize = 100;

/// Free data from elsewhere has no more characters, as JSON, than this; more is left behind.
const METADATA_CHARS_MAX: usize = 20_000;

/// A memory within our bounds.
pub(super) struct Settled {
    id: MemoryId,
    content: String,
    tags: Vec<String>,
    metadata: Metadata,
    /// Recognises what was told.
    pub(super) hash: String,
}

/// Brings a memory within our bounds; the error says why it cannot be.
pub(super) fn settle(
    format: &str,
    scope: &Scope,
    incoming: &IncomingMemory,
) -> Result<Settled, String> {
    let content = plain(incoming.content.trim());
    let length = content.chars().count();
    if length == 0 {
        return Err("it has no text".to_owned());
    }
    if length > CONTENT_CHARS_MAX {
        return Err(format!(
            "its text has {length} characters; a memory has at most {CONTENT_CHARS_MAX} \
             (`lorekeep index` reads long texts)"
        ));
    }
    let tags = incoming.tags.iter().map(|tag| plain(tag.trim()));
    let tags = tags.filter(|tag| !tag.is_empty() && tag.chars().count() <= TAG_CHARS_MAX);
    let mut tags = distinct(tags.collect());
    tags.truncate(TAGS_MAX);
    let key = match &incoming.key {
        Some(key) => plain(key),
        None => format!("text:{}", digits(&[content.as_bytes()])),
    };
    let hash = hash_of_parts(&content, &tags);
    let mut metadata = incoming.metadata.clone();
    if serde_json::to_string(&metadata).map_or(0, |text| text.len()) > METADATA_CHARS_MAX {
        metadata = Metadata::new();
    }
    metadata.insert(IMPORTED_FROM.to_owned(), json!(format));
    metadata.insert(IMPORTED_ID.to_owned(), json!(key));
    metadata.insert(IMPORTED_HASH.to_owned(), json!(hash));
    let id = id_of(format, scope, &key);
    Ok(Settled { id, content, tags, metadata, hash })
}

impl Settled {
    /// The memory.
    pub(super) fn memory(
        &self,
        scope: &Scope,
        from: &IncomingMemory,
        actor: &Actor,
        now: Timestamp,
    ) -> Memory {
        let created_at = from.created_at.filter(|at| *at <= now).unwrap_or(now);
        let updated_at = from.updated_at.filter(|at| *at <= now).unwrap_or(created_at);
        Memory {
            id: self.id,
            scope: scope.clone(),
            origin: from.origin,
            kind: from.kind,
            content: self.content.clone(),
            category: from.category.clone(),
            tags: self.tags.clone(),
            importance: within(from.importance),
            confidence: from.confidence.map_or(CONFIDENCE_NEW, within),
            metadata: self.metadata.clone(),
            thread: named_thread(&self.metadata),
            archived: from.archived,
            access_count: 0,
            created_at,
            updated_at: updated_at.max(created_at),
            accessed_at: now,
            // What others kept is no person's word, whoever brings it; what they say of where it is
            // from counts even where there is too much of it to be kept.
            provenance: Provenance::of(&actor.no_more_than(TrustLevel::Agent), &from.metadata),
            revision: 1,
        }
    }
}

/// What a memory was when it was imported.
pub(super) fn imported_hash(memory: &Memory) -> Option<String> {
    Some(memory.metadata.get(IMPORTED_HASH)?.as_str()?.to_owned())
}

/// What a memory is now, to compare it with what was imported.
pub(super) fn hash_of(memory: &Memory) -> String {
    hash_of_parts(&memory.content, &memory.tags)
}

fn hash_of_parts(content: &str, tags: &[String]) -> String {
    let tags = tags.join("\u{1f}");
    digits(&[content.as_bytes(), tags.as_bytes()])
}

/// The id that follows from where a memory came, so that it is recognised.
fn id_of(format: &str, scope: &Scope, key: &str) -> MemoryId {
    let parts = [format, scope.layer.name(), &scope.owner, key];
    let digest = digest(&parts.map(str::as_bytes));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    MemoryId::from_random(bytes)
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn digits(parts: &[&[u8]]) -> String {
    hex(&digest(parts)[..16])
}

fn within(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.5 }
}

/// A text without what no reader of it would want.
fn plain(text: &str) -> String {
    text.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Layer;

    fn place() -> Scope {
        Scope { layer: Layer::User, owner: "ada".into() }
    }

    #[test]
    fn the_same_thing_from_the_same_place_has_the_same_id_and_others_another() {
        let mut memory = IncomingMemory::new("a:1", "Ada likes tea");
        let id = |memory: &IncomingMemory, format| settle(format, &place(), memory).unwrap().id;
        let by_text = id(&memory, "mem0");
        assert_eq!(by_text, id(&memory, "mem0"));
        assert_ne!(by_text, id(&memory, "theo"));
        memory.key = Some("7".into());
        let by_key = id(&memory, "mem0");
        memory.content = "Ada likes coffee".into();
        assert_eq!(by_key, id(&memory, "mem0"));
    }

    #[test]
    fn what_has_no_text_or_too_much_of_it_is_refused() {
        let settled = |text: &str| settle("x", &place(), &IncomingMemory::new("p", text));
        assert!(settled(" \0 \n").is_err_and(|why| why == "it has no text"));
        assert!(settled(&"x".repeat(100_001)).is_err_and(|why| why.contains("100001 characters")));
        assert_eq!(settled("a\0b").unwrap().content, "ab");
    }
}
