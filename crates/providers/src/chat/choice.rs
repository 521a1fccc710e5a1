//! Which model answers questions, as it is written on the command line or in the configuration.

use std::fmt;

use engine::ports::Reader;

use super::{OllamaChat, OpenAiChat};
use crate::embed::{OLLAMA_URL, OPENAI_URL};
use crate::http::{model_and_url, without_credentials};

/// A model that answers questions, as it was chosen.
#[derive(Clone, PartialEq, Eq)]
pub enum ChatChoice {
    /// A server that speaks as OpenAI does.
    OpenAi {
        /// The base of its address, or the whole of it.
        url: String,
        /// The model's name there.
        model: String,
        /// The key, if it wants one. It is never shown.
        key: Option<String>,
    },
    /// Ollama.
    Ollama {
        /// Where it listens.
        url: String,
        /// The model's name there.
        model: String,
    },
}

/// The forms that are right, for errors.
const FORMS: &str = "openai:MODEL, openai:MODEL@URL, ollama:MODEL or ollama:MODEL@URL";

impl ChatChoice {
    /// Reads a choice: `openai:MODEL[@URL]` or `ollama:MODEL[@URL]`. The key is for servers that
    /// speak as OpenAI does.
    ///
    /// ```
    /// use providers::chat::ChatChoice;
    ///
    /// let choice = ChatChoice::parse("ollama:llama3.2", None).unwrap();
    /// let url = "http://127.0.0.1:11434".to_owned();
    /// assert_eq!(choice, ChatChoice::Ollama { url, model: "llama3.2".to_owned() });
    /// ```
    pub fn parse(text: &str, key: Option<&str>) -> Result<Self, String> {
        let text = text.trim();
        let wrong = |what: &str| {
            let shown = without_credentials(text);
            format!("\"{shown}\" is no model that answers: {what}; it is one of {FORMS}")
        };
        if let Some(rest) = text.strip_prefix("openai:") {
            let (model, url) = model_and_url(rest, OPENAI_URL).map_err(wrong)?;
            return Ok(Self::OpenAi { url, model, key: key.map(str::to_owned) });
        }
        if let Some(rest) = text.strip_prefix("ollama:") {
            let (model, url) = model_and_url(rest, OLLAMA_URL).map_err(wrong)?;
            return Ok(Self::Ollama { url, model });
        }
        Err(wrong("the kind of server is missing"))
    }
}

impl fmt::Debug for ChatChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenAi { url, model, key } => f
                .debug_struct("OpenAi")
                .field("url", &without_credentials(url))
                .field("model", model)
                .field("key", &key.as_ref().map(|_| "***"))
                .finish(),
            Self::Ollama { url, model } => f
                .debug_struct("Ollama")
                .field("url", &without_credentials(url))
                .field("model", model)
                .finish(),
        }
    }
}

/// Opens the model that was chosen. Its server is not asked yet.
///
/// An error says in one sentence what is wrong with the choice and what would help.
pub fn reader(choice: &ChatChoice) -> Result<Box<dyn Reader>, String> {
    Ok(match choice {
        ChatChoice::OpenAi { url, model, key } => {
            Box::new(OpenAiChat::new(url, model, key.as_deref())?)
        }
        ChatChoice::Ollama { url, model } => Box::new(OllamaChat::new(url, model)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(model: &str, url: &str) -> ChatChoice {
        let (url, model) = (url.to_owned(), model.to_owned());
        ChatChoice::OpenAi { url, model, key: Some("sk-s3cret".to_owned()) }
    }

    fn ollama(model: &str, url: &str) -> ChatChoice {
        ChatChoice::Ollama { url: url.to_owned(), model: model.to_owned() }
    }

    #[test]
    fn every_form_is_read() {
        for (text, expected) in [
            (" openai:gpt-4o-mini ", openai("gpt-4o-mini", OPENAI_URL)),
            ("openai:org/m@http://h:1/v1", openai("org/m", "http://h:1/v1")),
            ("ollama:llama3.2:3b", ollama("llama3.2:3b", OLLAMA_URL)),
            ("ollama:m@https://h:2", ollama("m", "https://h:2")),
        ] {
            assert_eq!(ChatChoice::parse(text, Some("sk-s3cret")), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_right() {
        for text in [
            "",
            "gpt-4o",
            "openai:",
            "openai:@http://h/v1",
            "ollama:m@h:1",
            "ollama:m@ftp://u:s3cret@h",
            "https://u:s3cret@h/v1",
        ] {
            let error = ChatChoice::parse(text, Some("sk-s3cret")).unwrap_err();
            assert!(error.contains(&without_credentials(text)), "{error}");
            assert!(error.contains("openai:MODEL@URL"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_choice_shows_no_secrets() {
        for choice in
            [openai("m", "https://u:s3cret@h/v1?key=s3cret"), ollama("m", "https://u:s3cret@h")]
        {
            let shown = format!("{choice:?}");
            assert!(!shown.contains("s3cret") && shown.contains("https://h"), "{shown}");
        }
    }

    #[test]
    fn a_server_is_not_asked_before_the_first_question() {
        let name = |choice: &ChatChoice| reader(choice).unwrap().name().to_owned();
        assert_eq!(name(&ollama("m", "http://127.0.0.1:9")), "ollama:m");
        assert_eq!(name(&openai("m", OPENAI_URL)), "openai:m");
        let other = openai("m", "http://u:s3cret@127.0.0.1:9/v1");
        assert_eq!(name(&other), "openai:m@http://127.0.0.1:9/v1/chat/completions");
    }
}
