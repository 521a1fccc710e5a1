//! Everything that is kept, written into a folder that another store can take in.
//!
//! Lines of JSON for programs, Markdown for people, a bundle for git, the knowledge as it lies, and a
//! manifest with the hash of each file. Vectors stay behind: who takes it in makes its own.

pub(crate) mod json;
mod text;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use model::{Change, Op, hex};
use rank::keep;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::Exported;

use crate::{Engine, Error, ErrorKind, Result, record};

/// The file that says what the others are.
pub const MANIFEST: &str = "manifest.json";

/// The bundle of the ledger.
pub const BUNDLE: &str = "ledger.bundle";

/// The folder of the knowledge.
pub const KNOWLEDGE: &str = "knowledge";

/// The files of lines, in the order they are taken in.
pub const LINES: [&str; 6] = [
    "memories.jsonl",
    "edges.jsonl",
    "events.jsonl",
    "episodes.jsonl",
    "facts.jsonl",
    "documents.jsonl",
];

/// What people read.
const READABLE: &str = "memories.md";

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// How many lines or files each part has.
    pub counts: BTreeMap<String, u64>,
}

/// Writes everything into `dir`, which must be empty or not there yet.
pub fn export(engine: &Engine, version: &str, dir: &Path) -> Result<Report> {
    let has_any = std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    if has_any {
        let why =
            format!("{} is not empty; an export goes into a folder of its own", dir.display());
        return Err(Error::new(ErrorKind::Conflict, why));
    }
    store::make_private_dir(dir)?;
    if !engine.read_only && !engine.store.is_read_only() && engine.store.has_touches()? {
        engine.store.apply(Change::of(Op::SettleTouches))?;
    }
    let mut outs = Outs::open(dir)?;
    let mut trouble = None;
    engine.store.export(&mut |exported| match outs.put(&exported) {
        Ok(()) => true,
        Err(error) => {
            trouble = Some(error);
            false
        }
    })?;
    if let Some(error) = trouble {
        return Err(error);
    }
    let (mut counts, mut hashes) = outs.finish()?;
    let bundle = dir.join(BUNDLE);
    if engine.delivery.ledger().bundle(&bundle).map_err(record::failed)? {
        make_private(&bundle)?;
        counts.insert(BUNDLE.to_owned(), 1);
        hashes.insert(BUNDLE.to_owned(), hash_of(&bundle)?);
    }
    let knowledge = paths_below(&engine.knowledge_dir)?;
    if !knowledge.is_empty() {
        store::make_private_dir(&dir.join(KNOWLEDGE))?;
    }
    copy(&knowledge, &engine.knowledge_dir, &dir.join(KNOWLEDGE))?;
    counts.insert(KNOWLEDGE.to_owned(), knowledge.len() as u64);
    for path in knowledge {
        let copied = dir.join(KNOWLEDGE).join(&path);
        make_private(&copied)?;
        let hash = hash_of(&copied)?;
        hashes.insert(format!("{KNOWLEDGE}/{path}"), hash);
    }
    let manifest = json!({
        "lorekeep": version,
        "schema": store::SCHEMA_VERSION,
        "exportedAt": model::time::rfc3339(engine.clock.now()),
        "counts": counts,
        "files": hashes,
    });
    let path = dir.join(MANIFEST);
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
    private_file(&path)?.write_all(text.as_bytes()).map_err(failed(&path))?;
    Ok(Report { counts })
}

/// A new file that nobody but its owner reads.
fn private_file(path: &Path) -> Result<File> {
    let mut options = store::private_options();
    options.write(true).create(true).truncate(true).open(path).map_err(failed(path))
}

/// Lets nobody but its owner read a file that others made.
fn make_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).map_err(failed(path))?;
    }
    Ok(())
}

/// The files that are being written.
struct Outs {
    files: BTreeMap<&'static str, Out>,
    heading: Option<String>,
}

struct Out {
    path: PathBuf,
    file: BufWriter<File>,
    hash: Sha256,
    lines: u64,
}

impl Outs {
    fn open(dir: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for name in LINES.into_iter().chain([READABLE]) {
            let path = dir.join(name);
            let file = BufWriter::new(private_file(&path)?);
            files.insert(name, Out { path, file, hash: Sha256::new(), lines: 0 });
        }
        Ok(Self { files, heading: None })
    }

    fn put(&mut self, exported: &Exported) -> Result<()> {
        if let Exported::Placed(memory) = exported {
            let place = memory.scope.clone();
            let heading = format!("{} {}", place.layer.name(), place.owner);
            if self.heading.as_ref() != Some(&heading) {
                self.write(READABLE, &text::heading(&place))?;
                self.heading = Some(heading);
            }
            return self.write(READABLE, &text::memory(memory));
        }
        let (name, value) = json::line(exported);
        self.write(name, &format!("{value}\n"))
    }

    fn write(&mut self, name: &str, text: &str) -> Result<()> {
        let Some(out) = self.files.get_mut(name) else { return Ok(()) };
        // A person reads it in a terminal; programs have the lines of JSON, which are exact.
        let text = if name == READABLE { keep::visible(text) } else { text.into() };
        out.hash.update(text.as_bytes());
        out.lines += 1;
        out.file.write_all(text.as_bytes()).map_err(failed(&out.path))
    }

    fn finish(self) -> Result<(BTreeMap<String, u64>, BTreeMap<String, String>)> {
        let (mut counts, mut hashes) = (BTreeMap::new(), BTreeMap::new());
        for (name, mut out) in self.files {
            out.file.flush().map_err(failed(&out.path))?;
            if name != READABLE {
                counts.insert(name.to_owned(), out.lines);
            }
            hashes.insert(name.to_owned(), hex(&out.hash.finalize()));
        }
        Ok((counts, hashes))
    }
}

/// Copies these files to where there is none of that name; how many.
pub(crate) fn copy(paths: &[String], from: &Path, to: &Path) -> Result<usize> {
    let mut copied = 0;
    for path in paths {
        let target = to.join(path);
        if target.exists() {
            continue;
        }
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        std::fs::copy(from.join(path), &target).map_err(failed(&target))?;
        copied += 1;
    }
    Ok(copied)
}

/// The files below a folder, without what is hidden and without following links, in order.
pub(crate) fn paths_below(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    gather(root, Path::new(""), &mut paths, 0)?;
    paths.sort();
    Ok(paths)
}

fn gather(root: &Path, below: &Path, paths: &mut Vec<String>, depth: usize) -> Result<()> {
    const DEPTH_MAX: usize = 32;
    let dir = root.join(below);
    if !dir.is_dir() || depth > DEPTH_MAX {
        return Ok(());
    }
    for entry in std::fs::read_dir(&dir).map_err(failed(&dir))? {
        let entry = entry.map_err(failed(&dir))?;
        let kind = entry.file_type().map_err(failed(&dir))?;
        let path = below.join(entry.file_name());
        let Some(name) = path.to_str() else { continue };
        if entry.file_name().to_string_lossy().starts_with('.') || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() {
            gather(root, &path, paths, depth + 1)?;
        } else {
            paths.push(name.replace('\\', "/"));
        }
    }
    Ok(())
}

/// The hash of a file.
pub(crate) fn hash_of(path: &Path) -> Result<String> {
    let mut file = File::open(path).map_err(failed(path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = std::io::Read::read(&mut file, &mut buffer).map_err(failed(path))?;
        if read == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}

/// What the file system said of `path`.
pub(crate) fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |why| Error::new(ErrorKind::Storage, format!("{}: {why}", path.display()))
}

/// The manifest of an export, after looking whether every file is what it says.
pub(crate) fn checked_manifest(dir: &Path) -> Result<Value> {
    let path = dir.join(MANIFEST);
    let wrong = |why: String| Error::new(ErrorKind::Damaged, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(failed(&path))?;
    let manifest: Value =
        serde_json::from_str(&text).map_err(|why| wrong(format!("it is no JSON: {why}")))?;
    let schema =
        manifest["schema"].as_i64().ok_or_else(|| wrong("it names no schema".to_owned()))?;
    if schema > store::SCHEMA_VERSION {
        let why = format!(
            "it is of schema {schema}, this lorekeep knows up to {}; update lorekeep",
            store::SCHEMA_VERSION
        );
        return Err(wrong(why));
    }
    let files =
        manifest["files"].as_object().ok_or_else(|| wrong("it lists no files".to_owned()))?;
    for (name, hash) in files {
        let is_below = !name.starts_with('/') && !name.split('/').any(|part| part == "..");
        if !is_below || hash_of(&dir.join(name))? != hash.as_str().unwrap_or_default() {
            let why =
                format!("{name} is not what was exported: its hash differs; nothing was taken");
            return Err(wrong(why));
        }
    }
    Ok(manifest)
}

/// The files that an export lists, after looking whether each is what it was.
pub(crate) fn listed(dir: &Path) -> Result<Vec<String>> {
    let manifest = checked_manifest(dir)?;
    Ok(manifest["files"]
        .as_object()
        .map(|files| files.keys().cloned().collect())
        .unwrap_or_default())
}
