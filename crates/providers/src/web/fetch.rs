//! Reads a page without anybody's help: follows what it sends to, checks every step, and connects to
//! the addresses that were checked and to no others. No proxy is used, because a proxy would look the
//! names up by itself.

use std::io::Read;
use std::net::SocketAddr;

use engine::{Error, ErrorKind, Result};
use flate2::read::MultiGzDecoder;
use ureq::config::Config;
use ureq::http::{Response, Uri};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};
use url::Url;

use super::ask::{USER_AGENT, broken, cut_off, read_body, refused};
use super::guard::{Guard, parse};
use super::{Bounds, Deadline};
use crate::http::excerpt;

/// How often a page may send elsewhere.
const REDIRECTS_MAX: usize = 5;

/// What a page is asked for.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/markdown, text/plain, \
    application/json;q=0.9, */*;q=0.1";

/// A page as it came.
pub(super) struct Fetched {
    /// Where it was in the end.
    pub(super) url: Url,
    /// What it is, as its server says; empty if it says nothing.
    pub(super) content_type: String,
    /// Its bytes, unpacked.
    pub(super) body: Vec<u8>,
}

/// Knows one answer only: the addresses that were checked.
#[derive(Debug)]
struct Checked(Vec<SocketAddr>);

impl Resolver for Checked {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        // There is room for sixteen.
        self.0.iter().take(16).for_each(|address| addresses.push(*address));
        Ok(addresses)
    }
}

/// Reads a page.
pub(super) fn fetch(
    guard: &Guard,
    mut url: Url,
    bounds: Bounds,
    deadline: Deadline,
) -> Result<Fetched> {
    for _ in 0..=REDIRECTS_MAX {
        let addresses = guard.check(&url, deadline)?;
        let mut answer = ask(&url, addresses, bounds, deadline)?;
        let header = |name: &str| {
            let value = answer.headers().get(name).map(|value| value.as_bytes());
            value.map(|value| String::from_utf8_lossy(value).into_owned())
        };
        let status = answer.status().as_u16();
        if let (301 | 302 | 303 | 307 | 308, Some(to)) = (status, header("location")) {
            url = follow(&url, &to)?;
            continue;
        }
        if !answer.status().is_success() {
            return Err(refused(&mut answer, None));
        }
        let content_type = header("content-type").unwrap_or_default();
        let encoding = header("content-encoding").unwrap_or_default().trim().to_lowercase();
        let host = url.host_str().unwrap_or_default();
        let packed = answer.body_mut().as_reader();
        let reader: Box<dyn Read> = match encoding.as_str() {
            "" | "identity" => Box::new(packed),
            "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(packed)),
            other => {
                let message = format!("{host} packed the page as {}, unasked", excerpt(other));
                return Err(Error::new(ErrorKind::Outside, message));
            }
        };
        let body = read_body(reader, bounds.body_max);
        let body = body.map_err(|error| cut_off(error, host, bounds, deadline))?;
        return Ok(Fetched { url, content_type, body });
    }
    let host = url.host_str().unwrap_or_default();
    let message =
        format!("the page sends elsewhere more than {REDIRECTS_MAX} times, at last to {host}");
    Err(Error::new(ErrorKind::Outside, message))
}

/// Where a page sends to.
fn follow(url: &Url, to: &str) -> Result<Url> {
    let next = url.join(to).ok().and_then(|next| parse(next.as_str()).ok());
    next.ok_or_else(|| {
        let host = url.host_str().unwrap_or_default();
        let message = format!("{host} sends to something that is no address of a page");
        Error::new(ErrorKind::Outside, message)
    })
}

fn ask(
    url: &Url,
    addresses: Vec<SocketAddr>,
    bounds: Bounds,
    deadline: Deadline,
) -> Result<Response<Body>> {
    let host = url.host_str().unwrap_or_default();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_connect(Some(bounds.connect))
        .timeout_global(Some(deadline.left(host)?))
        .user_agent(USER_AGENT)
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), Checked(addresses));
    let request =
        agent.get(url.as_str()).header("accept", ACCEPT).header("accept-encoding", "gzip");
    request.call().map_err(|error| broken(&error, host, deadline))
}
