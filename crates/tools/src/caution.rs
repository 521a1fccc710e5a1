//! What a reader must know of a memory beside its text: that it is from the web or a tool, or reads
//! like an order that no person approved. Most memories have none.

use model::Memory;

use crate::tool::Context;

/// The words of caution that go with a memory.
pub(crate) fn of(cx: &Context<'_>, memory: &Memory) -> Option<String> {
    engine::trust::caution(cx.engine, memory).told()
}
