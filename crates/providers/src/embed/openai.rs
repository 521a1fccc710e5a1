//! The embedder behind an address that speaks OpenAI's `/v1/embeddings`: OpenAI itself, and most
//! servers that run models (LM Studio, llama.cpp, vLLM, LiteLLM …).

use std::fmt;

use engine::{Embedder, Embedding, Purpose};
use serde::Deserialize;
use serde_json::{Value, json};

use super::remote::{Dialect, Limits, Remote, Rows};
use crate::http::{Address, Endpoint, Failure};

/// Where OpenAI itself answers.
pub const OPENAI_URL: &str = "https://api.openai.com/v1";

/// Asks an OpenAI-compatible server.
pub struct OpenAi {
    id: String,
    name: String,
    dimensions: Option<usize>,
    remote: Remote,
}

impl OpenAi {
    /// Asks nothing yet. `url` is the base (`http://127.0.0.1:1234/v1`) or the whole address of the
    /// embeddings; `dimensions` are asked for where the model can shorten its vectors.
    ///
    /// An error says what is wrong with the address or the key, and never shows the key.
    pub fn new(
        url: &str,
        model: &str,
        key: Option<&str>,
        dimensions: Option<usize>,
    ) -> Result<Self, String> {
        Self::bounded(url, model, key, dimensions, Limits::DEFAULT)
    }

    pub(super) fn bounded(
        url: &str,
        model: &str,
        key: Option<&str>,
        dimensions: Option<usize>,
        limits: Limits,
    ) -> Result<Self, String> {
        let address = Address::parse(url, complete)?;
        // The same name on another server may mean another model.
        let place = match address.shown() {
            "https://api.openai.com/v1/embeddings" => String::new(),
            shown => format!("@{shown}"),
        };
        let length = dimensions.map(|count| format!("/{count}")).unwrap_or_default();
        let id = format!("openai:{model}{length}{place}");
        let remote = Remote::new(Endpoint::new(address, key, limits.bounds)?, limits, dimensions);
        Ok(Self { id, name: model.to_owned(), dimensions, remote })
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenAi").field(&self.id).finish()
    }
}

/// The path of the embeddings, from that of the base.
fn complete(path: &str) -> String {
    match path {
        "" => "/v1/embeddings".to_owned(),
        path if path.ends_with("/embeddings") => path.to_owned(),
        path => format!("{path}/embeddings"),
    }
}

impl Embedder for OpenAi {
    fn model(&self) -> &str {
        &self.id
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String> {
        self.remote.embed(self, texts, purpose)
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    // Some servers leave it out; then the order is that of the texts.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Dialect for OpenAi {
    fn request(&self, texts: &[&str]) -> Value {
        let mut request = json!({"model": self.name, "input": texts});
        if let Some(dimensions) = self.dimensions {
            request["dimensions"] = dimensions.into();
        }
        request
    }

    fn rows(&self, body: &[u8], count: usize) -> Result<Rows, String> {
        let answer: Answer = serde_json::from_slice(body)
            .map_err(|error| format!("answered something else than embeddings: {error}"))?;
        let mut rows: Vec<Option<Vec<f32>>> = vec![None; answer.data.len()];
        for (at, item) in answer.data.into_iter().enumerate() {
            let index = item.index.unwrap_or(at);
            match rows.get_mut(index) {
                Some(row @ None) => *row = Some(item.embedding),
                _ => return Err(format!("answered index {index}, twice or for {count} texts")),
            }
        }
        Ok(rows.into_iter().flatten().collect())
    }

    fn help(&self, _: &Failure) -> Option<String> {
        None
    }
}
