//! The issuer whose tokens are let in over HTTP, as it was set.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};
use model::{Layer, Role};
use providers::issuer::Issuer;
use serve::http::oauth::{Fetch, Fetched, OauthGate, Pace, Rules};

use super::checks;

/// The claim that names a user, unless another is set: the one that an issuer never gives twice.
const USER_CLAIM: &str = "sub";

/// Default roles of scopes.
const SCOPES: [(&str, Role); 3] = [
    ("lorekeep:read", Role::Guest),
    ("lorekeep:write", Role::User),
    ("lorekeep:admin", Role::Admin),
];

/// The keys of the table `http.oauth`, as far as they are set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OauthKeys {
    pub issuer: Option<String>,
    pub audience: Option<String>,
    pub resource: Option<String>,
    pub jwks: Option<String>,
    pub scopes: Option<BTreeMap<String, String>>,
    pub user_claim: Option<String>,
    pub project_claim: Option<String>,
    pub team_claim: Option<String>,
    pub org_claim: Option<String>,
    pub namespaces_claim: Option<String>,
}

/// The OAuth settings in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OauthSettings {
    rules: Rules,
    jwks: Option<String>,
}

impl OauthSettings {
    /// None if no issuer is named.
    pub(crate) fn of(keys: OauthKeys) -> Result<Option<Self>> {
        let Some(issuer) = keys.issuer else {
            return match keys == OauthKeys::default() {
                true => Ok(None),
                false => bail!("http.oauth needs issuer, such as https://login.example"),
            };
        };
        let audience = keys.audience.ok_or_else(|| {
            anyhow!("http.oauth needs audience: this server as tokens name it, such as https://lore.example/mcp")
        })?;
        let layers = [
            (Layer::Project, keys.project_claim),
            (Layer::Team, keys.team_claim),
            (Layer::Org, keys.org_claim),
        ];
        let rules = Rules {
            resource: keys.resource.unwrap_or_else(|| audience.clone()),
            issuer,
            audience,
            scopes: keys.scopes.map_or_else(usual_scopes, scopes)?,
            user_claim: keys.user_claim.unwrap_or_else(|| USER_CLAIM.to_owned()),
            layer_claims: layers.into_iter().filter_map(|(l, claim)| Some((l, claim?))).collect(),
            namespaces_claim: keys.namespaces_claim,
        };
        let setting = Self { rules, jwks: keys.jwks };
        setting.gate()?;
        Ok(Some(setting))
    }

    /// The issuer's address.
    pub(crate) fn issuer(&self) -> &str {
        &self.rules.issuer
    }

    /// The gate for who brings a token of the issuer. Nobody is asked yet.
    pub(crate) fn gate(&self) -> Result<OauthGate> {
        let wrong = |why| anyhow!("http.oauth: {why}");
        let issuer = Issuer::new(&self.rules.issuer, self.jwks.as_deref()).map_err(wrong)?;
        let fetch: Fetch = Box::new(move || {
            let set = issuer.keys()?;
            Ok(Fetched { document: set.document, keep: set.keep })
        });
        OauthGate::new(self.rules.clone(), fetch, Pace::default()).map_err(wrong)
    }
}

fn usual_scopes() -> Result<BTreeMap<String, Role>> {
    Ok(SCOPES.into_iter().map(|(scope, role)| (scope.to_owned(), role)).collect())
}

fn scopes(named: BTreeMap<String, String>) -> Result<BTreeMap<String, Role>> {
    checks::scopes(named).map_err(|why| anyhow!("http.oauth.scopes: {why}"))
}
