//! Memories that grow surer with use, as Theo's contract has them: snake_case, ids with `mem_`, every
//! answer but one in an envelope.

mod memory_analyze_health;
mod memory_apply;
mod memory_check_supersedes;
mod memory_context;
mod memory_count;
mod memory_detect_contradictions;
mod memory_edge_forget;
mod memory_forget;
mod memory_inspect_graph;
mod memory_list;
mod memory_outcome;
mod memory_recall;
mod memory_relate;
mod memory_store;
mod memory_validate;
mod validation_history;
mod words;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<memory_store::MemoryStore>(),
    Spec::of::<memory_recall::MemoryRecall>(),
    Spec::of::<memory_validate::MemoryValidate>(),
    Spec::of::<memory_forget::MemoryForget>(),
    Spec::of::<memory_context::MemoryContext>(),
    Spec::of::<memory_apply::MemoryApply>(),
    Spec::of::<memory_outcome::MemoryOutcome>(),
    Spec::of::<memory_relate::MemoryRelate>(),
    Spec::of::<memory_edge_forget::MemoryEdgeForget>(),
    Spec::of::<memory_inspect_graph::MemoryInspectGraph>(),
    Spec::of::<memory_count::MemoryCount>(),
    Spec::of::<memory_list::MemoryList>(),
    Spec::of::<validation_history::ValidationHistory>(),
    Spec::of::<memory_detect_contradictions::MemoryDetectContradictions>(),
    Spec::of::<memory_check_supersedes::MemoryCheckSupersedes>(),
    Spec::of::<memory_analyze_health::MemoryAnalyzeHealth>(),
];
