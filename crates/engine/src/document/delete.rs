//! Taking documents out of the store again. Files are not touched.

use model::{Caller, Change, ChunkId, Op, Scope};

use super::names;
use crate::{Engine, Result, scope};

/// Deletes those of these chunks that are there and open to the caller; which.
pub fn delete_chunks(engine: &Engine, caller: &Caller, ids: &[ChunkId]) -> Result<Vec<ChunkId>> {
    let open = |scope: &Scope| caller.identity.sees(scope);
    let found: Vec<ChunkId> = engine
        .store
        .load_chunks(ids)?
        .into_iter()
        .filter(|chunk| open(&chunk.scope))
        .map(|chunk| chunk.id)
        .collect();
    engine.apply(Change::of(Op::DeleteChunks(found.clone())))?;
    Ok(found)
}

/// How many chunks went, and of which document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    /// The path.
    pub path: String,
    /// How many chunks.
    pub chunks: usize,
}

/// Deletes what was read from a file, wherever the caller may see it. The path is taken in any
/// spelling, and the file may be gone.
pub fn delete_file(engine: &Engine, caller: &Caller, path: &str) -> Result<Cleared> {
    let (scopes, names) = (scope::open(engine, caller)?, names(engine, caller, path));
    let (mut ops, mut chunks, mut found) = (Vec::new(), 0, None);
    for scope in scopes {
        for name in &names {
            if engine.store.document(&scope, name)?.is_some() {
                chunks += engine.store.chunk_ids(&scope, name)?.len();
                let (scope, paths) = (scope.clone(), vec![name.clone()]);
                ops.push(Op::DeleteDocuments { scope, paths });
                found = Some(name.clone());
            }
        }
    }
    if !ops.is_empty() {
        engine.apply(Change { guards: Vec::new(), ops })?;
    }
    let path = found.or_else(|| names.first().cloned()).unwrap_or_else(|| path.to_owned());
    Ok(Cleared { path, chunks })
}

/// Deletes every document that the caller may see, and nothing else; how many chunks that were.
pub fn clear(engine: &Engine, caller: &Caller) -> Result<u64> {
    let scopes = scope::open(engine, caller)?;
    let chunks = engine.store.document_stats(&scopes)?.chunks;
    let mut ops = Vec::new();
    for scope in scopes {
        let documents = engine.store.documents(std::slice::from_ref(&scope))?;
        let paths: Vec<String> = documents.into_iter().map(|document| document.path).collect();
        if !paths.is_empty() {
            ops.push(Op::DeleteDocuments { scope, paths });
        }
    }
    if !ops.is_empty() {
        engine.apply(Change { guards: Vec::new(), ops })?;
    }
    Ok(chunks)
}
