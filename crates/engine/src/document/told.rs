//! Documents that are no files: their text comes from elsewhere.

use model::{ContentHash, Document, IndexedDocument, Scope, Timestamp};
use rank::chunk::Format;

use super::ingest::indexed;
use super::{hash, parse};
use crate::Engine;

/// A text that becomes a document.
pub(crate) struct Told<'a> {
    /// Where it is to lie.
    pub(crate) scope: &'a Scope,
    /// What it is known by, where a file has its path.
    pub(crate) path: &'a str,
    /// Its text, in Markdown.
    pub(crate) text: &'a str,
    /// When it was changed last.
    pub(crate) modified: Option<Timestamp>,
}

impl Told<'_> {
    /// The hash by which it is recognised.
    pub(crate) fn hash(&self) -> ContentHash {
        hash(self.text.as_bytes())
    }
}

/// The document, ready for the store. One whose Markdown cannot be parsed is read as plain text. An
/// error says why it cannot be indexed at all.
pub(crate) fn told(engine: &Engine, told: &Told<'_>) -> Result<IndexedDocument, String> {
    let now = engine.clock.now();
    let modified = told.modified.unwrap_or(now).as_microsecond().saturating_mul(1000);
    let document = Document {
        scope: told.scope.clone(),
        path: told.path.to_owned(),
        hash: told.hash(),
        size: told.text.len() as u64,
        modified,
        indexed_at: now,
    };
    let mut permit = engine.permits.acquire(told.text.len() as u64);
    let chunked = parse::text(engine, &mut permit, Format::Markdown, told.text)?;
    let chunks = chunked.chunks.into_iter().map(|chunk| indexed(engine, chunk)).collect();
    Ok(IndexedDocument { document, chunks })
}
