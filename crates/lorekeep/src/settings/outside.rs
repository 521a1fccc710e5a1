//! What may be reached beyond the store, as it was set: files, commands, the web, a model that reads
//! texts.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use engine::Outside;
use providers::chat::{self, ChatChoice};
use providers::web::{LiveWeb, WebSetup};
use providers::{LocalShell, LocalWorkspace};

use super::variable;
use crate::embedder;

/// The key for the model that reads texts.
const KEY_VARIABLE: &str = "LOREKEEP_EXTRACTOR_KEY";

/// The settings in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OutsideSettings {
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

impl OutsideSettings {
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
pub(super) fn extractor(text: &str) -> Result<ChatChoice> {
    let key = variable(KEY_VARIABLE);
    let choice = ChatChoice::parse(text, key.as_deref());
    let mut choice = choice.map_err(|why| anyhow!("extractor: {why}"))?;
    if let ChatChoice::OpenAi { url, key: key @ None, .. } = &mut choice {
        *key = embedder::openai_key(url, variable);
    }
    Ok(choice)
}

/// A root as it really is.
pub(super) fn root(dir: &Path) -> Result<PathBuf> {
    let found = dir.canonicalize().map_err(|why| anyhow!("root {}: {why}", dir.display()))?;
    if !found.is_dir() {
        bail!("root {} is no folder", dir.display());
    }
    Ok(found)
}
