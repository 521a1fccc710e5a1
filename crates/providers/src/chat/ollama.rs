//! The model behind Ollama's own `/api/chat`.

use engine::ports::Reader;
use serde::Deserialize;
use serde_json::json;

use super::{Limits, messages, misunderstood, whole};
use crate::embed::ollama_help;
use crate::http::{Address, Endpoint, Failure, Patience};

/// Asks Ollama.
#[derive(Debug)]
pub struct OllamaChat {
    name: String,
    model: String,
    endpoint: Endpoint,
    patience: Patience,
}

impl OllamaChat {
    /// Asks nothing yet. `url` is where Ollama listens, with or without `/api/chat`.
    pub fn new(url: &str, model: &str) -> Result<Self, String> {
        Self::bounded(url, model, Limits::DEFAULT)
    }

    pub(super) fn bounded(url: &str, model: &str, limits: Limits) -> Result<Self, String> {
        Ok(Self {
            name: format!("ollama:{model}"),
            model: model.to_owned(),
            endpoint: Endpoint::new(Address::parse(url, complete)?, None, limits.bounds)?,
            patience: limits.patience,
        })
    }

    fn ask(&self, system: &str, question: &str) -> Result<String, Failure> {
        let request = json!({
            "model": self.model,
            "messages": messages(system, question),
            "stream": false,
            "format": "json",
            "options": {"temperature": 0},
        });
        let body = self.endpoint.post(&request, self.patience)?;
        let answer: Answer =
            serde_json::from_slice(&body).map_err(|error| misunderstood(&error))?;
        whole(answer.message.content, answer.done_reason.as_deref())
    }
}

/// The path of the chat, from that of the base.
fn complete(path: &str) -> String {
    let base = path.trim_end_matches("/chat").trim_end_matches("/api");
    format!("{base}/api/chat")
}

impl Reader for OllamaChat {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, system: &str, question: &str) -> Result<String, String> {
        self.ask(system, question).map_err(|mut failure| {
            failure.help = ollama_help(&self.model, &failure).unwrap_or(failure.help);
            self.endpoint.sentence(&failure)
        })
    }
}

#[derive(Deserialize)]
struct Answer {
    message: Message,
    done_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}
