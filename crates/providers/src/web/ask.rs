//! A service that is asked with a key, and what is said when it fails. No key is ever said.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use engine::{Error, ErrorKind, Result};
use model::Timestamp;
use ureq::http::{HeaderMap, Response, StatusCode, Uri};
use ureq::{Agent, Body};

use super::{Bounds, Deadline};
use crate::http::excerpt;

/// How much of the body of an error is read.
const ERROR_BODY_MAX: u64 = 64 * 1024;

/// Whom we are to those we ask.
pub(super) const USER_AGENT: &str = concat!("lorekeep/", env!("CARGO_PKG_VERSION"));

/// A service at an address that whoever started the server chose.
pub(super) struct Service {
    /// For people.
    pub(super) name: &'static str,
    agent: Agent,
    base: String,
    key: String,
    bounds: Bounds,
}

impl Service {
    /// Connects to nothing yet.
    pub(super) fn new(
        name: &'static str,
        url: &str,
        key: &str,
        bounds: Bounds,
    ) -> Result<Self, String> {
        if !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(format!(
                "the API key for {name} holds characters that no key has; set it again, without \
                 quotes and line ends"
            ));
        }
        let base = url.trim().trim_end_matches('/').to_owned();
        let uri: Option<Uri> = base.parse().ok();
        let is_web = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        let has_user = |uri: &Uri| uri.authority().is_some_and(|all| all.as_str().contains('@'));
        let uri = uri.filter(|uri| is_web(uri) && uri.query().is_none() && !has_user(uri));
        let host = uri.as_ref().and_then(Uri::host).filter(|host| !host.is_empty());
        let Some(host) = host else {
            return Err(format!(
                "the address of {name} is none; it should look like https://example.org, without \
                 a user, a password and a query"
            ));
        };
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A key must not travel on.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(bounds.connect))
            .user_agent(USER_AGENT);
        if host == "localhost" || host == "[::1]" || host.starts_with("127.") {
            config = config.proxy(None);
        }
        Ok(Self { name, agent: config.build().into(), base, key: key.to_owned(), bounds })
    }

    pub(super) fn key(&self) -> String {
        self.key.clone()
    }

    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.key)
    }

    /// The body of an answer. Who asks to come back in a moment is asked again, once.
    pub(super) fn get(
        &self,
        path: &str,
        headers: &[(&'static str, String)],
        deadline: Deadline,
    ) -> Result<Vec<u8>> {
        let mut is_second = false;
        loop {
            let mut request = self
                .agent
                .get(format!("{}{path}", self.base))
                .config()
                .timeout_global(Some(deadline.left(self.name)?))
                .build();
            for (name, value) in headers {
                request = request.header(*name, value);
            }
            let answer = request.call();
            let mut answer =
                answer.map_err(|error| self.hidden(broken(&error, self.name, deadline)))?;
            if answer.status().is_success() {
                let body = read_body(answer.body_mut().as_reader(), self.bounds.body_max);
                return body.map_err(|error| {
                    self.hidden(cut_off(error, self.name, self.bounds, deadline))
                });
            }
            let wait = wait_of(answer.headers(), Timestamp::now());
            match wait {
                Some(wait)
                    if answer.status() == StatusCode::TOO_MANY_REQUESTS
                        && !is_second
                        && wait <= self.bounds.pause_max.min(deadline.left(self.name)?) =>
                {
                    is_second = true;
                    thread::sleep(wait);
                }
                _ => return Err(refused(&mut answer, Some(&self.key))),
            }
        }
    }

    fn hidden(&self, mut error: Error) -> Error {
        error.message = error.message.replace(&self.key, "***");
        error
    }
}

/// All of a body, if it has no more than `max` bytes.
pub(super) fn read_body(reader: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    reader.take(max + 1).read_to_end(&mut body)?;
    if body.len() as u64 > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(body)
}

/// What is said of a body that did not come whole.
pub(super) fn cut_off(error: io::Error, who: &str, bounds: Bounds, deadline: Deadline) -> Error {
    if error.kind() == io::ErrorKind::FileTooLarge {
        let max = bounds.body_max / 1_000_000;
        return Error::new(ErrorKind::Limit, format!("{who}: the page has more than {max} MB"));
    }
    broken(&ureq::Error::from(error), who, deadline)
}

/// What is said when there is no answer.
pub(super) fn broken(error: &ureq::Error, who: &str, deadline: Deadline) -> Error {
    let outside = |what: String| Error::new(ErrorKind::Outside, format!("{who} {what}"));
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            Error::new(ErrorKind::Timeout, format!("{who} could not be reached in time"))
        }
        ureq::Error::Timeout(_) => deadline.is_over(who),
        ureq::Error::HostNotFound => outside("is not known; check the network".to_owned()),
        error => outside(format!("gave no whole answer: {}", excerpt(&error.to_string()))),
    }
}

/// What is said of an answer with a status that is no success.
pub(super) fn refused(response: &mut Response<Body>, key: Option<&str>) -> Error {
    let status = response.status();
    let code = status.as_u16();
    if status == StatusCode::TOO_MANY_REQUESTS {
        let when = match wait_of(response.headers(), Timestamp::now()) {
            Some(wait) => format!("in {} s", wait.as_secs()),
            None => "later".to_owned(),
        };
        let message = format!("HTTP {code}: rate limited; try again {when}");
        return Error::new(ErrorKind::Limit, message);
    }
    // What is left of a body that broke off says enough.
    let mut body = Vec::new();
    _ = response.body_mut().as_reader().take(ERROR_BODY_MAX).read_to_end(&mut body);
    let mut said = said(&body);
    if let Some(key) = key {
        said = said.replace(key, "***");
    }
    let said = match excerpt(&said) {
        said if said.is_empty() => {
            status.canonical_reason().unwrap_or("no reason given").to_owned()
        }
        said => said,
    };
    Error::new(ErrorKind::Outside, format!("HTTP {code}: {said}"))
}

/// How long somebody asks to wait: `Retry-After` in seconds or as a date, or when the windows of a
/// quota that are used up begin anew.
fn wait_of(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(after) = text("retry-after") {
        if let Ok(seconds) = after.parse() {
            return Some(Duration::from_secs(seconds));
        }
        let at = jiff::fmt::rfc2822::parse(after).ok()?.timestamp();
        return Some(Duration::from_secs(
            u64::try_from(at.as_second() - now.as_second()).unwrap_or(0),
        ));
    }
    let numbers = |name: &str| -> Option<Vec<u64>> {
        text(name)?.split(',').map(|number| number.trim().parse().ok()).collect()
    };
    let (left, resets) = (numbers("x-ratelimit-remaining")?, numbers("x-ratelimit-reset")?);
    let used_up = left.iter().zip(resets).filter(|(left, _)| **left == 0);
    used_up.map(|(_, reset)| Duration::from_secs(reset)).max()
}

/// What the body of an error says.
fn said(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if let Ok(document) = serde_json::from_str::<serde_json::Value>(&text) {
        let places = [
            "/error/detail",
            "/error/message",
            "/readableMessage",
            "/message",
            "/detail",
            "/error",
        ];
        let message = places.iter().find_map(|place| document.pointer(place)?.as_str());
        return message.map_or_else(|| document.to_string(), str::to_owned);
    }
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    match title {
        Some((title, _)) => title.to_owned(),
        None if text.trim_start().starts_with('<') => String::new(),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&'static str, &str)]) -> Option<u64> {
        let pair = |(name, value): &(&'static str, &str)| {
            ((*name).parse().unwrap(), value.parse().unwrap())
        };
        let headers: HeaderMap = headers
            .iter()
            .map(pair)
            .collect::<Vec<(ureq::http::HeaderName, ureq::http::HeaderValue)>>()
            .into_iter()
            .collect();
        let now = "2026-11-16T12:00:00Z".parse().unwrap();
        wait_of(&headers, now).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_wait_is_told_in_seconds_as_a_date_or_by_a_quota() {
        assert_eq!(wait(&[("retry-after", "30")]), Some(30));
        assert_eq!(wait(&[("retry-after", "Mon, 16 Nov 2026 12:00:45 GMT")]), Some(45));
        assert_eq!(wait(&[("retry-after", "Mon, 16 Nov 2026 11:00:00 GMT")]), Some(0));
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[]), None);
        let quota = [("x-ratelimit-remaining", "0, 1999"), ("x-ratelimit-reset", "1, 86400")];
        assert_eq!(wait(&quota), Some(1));
        let month = [("x-ratelimit-remaining", "0, 0"), ("x-ratelimit-reset", "1, 86400")];
        assert_eq!(wait(&month), Some(86_400));
        let none = [("x-ratelimit-remaining", "1, 2"), ("x-ratelimit-reset", "1, 86400")];
        assert_eq!(wait(&none), None);
    }

    #[test]
    fn what_somebody_says_is_found_and_cut() {
        assert_eq!(said(br#"{"error": {"code": "X", "detail": "bad token"}}"#), "bad token");
        assert_eq!(said(br#"{"readableMessage": "no such page", "message": "x"}"#), "no such page");
        assert_eq!(said(br#"{"a": 1}"#), r#"{"a":1}"#);
        assert_eq!(said(b"<html><title>502 Bad Gateway</title>"), "502 Bad Gateway");
        assert_eq!(said(b"<html>"), "");
    }

    #[test]
    fn a_key_or_an_address_that_is_none_is_not_shown() {
        for (url, key) in [
            ("https://example.org", "s3cret\nline"),
            ("https://u:s3cret@example.org", "k"),
            ("s3cret", "k"),
            ("ftp://example.org", "k"),
            ("https://example.org/?s3cret", "k"),
        ] {
            let Err(error) = Service::new("Brave Search", url, key, Bounds::DEFAULT) else {
                panic!("{url} was taken")
            };
            assert!(error.contains("Brave Search") && !error.contains("s3cret"), "{error}");
        }
    }
}
