//! The text of a PDF, page by page.
//!
//! What takes it apart is not made for hostile files: it may panic, take all memory or overflow the
//! stack. So this runs in a process of its own (`providers::pdf`); only panics are met here, one
//! page at a time.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

/// Why a PDF has no text for us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PdfError {
    /// It asks for a password.
    Encrypted,
    /// It is no PDF, or a damaged one.
    Broken(String),
}

impl fmt::Display for PdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PdfError::Encrypted => write!(f, "encrypted: it asks for a password"),
            PdfError::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}

impl std::error::Error for PdfError {}

/// The text of each page. A page that cannot be read is empty; it is an error if that is each of
/// them, or if there is none.
pub fn pdf_pages(bytes: &[u8]) -> Result<Vec<String>, PdfError> {
    let broken = |error: pdf_extract::Error| PdfError::Broken(error.to_string());
    let mut document = Document::load_mem(bytes).map_err(|error| match error {
        pdf_extract::Error::Decryption(_) | pdf_extract::Error::InvalidPassword => {
            PdfError::Encrypted
        }
        error => broken(error),
    })?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(PdfError::Encrypted);
    }
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    let pages: Vec<Result<String, String>> =
        numbers.iter().map(|number| page(&document, *number)).collect();
    match pages.iter().find_map(|page| page.as_ref().err()) {
        _ if pages.is_empty() => Err(PdfError::Broken("it has no pages".to_owned())),
        Some(why) if pages.iter().all(Result::is_err) => Err(PdfError::Broken(why.clone())),
        _ => Ok(pages.into_iter().map(Result::unwrap_or_default).collect()),
    }
}

/// The text of one page, or why it has none.
fn page(document: &Document, number: u32) -> Result<String, String> {
    let mut text = String::new();
    let read = || output_doc_page(document, &mut PlainTextOutput::new(&mut text), number);
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(())) => Ok(text),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("its pages are not as they should be".to_owned()),
    }
}
