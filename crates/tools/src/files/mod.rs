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

/// Why these tools may be given secrets: they write the user's own files and run the user's own
/// commands, and nothing of that is kept in the memory.
const USERS_OWN: Option<&'static str> =
    Some("it writes the user's own files, and nothing of it is kept");
