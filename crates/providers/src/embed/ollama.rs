//! The embedder behind Ollama's own `/api/embed`.

use engine::{Embedder, Embedding, Purpose};
use serde::Deserialize;
use serde_json::{Value, json};

use super::remote::{Dialect, Limits, Remote, Rows};
use crate::http::{Address, Endpoint, Failure};

/// Where Ollama listens if nobody says otherwise.
pub const OLLAMA_URL: &str = "http://127.0.0.1:11434";

/// Asks Ollama.
#[derive(Debug)]
pub struct Ollama {
    id: String,
    name: String,
    remote: Remote,
}

impl Ollama {
    /// Asks nothing yet. `url` is where Ollama listens, with or without `/api/embed`.
    pub fn new(url: &str, model: &str) -> Result<Self, String> {
        Self::bounded(url, model, Limits::DEFAULT)
    }

    pub(super) fn bounded(url: &str, model: &str, limits: Limits) -> Result<Self, String> {
        let endpoint = Endpoint::new(Address::parse(url, complete)?, None, limits.bounds)?;
        // Names mean the same model wherever Ollama runs.
        let id = format!("ollama:{model}");
        Ok(Self { id, name: model.to_owned(), remote: Remote::new(endpoint, limits, None) })
    }
}

/// The path of the embeddings, from that of the base.
fn complete(path: &str) -> String {
    let base = path.trim_end_matches("/embed").trim_end_matches("/api");
    format!("{base}/api/embed")
}

impl Embedder for Ollama {
    fn model(&self) -> &str {
        &self.id
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String> {
        self.remote.embed(self, texts, purpose)
    }
}

#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Vec<f32>>,
}

impl Dialect for Ollama {
    fn request(&self, texts: &[&str]) -> Value {
        json!({"model": self.name, "input": texts})
    }

    fn rows(&self, body: &[u8], _: usize) -> Result<Rows, String> {
        let answer: Answer = serde_json::from_slice(body)
            .map_err(|error| format!("answered something else than embeddings: {error}"))?;
        Ok(answer.embeddings)
    }

    fn help(&self, failure: &Failure) -> Option<String> {
        help(&self.name, failure)
    }
}

/// What would help where Ollama answers for a model.
pub(crate) fn help(model: &str, failure: &Failure) -> Option<String> {
    match failure.status.map(|status| status.as_u16()) {
        Some(404) => Some(format!("get the model with `ollama pull {model}`")),
        None if failure.what.starts_with("could not be") => {
            Some("start Ollama with `ollama serve`, or give its address".to_owned())
        }
        _ => None,
    }
}
