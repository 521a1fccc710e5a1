//! The model behind an address that speaks OpenAI's `/v1/chat/completions`: OpenAI itself, and most
//! servers that run models (LM Studio, llama.cpp, vLLM, LiteLLM …).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::ports::Reader;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Limits, messages, misunderstood, whole};
use crate::http::{Address, Endpoint, Failure, Patience, excerpt};

/// What helps to get a good answer and is left out where a server or a model refuses it.
const EXTRAS: [&str; 2] = ["response_format", "temperature"];

/// Asks an OpenAI-compatible server.
pub struct OpenAiChat {
    name: String,
    model: String,
    endpoint: Endpoint,
    patience: Patience,
    /// Which of [`EXTRAS`] were refused before an answer came without them.
    refused: [AtomicBool; EXTRAS.len()],
}

impl OpenAiChat {
    /// Asks nothing yet. `url` is the base (`http://127.0.0.1:1234/v1`) or the whole address of the
    /// chat completions.
    ///
    /// An error says what is wrong with the address or the key, and never shows the key.
    pub fn new(url: &str, model: &str, key: Option<&str>) -> Result<Self, String> {
        Self::bounded(url, model, key, Limits::DEFAULT)
    }

    pub(super) fn bounded(
        url: &str,
        model: &str,
        key: Option<&str>,
        limits: Limits,
    ) -> Result<Self, String> {
        let address = Address::parse(url, complete)?;
        let place = match address.shown() {
            "https://api.openai.com/v1/chat/completions" => String::new(),
            shown => format!("@{shown}"),
        };
        Ok(Self {
            name: format!("openai:{model}{place}"),
            model: model.to_owned(),
            endpoint: Endpoint::new(address, key, limits.bounds)?,
            patience: limits.patience,
            refused: Default::default(),
        })
    }

    fn request(&self, system: &str, question: &str) -> Value {
        json!({
            "model": self.model,
            "messages": messages(system, question),
            "temperature": 0,
            "response_format": {"type": "json_object"},
        })
    }

    /// The body that answers. What the server refuses by its name it is asked without, once each;
    /// if that helps, from then on.
    fn ask(&self, system: &str, question: &str) -> Result<Vec<u8>, Failure> {
        let mut refused = self.refused.each_ref().map(|is| is.load(Ordering::Relaxed));
        loop {
            let mut request = self.request(system, question);
            for (extra, _) in EXTRAS.iter().zip(refused).filter(|(_, is_refused)| *is_refused) {
                request.as_object_mut().and_then(|request| request.remove(*extra));
            }
            let failure = match self.endpoint.post(&request, self.patience) {
                Ok(body) => {
                    for (kept, is_refused) in self.refused.iter().zip(refused) {
                        kept.store(is_refused, Ordering::Relaxed);
                    }
                    return Ok(body);
                }
                Err(failure) => failure,
            };
            let is_refusal =
                failure.status.is_some_and(|status| [400, 422].contains(&status.as_u16()));
            let named = EXTRAS.iter().zip(&mut refused);
            let mut named = named.filter(|(extra, is)| !**is && failure.said.contains(**extra));
            match named.next() {
                Some((_, is)) if is_refusal => *is = true,
                _ => return Err(failure),
            }
        }
    }
}

impl fmt::Debug for OpenAiChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenAiChat").field(&self.name).finish()
    }
}

/// The path of the chat completions, from that of the base.
fn complete(path: &str) -> String {
    match path {
        "" => "/v1/chat/completions".to_owned(),
        path if path.ends_with("/chat/completions") => path.to_owned(),
        path => format!("{path}/chat/completions"),
    }
}

impl Reader for OpenAiChat {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, system: &str, question: &str) -> Result<String, String> {
        let text = self.ask(system, question).and_then(|body| content(&body));
        text.map_err(|failure| self.endpoint.sentence(&failure))
    }
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

/// The text of an answer.
fn content(body: &[u8]) -> Result<String, Failure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| misunderstood(&error))?;
    let Some(Choice { message, finish_reason }) = answer.choices.into_iter().next() else {
        let help = "check that the server speaks this protocol and the model chats";
        return Err(Failure::new("answered no choices", help));
    };
    if let Some(refusal) = message.refusal.filter(|refusal| !refusal.trim().is_empty()) {
        let what = format!("refused to answer ({})", excerpt(&refusal));
        return Err(Failure::new(what, "ask about another text, or choose another model"));
    }
    whole(message.content, finish_reason.as_deref())
}
