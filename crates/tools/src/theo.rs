//! What Theo's two toolsets share: the envelope, and words for what is wrong.

use engine::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::Serialize;

// An answer in its envelope. (Not `///`: that would stand in the schemas.)
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Data<T> {
    success: bool,
    data: T,
}

impl<T> Data<T> {
    /// `data` in its envelope.
    pub(crate) fn of(data: T) -> Self {
        Self { success: true, data }
    }
}

/// A query that says something.
pub(crate) fn query(text: String) -> Result<String> {
    if text.trim().is_empty() {
        return Err(Error::new(ErrorKind::InvalidValue, "Query cannot be empty"));
    }
    Ok(text)
}
