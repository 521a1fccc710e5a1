//! Models behind an address that answer questions about texts.
//!
//! Opening one asks nothing yet. Which questions are asked, and whether an answer is the document
//! that was asked for, is the business of the engine; here an answer is whole, or an error.

mod choice;
mod ollama;
mod openai;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::{Value, json};

use crate::http::{Bounds, Failure, Patience};

pub use choice::{ChatChoice, reader};
pub use ollama::OllamaChat;
pub use openai::OpenAiChat;

/// How long and how much; tests are less patient.
#[derive(Debug, Clone, Copy)]
struct Limits {
    bounds: Bounds,
    patience: Patience,
}

impl Limits {
    /// Models are slow.
    const DEFAULT: Self = Self {
        bounds: Bounds {
            connect: Duration::from_secs(5),
            pause: Duration::from_millis(250),
            body_max: 8 * 1024 * 1024,
        },
        patience: Patience {
            whole: Duration::from_secs(120),
            attempts_max: 4,
            pauses_max: Duration::from_secs(10),
        },
    };
}

/// A question, as both kinds of server take it.
fn messages(system: &str, question: &str) -> Value {
    json!([{"role": "system", "content": system}, {"role": "user", "content": question}])
}

/// What is said of an answer that is no chat at all.
fn misunderstood(error: &serde_json::Error) -> Failure {
    let what = format!("answered something else than a chat: {error}");
    Failure::new(what, "check that the server speaks this protocol and the model chats")
}

/// The text of an answer that ended for this reason, if it is whole.
fn whole(content: Option<String>, reason: Option<&str>) -> Result<String, Failure> {
    if reason == Some("length") {
        let what = "answered only half: the answer got longer than the model may answer";
        let help = "ask about a shorter text, or raise the limits of the model";
        return Err(Failure::new(what, help));
    }
    let content = content.unwrap_or_default();
    match (content.trim(), reason) {
        ("", Some(reason)) if reason != "stop" => {
            let what =
                format!("answered nothing (it ended by \"{}\")", crate::http::excerpt(reason));
            Err(Failure::new(what, "ask about another text, or choose another model"))
        }
        ("", _) => {
            let help = "check that the model can chat, or choose another one";
            Err(Failure::new("answered nothing", help))
        }
        (text, _) => Ok(text.to_owned()),
    }
}
