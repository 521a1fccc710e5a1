//! The issuer of OAuth tokens: where its keys are, and what they are.
//!
//! Only fetched here; what a key set means and when it is asked for again is decided by who asks.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use serde::Deserialize;
use ureq::Agent;
use ureq::http::{HeaderMap, Uri, header};

use crate::http::without_credentials;

/// How long a connection may take to be there.
const CONNECT_MAX: Duration = Duration::from_secs(3);

/// How long everything together may take.
const WHOLE_MAX: Duration = Duration::from_secs(8);

/// No document of an issuer is longer.
const BODY_MAX: u64 = 256 * 1024;

/// What an issuer says of itself, as far as we read it.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// An issuer.
pub struct Issuer {
    issuer: String,
    jwks: Option<String>,
    agent: Agent,
}

/// A key set, and how long the issuer says that it may be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySet {
    /// The document.
    pub document: Vec<u8>,
    /// How long it may be kept.
    pub keep: Option<Duration>,
}

impl Issuer {
    /// The issuer of this name, which is an address; without the address of its keys, it is asked for
    /// that. Connects to nothing yet.
    pub fn new(issuer: &str, jwks: Option<&str>) -> Result<Self, String> {
        let place = place("issuer", issuer)?;
        if let Some(jwks) = jwks {
            self::place("jwks", jwks)?;
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // Whoever could send us elsewhere would be the issuer.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_MAX))
            .user_agent("lorekeep");
        if place.is_loopback {
            config = config.proxy(None);
        }
        let agent = config.build().into();
        Ok(Self { issuer: issuer.to_owned(), jwks: jwks.map(str::to_owned), agent })
    }

    /// The keys as they are now.
    pub fn keys(&self) -> Result<KeySet, String> {
        let end = Instant::now() + WHOLE_MAX;
        let jwks = match &self.jwks {
            Some(jwks) => jwks.clone(),
            None => self.discover(end)?,
        };
        let (document, headers) = self.get(&jwks, end)?;
        Ok(KeySet { document, keep: keep(&headers) })
    }

    /// Where the issuer says that its keys are: by RFC 8414, else as OpenID Connect has it.
    fn discover(&self, end: Instant) -> Result<String, String> {
        let mut whys = Vec::new();
        for address in self.addresses()? {
            match self.get(&address, end).and_then(|(body, _)| self.read(&address, &body)) {
                Ok(jwks) => return Ok(jwks),
                Err(why) => whys.push(why),
            }
        }
        Err(whys.join("; "))
    }

    fn addresses(&self) -> Result<Vec<String>, String> {
        let Place { origin, path, .. } = place("issuer", &self.issuer)?;
        let oauth = format!("{origin}/.well-known/oauth-authorization-server{path}");
        let mut all = vec![oauth, format!("{origin}{path}/.well-known/openid-configuration")];
        if !path.is_empty() {
            all.push(format!("{origin}/.well-known/openid-configuration{path}"));
        }
        Ok(all)
    }

    /// The address of the keys in what is said at an address; whoever says it must be the issuer.
    fn read(&self, address: &str, body: &[u8]) -> Result<String, String> {
        let said: Metadata = serde_json::from_slice(body)
            .map_err(|why| format!("{address} is no metadata of an issuer: {why}"))?;
        if said.issuer != self.issuer {
            let said = without_credentials(&said.issuer);
            return Err(format!("{address} is of the issuer {said:?}, not of {:?}", self.issuer));
        }
        place("jwks_uri", &said.jwks_uri)?;
        Ok(said.jwks_uri)
    }

    fn get(&self, address: &str, end: Instant) -> Result<(Vec<u8>, HeaderMap), String> {
        let shown = without_credentials(address);
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(format!("{shown} was not asked: the issuer takes too long"));
        }
        let request = self.agent.get(address).config().timeout_global(Some(left)).build();
        let answer = request.header(header::ACCEPT, "application/json").call();
        let mut answer = answer.map_err(|why| format!("{shown} could not be asked: {why}"))?;
        if !answer.status().is_success() {
            return Err(format!("{shown} answered {}", answer.status()));
        }
        let body = answer.body_mut().with_config().limit(BODY_MAX).read_to_vec();
        let body = body.map_err(|why| format!("{shown} could not be read: {why}"))?;
        Ok((body, answer.into_parts().0.headers))
    }
}

/// An address in its parts.
struct Place {
    origin: String,
    path: String,
    is_loopback: bool,
}

/// Reads an address that keys come from, or lead to: nobody on the way may change what is said there.
fn place(name: &str, address: &str) -> Result<Place, String> {
    let shown = without_credentials(address);
    let wrong = |why: &str| {
        Err(format!("{name} {shown:?} {why}; it should look like https://login.example"))
    };
    let Ok(uri) = address.parse::<Uri>() else { return wrong("is no address") };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return wrong("is no address");
    };
    if authority.as_str().contains('@') {
        return wrong("has a user or a password");
    }
    let host = authority.host().trim_matches(['[', ']']);
    let is_loopback =
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    if scheme != "https" && !(scheme == "http" && is_loopback) {
        return wrong("is not https, and not on this machine");
    }
    let path = uri.path().trim_end_matches('/').to_owned();
    Ok(Place { origin: format!("{scheme}://{authority}"), path, is_loopback })
}

/// How long an answer may be kept.
fn keep(headers: &HeaderMap) -> Option<Duration> {
    let control = headers.get(header::CACHE_CONTROL)?.to_str().ok()?.to_ascii_lowercase();
    let mut words = control.split(',').map(str::trim);
    let seconds = words.find_map(|word| word.strip_prefix("max-age=")?.parse().ok());
    seconds.map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Reply, Server};

    fn metadata(issuer: &str, jwks: &str) -> Reply {
        Reply::ok(&serde_json::json!({"issuer": issuer, "jwks_uri": jwks}))
    }

    fn asked(server: &Server) -> Vec<String> {
        let line = |head: String| head.lines().next().unwrap().replace(" http/1.1", "");
        server.asked().into_iter().map(|asked| line(asked.head)).collect()
    }

    #[test]
    fn keys_are_found_by_what_the_issuer_says() {
        let keys = Reply::Status("200 OK\r\nCache-Control: public, Max-Age=120", "{}".into());
        let away = Reply::Status("404 Not Found", String::new());
        let server = Server::start_with(|url| {
            vec![away.clone(), metadata(&format!("{url}/a"), &format!("{url}/keys")), keys]
        });
        let issuer = Issuer::new(&format!("{}/a", server.url), None).unwrap();
        let found = issuer.keys().unwrap();
        assert_eq!(found.document, b"{}");
        assert_eq!(found.keep, Some(Duration::from_secs(120)));
        let paths = [
            "get /.well-known/oauth-authorization-server/a",
            "get /a/.well-known/openid-configuration",
            "get /keys",
        ];
        assert_eq!(asked(&server), paths);
    }

    #[test]
    fn an_address_of_keys_that_was_set_is_asked_at_once() {
        let server = Server::start(vec![Reply::ok(&"{}")]);
        let issuer = Issuer::new("https://login.example", Some(&format!("{}/k", server.url)));
        assert_eq!(issuer.unwrap().keys().unwrap(), KeySet { document: b"{}".into(), keep: None });
        assert_eq!(asked(&server), ["get /k"]);
    }

    #[test]
    fn what_another_issuer_says_or_what_leads_astray_is_not_believed() {
        let wrong = |replies: Vec<Reply>| {
            let server = Server::start(replies);
            Issuer::new(&server.url, None).unwrap().keys().unwrap_err()
        };
        let other = metadata("https://evil.example", "https://evil.example/keys");
        let error = wrong(vec![other.clone(), other]);
        assert!(error.contains("is of the issuer \"https://evil.example\""), "{error}");
        let moved = Reply::Status("302 Found\r\nLocation: https://evil.example/", String::new());
        let error = wrong(vec![moved.clone(), moved]);
        assert!(error.contains("answered 302"), "{error}");
        let long = Reply::ok(&"x".repeat(300_000));
        let error = wrong(vec![long.clone(), long]);
        assert!(error.contains("could not be read"), "{error}");
        let server = Server::start_with(|url| vec![metadata(url, "http://10.0.0.1/keys"); 2]);
        let error = Issuer::new(&server.url, None).unwrap().keys().unwrap_err();
        assert!(error.contains("jwks_uri \"http://10.0.0.1/keys\" is not https"), "{error}");
    }

    #[test]
    fn an_issuer_is_asked_where_nobody_can_change_the_answer() {
        for good in ["https://login.example/realms/a", "http://127.0.0.1:8", "http://[::1]:8"] {
            assert!(Issuer::new(good, None).is_ok(), "{good}");
        }
        let bad =
            ["http://login.example", "http://127.evil.example", "login.example", "ftp://a", ""];
        for bad in bad {
            assert!(Issuer::new(bad, None).is_err(), "{bad}");
            assert!(Issuer::new("https://login.example", Some(bad)).is_err(), "{bad}");
        }
        let error = Issuer::new("https://u:s3cret@login.example", None).err().unwrap();
        assert!(!error.contains("s3cret"), "{error}");
    }
}
