//! What Theo's two toolsets share: the envelope, and words for what is wrong.

use engine::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::Serialize;

// An answer in its envelope. (Not `///`: that would stand in the schemas.)
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Envelope<T> {
    success: bool,
    data: T,
}

/// The envelope around an answer.
pub(crate) fn answer<T>(data: T) -> Envelope<T> {
    Envelope { success: true, data }
}

/// A query, if it is not empty.
pub(crate) fn query(text: String) -> Result<String> {
    if text.trim().is_empty() {
        return Err(Error::new(ErrorKind::InvalidValue, "Query cannot be empty"));
    }
    Ok(text)
}
