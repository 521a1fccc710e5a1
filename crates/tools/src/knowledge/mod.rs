//! Decisions, policies, patterns and specifications, as Aeterna's contract has them.

mod knowledge_check;
mod knowledge_query;
mod knowledge_show;
mod sync_now;
mod sync_status;
#[cfg(test)]
mod testing;
mod words;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<knowledge_query::KnowledgeQuery>(),
    Spec::of::<knowledge_check::KnowledgeCheck>(),
    Spec::of::<knowledge_show::KnowledgeShow>(),
    Spec::of::<sync_now::SyncNow>(),
    Spec::of::<sync_status::SyncStatus>(),
];
