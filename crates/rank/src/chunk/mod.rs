//! The text of a file into chunks that are searched one by one. Pure, and never in doubt: any text
//! gives chunks, in time that grows with its length.
//!
//! [`chunk`] does so in this process. A server has [`run`] called in another, because C parsers end
//! the process that they run in when a file is made for it; back comes where the [`Part`]s lie.
//!
//! Each format says where its text may be parted ([`markdown`], [`text`], [`code`], [`html`]); one
//! packer decides where it is. Of Markdown, text and code a chunk is a part of the source as it
//! stands there, and nothing but white space is in no chunk.
//!
//! Not here: files, which of them are read, and what becomes of the chunks.

mod atom;
mod code;
mod decode;
mod format;
mod html;
mod job;
mod lines;
mod markdown;
mod pack;
mod parts;
mod pdf;
#[cfg(test)]
mod tests;
mod text;

pub use decode::{NotText, decode, decode_owned, utf16_lossy};
pub use format::{Format, Language};
pub use job::{Job, Parsed, run};
pub use parts::{CHUNKS_MAX, PATH_BYTES_MAX, Part, TooMany};
pub use pdf::{PdfError, pdf_pages};

use parts::Parts;

/// No chunk has more characters.
pub const CHUNK_CHARS_MAX: usize = 1_000;

/// No chunk has more tokens of the built-in model: beyond that a vector says ever less of each.
pub const CHUNK_TOKENS_MAX: usize = 256;

/// No more characters of a heading or a name are told in a path.
const NAME_CHARS_MAX: usize = 120;

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its text.
    pub text: String,
    /// The line of the file in which it starts, from 1; of a PDF, the line of the page.
    pub start_line: u32,
    /// The line in which it ends.
    pub end_line: u32,
    /// The page of a PDF, from 1.
    pub page: Option<u32>,
    /// The headings it stands under, or the class and the function it is in: "A > B".
    pub header_path: Option<String>,
}

/// The chunks of a text, in order and without a bound on their number. A PDF has to be made text of
/// first; here it is one.
///
/// ```
/// use rank::chunk::{Format, chunk};
/// let chunks = chunk(Format::Markdown, "# Tea\n\n## Green\n\nNot above 80 degrees.\n");
/// assert_eq!(chunks[0].header_path.as_deref(), Some("Tea > Green"));
/// assert_eq!((chunks[0].start_line, chunks[0].end_line), (1, 5));
/// ```
pub fn chunk(format: Format, text: &str) -> Vec<Chunk> {
    let mut parts = Parts::unbounded();
    read(format, text, &mut parts);
    let parts = parts.finish().unwrap_or_default();
    parts.into_iter().filter_map(|part| part.chunk(text)).collect()
}

/// The parts of a text, in order.
///
/// # Errors
///
/// That there are too many for one file.
pub fn parts(format: Format, text: &str) -> Result<Vec<Part>, TooMany> {
    let mut parts = Parts::bounded();
    read(format, text, &mut parts);
    parts.finish()
}

fn read(format: Format, text: &str, parts: &mut Parts) {
    match format {
        Format::Markdown => markdown::read(text, parts),
        Format::Text | Format::Pdf => text::read(text, parts),
        Format::Code(language) => code::read(language, text, parts),
        Format::Html => html::read(text, parts),
    }
}

/// The chunks of the pages of a PDF, in order. None goes over a page's end.
///
/// # Errors
///
/// That there are too many for one file.
pub fn chunk_pages(pages: &[String]) -> Result<Vec<Chunk>, TooMany> {
    let (mut chunks, mut count) = (Vec::new(), 0);
    for (page, number) in pages.iter().zip(1..) {
        let parts = parts(Format::Text, page)?;
        count += parts.len();
        if count <= CHUNKS_MAX {
            let of_page = parts.into_iter().filter_map(|part| part.chunk(page));
            chunks.extend(of_page.map(|chunk| Chunk { page: Some(number), ..chunk }));
        }
    }
    if count > CHUNKS_MAX { Err(TooMany::Chunks(count)) } else { Ok(chunks) }
}

/// Headings or names as a path; none if there is nothing to tell.
fn path<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() { None } else { Some(names.join(" > ")) }
}

/// A heading or a name on one line, and no longer than it may be.
fn name(text: &str) -> String {
    let mut name = String::new();
    for word in text.split_whitespace() {
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
        if name.len() > 4 * NAME_CHARS_MAX {
            break;
        }
    }
    match name.char_indices().nth(NAME_CHARS_MAX) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name,
    }
}
