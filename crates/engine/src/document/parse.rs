//! The chunks of a text or a PDF. What takes it apart may end the process that it runs in, so that
//! it runs in another; where that fails, a text is taken apart as plain text, and that is told.

use rank::chunk::{self, Chunk, Format, Job, Parsed};

use super::permits::Permit;
use crate::Engine;
use crate::ports::ParseFailure;

/// Markdown of no more bytes is parsed in this process, because to ask another costs more than to parse
/// it. Its parser is safe Rust and takes up to 145 bytes of memory for each of these, 10 MB in all.
const MARKDOWN_HERE_BYTES_MAX: usize = 64 << 10;

/// The chunks of a text.
pub(super) struct Chunked {
    pub(super) chunks: Vec<Chunk>,
    /// Why they are those of plain text, if they were to be others.
    pub(super) plain: Option<String>,
}

/// Takes a text apart as what it is. An error says why it cannot be indexed.
pub(super) fn text(
    engine: &Engine,
    permit: &mut Permit<'_>,
    format: Format,
    text: &str,
) -> Result<Chunked, String> {
    let is_small = text.len() <= MARKDOWN_HERE_BYTES_MAX;
    let plain = match format {
        Format::Text => None,
        Format::Markdown if is_small => return here(format, text, None),
        format => match run(engine, permit, Job::Parts(format), text.as_bytes()) {
            Ok(Parsed::Parts(parts)) => {
                let chunks: Option<Vec<_>> =
                    parts.into_iter().map(|part| part.chunk(text)).collect();
                match chunks {
                    Some(chunks) => return Ok(Chunked { chunks, plain: None }),
                    None => Some("its parser named parts that it does not have".to_owned()),
                }
            }
            Ok(Parsed::Pages(_)) => Some("its parser answered with pages".to_owned()),
            Err(ParseFailure::Refused(why)) => return Err(why),
            Err(ParseFailure::Ended(why) | ParseFailure::TooLarge(why)) => Some(why),
        },
    };
    let plain = plain.map(|why| format!("indexed as plain text, without its structure: {why}"));
    here(Format::Text, text, plain)
}

/// The chunks of a text that is taken apart in this process.
fn here(format: Format, text: &str, plain: Option<String>) -> Result<Chunked, String> {
    let parts = chunk::parts(format, text).map_err(|why| why.to_string())?;
    let chunks = parts.into_iter().filter_map(|part| part.chunk(text)).collect();
    Ok(Chunked { chunks, plain })
}

/// The text of each page of a PDF. An error says why it cannot be indexed.
pub(super) fn pdf_pages(
    engine: &Engine,
    permit: &mut Permit<'_>,
    bytes: &[u8],
) -> Result<Vec<String>, String> {
    match run(engine, permit, Job::PdfPages, bytes) {
        Ok(Parsed::Pages(pages)) => Ok(pages),
        Ok(Parsed::Parts(_)) => Err("its parser answered without pages".to_owned()),
        Err(
            ParseFailure::Refused(why) | ParseFailure::Ended(why) | ParseFailure::TooLarge(why),
        ) => Err(why),
    }
}

/// Does a job; a file for which the shared memory is too little has all of it.
fn run(
    engine: &Engine,
    permit: &mut Permit<'_>,
    job: Job,
    bytes: &[u8],
) -> Result<Parsed, ParseFailure> {
    let room = permit.room();
    match engine.files.parse(job, bytes, room) {
        Err(ParseFailure::TooLarge(_)) if room == crate::ports::Room::Shared => {
            permit.wait_to_be_alone();
            engine.files.parse(job, bytes, permit.room())
        }
        answer => answer,
    }
}
