//! `files`: the files of a workspace, read and changed, and commands run in it.

mod grz_edit_file;
mod grz_execute_command;
mod grz_read_file;
mod grz_write_file;

use crate::tool::Spec;
use crate::wire::Text;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<grz_read_file::ReadFile>(),
    Spec::of::<grz_write_file::WriteFile>(),
    Spec::of::<grz_edit_file::EditFile>(),
    Spec::of::<grz_execute_command::GrzExecuteCommand>(),
];

/// The path of a file.
type FilePath = Text<1, 4096>;
