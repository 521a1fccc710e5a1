//! How HTTP is served, as it was set: where, to whom, with what certificate, and how much of it.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use serve::http::{Limits, Tls};

use super::oauth::OauthSettings;

/// Default number of calls that may wait over HTTP. Further calls are refused at once.
const WAITING_MAX: usize = 512;

/// The HTTP settings in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpSettings {
    /// Where to serve, if at all.
    pub address: Option<String>,
    /// The files of the certificate and of its key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Names under which callers may reach the server, besides this machine's own.
    pub allowed_hosts: Vec<String>,
    /// Sites whose pages may call, besides those of this machine.
    pub allowed_origins: Vec<String>,
    /// Whether a proxy ends TLS.
    pub behind_proxy: bool,
    /// Limits on requests.
    pub limits: Limits,
    /// Maximum number of waiting calls.
    pub waiting_max: usize,
    /// The issuer whose tokens are let in, if any.
    pub oauth: Option<OauthSettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            address: None,
            tls: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            behind_proxy: false,
            limits: Limits::default(),
            waiting_max: WAITING_MAX,
            oauth: None,
        }
    }
}

impl HttpSettings {
    /// The address as a socket takes it. Beyond this machine everything that is said could be read on
    /// the way, so there must be TLS, here or in front.
    pub(crate) fn socket(&self, address: &str) -> Result<SocketAddr> {
        let resolved = address
            .to_socket_addrs()
            .map_err(|why| anyhow!("--http {address:?}: {why}; it takes ADDRESS:PORT"))?
            .next()
            .ok_or_else(|| anyhow!("--http {address:?} is no address"))?;
        if !resolved.ip().is_loopback() && self.tls.is_none() && !self.behind_proxy {
            bail!(
                "--http {address} reaches beyond this machine, where tokens and memories could be \
                 read on the way: it needs --tls-cert and --tls-key, or a loopback address such as \
                 127.0.0.1:7420 (--behind-proxy if a proxy in front ends TLS)"
            );
        }
        Ok(resolved)
    }

    /// The certificate, read and ready.
    pub(crate) fn tls(&self) -> Result<Option<Tls>> {
        let load = |(cert, key): &(PathBuf, PathBuf)| Tls::load(cert, key).context("TLS");
        self.tls.as_ref().map(load).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_beyond_this_machine_needs_tls() {
        let bare = HttpSettings::default();
        assert!(bare.socket("127.0.0.1:0").is_ok() && bare.socket("[::1]:0").is_ok());
        let refused = bare.socket("0.0.0.0:0").unwrap_err().to_string();
        assert!(refused.contains("beyond this machine") && refused.contains("--tls-cert"));
        let tls = Some(("c".into(), "k".into()));
        assert!(HttpSettings { tls, ..bare.clone() }.socket("0.0.0.0:0").is_ok());
        let proxied = HttpSettings { behind_proxy: true, ..HttpSettings::default() };
        assert!(proxied.socket("0.0.0.0:0").is_ok());
        assert!(bare.socket("nowhere").is_err());
    }
}
