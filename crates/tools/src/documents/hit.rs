//! A hit as the search tools show it.

use engine::find::{Found, Thing};
use model::Noun;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

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

impl DocType {
    /// What is searched for it. Decisions, knowledge and entities are not there yet, so that nothing
    /// is found of them.
    pub(crate) fn nouns(self) -> Vec<Noun> {
        match self {
            Self::Document => vec![Noun::Document],
            Self::Memory => vec![Noun::Memory],
            Self::Decision | Self::Knowledge | Self::Entity => Vec::new(),
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
    metadata: Map<String, Value>,
}

impl From<Found> for Hit {
    fn from(found: Found) -> Self {
        let score = Fraction(found.relevance);
        match found.thing {
            Thing::Memory(memory) => Self {
                id: memory.id.prefixed(),
                namespace: memory.scope.namespace(),
                doc_type: DocType::Memory,
                metadata: object(json!({
                    "memory_type": memory.kind.name(),
                    "confidence": memory.confidence,
                    "importance": memory.importance,
                })),
                content: memory.content,
                score,
            },
            Thing::Chunk(chunk) => {
                let mut metadata = object(json!({
                    "source_file": chunk.path,
                    "chunk_index": chunk.ordinal,
                    "start_line": chunk.chunk.start_line,
                    "end_line": chunk.chunk.end_line,
                }));
                let page = chunk.chunk.page.map(Value::from);
                let header_path = chunk.chunk.header_path.map(Value::from);
                for (name, value) in [("page", page), ("header_path", header_path)] {
                    metadata.extend(value.map(|value| (name.to_owned(), value)));
                }
                Self {
                    id: chunk.id.to_string(),
                    namespace: chunk.scope.namespace(),
                    doc_type: DocType::Document,
                    metadata,
                    content: chunk.chunk.content,
                    score,
                }
            }
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
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
    pub(crate) fn of(query: String, found: Vec<Found>) -> Self {
        Self {
            total: found.len(),
            query,
            total_tokens: found.iter().map(|found| engine::tokens(found.thing.text())).sum(),
            results: found.into_iter().map(Hit::from).collect(),
        }
    }
}
