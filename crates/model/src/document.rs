//! Documents: files that were read, and the chunks their text was cut into.

use crate::change::StoredVector;
use crate::id::{ChunkId, ContentHash};
use crate::scope::Scope;
use crate::time::Timestamp;

/// A file as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it lies in the store.
    pub scope: Scope,
    /// Its absolute path, links resolved.
    pub path: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// How many bytes it had.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: i64,
    /// When it was read.
    pub indexed_at: Timestamp,
}

/// A part of a document's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The text.
    pub content: String,
    /// The line it begins in, from 1; of its page, where there are pages.
    pub start_line: u32,
    /// The line it ends in.
    pub end_line: u32,
    /// The page, from 1.
    pub page: Option<u32>,
    /// The headings, or the names in code, that it stands under: `A > B`.
    pub header_path: Option<String>,
}

impl Chunk {
    /// What a search compares: the text, and before it what it stands under.
    pub fn searched(&self) -> std::borrow::Cow<'_, str> {
        match &self.header_path {
            Some(path) => format!("{path}\n{}", self.content).into(),
            None => self.content.as_str().into(),
        }
    }
}

/// A chunk with what its search needs, worked out before the transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedChunk {
    /// The chunk.
    pub chunk: Chunk,
    /// The hash of its text.
    pub hash: ContentHash,
    /// The vectors of its text, at most one a model.
    pub vectors: Vec<StoredVector>,
}

/// A document with all of its chunks, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedDocument {
    /// The document.
    pub document: Document,
    /// Its chunks.
    pub chunks: Vec<IndexedChunk>,
}

/// A chunk as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its identity.
    pub id: ChunkId,
    /// Where its document lies in the store.
    pub scope: Scope,
    /// Its document's path.
    pub path: String,
    /// Which of the document's chunks it is, from 0.
    pub ordinal: u32,
    /// The chunk.
    pub chunk: Chunk,
}
