//! From where a request may come: the name under which the server was called, and the page that calls.
//!
//! Both are looked at before anything else, for every path: a page anywhere can make a browser send
//! requests here under a name of its own. Who watches (`/healthz`, `/readyz`) may use any name, as
//! probes do that know an address alone; there is nothing to be had there.

use std::net::Ipv6Addr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{error, refuse};
use crate::metrics::Reason;

/// Paths that answer under any name.
const OPEN_PATHS: [&str; 2] = ["/healthz", "/readyz"];

/// Headers of which a second one could be read by somebody else than the first.
const SINGLE: [HeaderName; 3] = [header::HOST, header::AUTHORIZATION, header::ORIGIN];

/// What a page may send.
const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// The headers that a page may send.
const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, \
     mcp-method, mcp-name, traceparent, tracestate",
);

/// The headers of an answer that a page may read.
const EXPOSED_HEADERS: HeaderValue =
    HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after");

/// How long a browser may keep what it was told of this, in seconds.
const KEPT_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// A port that may be called from, or under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Any,
    Only(u16),
}

/// A site whose pages may call.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Site {
    scheme: String,
    host: String,
    port: Port,
}

/// The names and the sites that may call.
#[derive(Debug)]
pub(super) struct Sites {
    hosts: Vec<(String, Port)>,
    origins: Vec<Site>,
}

impl Sites {
    /// `hosts` are names, with a port or for any; `origins` are such as `https://app.example` (its
    /// usual port), `https://app.example:8443` and `http://localhost:*` (any).
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Result<Self, String> {
        let host = |host: &String| {
            allowed_host(host).ok_or_else(|| {
                format!(
                    "--allow-host {host:?} is no name that callers use; it takes one such as \
                     lore.example or lore.example:8443, without https:// and without *"
                )
            })
        };
        let origin = |origin: &String| {
            allowed_origin(origin).ok_or_else(|| {
                format!(
                    "--allow-origin {origin:?} is no site; it takes one such as https://app.example, \
                     https://app.example:8443 or http://localhost:*"
                )
            })
        };
        Ok(Self {
            hosts: hosts.iter().map(host).collect::<Result<_, _>>()?,
            origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
        })
    }

    /// Whether the server may be called by this name.
    fn has_host(&self, host: &str) -> bool {
        let named = host.parse::<Authority>().ok().filter(|_| !host.contains('@'));
        let Some(called) = named else { return false };
        let (name, port) = (plain(called.host()), called.port_u16());
        self.hosts.iter().any(|(host, only)| {
            *host == name && (*only == Port::Any || port.map(Port::Only) == Some(*only))
        })
    }

    /// Whether pages of this site may call.
    fn has_origin(&self, origin: &str) -> bool {
        let Some(site) = allowed_origin(origin) else { return false };
        self.origins.iter().any(|allowed| {
            allowed.scheme == site.scheme
                && allowed.host == site.host
                && (allowed.port == Port::Any || allowed.port == site.port)
        })
    }

    /// What is wrong with where a request comes from, if anything.
    fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        let is_double = |name: &&HeaderName| headers.get_all(*name).iter().nth(1).is_some();
        if let Some(name) = SINGLE.iter().find(is_double) {
            let text = format!("the request has more than one header {name}; it takes one");
            return Some(error(StatusCode::BAD_REQUEST, -32600, &text));
        }
        let said = headers.get(header::HOST).map(|host| host.to_str().unwrap_or_default());
        let mut names = uri.authority().map(Authority::as_str).into_iter().chain(said);
        let is_open = OPEN_PATHS.contains(&uri.path());
        let is_called = said.is_some() && names.all(|name| self.has_host(name));
        if !is_open && !is_called {
            let text = "the server may not be called by this name; --allow-host NAME allows one";
            return Some(error(StatusCode::FORBIDDEN, -32600, text));
        }
        let page = headers.get(header::ORIGIN)?.to_str().unwrap_or_default();
        (!self.has_origin(page)).then(|| {
            let text = "pages of this site may not call; --allow-origin ORIGIN allows one";
            error(StatusCode::FORBIDDEN, -32600, text)
        })
    }
}

/// A host as it is compared.
fn plain(host: &str) -> String {
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

/// A name that may be called, with a port or for any; a bare IPv6 address is one.
fn allowed_host(host: &str) -> Option<(String, Port)> {
    if host.parse::<Ipv6Addr>().is_ok() {
        return Some((plain(host), Port::Any));
    }
    let (name, port) = named(host)?;
    Some((name, port.map_or(Port::Any, Port::Only)))
}

/// The host that a text names, and its port.
fn named(text: &str) -> Option<(String, Option<u16>)> {
    let authority: Authority = text.parse().ok()?;
    let (host, port) = (authority.host(), authority.port_u16());
    // Nothing before it, such as a user, and nothing after it but a port.
    let is_whole = text.strip_prefix(host).is_some_and(|rest| rest.is_empty() || port.is_some());
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            !host.is_empty() && host.chars().all(is_plain)
        }
    };
    (is_whole && is_host).then(|| (plain(host), port))
}

fn allowed_origin(origin: &str) -> Option<Site> {
    let (base, any) = origin.strip_suffix(":*").map_or((origin, false), |base| (base, true));
    let uri: Uri = base.parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
    let usual = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let (host, port) = named(authority.as_str())?;
    let port = match any {
        true => Port::Any,
        false => Port::Only(port.unwrap_or(usual)),
    };
    uri.path_and_query().is_none_or(|path| path == "/").then_some(Site { scheme, host, port })
}

/// Lets through what comes from where it may. A page that may call is told so, as browsers want it.
pub(super) async fn check(
    State(sites): State<Arc<Sites>>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(refusal) = sites.refusal(request.uri(), request.headers()) {
        let why = "its Host or Origin is nobody's that may call";
        return refuse(request, refusal, Reason::Host, (None, why.to_owned())).await;
    }
    let Some(page) = request.headers().get(header::ORIGIN).cloned() else {
        return next.run(request).await;
    };
    let asks = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match asks && *request.method() == Method::OPTIONS {
        true => may_send(),
        false => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, page);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    response
}

/// The answer to a browser that asks before it sends what a page wants to send.
fn may_send() -> Response {
    let told = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, KEPT_SECONDS),
    ];
    (StatusCode::NO_CONTENT, told).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites() -> Sites {
        let own = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        Sites::new(
            &own(&["localhost", "::1", "lore.example:8443"]),
            &own(&["http://localhost:*", "http://[::1]:*", "https://app.example"]),
        )
        .unwrap()
    }

    #[test]
    fn a_name_is_one_that_is_allowed() {
        let sites = sites();
        for good in ["localhost", "LOCALHOST:7420", "[::1]:80", "lore.example:8443"] {
            assert!(sites.has_host(good), "{good}");
        }
        for bad in [
            "",
            "localhost.evil.example",
            "lore.example",
            "lore.example:80",
            "evil@localhost",
            "127.1",
        ] {
            assert!(!sites.has_host(bad), "{bad}");
        }
    }

    #[test]
    fn a_page_is_of_a_site_that_is_allowed() {
        let sites = sites();
        for good in [
            "http://localhost",
            "http://localhost:3000",
            "http://[::1]:5173",
            "https://app.example",
            "https://app.example:443",
        ] {
            assert!(sites.has_origin(good), "{good}");
        }
        for bad in [
            "null",
            "",
            "https://localhost",
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil.example",
            "nonsense",
        ] {
            assert!(!sites.has_origin(bad), "{bad}");
        }
    }

    #[test]
    fn what_could_never_be_called_or_call_is_refused_at_once() {
        let wrong = |hosts: &[&str], origins: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
            Sites::new(&own(hosts), &own(origins)).err()
        };
        for host in [
            "",
            "https://lore.example",
            "lore.example/mcp",
            "*.corp.example",
            "*",
            "me@lore.example",
            "lore.example:",
            "lore.example:x",
            "lore.example:*",
            "[lore]",
        ] {
            let why = wrong(&[host], &[]).unwrap_or_else(|| panic!("{host}"));
            assert!(why.contains("--allow-host") && why.contains(&format!("{host:?}")), "{why}");
        }
        for origin in [
            "app.example",
            "*",
            "null",
            "",
            "https://*.example",
            "https://app.example/page",
            "https://app.example?a",
            "https://me@app.example",
            "ftp://app.example",
            "chrome-extension://abc",
        ] {
            let why = wrong(&[], &[origin]).unwrap_or_else(|| panic!("{origin}"));
            assert!(why.contains("--allow-origin") && why.contains("https://app.example"), "{why}");
        }
        let good = wrong(
            &["lore.example", "LORE_1.example:8443", "10.0.0.7", "::1", "[::1]", "[::1]:7420"],
            &["https://app.example", "https://app.example/", "http://10.0.0.7:*", "http://[::1]:1"],
        );
        assert_eq!(good, None);
    }

    #[test]
    fn a_second_header_is_one_too_many() {
        let mut headers = HeaderMap::new();
        let status = |headers: &HeaderMap, uri: &str| {
            sites().refusal(&uri.parse().unwrap(), headers).map(|answer| answer.status().as_u16())
        };
        assert_eq!(status(&headers, "/mcp"), Some(403), "no name at all");
        assert_eq!(status(&headers, "/healthz"), None);
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert_eq!(status(&headers, "/mcp"), None);
        assert_eq!(status(&headers, "http://evil.example/mcp"), Some(403));
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert_eq!(status(&headers, "/mcp"), Some(400));
    }
}
