//! The text of a PDF, page by page.

use std::fmt;

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

/// The text of each page.
pub fn pdf_pages(bytes: &[u8]) -> Result<Vec<String>, PdfError> {
    Err(PdfError::Broken(format!("{} bytes", bytes.len())))
}
