//! `delete_file`.

use engine::{Result, document};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::theo::Data;
use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Delete what was indexed of a file.
///
/// # When to use
/// For a file that is outdated or gone. The file itself is not touched.
///
/// # Usage
/// ```json
/// {"source_file": "docs/outdated.md"}
/// ```
///
/// # Returns
/// `deleted_count`, how many chunks went (0 if none was there), and `source_file`. The path is taken in
/// any spelling; the chunks go from every namespace open to the caller.
///
/// # Errors
/// Only for a missing or wrong field.
///
/// # Related
/// `document::delete_file`: `index_file` reads it again, `get_index_stats` counts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteFile {
    /// Source file path to delete chunks for
    source_file: Text<1, 4096>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DeleteFileResponse {
    deleted_count: usize,
    source_file: String,
}

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::User;
    type Response = Data<DeleteFileResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let done = document::delete_file(cx.engine, cx.caller, &self.source_file.0)?;
        Ok(Data::of(DeleteFileResponse { deleted_count: done.chunks, source_file: done.path }))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::Bench;

    #[test]
    fn a_files_chunks_go_even_when_the_file_is_gone() {
        let dir = folder(&[
            ("a.md", "# A\n\nThe boats cross the lake.\n\n# B\n\nInvoices are due in March.\n"),
            ("b.md", "Zebras have stripes."),
        ]);
        let at = |name: &str| dir.path().canonicalize().unwrap().join(name);
        let (a, b) = (at("a.md"), at("b.md"));
        let mut bench = Bench::new().allowing(dir.path());
        bench.run(&format!(
            r#"
            > index_directory {{"dir_path": "{}"}}
            < {{"...": 0}}
            > delete_file {{"source_file": "{}"}}
            < {{"success": true, "data": {{"deleted_count": 2, "source_file": "{1}"}}}}
            > delete_file {{"source_file": "{1}"}}
            < {{"success": true, "data": {{"deleted_count": 0, "source_file": "{1}"}}}}
            > search {{"query": "boats crossing a lake"}}
            < {{"data": {{"results": [], "...": 0}}, "...": 0}}
            "#,
            dir.path().display(),
            a.display(),
        ));
        std::fs::remove_file(&b).unwrap();
        bench.run(&format!(
            r#"
            > delete_file {{"source_file": "{}"}}
            < {{"data": {{"deleted_count": 1, "...": 0}}, "...": 0}}
            > delete_file {{"source_file": ""}}
            <! {{"success": false, "error": "$*"}}
            "#,
            b.display(),
        ));
    }
}
