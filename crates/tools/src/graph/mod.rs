//! Facts about things and how they hang together, as Gromozeka's contract has them. Each answer has
//! fields for programs and a readable `text`.

mod add_memory_link;
mod build_memory_from_text;
mod delete_memory_object;
mod get_memory_object;
mod invalidate_memory_link;
mod update_memory_object;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<add_memory_link::AddMemoryLink>(),
    Spec::of::<build_memory_from_text::BuildMemoryFromText>(),
    Spec::of::<get_memory_object::GetMemoryObject>(),
    Spec::of::<update_memory_object::UpdateMemoryObject>(),
    Spec::of::<invalidate_memory_link::InvalidateMemoryLink>(),
    Spec::of::<delete_memory_object::DeleteMemoryObject>(),
];
