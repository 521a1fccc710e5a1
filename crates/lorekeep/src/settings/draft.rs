//! Settings under construction. Values that depend on each other are checked when all are there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use engine::Limits;
use engine::secrets::Policy;
use model::{Identity, Layer, Role, Trust, TrustLevel};
use store::Rhythm;
use tools::{Dialect, Profile, Selection};

use super::Settings;
use super::http::HttpSettings;
use super::kind::Value;
use super::oauth::{OauthKeys, OauthSettings};
use super::outside::OutsideSettings;
use crate::{embedder, traces};

/// The values applied so far. A later value replaces an earlier one.
pub(crate) struct Draft {
    pub data_dir: Option<PathBuf>,
    pub knowledge_dir: Option<PathBuf>,
    pub toolsets: Option<Vec<String>>,
    pub selection: Selection,
    pub role: Role,
    pub identity: BTreeMap<Layer, String>,
    pub trust: Trust,
    pub inject: TrustLevel,
    pub secrets: Policy,
    pub keep_queries: bool,
    pub audit_reads: bool,
    pub embedder: Option<String>,
    pub embedder_dimensions: Option<usize>,
    pub notes_core_max: Option<u64>,
    pub notes_learning_max: Option<u64>,
    pub notes_task_max: Option<u64>,
    pub event_days: Option<u64>,
    pub outside: OutsideSettings,
    pub extractor: Option<String>,
    pub http: HttpSettings,
    pub tls_cert: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    pub oauth: OauthKeys,
    pub backups: Rhythm,
    pub traces_enabled: Option<bool>,
    pub traces_endpoint: Option<String>,
}

impl Draft {
    /// The defaults.
    pub(crate) fn new() -> Self {
        Self {
            data_dir: None,
            knowledge_dir: None,
            toolsets: None,
            selection: Selection::default(),
            role: Role::Admin,
            identity: BTreeMap::new(),
            trust: Trust::Open,
            inject: TrustLevel::Agent,
            secrets: Policy::default(),
            keep_queries: true,
            audit_reads: false,
            embedder: None,
            embedder_dimensions: None,
            notes_core_max: None,
            notes_learning_max: None,
            notes_task_max: None,
            event_days: None,
            outside: OutsideSettings::default(),
            extractor: None,
            http: HttpSettings::default(),
            tls_cert: None,
            tls_key: None,
            oauth: OauthKeys::default(),
            backups: Rhythm::default(),
            traces_enabled: None,
            traces_endpoint: None,
        }
    }

    pub(crate) fn identify(&mut self, layer: Layer, value: &Value) {
        self.identity.insert(layer, value.text());
    }

    /// The settings, once everything has been said.
    pub(crate) fn finish(mut self) -> Result<Settings> {
        let profiles = self.profiles()?;
        let limits = self.limits(&profiles);
        if self.toolsets.is_some() {
            self.selection.toolsets = profiles.iter().flat_map(|p| p.toolsets()).collect();
        }
        let mut identity = Identity::default();
        for (layer, id) in &self.identity {
            identity = identity.with(*layer, id.parse().map_err(|why: String| anyhow!(why))?);
        }
        self.http.tls = match (self.tls_cert, self.tls_key) {
            (Some(cert), Some(key)) => Some((cert, key)),
            (None, None) => None,
            (Some(_), None) => bail!("http.tls-cert needs http.tls-key, the certificate's key"),
            (None, Some(_)) => bail!("http.tls-key needs http.tls-cert, the key's certificate"),
        };
        self.http.oauth = OauthSettings::of(self.oauth)?;
        let roots = std::mem::take(&mut self.outside.roots);
        self.outside.roots =
            roots.iter().map(|dir| super::outside::root(dir)).collect::<Result<_>>()?;
        self.outside.extractor =
            self.extractor.as_deref().map(super::outside::extractor).transpose()?;
        if self.backups.every.is_zero() {
            self.backups.keep = 0;
        }
        Ok(Settings {
            data_dir: self.data_dir.map_or_else(super::default_data_dir, Ok)?,
            knowledge_dir: self.knowledge_dir,
            selection: self.selection,
            role: self.role,
            identity,
            limits,
            http: self.http,
            embedder: embedder::Setting::of(self.embedder.as_deref(), self.embedder_dimensions)?,
            keep_queries: self.keep_queries,
            audit_reads: self.audit_reads,
            inject: self.inject,
            trust: self.trust,
            outside: self.outside,
            backups: self.backups,
            secrets: self.secrets,
            traces: traces::Setting {
                enabled: self.traces_enabled.unwrap_or(self.traces_endpoint.is_some()),
                endpoint: self.traces_endpoint,
            },
            files: Vec::new(),
            sources: Vec::new(),
        })
    }

    fn profiles(&self) -> Result<Vec<Profile>> {
        let words = self.toolsets.iter().flatten();
        words.map(|word| word.parse().map_err(|why: String| anyhow!("toolsets {why}"))).collect()
    }

    /// Those of the original notes server where it is stood in for, and what was set on top.
    fn limits(&self, profiles: &[Profile]) -> Limits {
        let stands_in = profiles.contains(&Profile::System(Dialect::AgentMemory));
        let usual = if stands_in { Limits::AGENT_MEMORY } else { Limits::default() };
        Limits {
            notes_core_max: self.notes_core_max.unwrap_or(usual.notes_core_max),
            notes_learning_max: self.notes_learning_max.unwrap_or(usual.notes_learning_max),
            notes_task_max: self.notes_task_max.unwrap_or(usual.notes_task_max),
            event_days: self.event_days.unwrap_or(usual.event_days),
        }
    }
}
