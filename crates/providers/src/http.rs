//! One address that is asked over HTTP: when it is asked again, how long it is waited for, how much
//! it may answer, and what is said when it fails.
//!
//! Nothing that is said names a key, a password or the query of an address. What is asked and what
//! an answer means is the business of [`crate::embed`] and [`crate::chat`].

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body, Error, Timeout};

/// How much of what a server says about an error is passed on.
const EXCERPT_CHARS: usize = 200;

/// How much of the body of an error is read.
const ERROR_BODY_MAX: u64 = 64 * 1024;

/// Who asks for a longer wait than this, in seconds, asks for none that is waited.
const WAIT_SECONDS_MAX: u64 = 86_400;

/// What one connection may take; tests are less patient.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// For a connection to be there.
    pub(crate) connect: Duration,
    /// Before it is asked again for the first time; each further pause is twice as long.
    pub(crate) pause: Duration,
    /// The body of an answer, in bytes.
    pub(crate) body_max: u64,
}

/// How long somebody waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For one request with its answer.
    pub(crate) whole: Duration,
    /// How often it is asked at most.
    pub(crate) attempts_max: u32,
    /// All pauses between together.
    pub(crate) pauses_max: Duration,
}

/// Where to ask: the address, what of it may be shown, and the credentials that stood in it.
#[derive(Clone)]
pub(crate) struct Address {
    full: String,
    shown: String,
    is_loopback: bool,
    userinfo: Option<String>,
}

impl Address {
    /// Reads an address and lets `path` complete its path.
    pub(crate) fn parse(text: &str, path: impl Fn(&str) -> String) -> Result<Self, String> {
        let shown = without_credentials(text);
        let wrong = || {
            format!(
                "\"{shown}\" is not an address of a server; it should look like \
                 http://127.0.0.1:1234/v1"
            )
        };
        let uri: Uri = text.trim().parse().map_err(|_| wrong())?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let (Some(scheme), Some(authority)) = (scheme, uri.authority()) else {
            return Err(wrong());
        };
        let (userinfo, place) = match authority.as_str().rsplit_once('@') {
            Some((userinfo, place)) => (Some(userinfo.to_owned()), place),
            None => (None, authority.as_str()),
        };
        let host = authority.host();
        if host.is_empty() {
            return Err(wrong());
        }
        let path = path(uri.path().trim_end_matches('/'));
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let shown = format!("{scheme}://{place}{path}");
        let is_loopback = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        Ok(Self { full: format!("{shown}{query}"), shown, is_loopback, userinfo })
    }

    /// The address without credentials and query.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// A text that may hold an address, without what stands before its `@` and after its `?`.
pub(crate) fn without_credentials(text: &str) -> String {
    let text = text.trim().split('?').next().unwrap_or_default();
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    format!("{scheme}://{place}{path}")
}

/// A model's name and where it is asked for, of `MODEL` or `MODEL@URL`.
pub(crate) fn model_and_url(text: &str, default: &str) -> Result<(String, String), &'static str> {
    let (model, url) = match ["@http://", "@https://"].iter().find_map(|at| text.find(at)) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None if text.contains("://") => return Err("an address begins with http:// or https://"),
        None if text.contains('@') => return Err("an address begins with http:// or https://"),
        None => (text, default),
    };
    match model {
        "" => Err("the model's name is missing"),
        model => Ok((model.to_owned(), url.to_owned())),
    }
}

/// Why there is no answer: a sentence without its end, which says what would help.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The status, if there was one.
    pub(crate) status: Option<StatusCode>,
    /// What happened.
    pub(crate) what: String,
    /// What would help.
    pub(crate) help: String,
    /// All that the server said about it; not for people.
    pub(crate) said: String,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { status: None, what: what.into(), help: help.into(), said: String::new() }
    }
}

/// A failure, and whether and when asking again may help.
struct Attempt {
    failure: Failure,
    again: Option<Again>,
}

#[derive(Clone, Copy)]
enum Again {
    /// After a pause of our own.
    Soon,
    /// Not before.
    After(Duration),
}

/// An address that is asked.
pub(crate) struct Endpoint {
    agent: Agent,
    address: Address,
    authorization: Option<String>,
    secrets: Vec<String>,
    bounds: Bounds,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

impl Endpoint {
    /// Connects to nothing yet. The key, if there is one, goes before credentials in the address.
    pub(crate) fn new(address: Address, key: Option<&str>, bounds: Bounds) -> Result<Self, String> {
        let key = key.map(str::trim).filter(|key| !key.is_empty());
        if key.is_some_and(|key| !key.chars().all(|c| c.is_ascii_graphic())) {
            return Err(format!(
                "the API key for {} holds characters that no key has; set it again, without \
                 quotes and line ends",
                address.shown
            ));
        }
        let userinfo = address.userinfo.as_deref().map(|userinfo| {
            let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
            let decoded = |part| percent_decode_str(part).decode_utf8_lossy().into_owned();
            format!("{}:{}", decoded(user), decoded(password))
        });
        let basic = userinfo.as_ref().map(|pair| BASE64_STANDARD.encode(pair));
        let pairs = [userinfo.as_deref(), address.userinfo.as_deref()];
        let passwords = pairs.map(|pair| pair.and_then(|pair| Some(pair.split_once(':')?.1)));
        let secrets = [key, basic.as_deref()].into_iter().chain(pairs).chain(passwords).flatten();
        let secrets = secrets.filter(|secret| !secret.is_empty()).map(str::to_owned).collect();
        let authorization = match (key, basic) {
            (Some(key), _) => Some(format!("Bearer {key}")),
            (None, basic) => basic.map(|basic| format!("Basic {basic}")),
        };
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A key must not travel on, and an answer from elsewhere means the address is wrong.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(bounds.connect))
            .user_agent("lorekeep");
        if address.is_loopback {
            config = config.proxy(None);
        }
        Ok(Self { agent: config.build().into(), address, authorization, secrets, bounds })
    }

    /// The body that answers a JSON document. What may pass by itself is asked again.
    pub(crate) fn post(&self, document: &Value, patience: Patience) -> Result<Vec<u8>, Failure> {
        let document = document.to_string();
        let (mut pause, mut paused, mut attempts) = (self.bounds.pause, Duration::ZERO, 1);
        loop {
            let Attempt { mut failure, again } = match self.ask(&document, patience.whole) {
                Ok(body) => return Ok(body),
                Err(attempt) => attempt,
            };
            let Some(again) = again else { return Err(failure) };
            let wait = match again {
                Again::Soon => pause,
                Again::After(least) => least.max(pause),
            };
            if attempts >= patience.attempts_max || paused + wait > patience.pauses_max {
                if attempts > 1 {
                    failure.what.push_str(&format!(" ({attempts} attempts)"));
                }
                return Err(failure);
            }
            thread::sleep(wait);
            (pause, paused, attempts) = (pause * 2, paused + wait, attempts + 1);
        }
    }

    /// Asks once, for no longer than `whole`.
    fn ask(&self, document: &str, whole: Duration) -> Result<Vec<u8>, Attempt> {
        let start = Instant::now();
        let mut request = self
            .agent
            .post(&self.address.full)
            .config()
            .timeout_global(Some(whole))
            .build()
            .header("content-type", "application/json")
            .header("accept", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let mut response =
            request.send(document).map_err(|error| self.broken(&error, start, whole))?;
        if !response.status().is_success() {
            return Err(self.refused(&mut response));
        }
        let body = response.body_mut().with_config().limit(self.bounds.body_max).read_to_vec();
        let body = body.map_err(|error| self.broken(&error, start, whole))?;
        if is_html(&body) {
            let what = format!("answered {}, not JSON", page(&body));
            let help = "check that the address is that of the model, not of a website";
            return Err(Attempt { failure: Failure::new(what, help), again: None });
        }
        Ok(body)
    }

    /// What is said of an answer with another status than success.
    fn refused(&self, response: &mut Response<Body>) -> Attempt {
        let status = response.status();
        let wait = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let wait = wait.and_then(|value| value.trim().parse::<u64>().ok());
        let wait = wait.map(|seconds| Duration::from_secs(seconds.min(WAIT_SECONDS_MAX)));
        let body = response.body_mut().with_config().limit(ERROR_BODY_MAX).read_to_vec();
        let whole = self.without_secrets(&String::from_utf8_lossy(&body.unwrap_or_default()));
        let words = said(whole.as_bytes());
        let again = match (status.as_u16(), wait) {
            (408 | 429, wait) | (500..=599, wait) => Some(wait.map_or(Again::Soon, Again::After)),
            _ => None,
        };
        let mut what = format!("answered {status}");
        if !words.is_empty() {
            what.push_str(&format!(" ({words})"));
        }
        let help = match (status.as_u16(), wait) {
            (300..=399, _) => "it sends elsewhere: give the address that it sends to".to_owned(),
            (400 | 422, _) => "check the name of the model and its settings".to_owned(),
            (401 | 403, _) => "check the API key".to_owned(),
            (404 | 405, _) => "check the address and the name of the model".to_owned(),
            (413, _) => "the server takes only shorter texts: raise its limit".to_owned(),
            (429, Some(wait)) => {
                format!("it asks to wait {} s; try again then, or check the quota", wait.as_secs())
            }
            (429, None) => "try again later, or check the quota".to_owned(),
            _ => "look at the server's log, or try again later".to_owned(),
        };
        Attempt { failure: Failure { status: Some(status), what, help, said: whole }, again }
    }

    /// What is said when there is no answer, or not all of it.
    fn broken(&self, error: &Error, start: Instant, whole: Duration) -> Attempt {
        let (what, help, again) = match error {
            Error::Timeout(Timeout::Connect | Timeout::Resolve) => (
                format!("could not be reached within {:?}", self.bounds.connect),
                "check the address, and that the server runs",
                Some(Again::Soon),
            ),
            // It had all its time already.
            Error::Timeout(_) => (
                format!("gave no whole answer within {whole:?}"),
                "check that the server is not overloaded, or choose a smaller model",
                None,
            ),
            Error::HostNotFound => (
                "has a host that does not exist".to_owned(),
                "check the address and the network",
                Some(Again::Soon),
            ),
            Error::BodyExceedsLimit(limit) => (
                format!("answered more than {limit} bytes"),
                "check that the address is that of the model",
                None,
            ),
            Error::Io(error) if start.elapsed() < whole => (
                format!("could not be asked: {error}"),
                "check the address, and that the server runs",
                Some(Again::Soon),
            ),
            error => (
                format!("could not be asked: {error}"),
                "check the address, the proxy and the certificate of the server",
                None,
            ),
        };
        Attempt { failure: Failure::new(what, help), again }
    }

    /// The whole sentence, without secrets.
    pub(crate) fn sentence(&self, failure: &Failure) -> String {
        let what = self.without_secrets(&failure.what);
        format!("{} {what}; {}", self.address.shown, failure.help)
    }

    fn without_secrets(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

fn is_html(body: &[u8]) -> bool {
    let start: Vec<u8> = body.iter().copied().take(64).collect();
    let start = String::from_utf8_lossy(&start).trim_start().to_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// An HTML page, by its title.
fn page(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    match title.map(|(title, _)| excerpt(title)).filter(|title| !title.is_empty()) {
        Some(title) => format!("a page titled \"{title}\""),
        None => "an HTML page".to_owned(),
    }
}

/// What the body of an error says, in a few words.
pub(crate) fn said(body: &[u8]) -> String {
    if is_html(body) {
        return page(body);
    }
    let text = String::from_utf8_lossy(body);
    let Ok(document) = serde_json::from_str::<Value>(&text) else { return excerpt(&text) };
    let places = [&document["error"]["message"], &document["error"], &document["message"]];
    match places.into_iter().find_map(Value::as_str) {
        Some(message) => excerpt(message),
        None => excerpt(&text),
    }
}

/// The beginning of a text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.retain(|c| !c.is_control());
    match line.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::BOUNDS;

    #[test]
    fn addresses_are_completed_and_shown_without_credentials() {
        let address = Address::parse("https://ada:s3cret@example.org:8443/v1/?tenant=7", |path| {
            format!("{path}/embeddings")
        })
        .unwrap();
        assert_eq!(address.shown(), "https://example.org:8443/v1/embeddings");
        assert_eq!(address.full, "https://example.org:8443/v1/embeddings?tenant=7");
        assert_eq!(address.userinfo.as_deref(), Some("ada:s3cret"));
        assert_eq!(format!("{address:?}"), address.shown);
        for wrong in ["", "example.org", "ftp://u:s3cret@example.org", "http://", "http://a b"] {
            let error = Address::parse(wrong, str::to_owned).unwrap_err();
            assert!(error.contains("http://127.0.0.1:1234/v1"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn what_a_server_says_is_short() {
        assert_eq!(said(br#"{"error": {"message": "no such\nmodel"}}"#), "no such model");
        assert_eq!(said(br#"{"error": "no"}"#), "no");
        assert_eq!(said(br#"{"message": "no"}"#), "no");
        assert_eq!(said(br#"{"detail": 1}"#), r#"{"detail": 1}"#);
        assert_eq!(
            said(b"<html><title>502 Bad\nGateway</title>"),
            "a page titled \"502 Bad Gateway\""
        );
        assert_eq!(said("ä".repeat(1000).as_bytes()).chars().count(), EXCERPT_CHARS + 1);
    }

    #[test]
    fn a_key_that_is_no_key_is_not_shown() {
        let address = Address::parse("http://127.0.0.1/v1", str::to_owned).unwrap();
        let error = Endpoint::new(address, Some("s3cret\nline"), BOUNDS).unwrap_err();
        assert!(error.contains("API key") && !error.contains("s3cret"), "{error}");
    }
}
