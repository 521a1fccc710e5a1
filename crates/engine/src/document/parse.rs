//! The chunks of a text or a PDF. What takes it apart may end the process that it runs in, so that
//! it runs in another; where that fails, a text is taken apart as plain text, and that is told.

use rank::chunk::{self, Chunk, Format, Job, Parsed};

use super::permits::Permit;
use crate::Engine;
use crate::ports::ParseFailure;

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
    let plain = match format {
        Format::Text => None,
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
    let parts = chunk::parts(Format::Text, text).map_err(|why| why.to_string())?;
    let chunks = parts.into_iter().filter_map(|part| part.chunk(text)).collect();
    let plain = plain.map(|why| format!("indexed as plain text, without its structure: {why}"));
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
