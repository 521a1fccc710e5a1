//! `grz_write_file`.

use engine::{Result, workspace};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FilePath;
use crate::tool::{Context, Effect, Tool};

/// Write a whole file, in the place of what it held.
///
/// # When to use
/// For a new file (its folders are made, too) or a new content. To change a part: `grz_edit_file`.
///
/// # Usage
/// ```json
/// {"file_path": "src/lib.rs", "content": "pub mod tools;\n"}
/// ```
///
/// # Returns
/// `path` (absolute, links resolved) and `bytes`. The file is replaced at once, so that nobody reads
/// half of it, and keeps its mode. A link stays, and what it leads to is replaced.
///
/// # Errors
/// For a path outside the allowed folders, what is no regular file, a file that may not be written, and
/// a content of more than 50 MB.
///
/// # Related
/// `workspace::write`: `grz_edit_file` changes a part, `grz_read_file` reads it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WriteFile {
    /// Absolute, or relative to the first root
    file_path: FilePath,
    /// All that the file will hold
    content: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileWritten {
    success: bool,
    path: String,
    bytes: u64,
}

impl Tool for WriteFile {
    const NAME: &'static str = "grz_write_file";
    const EFFECT: Effect = Effect::DESTROY.idempotent();
    const ROLE: Role = Role::Admin;
    const KEEPS_NOTHING: Option<&'static str> = super::USERS_OWN;
    type Response = FileWritten;

    fn call(self, cx: &Context<'_>) -> Result<FileWritten> {
        let written = workspace::write(cx.engine, cx.caller, &self.file_path.0, &self.content)?;
        let path = written.path.to_string_lossy().into_owned();
        Ok(FileWritten { success: true, path, bytes: written.bytes })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Bench, WORK, check};

    #[test]
    fn a_file_is_made_with_its_folders_and_replaced() {
        let mut bench = Bench::new();
        bench.run(
            r#"
            > grz_write_file {"file_path": "a/b/c.txt", "content": "ä\r\nb"}
            < {"success": true, "path": "$*/work/a/b/c.txt", "bytes": 5}
            > grz_read_file {"file_path": "a/b/c.txt"}
            < {"content": "1\tä\n2\tb", "...": 0}
            > grz_write_file {"file_path": "a/b/c.txt", "content": ""}
            < {"success": true, "path": "$*/work/a/b/c.txt", "bytes": 0}
            "#,
        );
        let entries = std::fs::read_dir(bench.dir().join(WORK).join("a/b")).unwrap();
        assert_eq!(entries.count(), 1, "nothing else is left there");
    }

    #[test]
    fn bad_input_is_named_and_leaves_nothing() {
        check(
            r#"
            > grz_write_file {"file_path": "new.txt"}
            <! {"success": false, "error": "content is missing; $*"}
            > grz_write_file {"file_path": "new/../../x", "content": "x"}
            <! {"success": false, "error": "new/../../x is outside the allowed folders: $*"}
            > grz_write_file {"file_path": "/tmp", "content": "x"}
            <! {"success": false, "error": "/tmp is outside the allowed folders: $*"}
            > grz_read_file {"file_path": "new/x"}
            <! {"success": false, "error": "File not found: new/x; there is no \"new\" in $*/work"}
            @ work file.txt
            > grz_write_file {"file_path": "file.txt/x", "content": "x"}
            <! {"success": false, "error": "file.txt/x leads through a file that is no folder"}
            @ caller user=ada role=user
            > grz_write_file {"file_path": "file.txt", "content": "x"}
            <! {"success": false, "error": "grz_write_file needs the role admin; this caller is user"}
            "#,
        );
    }

    #[test]
    fn more_than_fits_is_refused() {
        use crate::testing::Speaker;
        let content = "x".repeat((50 << 20) + 1);
        let request = serde_json::json!({"file_path": "a.txt", "content": content});
        let reply = Bench::new().call("grz_write_file", request);
        let why = "content has 52,428,801 bytes; at most 50 MB are written or edited";
        assert_eq!(reply.value["error"], why);
    }
}
