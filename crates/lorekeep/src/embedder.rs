//! What compares meanings, as it was set.

use anyhow::{Result, anyhow};
use engine::Meaning;
use etcetera::BaseStrategy;
use providers::embed::{self, Choice, OPENAI_URL};

use crate::settings;

/// The key for any embedder behind an address.
const KEY_VARIABLE: &str = "LOREKEEP_EMBEDDER_KEY";

/// The key that other programs have for OpenAI; it is shown to nobody else.
const OPENAI_KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// What compares meanings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Nothing does: words alone.
    Words,
    /// The table in the program.
    BuiltIn,
    /// A model of the user's.
    Model(Choice),
}

impl Setting {
    /// Reads what was written; nothing means the built-in table.
    pub(crate) fn of(text: Option<&str>, dimensions: Option<usize>) -> Result<Self> {
        Self::read(text, dimensions, settings::variable)
    }

    fn read(
        text: Option<&str>,
        dimensions: Option<usize>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let text = match text {
            None | Some("builtin") => return Ok(Self::BuiltIn),
            Some("none") => return Ok(Self::Words),
            Some(text) => text,
        };
        let cache = etcetera::choose_base_strategy()?.cache_dir().join("lorekeep");
        let key = variable(KEY_VARIABLE);
        let choice = Choice::parse(text, &cache, key.as_deref(), dimensions);
        let mut choice = choice.map_err(|why| anyhow!("embedder: {why}"))?;
        if let Choice::OpenAi { url, key: key @ None, .. } = &mut choice {
            *key = openai_key(url, variable);
        }
        Ok(Self::Model(choice))
    }

    /// Opens it. A package is fetched if it is not there yet.
    pub(crate) fn open(&self) -> Result<Meaning> {
        Ok(match self {
            Self::Words => Meaning::Words,
            Self::BuiltIn => Meaning::BuiltIn,
            Self::Model(choice) => {
                Meaning::Model(embed::embedder(choice).map_err(|why| anyhow!("embedder: {why}"))?)
            }
        })
    }
}

/// The key that other programs have for OpenAI, if that is who is asked.
pub(crate) fn openai_key(url: &str, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if url == OPENAI_URL { variable(OPENAI_KEY_VARIABLE) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Setting> {
        Setting::read(Some(text), None, |name| Some(format!("value of {name}")))
    }

    fn key(setting: Setting) -> Option<String> {
        match setting {
            Setting::Model(Choice::OpenAi { key, .. }) => key,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn openais_key_goes_to_openai_alone() {
        let only_openai = |name: &str| (name == OPENAI_KEY_VARIABLE).then(|| "secret".to_owned());
        let read = |text| Setting::read(Some(text), None, only_openai).unwrap();
        assert_eq!(key(read("openai:small")), Some("secret".into()));
        assert_eq!(key(read("openai:small@http://127.0.0.1:9/v1")), None);
        let own = self::read("openai:small@http://127.0.0.1:9/v1").unwrap();
        assert_eq!(key(own), Some("value of LOREKEEP_EMBEDDER_KEY".into()));
    }

    #[test]
    fn names_are_read_and_a_wrong_one_is_told_what_is_right() {
        assert_eq!(read("none").unwrap(), Setting::Words);
        assert_eq!(read("builtin").unwrap(), Setting::BuiltIn);
        assert_eq!(Setting::read(None, None, |_| None).unwrap(), Setting::BuiltIn);
        let error = read("magic").unwrap_err().to_string();
        assert!(error.contains("\"magic\" is no embedder") && error.contains("ollama:"), "{error}");
    }
}
