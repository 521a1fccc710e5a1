//! A hit as the search tools show it.

use engine::find::{Found, FoundKind, Thing};
use engine::knowledge::Trusted;
use model::StoredChunk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caution;
use crate::tool::Context;
use crate::wire::Fraction;

// What kind of thing a hit is. (Not `///`: that would stand in the schemas.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DocType {
    Document,
    Memory,
    Decision,
    Knowledge,
    Entity,
}

impl From<DocType> for FoundKind {
    fn from(doc_type: DocType) -> Self {
        match doc_type {
            DocType::Document => Self::Document,
            DocType::Memory => Self::Memory,
            DocType::Decision => Self::Decision,
            DocType::Knowledge => Self::Knowledge,
            DocType::Entity => Self::Fact,
        }
    }
}

impl From<FoundKind> for DocType {
    fn from(kind: FoundKind) -> Self {
        match kind {
            FoundKind::Document => Self::Document,
            FoundKind::Memory => Self::Memory,
            FoundKind::Decision => Self::Decision,
            FoundKind::Knowledge => Self::Knowledge,
            FoundKind::Fact => Self::Entity,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hit {
    id: String,
    content: String,
    score: Fraction,
    namespace: String,
    doc_type: DocType,
    metadata: Metadata,
}

// Where a hit is from; what does not apply is left out.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Metadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    source_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    chunk_index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    header_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    page: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    memory_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    importance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Hit {
    /// What was found, as this contract tells it.
    pub(crate) fn of(cx: &Context<'_>, found: Found) -> Self {
        let score = Fraction(found.relevance);
        let (doc_type, text) = (found.thing.kind().into(), found.thing.text().into_owned());
        match found.thing {
            Thing::Memory(memory) => Self {
                id: memory.id.prefixed(),
                namespace: memory.scope.namespace(),
                doc_type,
                metadata: Metadata {
                    memory_type: Some(memory.kind.name()),
                    confidence: Some(memory.confidence),
                    importance: Some(memory.importance),
                    caution: caution::of(cx, &memory),
                    ..Metadata::default()
                },
                content: memory.content,
                score,
            },
            Thing::Chunk(chunk) => Self {
                id: chunk.id.to_string(),
                namespace: chunk.scope.namespace(),
                doc_type,
                metadata: Metadata {
                    caution: chunk_caution(cx, &chunk),
                    source_file: Some(chunk.path),
                    chunk_index: Some(chunk.ordinal),
                    header_path: chunk.chunk.header_path,
                    start_line: Some(chunk.chunk.start_line),
                    end_line: Some(chunk.chunk.end_line),
                    page: chunk.chunk.page,
                    ..Metadata::default()
                },
                content: chunk.chunk.content,
                score,
            },
            Thing::Record(stored) => Self {
                id: stored.record.id.to_string(),
                namespace: stored.record.namespace.as_str().to_owned(),
                doc_type,
                metadata: Metadata {
                    confidence: Some(stored.record.confidence),
                    caution: caution::of_record(cx, &stored),
                    ..Metadata::default()
                },
                content: text,
                score,
            },
            Thing::Item(item, scope) => Self {
                id: item.id.clone(),
                namespace: scope.namespace(),
                doc_type,
                metadata: Metadata {
                    caution: Trusted::look(cx.engine, cx.caller).caution(&item).told(),
                    ..Metadata::default()
                },
                content: text,
                score,
            },
        }
    }
}

/// The words of caution that go with a chunk: its heading and the name of its file are read with it.
fn chunk_caution(cx: &Context<'_>, found: &StoredChunk) -> Option<String> {
    let shown = [Some(&found.chunk.content), Some(&found.path), found.chunk.header_path.as_ref()];
    shown.into_iter().flatten().find_map(|text| caution::of_text(cx, text))
}

// A list of hits.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    results: Vec<Hit>,
    total: usize,
    query: String,
    total_tokens: usize,
}

impl Hits {
    /// What was found for a query.
    pub(crate) fn of(cx: &Context<'_>, query: String, found: Vec<Found>) -> Self {
        Self {
            total: found.len(),
            query,
            total_tokens: found.iter().map(|found| cx.engine.tokens(&found.thing.shown())).sum(),
            results: found.into_iter().map(|found| Hit::of(cx, found)).collect(),
        }
    }
}
