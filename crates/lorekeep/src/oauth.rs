//! The issuer whose tokens are let in over HTTP, as it was set.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, bail};
use model::{Layer, Role};
use providers::issuer::Issuer;
use serde::Deserialize;
use serve::http::oauth::{Fetch, Fetched, OauthGate, Pace, Rules};

use crate::config::pairs;

/// The claim that names a user, unless another is set: the one that an issuer never gives twice.
const USER_CLAIM: &str = "sub";

/// What scopes let their bearers do, unless others are set.
const SCOPES: [(&str, Role); 3] = [
    ("lorekeep:read", Role::Guest),
    ("lorekeep:write", Role::User),
    ("lorekeep:admin", Role::Admin),
];

/// What one place says. Keys are those of the table `http.oauth` in the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Partial {
    issuer: Option<String>,
    audience: Option<String>,
    resource: Option<String>,
    jwks: Option<String>,
    scopes: Option<BTreeMap<String, String>>,
    user_claim: Option<String>,
    project_claim: Option<String>,
    team_claim: Option<String>,
    org_claim: Option<String>,
    namespaces_claim: Option<String>,
}

/// What holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    rules: Rules,
    jwks: Option<String>,
}

impl Partial {
    /// What the variables say; `get` reads one.
    pub(crate) fn of_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let scopes = get("LOREKEEP_OAUTH_SCOPES").map(|text| {
            let words: Vec<String> = text.split([',', ' ']).map(str::to_owned).collect();
            pairs(&words).context("LOREKEEP_OAUTH_SCOPES")
        });
        Ok(Self {
            issuer: get("LOREKEEP_OAUTH_ISSUER"),
            audience: get("LOREKEEP_OAUTH_AUDIENCE"),
            resource: get("LOREKEEP_OAUTH_RESOURCE"),
            jwks: get("LOREKEEP_OAUTH_JWKS"),
            scopes: scopes.transpose()?,
            user_claim: get("LOREKEEP_OAUTH_USER_CLAIM"),
            project_claim: get("LOREKEEP_OAUTH_PROJECT_CLAIM"),
            team_claim: get("LOREKEEP_OAUTH_TEAM_CLAIM"),
            org_claim: get("LOREKEEP_OAUTH_ORG_CLAIM"),
            namespaces_claim: get("LOREKEEP_OAUTH_NAMESPACES_CLAIM"),
        })
    }

    /// This place's word, and the other's where this one says nothing.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            issuer: self.issuer.or(other.issuer),
            audience: self.audience.or(other.audience),
            resource: self.resource.or(other.resource),
            jwks: self.jwks.or(other.jwks),
            scopes: self.scopes.or(other.scopes),
            user_claim: self.user_claim.or(other.user_claim),
            project_claim: self.project_claim.or(other.project_claim),
            team_claim: self.team_claim.or(other.team_claim),
            org_claim: self.org_claim.or(other.org_claim),
            namespaces_claim: self.namespaces_claim.or(other.namespaces_claim),
        }
    }

    /// What holds in the end: nothing, if no issuer is named.
    pub(crate) fn settle(self) -> Result<Option<Setting>> {
        let Some(issuer) = self.issuer else {
            return match self == Self::default() {
                true => Ok(None),
                false => bail!("http.oauth needs issuer, such as https://login.example"),
            };
        };
        let audience = self.audience.ok_or_else(|| {
            anyhow!("http.oauth needs audience: this server as tokens name it, such as https://lore.example/mcp")
        })?;
        let layers = [
            (Layer::Project, self.project_claim),
            (Layer::Team, self.team_claim),
            (Layer::Org, self.org_claim),
        ];
        let rules = Rules {
            resource: self.resource.unwrap_or_else(|| audience.clone()),
            issuer,
            audience,
            scopes: self.scopes.map_or_else(usual_scopes, scopes)?,
            user_claim: self.user_claim.unwrap_or_else(|| USER_CLAIM.to_owned()),
            layer_claims: layers.into_iter().filter_map(|(l, claim)| Some((l, claim?))).collect(),
            namespaces_claim: self.namespaces_claim,
        };
        let setting = Setting { rules, jwks: self.jwks };
        setting.gate()?;
        Ok(Some(setting))
    }
}

impl Setting {
    /// Whose tokens these are.
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

fn scopes(said: BTreeMap<String, String>) -> Result<BTreeMap<String, Role>> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"\\".contains(c);
    let read = |(scope, role): (String, String)| {
        if scope.is_empty() || !scope.chars().all(is_plain) {
            bail!("http.oauth.scopes: {scope:?} is no scope; it takes letters, digits and signs");
        }
        let role = role.parse().map_err(|why: String| anyhow!("http.oauth.scopes: {why}"))?;
        Ok((scope, role))
    };
    let scopes: BTreeMap<_, _> = said.into_iter().map(read).collect::<Result<_>>()?;
    if scopes.is_empty() {
        bail!("http.oauth.scopes is empty, so that no token would let anybody do anything");
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(text: &str) -> Result<Option<Setting>> {
        toml::from_str::<Partial>(text)?.settle()
    }

    const LEAST: &str =
        "issuer = \"https://login.example\"\naudience = \"https://lore.example/mcp\"\n";

    #[test]
    fn an_issuer_and_an_audience_are_enough() {
        assert_eq!(settle("").unwrap(), None);
        let Setting { rules, jwks } = settle(LEAST).unwrap().unwrap();
        assert_eq!(
            (rules.resource.as_str(), rules.user_claim.as_str()),
            ("https://lore.example/mcp", "sub")
        );
        assert_eq!(rules.scopes["lorekeep:write"], Role::User);
        assert!(rules.layer_claims.is_empty() && jwks.is_none());
        let more = "jwks = \"https://login.example/k\"\nuser-claim = \"email\"\norg-claim = \"org\"\n\
                    namespaces-claim = \"ledgers\"\n\
                    scopes = { lore = \"guest\", \"lore.all\" = \"admin\" }";
        let Setting { rules, jwks } = settle(&format!("{LEAST}{more}")).unwrap().unwrap();
        assert_eq!(rules.scopes.len(), 2);
        assert_eq!(rules.layer_claims[&Layer::Org], "org");
        assert_eq!(rules.namespaces_claim.as_deref(), Some("ledgers"));
        assert_eq!((rules.user_claim.as_str(), jwks.is_some()), ("email", true));
    }

    #[test]
    fn variables_say_the_same_and_win() {
        let get = |name: &str| match name {
            "LOREKEEP_OAUTH_ISSUER" => Some("https://other.example".to_owned()),
            "LOREKEEP_OAUTH_SCOPES" => Some("a=guest,b=admin".to_owned()),
            _ => None,
        };
        let file: Partial = toml::from_str(LEAST).unwrap();
        let both = Partial::of_variables(get).unwrap().or(file).settle().unwrap().unwrap();
        assert_eq!(both.rules.issuer, "https://other.example");
        assert_eq!(both.rules.audience, "https://lore.example/mcp");
        assert_eq!(both.rules.scopes["b"], Role::Admin);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| settle(text).unwrap_err().to_string();
        assert!(wrong("issuer = \"https://login.example\"").contains("needs audience"));
        assert!(wrong("audience = \"https://lore.example\"").contains("needs issuer"));
        assert!(wrong("isuer = \"\"").contains("unknown field `isuer`"));
        let with = |text: &str| wrong(&format!("{LEAST}{text}"));
        assert!(with("scopes = { a = \"root\" }").contains("\"root\" is unknown; it takes guest"));
        assert!(with("scopes = { \"a b\" = \"user\" }").contains("is no scope"));
        assert!(with("scopes = {}").contains("is empty"));
        assert!(with("jwks = \"http://login.example/k\"").contains("is not https"));
        assert!(with("resource = \"lore\"").contains("is no address"));
        assert!(
            wrong(&LEAST.replace("https://lore.example/mcp", "api://7")).contains("set resource")
        );
        let plain = LEAST.replace("https://login", "http://login");
        assert!(wrong(&plain).contains("issuer \"http://login.example\" is not https"));
    }
}
