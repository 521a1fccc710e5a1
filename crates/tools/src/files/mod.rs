//! `files`: the files of a workspace, read and changed, and commands run in it.

mod grz_execute_command;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[Spec::of::<grz_execute_command::GrzExecuteCommand>()];
