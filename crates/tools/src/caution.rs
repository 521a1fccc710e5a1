//! What a reader must know of a text beside what it says: that it is from the web or a tool, or reads
//! like an order that no person approved. Most have none.

use engine::record::StoredRecord;
use engine::trust;
use model::Memory;

use crate::tool::Context;

/// The words of caution that go with a memory.
pub(crate) fn of(cx: &Context<'_>, memory: &Memory) -> Option<String> {
    trust::caution(cx.engine, memory).told()
}

/// Those that go with a record.
pub(crate) fn of_record(cx: &Context<'_>, stored: &StoredRecord) -> Option<String> {
    trust::record_caution(cx.engine, stored).told()
}

/// Those that go with a text of which nothing is known but what it says.
pub(crate) fn of_text(cx: &Context<'_>, text: &str) -> Option<String> {
    trust::text_caution(cx.engine, text).told()
}

#[cfg(test)]
mod tests;
