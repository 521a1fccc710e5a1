//! What a reader process does: the parsers that are not made for hostile files.

use serde::{Deserialize, Serialize};

use super::{Format, Part, parts, pdf_pages};

/// What is to be made of the bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Job {
    /// The text of each page of a PDF.
    PdfPages,
    /// The parts of a text in UTF-8.
    Parts(Format),
}

/// What was made of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parsed {
    /// The text of each page.
    Pages(Vec<String>),
    /// The parts, in order.
    Parts(Vec<Part>),
}

/// Does it, in this process: it may end, take long and need much memory.
///
/// # Errors
///
/// Why the file cannot be indexed, in a sentence.
pub fn run(job: Job, bytes: &[u8]) -> Result<Parsed, String> {
    match job {
        Job::PdfPages => pdf_pages(bytes).map(Parsed::Pages).map_err(|why| why.to_string()),
        Job::Parts(format) => {
            let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
            parts(format, text).map(Parsed::Parts).map_err(|why| why.to_string())
        }
    }
}
