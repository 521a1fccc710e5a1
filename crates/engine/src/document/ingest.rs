//! One file into the store.

use std::path::Path;

use model::{
    Caller, Change, Chunk, ChunkId, Document, IndexedChunk, IndexedDocument, Op, Outcome, Scope,
};
use rank::chunk::{self, Format};

use super::parse::{self, Chunked};
use super::permits::Permit;
use super::{FILE_BYTES_MAX, hash, is_surely_same, name, unreadable, within_reach};
use crate::ports::{FileError, FileState};
use crate::scope::opened;
use crate::{Engine, Error, ErrorKind, Result, memory, secrets};

/// What came of indexing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedFile {
    /// Its absolute path, links resolved.
    pub path: String,
    /// Its chunks, in order.
    pub chunks: Vec<ChunkId>,
    /// Whether it was in the store already, as it is.
    pub is_known: bool,
    /// How many secrets were taken out of it.
    pub secrets: usize,
    /// That it was indexed as plain text though it is something else, and why, if so.
    pub plain: Option<String>,
}

/// Reads a file into the store, in the place of what was read from it before. One that has not
/// changed since stays as it is.
pub fn index_file(
    engine: &Engine,
    caller: &Caller,
    path: &str,
    scope: &Scope,
) -> Result<IndexedFile> {
    opened(caller, scope)?;
    within_reach(engine, caller, "File", path)?;
    let fail = |why| unreadable("File", path, why);
    let found = engine.files.resolve(path).map_err(fail)?;
    let state = engine.files.state(&found).map_err(fail)?;
    if state.is_dir {
        return Err(fail(FileError::Unreadable(format!("{path} is a directory"))));
    }
    let format = format(&found).ok_or_else(|| unsupported(&found))?;
    if let Some(why) = misnamed(engine, &found) {
        return Err(fail(FileError::Unreadable(why)));
    }
    let known = engine.store.document(scope, &name(&found))?;
    let read = read(engine, scope, &found, state, format, known.as_ref())
        .map_err(|why| fail(FileError::Unreadable(why)))?;
    let is_known = !matches!(read, Read::New(_));
    let (mut secrets, mut plain) = (0, None);
    if let Read::New(fresh) | Read::Touched(fresh) = read {
        // The permit is held until the file is stored.
        let Fresh { document, permit: _permit, .. } = fresh;
        (secrets, plain) = (if is_known { 0 } else { fresh.secrets }, fresh.plain);
        let change = Change::of(Op::PutDocument(Box::new(document)));
        if engine.apply_texts(change)? != Outcome::Applied {
            return Err(Error::new(ErrorKind::Internal, format!("{path} was not stored")));
        }
    }
    let path = name(&found);
    let chunks = engine.store.chunk_ids(scope, &path)?;
    Ok(IndexedFile { path, chunks, is_known, secrets, plain })
}

/// What a file of this name holds, if it is something that can be read.
pub(super) fn format(path: &Path) -> Option<Format> {
    Format::of_extension(path.extension()?.to_str()?)
}

/// Why a file of this name cannot be kept: apart from others, or at all. By its path it is found
/// again, so that nothing can be taken out of that.
pub(super) fn misnamed(engine: &Engine, path: &Path) -> Option<String> {
    let Some(path) = path.to_str() else { return Some("its name is not UTF-8".to_owned()) };
    let kind = secrets::kind(engine.secrets, path)?;
    Some(format!("its name holds what looks like a secret ({kind}); give it another to index it"))
}

/// It has no extension, or one that we know nothing of.
fn unsupported(path: &Path) -> Error {
    let extension = path
        .extension()
        .map_or_else(|| "no extension".to_owned(), |e| format!(".{}", e.to_string_lossy()));
    Error::new(ErrorKind::InvalidValue, format!("Unsupported file type: {extension}"))
}

/// What reading a file brings.
pub(super) enum Read<'a> {
    /// A document for the store.
    New(Fresh<'a>),
    /// What is there already; but the file looks different, and the store is to know, so that it need
    /// not be read the next time.
    Touched(Fresh<'a>),
    /// What is there already.
    Same,
}

/// A document that was read just now.
pub(super) struct Fresh<'a> {
    pub(super) document: IndexedDocument,
    /// How many secrets were taken out of it.
    pub(super) secrets: usize,
    /// Why it was read as plain text, if it is something else.
    pub(super) plain: Option<String>,
    /// Leave to have it in memory.
    pub(super) permit: Permit<'a>,
}

/// The document that a file holds, ready for the store. An error says why it cannot be read.
pub(super) fn read<'a>(
    engine: &'a Engine,
    scope: &Scope,
    path: &Path,
    state: FileState,
    format: Format,
    known: Option<&Document>,
) -> std::result::Result<Read<'a>, String> {
    let mut permit = engine.permits.acquire(state.size);
    let bytes = engine.files.read(path, FILE_BYTES_MAX).map_err(|why| match why {
        FileError::NotFound => "it is gone".to_owned(),
        FileError::Unreadable(why) => why,
    })?;
    let hash = hash(&bytes);
    let document = Document {
        scope: scope.clone(),
        path: name(path),
        hash,
        size: state.size,
        modified: state.modified,
        indexed_at: engine.clock.now(),
    };
    let is_same = known.is_some_and(|known| known.hash == hash);
    if is_same && !is_surely_same(&document, state.size, state.modified) {
        return Ok(Read::Same);
    }
    let (chunked, secrets) = chunked(engine, &mut permit, format, bytes)?;
    let chunks = chunked.chunks.into_iter().map(|chunk| indexed(engine, chunk)).collect();
    let document = IndexedDocument { document, chunks };
    let fresh = Fresh { document, secrets, plain: chunked.plain, permit };
    Ok(if is_same { Read::Touched(fresh) } else { Read::New(fresh) })
}

/// The chunks of a file, and how many secrets were taken out of them: the file stays as it is, what
/// is kept of it has none.
fn chunked(
    engine: &Engine,
    permit: &mut Permit<'_>,
    format: Format,
    bytes: Vec<u8>,
) -> std::result::Result<(Chunked, usize), String> {
    if format == Format::Pdf {
        let mut pages = parse::pdf_pages(engine, permit, &bytes)?;
        let found = pages.iter_mut().map(|page| secrets::take_lines(engine.secrets, page)).sum();
        let chunks = chunk::chunk_pages(&pages).map_err(|why| why.to_string())?;
        return Ok((Chunked { chunks, plain: None }, found));
    }
    let mut text = chunk::decode_owned(bytes).map_err(|why| why.to_string())?;
    let found = secrets::take_lines(engine.secrets, &mut text);
    let mut chunked = parse::text(engine, permit, format, &text)?;
    // What tags and entities part in the source is whole in the text that is made of it.
    let hidden: usize = chunked.chunks.iter_mut().map(|chunk| cleaned(engine, chunk)).sum();
    Ok((chunked, found + hidden))
}

/// Takes the secrets out of a chunk; how many there were.
fn cleaned(engine: &Engine, chunk: &mut chunk::Chunk) -> usize {
    let texts = chunk.header_path.iter_mut().chain([&mut chunk.text]);
    texts.map(|text| secrets::take(engine.secrets, text)).sum()
}

pub(super) fn indexed(engine: &Engine, chunk: chunk::Chunk) -> IndexedChunk {
    let chunk::Chunk { text, start_line, end_line, page, header_path } = chunk;
    let chunk = Chunk { content: text, start_line, end_line, page, header_path };
    IndexedChunk {
        hash: memory::hash(&chunk.content),
        vectors: engine.embedders.vectors(&chunk.searched()),
        chunk,
    }
}
