//! A store of a given size, and somebody who calls tools on it.

use engine::testing::{everybody, setup};
use engine::{Engine, Meaning, index, memory};
use model::{
    Caller, Change, Chunk, ContentHash, Document, IndexedChunk, IndexedDocument, IndexedMemory,
    Kind, Layer, Memory, MemoryId, Metadata, NewEdge, Op, Origin, Provenance, Relation, Scope,
    time,
};
use serde_json::Value;
use tools::{Catalogue, Context, Selection};

use crate::sentences::Sentences;

/// So many operations are written together.
const BATCH: usize = 5_000;

/// The first memory's time, and how long after it the next one comes.
const BEGIN_MICROS: i64 = 1_700_000_000_000_000;
const STEP_MICROS: i64 = 10_000_000;

/// How many sentences a chunk has, and how many chunks a document.
const CHUNK_SENTENCES: u64 = 6;
const DOCUMENT_CHUNKS: u64 = 10;

pub(crate) struct World {
    engine: Engine,
    caller: Caller,
    catalogue: Catalogue,
    pub(crate) sentences: Sentences,
    pub(crate) dir: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        Self {
            engine: Engine::open(dir.path(), setup(Meaning::BuiltIn)).expect("an open store"),
            caller: everybody(),
            catalogue: Catalogue::new(Selection::all()),
            sentences: Sentences::new(),
            dir,
        }
    }

    /// The answer of a tool, as the bytes that a server sends: an answer's size is part of its cost.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let arguments = arguments.as_object().expect("arguments are an object").clone();
        let tool = self.catalogue.find(tool).expect("a known tool");
        let reply = tool.call(arguments, &Context::new(&self.engine, &self.caller));
        assert!(!reply.is_error, "{}", reply.value);
        assert!(!std::hint::black_box(reply.value.to_string()).is_empty());
        reply.value
    }

    /// Makes a memory of each of so many sentences, with vectors; their ids.
    pub(crate) fn add_memories(&self, count: u64) -> Vec<MemoryId> {
        let memories = (0..count).map(|number| {
            let memory = self.memory(number);
            let hash = memory::hash(&memory.content);
            Op::Insert(Box::new(IndexedMemory { memory, hash, vectors: Vec::new() }))
        });
        self.apply(&memories.collect::<Vec<_>>());
        self.embed();
        (0..count).map(memory_id).collect()
    }

    /// Draws so many edges from each memory to others.
    pub(crate) fn add_edges(&self, ids: &[MemoryId], each: usize) {
        let edge = |number: usize| {
            let target = (number * 7919 + number / ids.len() + 1) % ids.len();
            let (source, target) = (ids[number % ids.len()], ids[target]);
            Op::Relate(NewEdge { source, target, relation: Relation::RelatesTo, weight: 0.9 })
        };
        self.apply(&(0..ids.len() * each).map(edge).collect::<Vec<_>>());
    }

    /// Makes documents with so many chunks in all, with vectors.
    pub(crate) fn add_chunks(&self, count: u64) {
        let document = |number: u64| {
            let first = number * DOCUMENT_CHUNKS;
            let chunks = first..count.min(first + DOCUMENT_CHUNKS);
            let path = format!("/docs/page-{number}.md");
            let hash = memory::hash(&path);
            let document = Document {
                scope: scope(),
                path,
                hash,
                size: 1,
                modified: 0,
                indexed_at: time::from_micros(BEGIN_MICROS).expect("a time"),
            };
            let chunks = chunks.map(|number| self.chunk(number)).collect();
            Op::PutDocument(Box::new(IndexedDocument { document, chunks }))
        };
        self.apply(&(0..count.div_ceil(DOCUMENT_CHUNKS)).map(document).collect::<Vec<_>>());
        self.embed();
    }

    fn chunk(&self, number: u64) -> IndexedChunk {
        let sentences = number * CHUNK_SENTENCES..(number + 1) * CHUNK_SENTENCES;
        let content: Vec<String> = sentences.map(|at| self.sentences.sentence(at)).collect();
        let content = content.join("\n");
        let hash: ContentHash = memory::hash(&content);
        let line = u32::try_from(number % DOCUMENT_CHUNKS).expect("few lines") * 10 + 1;
        let chunk = Chunk {
            content,
            start_line: line,
            end_line: line + 9,
            page: None,
            header_path: Some(format!("Page > {}", self.sentences.keywords(number))),
        };
        IndexedChunk { chunk, hash, vectors: Vec::new() }
    }

    fn memory(&self, number: u64) -> Memory {
        let micros = BEGIN_MICROS + i64::try_from(number).expect("few") * STEP_MICROS;
        let at = time::from_micros(micros).expect("a time");
        Memory {
            id: memory_id(number),
            scope: scope(),
            origin: [Origin::Layers, Origin::Notes, Origin::Learning][number as usize % 3],
            kind: Kind::Fact,
            content: self.sentences.sentence(number),
            category: None,
            tags: self.sentences.tags(number),
            importance: (number % 11) as f64 / 10.0,
            confidence: (number % 9) as f64 / 10.0,
            metadata: Metadata::default(),
            thread: None,
            archived: false,
            access_count: 0,
            created_at: at,
            updated_at: at,
            accessed_at: at,
            provenance: Provenance::UNKNOWN,
            revision: 1,
        }
    }

    fn apply(&self, ops: &[Op]) {
        for ops in ops.chunks(BATCH) {
            let change = Change { guards: Vec::new(), ops: ops.to_vec() };
            assert!(self.engine.store().apply(change).expect("a written store").is_done());
        }
    }

    /// Gives all texts their vectors.
    pub(crate) fn embed(&self) {
        index::complete(&self.engine, |_, _| true).expect("vectors of all texts");
    }
}

/// Where everything lies that is stored.
fn scope() -> Scope {
    Scope { layer: Layer::User, owner: "me".to_owned() }
}

/// The ids that the engine makes in tests count from 1, so that these do from far behind.
fn memory_id(number: u64) -> MemoryId {
    let mut bytes = [1; 16];
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    MemoryId::from_random(bytes)
}
