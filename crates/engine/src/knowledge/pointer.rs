//! The memory that points to an item.

use std::borrow::Cow;

use model::knowledge::pointer_scope;
use model::{
    IndexedMemory, Item, Memory, MemoryId, Metadata, Provenance, Severity, Timestamp, TrustLevel,
};
use serde_json::{Value, json};

use super::Root;
use crate::memory::{Follower, follower};
use crate::{Engine, secrets, trust};

/// The name of an item's id in the data of its pointer.
const ITEM_ID: &str = "knowledgeItemId";

/// So many blocking constraints are told.
const CONSTRAINTS_MAX: usize = 3;

/// How much a pointer matters: more than most memories, because the item binds or recommends.
const IMPORTANCE: f64 = 0.7;

/// The memory that points to an item.
pub(super) fn of(
    engine: &Engine,
    root: &Root,
    item: &Item,
    (id, level): (MemoryId, TrustLevel),
    at: Timestamp,
) -> Box<IndexedMemory> {
    // The file is a person's and stays as it is; what is kept of it has no secrets.
    let (mut content, mut tags) = (text(item), item.tags.clone());
    for text in tags.iter_mut().chain([&mut content]) {
        secrets::take(engine.secrets, text);
    }
    let new = Follower {
        id,
        scope: pointer_scope(item.layer, root.project.as_deref(), item.owner.as_deref()),
        content,
        tags,
        importance: IMPORTANCE,
        metadata: metadata(item),
        is_past: item.status.is_past(),
        at,
        provenance: Provenance {
            source: Some(item.id.clone()),
            level,
            ..Provenance::by(engine.actor())
        },
    };
    follower(engine, new)
}

fn metadata(item: &Item) -> Metadata {
    let told = [
        (ITEM_ID, json!(item.id)),
        ("knowledgeType", json!(item.kind.name())),
        ("knowledgeStatus", json!(item.status.name())),
    ];
    told.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// What an item says, what it is and where it stands, and its id.
fn text(item: &Item) -> String {
    let told = told(item);
    format!("{told}\n({} {}, {})", item.kind.name(), item.id, item.status.name())
}

/// What agents are told of an item: title, summary, and what it blocks.
pub(super) fn told(item: &Item) -> String {
    let mut text = item.title.clone();
    if !item.summary.is_empty() && item.summary != item.title {
        text.push('\n');
        text.push_str(&item.summary);
    }
    let blocking = item.constraints.iter().filter(|one| item.severity_of(one) == Severity::Block);
    for constraint in blocking.take(CONSTRAINTS_MAX) {
        let (operator, target) = (constraint.operator.name(), constraint.target.name());
        text.push_str(&format!("\n- {operator} {target} {}", constraint.pattern));
        if let Some(message) = &constraint.message {
            text.push_str(": ");
            text.push_str(message);
        }
    }
    text
}

/// What is judged of a pointer: what agents are told of the item, and its names; where it stands is not.
pub(crate) fn judged<'a>(engine: &Engine, pointer: &'a Memory) -> Cow<'a, str> {
    let content = pointer.content.as_str();
    let told = content.rsplit_once('\n').map_or(content, |(told, _)| told);
    named(engine, told, item_of(pointer).unwrap_or_default(), &pointer.tags)
}

/// The id of the item that a memory points to, as far as it tells.
pub(crate) fn item_of(pointer: &Memory) -> Option<&str> {
    pointer.metadata.get(ITEM_ID).and_then(Value::as_str)
}

/// What is told of an item, with its id and its tags where they read like an order.
pub(super) fn named<'a>(engine: &Engine, told: &'a str, id: &str, tags: &[String]) -> Cow<'a, str> {
    trust::with_names(engine, told, tags.iter().map(String::as_str).chain([id]))
}
