//! `index_file`.

use engine::{Result, document, scope};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NAMESPACE;
use crate::theo::Data;
use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Index a document so that `search` finds its parts.
///
/// # When to use
/// For one file; `index_directory` takes whole folders.
///
/// # Usage
/// ```json
/// {"file_path": "src/lib.rs"}
/// ```
/// ```json
/// {"file_path": "Cargo.toml", "namespace": "project:myapp"}
/// ```
///
/// # Returns
/// `chunks_created`, `source_file` (absolute, links resolved), `namespace` and `chunk_ids` in order. A
/// changed file's chunks are replaced; an unchanged one is skipped: `chunks_created` is 0 and
/// `duplicate` true. Taken are .md .markdown .txt .rst .org .html .pdf, source code (.py .rs .js .ts .tsx
/// .go .java .c .h .cpp .rb .sh) and .toml .yaml .yml .json .sql, of up to 64 MB and 131,072 chunks. A file
/// whose parser fails is indexed as plain text, and `warnings` beside `data` says so. Contract: ours for
/// `duplicate`.
///
/// # Errors
/// `File not found: {path}`, `Unsupported file type: {ext}`, `Failed to read file: {error}`, an invalid
/// namespace, a path outside the allowed folders (the client's roots, else the working directory;
/// `--root DIR` allows others).
///
/// # Related
/// `document::index_file`: `index_directory` reads a folder, `search` finds what it says.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct IndexFile {
    /// Absolute or relative path to the document
    file_path: Text<1, 4096>,
    /// Namespace for organizing documents
    #[serde(default = "default_namespace")]
    namespace: String,
}

pub(super) fn default_namespace() -> String {
    NAMESPACE.to_owned()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IndexFileResponse {
    chunks_created: usize,
    source_file: String,
    namespace: String,
    chunk_ids: Vec<String>,
    duplicate: bool,
}

impl Tool for IndexFile {
    const NAME: &'static str = "index_file";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = Data<IndexFileResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let scope = scope::named(cx.engine, cx.caller, &self.namespace)?;
        let file = document::index_file(cx.engine, cx.caller, &self.file_path.0, &scope)?;
        if let Some(why) = file.plain {
            cx.warn(format!("{} was {why}", file.path));
        }
        let response = IndexFileResponse {
            chunks_created: if file.is_known { 0 } else { file.chunks.len() },
            source_file: file.path,
            namespace: self.namespace,
            chunk_ids: file.chunks.iter().map(ToString::to_string).collect(),
            duplicate: file.is_known,
        };
        Ok(Data::of(response))
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::{Bench, check};

    #[test]
    fn a_file_is_indexed_once_and_again_when_it_changes() {
        let dir =
            folder(&[("guide.md", "# Guide\n\nBoats cross the lake.\n\n## Trains\n\nOn rails.\n")]);
        let path = dir.path().join("guide.md");
        let (file, shown) = (path.display(), path.canonicalize().unwrap());
        let mut bench = Bench::new().allowing(dir.path());
        bench.run(&format!(
            r###"
            > index_file {{"file_path": "{file}"}}
            < {{"success": true, "data": {{"chunks_created": 2, "source_file": "{}",
                "namespace": "default", "chunk_ids": ["chunk_000000000001", "chunk_000000000002"],
                "duplicate": false}}}}
            > index_file {{"file_path": "{file}"}}
            < {{"success": true, "data": {{"chunks_created": 0, "source_file": "$*", "namespace": "default",
                "chunk_ids": ["chunk_000000000001", "chunk_000000000002"], "duplicate": true}}}}
            > index_file {{"file_path": "{file}", "namespace": "project:myapp"}}
            < {{"data": {{"chunks_created": 2, "namespace": "project:myapp", "...": 0}}, "...": 0}}
            "###,
            shown.display()
        ));
        std::fs::write(&path, "# Guide\n\nBoats cross the river.\n").unwrap();
        bench.run(&format!(
            r###"
            > index_file {{"file_path": "{file}"}}
            < {{"data": {{"chunks_created": 1, "chunk_ids": ["chunk_000000000005"], "...": 0}}, "...": 0}}
            > search {{"query": "boats on the river"}}
            < {{"data": {{"results": [{{"content": "# Guide\n\nBoats cross the river.", "...": 0}}, "..."],
                "...": 0}}, "...": 0}}
            "###
        ));
    }

    #[test]
    fn what_cannot_be_indexed_is_said_in_the_contracts_words() {
        let dir = folder(&[("a.xyz", "x"), ("b.md", "x"), ("noext", "x")]);
        std::fs::write(dir.path().join("c.md"), [0x66, 0xff, 0xfe, 0x00]).unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        Bench::new().allowing(dir.path()).run(&format!(
            r###"
            > index_file {{"file_path": "{0}"}}
            <! {{"success": false, "error": "File not found: {0}"}}
            > index_file {{"file_path": "{1}"}}
            <! {{"success": false, "error": "Unsupported file type: .xyz"}}
            > index_file {{"file_path": "{2}"}}
            <! {{"success": false, "error": "$read"}}
            > index_file {{"file_path": "{3}", "namespace": "our projects"}}
            <! {{"success": false, "error":
                "Invalid namespace: our projects; it takes default, global, project:<letters, digits, _ and -> or a name of 1 to 128 letters, digits and _.:/@- that begins with a letter or digit and with no layer's name and a colon"}}
            > index_file {{"file_path": "{3}", "namespace": "project:a b"}}
            <! {{"success": false, "error": "$*"}}
            > index_file {{"file_path": ""}}
            <! {{"success": false, "error": "file_path got \"\"; it takes a text of 1 to 4096 characters"}}
            > index_file {{}}
            <! {{"success": false, "error": "file_path is missing; it takes a text of 1 to 4096 characters"}}
            > index_file {{"file_path": "{4}"}}
            <! {{"success": false, "error": "$*"}}
            > get_index_stats {{}}
            < {{"data": {{"total_documents": 0, "...": 0}}, "...": 0}}
            "###,
            at("gone.md"),
            at("a.xyz"),
            at("c.md"),
            at("b.md"),
            dir.path().display(),
        ));
    }

    #[test]
    fn a_guest_may_not_index() {
        check(
            r###"
            @ caller user=ada role=guest
            > index_file {"file_path": "src/lib.rs"}
            <! {"success": false, "error": "index_file needs the role user; this caller is guest"}
            "###,
        );
    }
}
