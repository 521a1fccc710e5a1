//! The web: Brave searches it, and pages are read by Jina's reader or, without a key for that, here.
//!
//! Whoever starts the server says where Brave and Jina are, so these may be anywhere. An address that
//! a caller gives is checked ([`guard`]): it may lead to a public place only, unless private ones are
//! allowed. What a service answers is the business of [`brave`]; how a page becomes Markdown is told
//! in [`page`].

mod ask;
mod brave;
mod fetch;
mod guard;
mod page;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::ports::{Hit, Place, Web};
use engine::{Error, ErrorKind, Result};

use ask::Service;
use brave::Brave;
use guard::{Guard, SystemNames};

/// What is made of a page that came so: for those who try what it takes.
///
/// # Errors
///
/// Why it is not read.
#[doc(hidden)]
pub fn page_of(content_type: &str, body: Vec<u8>) -> engine::Result<String> {
    let url = url::Url::parse("https://example.org/a/b?c#d");
    let url =
        url.map_err(|why| engine::Error::new(engine::ErrorKind::Internal, why.to_string()))?;
    page::read(&fetch::Fetched { url, content_type: content_type.to_owned(), body })
}

/// How the web is reached.
#[derive(Clone)]
pub struct WebSetup {
    /// The key for Brave Search; without one nothing is searched.
    pub brave_key: Option<String>,
    /// Where Brave Search is.
    pub brave_url: String,
    /// The key for Jina's reader; without one pages are read without it.
    pub jina_key: Option<String>,
    /// Where Jina's reader is.
    pub jina_url: String,
    /// Whether pages may be read that lie in a private network, or on this machine.
    pub allow_private: bool,
}

impl Default for WebSetup {
    fn default() -> Self {
        Self {
            brave_key: None,
            brave_url: "https://api.search.brave.com".to_owned(),
            jina_key: None,
            jina_url: "https://r.jina.ai".to_owned(),
            allow_private: false,
        }
    }
}

/// Without the keys.
impl fmt::Debug for WebSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSetup")
            .field("has_brave_key", &self.brave_key.is_some())
            .field("has_jina_key", &self.jina_key.is_some())
            .field("allow_private", &self.allow_private)
            .finish_non_exhaustive()
    }
}

/// How long and how much; tests are less patient.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// For a connection to be there.
    connect: Duration,
    /// For all that one call asks.
    whole: Duration,
    /// Who asks to come back within this time is asked again, once.
    pause_max: Duration,
    /// The body of an answer, in bytes, unpacked.
    body_max: u64,
}

impl Bounds {
    const DEFAULT: Self = Self {
        connect: Duration::from_secs(10),
        whole: Duration::from_secs(30),
        pause_max: Duration::from_secs(2),
        body_max: 5_000_000,
    };

    fn deadline(self) -> Deadline {
        Deadline { at: Instant::now() + self.whole, whole: self.whole }
    }
}

/// When a call's time is over.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    at: Instant,
    whole: Duration,
}

impl Deadline {
    /// The time that is left; an error if there is none.
    fn left(self, who: &str) -> Result<Duration> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.is_over(who)) } else { Ok(left) }
    }

    fn is_over(self, who: &str) -> Error {
        let whole = self.whole;
        Error::new(ErrorKind::Timeout, format!("{who} gave no whole answer within {whole:?}"))
    }
}

/// The web as it is.
pub struct LiveWeb {
    brave: Brave,
    jina: Option<Service>,
    guard: Guard,
    bounds: Bounds,
}

impl fmt::Debug for LiveWeb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LiveWeb")
    }
}

impl LiveWeb {
    /// Connects to nothing yet. An error says in one sentence which address or key is none.
    pub fn new(setup: &WebSetup) -> Result<Self, String> {
        Self::bounded(setup, Bounds::DEFAULT)
    }

    fn bounded(setup: &WebSetup, bounds: Bounds) -> Result<Self, String> {
        let service = |name, url: &str, key: &Option<String>| {
            let key = key.as_deref().map(str::trim).filter(|key| !key.is_empty());
            key.map(|key| Service::new(name, url, key, bounds)).transpose()
        };
        Ok(Self {
            brave: Brave(service("Brave Search", &setup.brave_url, &setup.brave_key)?),
            jina: service("Jina's reader", &setup.jina_url, &setup.jina_key)?,
            guard: Guard::new(setup.allow_private, Arc::new(SystemNames)),
            bounds,
        })
    }
}

impl Web for LiveWeb {
    fn search(&self, query: &str, count: usize, offset: usize) -> Result<Vec<Hit>> {
        self.brave.search(query, count, offset, self.bounds.deadline())
    }

    fn places(&self, query: &str, count: usize) -> Result<Vec<Place>> {
        self.brave.places(query, count, self.bounds.deadline())
    }

    fn read(&self, url: &str) -> Result<String> {
        let (url, deadline) = (guard::parse(url)?, self.bounds.deadline());
        let Some(jina) = &self.jina else {
            let fetched = fetch::fetch(&self.guard, url, self.bounds, deadline)?;
            return page::read(&fetched);
        };
        // What only this machine can reach is none of Jina's business.
        self.guard.check(&url, deadline)?;
        let headers = [("authorization", jina.bearer()), ("accept", "text/plain".to_owned())];
        let answer = jina.get(&format!("/{url}"), &headers, deadline)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}
