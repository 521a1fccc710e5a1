//! `files`: the files of a workspace, read and changed, and commands run in it.

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[];
