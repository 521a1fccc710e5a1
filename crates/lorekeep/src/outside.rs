//! What may be reached beyond the store, as it was set: files, commands, the web, a model that reads
//! texts.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use engine::Outside;
use providers::chat::{self, ChatChoice};
use providers::web::{LiveWeb, WebSetup};
use providers::{LocalShell, LocalWorkspace};
use serde::Deserialize;

use crate::cli::OutsideArgs;
use crate::config::variable;
use crate::embedder;

/// The key for the model that reads texts.
const KEY_VARIABLE: &str = "LOREKEEP_EXTRACTOR_KEY";

/// What one place says. Keys are those of the table `outside` in the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Partial {
    roots: Option<Vec<PathBuf>>,
    allow_commands: Option<bool>,
    allow_private_urls: Option<bool>,
    extractor: Option<String>,
    brave_url: Option<String>,
    jina_url: Option<String>,
}

/// What holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The folders whose files may be read and changed; none for those the client works in.
    pub roots: Vec<PathBuf>,
    /// Whether commands may be run.
    pub allow_commands: bool,
    /// Whether pages of this machine and its network may be read.
    pub allow_private_urls: bool,
    /// The model that reads texts.
    pub extractor: Option<ChatChoice>,
    /// Where Brave is asked, if not at its own address.
    pub brave_url: Option<String>,
    /// Where Jina is asked, if not at its own address.
    pub jina_url: Option<String>,
}

impl Partial {
    /// What the command line says.
    pub(crate) fn of_options(args: &OutsideArgs) -> Self {
        Self {
            roots: (!args.root.is_empty()).then(|| args.root.clone()),
            allow_commands: args.allow_commands.then_some(true),
            allow_private_urls: args.allow_private_urls.then_some(true),
            extractor: args.extractor.clone(),
            ..Self::default()
        }
    }

    /// What the variables say; `get` reads one, `flag` one that is true or false.
    pub(crate) fn of_variables(
        get: impl Fn(&str) -> Option<String>,
        flag: impl Fn(&str) -> Result<Option<bool>>,
    ) -> Result<Self> {
        let roots = get("LOREKEEP_ROOTS");
        Ok(Self {
            roots: roots.map(|roots| std::env::split_paths(&roots).collect()),
            allow_commands: flag("LOREKEEP_ALLOW_COMMANDS")?,
            allow_private_urls: flag("LOREKEEP_ALLOW_PRIVATE_URLS")?,
            extractor: get("LOREKEEP_EXTRACTOR"),
            brave_url: get("LOREKEEP_BRAVE_URL"),
            jina_url: get("LOREKEEP_JINA_URL"),
        })
    }

    /// The same with roots that a file names relative to itself.
    pub(crate) fn beside(mut self, dir: &Path) -> Self {
        for root in self.roots.iter_mut().flatten() {
            *root = dir.join(&root);
        }
        self
    }

    /// This place's word, and the other's where this one says nothing.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            roots: self.roots.or(other.roots),
            allow_commands: self.allow_commands.or(other.allow_commands),
            allow_private_urls: self.allow_private_urls.or(other.allow_private_urls),
            extractor: self.extractor.or(other.extractor),
            brave_url: self.brave_url.or(other.brave_url),
            jina_url: self.jina_url.or(other.jina_url),
        }
    }

    /// What holds in the end.
    pub(crate) fn settle(self) -> Result<Setting> {
        Ok(Setting {
            roots: self
                .roots
                .unwrap_or_default()
                .iter()
                .map(|dir| root(dir))
                .collect::<Result<_>>()?,
            allow_commands: self.allow_commands.unwrap_or_default(),
            allow_private_urls: self.allow_private_urls.unwrap_or_default(),
            extractor: self.extractor.map(|text| extractor(&text)).transpose()?,
            brave_url: self.brave_url,
            jina_url: self.jina_url,
        })
    }
}

impl Setting {
    /// Opens what is allowed: nothing of the store's own directory. Nothing outside is asked yet.
    pub(crate) fn open(&self, data_dir: &Path) -> Result<Outside> {
        let roots = self.roots_or_here()?;
        let web = LiveWeb::new(&self.web());
        let reader = self.extractor.as_ref().map(chat::reader).transpose();
        Ok(Outside {
            workspace: Some(Box::new(
                LocalWorkspace::new(roots.clone()).without(data_dir.to_owned()),
            )),
            shell: self.allow_commands.then(|| Box::new(LocalShell::new(roots, &[])) as _),
            web: Some(Box::new(web.map_err(|why| anyhow!("web: {why}"))?)),
            reader: reader.map_err(|why| anyhow!("extractor: {why}"))?,
        })
    }

    fn web(&self) -> WebSetup {
        let usual = WebSetup::default();
        WebSetup {
            brave_key: variable("BRAVE_API_KEY"),
            brave_url: self.brave_url.clone().unwrap_or(usual.brave_url),
            jina_key: variable("JINA_API_KEY"),
            jina_url: self.jina_url.clone().unwrap_or(usual.jina_url),
            allow_private: self.allow_private_urls,
        }
    }

    fn roots_or_here(&self) -> Result<Vec<PathBuf>> {
        if !self.roots.is_empty() {
            return Ok(self.roots.clone());
        }
        Ok(vec![std::env::current_dir().context("the working directory")?])
    }
}

/// The model that reads texts; OpenAI's own key is shown to OpenAI alone.
fn extractor(text: &str) -> Result<ChatChoice> {
    let key = variable(KEY_VARIABLE);
    let choice = ChatChoice::parse(text, key.as_deref());
    let mut choice = choice.map_err(|why| anyhow!("extractor: {why}"))?;
    if let ChatChoice::OpenAi { url, key: key @ None, .. } = &mut choice {
        *key = embedder::openai_key(url, variable);
    }
    Ok(choice)
}

/// A root as it really is.
fn root(dir: &Path) -> Result<PathBuf> {
    let found = dir.canonicalize().map_err(|why| anyhow!("root {}: {why}", dir.display()))?;
    if !found.is_dir() {
        bail!("root {} is no folder", dir.display());
    }
    Ok(found)
}
