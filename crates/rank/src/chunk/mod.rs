//! The text of a file into chunks that are searched one by one. Pure, and never in doubt: any text
//! gives chunks, in time that grows with its length.
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
mod lines;
mod markdown;
mod pack;
mod pdf;
#[cfg(test)]
mod tests;
mod text;

pub use decode::{NotText, decode};
pub use format::{Format, Language};
pub use pdf::{PdfError, pdf_pages};

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

/// The chunks of a text, in order. A PDF has to be made text of first; here it is one.
///
/// ```
/// use rank::chunk::{Format, chunk};
/// let chunks = chunk(Format::Markdown, "# Tea\n\n## Green\n\nNot above 80 degrees.\n");
/// assert_eq!(chunks[0].header_path.as_deref(), Some("Tea > Green"));
/// assert_eq!((chunks[0].start_line, chunks[0].end_line), (1, 5));
/// ```
pub fn chunk(format: Format, text: &str) -> Vec<Chunk> {
    match format {
        Format::Markdown => markdown::chunk(text),
        Format::Text | Format::Pdf => text::chunk(text),
        Format::Code(language) => code::chunk(language, text),
        Format::Html => html::chunk(text),
    }
}

/// The chunks of the pages of a PDF, in order. None goes over a page's end.
pub fn chunk_pages(pages: &[String]) -> Vec<Chunk> {
    let chunks = pages.iter().zip(1..).flat_map(|(page, number)| {
        text::chunk(page).into_iter().map(move |chunk| Chunk { page: Some(number), ..chunk })
    });
    chunks.collect()
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
