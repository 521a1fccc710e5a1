//! The tokens of an OAuth 2.1 issuer: this server is a resource, and a token is a JWT that the issuer
//! signed for it.
//!
//! Nobody is asked whether a token is good: its signature, its claims and the time say so. The keys
//! come from outside by a function that is handed in ([`Fetch`]). To who brings a token it is never
//! told which of its flaws was found; the log tells, and never the token. Who brings one is at no place
//! of this machine, and opens no file of it.

mod cache;
mod claims;
mod jws;
mod keys;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::http::Uri;
use model::time::Timestamp;
use model::{Layer, Role};
use serde_json::json;

use super::auth::{Gate, Grant, Refusal};
use cache::Cache;
use jws::Jws;

pub use cache::{Fetch, Fetched, Pace};

/// Where clients look for what a resource says of itself, by RFC 9728.
const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// What is said to whoever brings a token that is not good, whatever is wrong with it.
const NOT_GOOD: &str = "it is not one of this server's issuer, not for this server, or over";

/// What a token must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Who must have issued it.
    pub issuer: String,
    /// Whom it must be for.
    pub audience: String,
    /// The address of this server, as clients know it.
    pub resource: String,
    /// What a scope lets its bearer do.
    pub scopes: BTreeMap<String, Role>,
    /// The claim that names the user.
    pub user_claim: String,
    /// The claims that name owners of other layers, where a token has them.
    pub layer_claims: BTreeMap<Layer, String>,
    /// The claim that names the namespaces of the ledger that are open, if there is one; without it, that
    /// of the project is.
    pub namespaces_claim: Option<String>,
}

/// What is wrong with a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    /// It is longer than tokens are.
    TooLong,
    /// It is no JWT.
    Malformed,
    /// It is signed in a way that is not taken, or not at all.
    Algorithm,
    /// It is a JWT for something else.
    Type,
    /// No key of the issuer has the name that it gives.
    UnknownKey,
    /// The key that it names did not sign it.
    Signature,
    /// Another issued it.
    Issuer,
    /// It is for somebody else.
    Audience,
    /// It does not say when it ends.
    Endless,
    /// It has ended.
    Expired,
    /// It is of the future.
    TooEarly,
    /// It does not say whose it is.
    Subject,
    /// None of its scopes is known here.
    Scope,
}

/// Lets in who brings a token of the issuer.
pub struct OauthGate {
    rules: Rules,
    metadata_url: String,
    metadata_paths: Vec<String>,
    cache: Arc<Cache>,
}

impl OauthGate {
    /// The gate of these rules, with keys that `fetch` brings.
    pub fn new(rules: Rules, fetch: Fetch, pace: Pace) -> Result<Self, String> {
        let (origin, path) = address(&rules)?;
        let metadata_path = format!("{METADATA_PATH}{path}");
        let metadata_url = format!("{origin}{metadata_path}");
        let mut metadata_paths = vec![
            METADATA_PATH.to_owned(),
            format!("{METADATA_PATH}{}", super::PATH),
            metadata_path,
        ];
        metadata_paths.sort();
        metadata_paths.dedup();
        let cache = Arc::new(Cache::new(fetch, pace));
        Ok(Self { rules, metadata_url, metadata_paths, cache })
    }

    /// What a token gives at that time, in seconds since 1970.
    fn look(&self, token: &[u8], now: i64) -> Result<Grant, Refusal> {
        let jws = Jws::parse(token).map_err(|flaw| self.refusal(flaw))?;
        let keys = self.cache.keys().ok_or(Refusal::Unavailable)?;
        let verified = keys.verify(&jws).and_then(|()| jws.claims());
        if matches!(verified, Err(Flaw::UnknownKey)) && !self.cache.lacks(jws.kid.as_deref()) {
            tracing::info!("a token of OAuth names a key that cannot be asked for yet");
            return Err(Refusal::Unavailable);
        }
        let looked = verified.and_then(|claims| claims::caller(&claims, &self.rules, now));
        let caller = looked.map_err(|flaw| self.refusal(flaw))?;
        let user = caller.identity.id(Layer::User).map_or("", |user| user.as_str());
        // No name of a token in the file has a space, and the one that was said is called otherwise.
        let name = format!("oauth {user}");
        Ok(Grant { caller, toolsets: None, read_only: false, name })
    }

    fn refusal(&self, flaw: Flaw) -> Refusal {
        tracing::info!("a token of OAuth was refused: {flaw:?}");
        match flaw {
            Flaw::Scope => Refusal::Insufficient(self.least_scope().unwrap_or_default()),
            _ => Refusal::Invalid(NOT_GOOD.to_owned()),
        }
    }

    /// The scope that gives the least.
    fn least_scope(&self) -> Option<String> {
        let least = self.rules.scopes.iter().min_by_key(|(_, role)| **role);
        least.map(|(scope, _)| scope.clone())
    }

    /// What this resource says of itself.
    fn metadata(&self) -> String {
        let scopes: Vec<_> = self.scopes().into_iter().map(|(_, scope)| scope).collect();
        let document = json!({
            "resource": self.rules.resource,
            "authorization_servers": [self.rules.issuer],
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
            "resource_name": "Lorekeep",
        });
        document.to_string()
    }
}

/// Where this server is for its clients: what stands before the path of its address, and the path.
fn address(rules: &Rules) -> Result<(String, String), String> {
    let resource = &rules.resource;
    let wrong = || {
        let more = match *resource == rules.audience {
            true => "; set resource, for the audience is none",
            false => "",
        };
        format!(
            "resource {resource:?} is no address of a server; it should look like \
             https://lore.example/mcp{more}"
        )
    };
    let uri: Uri = resource.parse().map_err(|_| wrong())?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(wrong());
    };
    let path = uri.path().trim_end_matches('/');
    let is_web = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    // It goes into a header between quotes, and its path is one of ours, where these signs would be
    // patterns.
    let is_plain = !resource.contains(['{', '}', '"', '\\', '#', '@']);
    let is_pattern = path.split('/').any(|part| part.starts_with([':', '*']));
    match is_web && is_plain && !is_pattern {
        true => Ok((format!("{scheme}://{authority}"), path.to_owned())),
        false => Err(wrong()),
    }
}

impl Gate for OauthGate {
    fn admit(&self, token: &[u8]) -> Result<Grant, Refusal> {
        match jws::is_jws(token) {
            true => self.look(token, Timestamp::now().as_second()),
            false => Err(Refusal::Unknown),
        }
    }

    fn prepare(&self, token: &[u8]) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        if !jws::is_jws(token) {
            return None;
        }
        // Only a token that could be good is worth a question to the issuer.
        let behind = self.cache.behind(Jws::parse(token).ok()?.kid)?;
        Some(Box::pin(behind))
    }

    fn challenge(&self) -> Option<String> {
        Some(format!("resource_metadata=\"{}\"", self.metadata_url))
    }

    fn scopes(&self) -> Vec<(Role, String)> {
        let scopes = self.rules.scopes.iter().map(|(scope, role)| (*role, scope.clone()));
        let mut scopes: Vec<_> = scopes.collect();
        scopes.sort();
        scopes
    }

    fn documents(&self) -> Vec<(String, String)> {
        let document = self.metadata();
        self.metadata_paths.iter().map(|path| (path.clone(), document.clone())).collect()
    }
}
