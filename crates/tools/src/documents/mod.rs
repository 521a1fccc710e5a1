//! Files, indexed and searched, as Theo's contract has them.

mod clear_index;
mod delete_chunks;
mod delete_file;
mod get_index_stats;
mod hit;
mod index_directory;
mod index_file;
mod search;
mod search_with_budget;
mod search_with_filters;
#[cfg(test)]
pub(crate) mod testing;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<index_file::IndexFile>(),
    Spec::of::<index_directory::IndexDirectory>(),
    Spec::of::<search::Search>(),
    Spec::of::<search_with_filters::SearchWithFilters>(),
    Spec::of::<search_with_budget::SearchWithBudget>(),
    Spec::of::<delete_chunks::DeleteChunks>(),
    Spec::of::<delete_file::DeleteFile>(),
    Spec::of::<clear_index::ClearIndex>(),
    Spec::of::<get_index_stats::GetIndexStats>(),
];

/// The namespace of documents that are given none.
const NAMESPACE: &str = "default";
