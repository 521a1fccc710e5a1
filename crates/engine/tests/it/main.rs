//! The verbs on a real store, with a clock, ids and a model that the tests decide on.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod brief;
mod capture;
mod explain;
mod facts;
mod files;
mod folders;
mod knowledge;
mod laundered;
mod learning;
mod models;
mod poisoned;
mod queries;

use engine::memory::{NewMemory, Place, Query, Within, remember};
use engine::{Engine, Meaning, testing};
use model::{Importance, Kind, Layer, Memory, Metadata, Origin};

fn open(dir: &tempfile::TempDir, meaning: Meaning) -> Engine {
    Engine::open(dir.path(), testing::setup(meaning)).unwrap()
}

fn store(engine: &Engine, layer: Layer, content: &str, tags: &[&str]) -> Memory {
    let new = NewMemory {
        origin: Origin::Layers,
        place: Place::Layer(layer),
        kind: Kind::Session,
        content: content.to_owned(),
        category: None,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        importance: Importance::Medium.value(),
        metadata: Metadata::default(),
    };
    remember(engine, &testing::everybody(), new).unwrap()
}

fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        within: Within::Own,
        tags_any: Vec::new(),
        floor: 0.0,
        limit: 10,
    }
}
