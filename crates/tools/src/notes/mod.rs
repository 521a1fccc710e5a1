//! Memories as plain notes, as Agent Memory Server's contract has them: snake_case, ids as UUIDs.

mod delete_memory;
mod get_memory_stats;
mod note;
mod query_memories;
mod store_memory;
mod update_memory;

pub(crate) use get_memory_stats::GetMemoryStats;
pub(crate) use note::{Note, NoteType};

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<store_memory::StoreMemory>(),
    Spec::of::<query_memories::QueryMemories>(),
    Spec::of::<update_memory::UpdateMemory>(),
    Spec::of::<delete_memory::DeleteMemory>(),
    Spec::of::<GetMemoryStats>(),
];
