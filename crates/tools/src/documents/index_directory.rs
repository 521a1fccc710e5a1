//! `index_directory`.

use engine::document::{self, Bounds, Folder, FolderReport, Left, Progress};
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
/// next. One call reads at most 50,000 new or changed files of 1 GB together: then the first row of
/// `failed_files` tells what is left, and the next call goes on there. Contract: ours for `removed_files`
/// and `cancelled`.
///
/// # Errors
/// `Directory not found: {path}`, `Failed to read directory: {error}`, an invalid namespace, a path outside
/// the allowed folders (the client's roots, else the working directory; `--root DIR` allows others).
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
        // Looking at a file is a step, and reading it is another: the client hears of both.
        let mut tell = |Progress { walked, done, all }| {
            (cx.news)((walked + done) as u64, (walked + all) as u64)
        };
        let (path, bounds) = (&*self.dir_path.0, Bounds::CALL);
        let folder = Folder { path, recursive: self.recursive, scope: &scope, bounds };
        let report = document::index_folder(cx.engine, cx.caller, folder, &mut tell)?;
        Ok(Data::of(IndexDirectoryResponse {
            failed_files: failed(path, &report),
            files_indexed: report.files_indexed,
            total_chunks: report.chunks,
            skipped_duplicates: report.files_known,
            removed_files: report.files_removed,
            cancelled: report.is_cut_off,
        }))
    }
}

/// The files that could not be read, and first what a bound left unread.
fn failed(path: &str, report: &FolderReport) -> Vec<Failed> {
    let left = report.left.map(|left| Failed { file: path.to_owned(), error: told(left) });
    let failed = report.failed.iter().chain(&report.plain);
    let failed = failed.map(|f| Failed { file: f.path.clone(), error: f.why.clone() });
    left.into_iter().chain(failed).collect()
}

fn told(Left { files, bytes }: Left) -> String {
    let Bounds { files_max, bytes_max } = Bounds::CALL;
    format!(
        "stopped at the bound of a call ({files_max} files, {} MB): {files} new or changed files of \
         {} MB are left; call index_directory again to go on, or index its subfolders",
        bytes_max >> 20,
        bytes.div_ceil(1 << 20)
    )
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::Bench;

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
        let mut bench = Bench::new().allowing(dir.path());
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
        Bench::new().allowing(dir.path()).run(&format!(
            r#"
            > index_directory {{"dir_path": "{0}"}}
            <! {{"success": false, "error": "Directory not found: {0}"}}
            > index_directory {{"dir_path": "{1}"}}
            <! {{"success": false, "error": "Failed to read directory: {1} is not a directory"}}
            > index_directory {{"dir_path": "{1}", "recursive": "yes"}}
            <! {{"success": false, "error": "recursive got \"yes\"; it takes true or false"}}
            > index_directory {{"dir_path": "{2}", "namespace": "x y"}}
            <! {{"success": false, "error": "$*"}}
            "#,
            gone.display(),
            file.display(),
            dir.path().display(),
        ));
    }
}
