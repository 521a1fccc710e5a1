//! `grz_edit_file`.

use engine::Result;
use engine::workspace::{self, Edit};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FilePath;
use crate::tool::{Context, Effect, Tool};

/// Replace a text in a file.
///
/// # When to use
/// After `grz_read_file`, without its line numbers.
///
/// # Usage
/// ```json
/// {"file_path": "src/main.rs", "old_string": "hello", "new_string": "good morning"}
/// ```
/// ```json
/// {"file_path": "src/main.rs", "old_string": "l", "new_string": "L", "replace_all": true}
/// ```
///
/// # Returns
/// `path` (absolute, links resolved), `replacements` and `bytes`. All else stays: mode, byte order mark,
/// line ends, the end without one. In a file whose lines all end with CR LF, texts with LF alone are
/// taken as if they had CR LF.
///
/// # Errors
/// For equal texts; an `old_string` that is empty, absent (a similar place is named), or there several
/// times (their lines are named) without `replace_all`; a file that is no UTF-8, larger than 50 MB, or
/// changed by others meanwhile; a path outside the allowed folders.
///
/// # Related
/// `workspace::edit`: `grz_read_file` reads it first, `grz_write_file` replaces all of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EditFile {
    /// Absolute, or relative to the first root
    file_path: FilePath,
    /// The exact text that is there
    old_string: String,
    /// What should be there
    new_string: String,
    /// Replace every occurrence
    #[serde(default)]
    replace_all: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileEdited {
    success: bool,
    path: String,
    replacements: u64,
    bytes: u64,
}

impl Tool for EditFile {
    const NAME: &'static str = "grz_edit_file";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::Admin;
    const KEEPS_NOTHING: Option<&'static str> = super::USERS_OWN;
    type Response = FileEdited;

    fn call(self, cx: &Context<'_>) -> Result<FileEdited> {
        let Self { file_path, old_string, new_string, replace_all } = self;
        let edit = Edit { old_string, new_string, replace_all };
        let edited = workspace::edit(cx.engine, cx.caller, &file_path.0, &edit)?;
        Ok(FileEdited {
            success: true,
            path: edited.path.to_string_lossy().into_owned(),
            replacements: edited.replacements,
            bytes: edited.bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use crate::testing::{Bench, Speaker, WORK, check};

    #[test]
    fn a_text_is_replaced_where_it_is_meant() {
        check(
            r#"
            @ work a.txt
            | one
            | two
            | two
            > grz_edit_file {"file_path": "a.txt", "old_string": "one\ntwo", "new_string": "1\n2"}
            < {"success": true, "path": "$*/work/a.txt", "replacements": 1, "bytes": 8}
            > grz_edit_file {"file_path": "a.txt", "old_string": "2", "new_string": "two"}
            < {"replacements": 1, "...": 0}
            > grz_edit_file {"file_path": "a.txt", "old_string": "two", "new_string": ""}
            <! {"success": false, "error": "old_string occurs 2 times in $*/work/a.txt, at lines 2, 3; give more of the text around the one that is meant, or set replace_all"}
            > grz_edit_file {"file_path": "a.txt", "old_string": "two", "new_string": "", "replace_all": true}
            < {"replacements": 2, "bytes": 4, "...": 0}
            > grz_read_file {"file_path": "a.txt"}
            < {"content": "1\t1\n2\t\n3\t", "...": 0}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named_and_changes_nothing() {
        check(
            r#"
            @ work a.txt
            | fn main() {
            |     go();
            | }
            > grz_edit_file {"file_path": "a.txt", "old_string": "", "new_string": "x"}
            <! {"success": false, "error": "old_string is empty; it takes the text to replace"}
            > grz_edit_file {"file_path": "a.txt", "old_string": "go", "new_string": "go"}
            <! {"success": false, "error": "old_string and new_string are the same; nothing would change"}
            > grz_edit_file {"file_path": "a.txt", "old_string": "stay()", "new_string": "x"}
            <! {"success": false, "error": "old_string is not in $*/work/a.txt; read the file again"}
            > grz_edit_file {"file_path": "a.txt", "old_string": "\tgo();\n}", "new_string": "x"}
            <! {"success": false, "error": "$*; a similar text is at line 2; whitespace or line ends differ"}
            > grz_edit_file {"file_path": "b.txt", "old_string": "x", "new_string": "y"}
            <! {"success": false, "error": "File not found: b.txt; did you mean \"a.txt\"?"}
            > grz_edit_file {"file_path": "../b.txt", "old_string": "x", "new_string": "y"}
            <! {"success": false, "error": "../b.txt is outside the allowed folders: $*"}
            > grz_read_file {"file_path": "a.txt"}
            < {"content": "1\tfn main() {\n2\t    go();\n3\t}", "...": 0}
            @ caller user=ada role=user
            > grz_edit_file {"file_path": "a.txt", "old_string": "go", "new_string": "x"}
            <! {"success": false, "error": "grz_edit_file needs the role admin; this caller is user"}
            "#,
        );
    }

    #[test]
    fn bytes_beside_the_text_stay_as_they_are() {
        type Row = (&'static [u8], [&'static str; 2], Option<&'static [u8]>);
        let table: [Row; 5] = [
            (b"\xef\xbb\xbfa\r\nb", ["a\nb", "x\ny"], Some(b"\xef\xbb\xbfx\r\ny")),
            (b"a\nb", ["b", "c"], Some(b"a\nc")),
            (b"a\r\nb\n", ["a", "c\nd"], Some(b"c\nd\r\nb\n")),
            (b"caf\xe9 a", ["a", "b"], None),
            (b"a\0", ["a", "b"], None),
        ];
        for (before, [old_string, new_string], after) in table {
            let mut bench = Bench::new();
            let file = bench.dir().join(WORK).join("f");
            fs::write(&file, before).unwrap();
            let request =
                json!({"file_path": "f", "old_string": old_string, "new_string": new_string});
            let reply = bench.call("grz_edit_file", request);
            assert_eq!(reply.is_error, after.is_none(), "{before:?}: {}", reply.value);
            assert_eq!(fs::read(&file).unwrap(), after.unwrap_or(before), "{before:?}");
        }
    }
}
