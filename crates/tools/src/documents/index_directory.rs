//! `index_directory`.

use engine::document::{self, Progress};
use engine::{Result, scope};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_file::default_namespace;
use crate::theo::Data;
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Text;

/// Index all documents of a directory; what has not changed is skipped.
///
/// # When to use
/// For the docs or the source of a project, and again after changes.
///
/// # Usage
/// ```json
/// {"dir_path": "src/layers", "namespace": "project:myapp"}
/// ```
/// ```json
/// {"dir_path": "src", "recursive": false}
/// ```
///
/// # Returns
/// `files_indexed`, `total_chunks` of those, `failed_files` with `file` and `error` (the others are
/// indexed all the same; `error` says "indexed as plain text" of a file whose parser fails),
/// `skipped_duplicates` (unchanged since they were indexed) and `removed_files`
/// (gone from the disk, and now from the index). Hidden files, what `.gitignore` names, links and unknown
/// file types are left out. Batches are committed as it goes: a call that is cut off is continued by the
/// next. Contract: ours for `removed_files` and `cancelled`.
///
/// # Errors
/// `Directory not found: {path}`, `Failed to read directory: {error}`, an invalid namespace.
///
/// # Related
/// `document::index_folder`: `index_file` reads one file, `search` finds what it says.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct IndexDirectory {
    /// Directory path to scan for documents
    dir_path: Text<1, 4096>,
    /// Scan subdirectories recursively
    #[serde(default = "yes")]
    recursive: bool,
    /// Namespace for organizing documents
    #[serde(default = "default_namespace")]
    namespace: String,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IndexDirectoryResponse {
    files_indexed: usize,
    total_chunks: usize,
    failed_files: Vec<Failed>,
    skipped_duplicates: usize,
    removed_files: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cancelled: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Failed {
    file: String,
    error: String,
}

impl Tool for IndexDirectory {
    const NAME: &'static str = "index_directory";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    const PACE: Pace = Pace::Long;
    type Response = Data<IndexDirectoryResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let scope = scope::named(cx.engine, cx.caller, &self.namespace)?;
        let mut tell = |Progress { done, all }| (cx.news)(done as u64, all as u64);
        let report = document::index_folder(
            cx.engine,
            cx.caller,
            &self.dir_path.0,
            self.recursive,
            &scope,
            &mut tell,
        )?;
        let failed = report.failed.into_iter().chain(report.plain);
        Ok(Data::of(IndexDirectoryResponse {
            files_indexed: report.files_indexed,
            total_chunks: report.chunks,
            failed_files: failed.map(|f| Failed { file: f.path, error: f.why }).collect(),
            skipped_duplicates: report.files_known,
            removed_files: report.files_removed,
            cancelled: report.is_cut_off,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::{Bench, check};

    #[test]
    fn a_folder_is_indexed_and_followed() {
        let dir = folder(&[
            ("a.md", "# A\n\nBoats cross the lake."),
            ("deep/b.py", "def train():\n    return 'rails'\n"),
            ("deep/c.txt", "Planes fly high."),
            ("picture.png", "no text"),
        ]);
        std::fs::write(dir.path().join("broken.md"), [0xff, 0x00, 0x01]).unwrap();
        let broken = dir.path().join("broken.md").canonicalize().unwrap();
        let at = dir.path().display();
        let mut bench = Bench::new();
        bench.run(&format!(
            r#"
            > index_directory {{"dir_path": "{at}", "recursive": false}}
            < {{"success": true, "data": {{"files_indexed": 1, "total_chunks": 1, "failed_files":
                [{{"file": "{0}", "error": "$*"}}], "skipped_duplicates": 0, "removed_files": 0}}}}
            > index_directory {{"dir_path": "{at}"}}
            < {{"success": true, "data": {{"files_indexed": 2, "total_chunks": 2, "failed_files":
                [{{"file": "{0}", "error": "$*"}}], "skipped_duplicates": 1, "removed_files": 0}}}}
            > search {{"query": "planes flying"}}
            < {{"data": {{"results": [{{"content": "Planes fly high.", "doc_type": "document", "...": 0}}, "..."],
                "...": 0}}, "...": 0}}
            "#,
            broken.display(),
        ));
        std::fs::remove_dir_all(dir.path().join("deep")).unwrap();
        std::fs::remove_file(&broken).unwrap();
        bench.run(&format!(
            r#"
            > index_directory {{"dir_path": "{at}"}}
            < {{"success": true, "data": {{"files_indexed": 0, "total_chunks": 0, "failed_files": [],
                "skipped_duplicates": 1, "removed_files": 2}}}}
            > get_index_stats {{}}
            < {{"data": {{"total_documents": 1, "unique_sources": 1, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_folder_that_is_none_is_refused() {
        let dir = folder(&[("a.md", "x")]);
        let (gone, file) = (dir.path().join("gone"), dir.path().join("a.md"));
        check(&format!(
            r#"
            > index_directory {{"dir_path": "{0}"}}
            <! {{"success": false, "error": "Directory not found: {0}"}}
            > index_directory {{"dir_path": "{1}"}}
            <! {{"success": false, "error": "Failed to read directory: {1} is not a directory"}}
            > index_directory {{"dir_path": "{1}", "recursive": "yes"}}
            <! {{"success": false, "error": "recursive got \"yes\"; it takes true or false"}}
            > index_directory {{"dir_path": "{2}", "namespace": "x:y"}}
            <! {{"success": false, "error": "$*"}}
            "#,
            gone.display(),
            file.display(),
            dir.path().display(),
        ));
    }
}
