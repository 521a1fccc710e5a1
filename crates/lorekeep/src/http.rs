//! How HTTP is served, as it was set: where, to whom, with what certificate, and how much of it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serve::http::{Limits, Tls, check_sites};

use crate::cli::HttpArgs;
use crate::oauth;

/// How many calls may wait for their turn over HTTP. Beyond it the answer is a refusal, and quick.
const WAITING_MAX: usize = 512;

/// The names of the limits.
const LIMITS: [&str; 7] =
    ["rate", "burst", "in-flight", "inside", "waiting", "body-bytes", "connections"];

/// What one place says. Keys are those of the table `http` in the configuration file, which may also
/// be an address alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Partial {
    address: Option<String>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    allowed_hosts: Option<Vec<String>>,
    allowed_origins: Option<Vec<String>>,
    behind_proxy: Option<bool>,
    limits: BTreeMap<String, u64>,
    oauth: oauth::Partial,
}

/// Reads the key `http` of a configuration file.
pub(crate) fn of_file<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Partial>, D::Error> {
    struct Forms;

    impl<'de> Visitor<'de> for Forms {
        type Value = Partial;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an address, or a table with address, tls-cert and others")
        }

        fn visit_str<E>(self, address: &str) -> std::result::Result<Partial, E> {
            Ok(Partial { address: Some(address.to_owned()), ..Partial::default() })
        }

        fn visit_map<A: MapAccess<'de>>(self, table: A) -> std::result::Result<Partial, A::Error> {
            Partial::deserialize(MapAccessDeserializer::new(table))
        }
    }

    from.deserialize_any(Forms).map(Some)
}

/// What holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Setting {
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
    /// How much is taken.
    pub limits: Limits,
    /// How many calls may wait for their turn.
    pub waiting_max: usize,
    /// The issuer whose tokens are let in, if any.
    pub oauth: Option<oauth::Setting>,
}

impl Partial {
    /// What the command line says.
    pub(crate) fn of_options(args: &HttpArgs, limits: BTreeMap<String, u64>) -> Self {
        let given = |list: &[String]| (!list.is_empty()).then(|| list.to_vec());
        Self {
            address: args.http.clone(),
            tls_cert: args.tls_cert.clone(),
            tls_key: args.tls_key.clone(),
            allowed_hosts: given(&args.allow_host),
            allowed_origins: given(&args.allow_origin),
            behind_proxy: args.behind_proxy.then_some(true),
            limits,
            oauth: oauth::Partial::default(),
        }
    }

    /// What the variables say; `get` reads one, `list` one of several words, `flag` one that is true or
    /// false.
    pub(crate) fn of_variables(
        get: impl Fn(&str) -> Option<String>,
        list: impl Fn(&str) -> Option<Vec<String>>,
        flag: impl Fn(&str) -> Result<Option<bool>>,
        limits: BTreeMap<String, u64>,
    ) -> Result<Self> {
        Ok(Self {
            address: get("LOREKEEP_HTTP"),
            tls_cert: get("LOREKEEP_TLS_CERT").map(PathBuf::from),
            tls_key: get("LOREKEEP_TLS_KEY").map(PathBuf::from),
            allowed_hosts: list("LOREKEEP_ALLOWED_HOSTS"),
            allowed_origins: list("LOREKEEP_ALLOWED_ORIGINS"),
            behind_proxy: flag("LOREKEEP_BEHIND_PROXY")?,
            limits,
            oauth: oauth::Partial::of_variables(get)?,
        })
    }

    /// The same with files that a file names relative to itself.
    pub(crate) fn beside(mut self, dir: &Path) -> Self {
        for file in [&mut self.tls_cert, &mut self.tls_key].into_iter().flatten() {
            *file = dir.join(&file);
        }
        self
    }

    /// This place's word, and the other's where this one says nothing.
    pub(crate) fn or(self, other: Self) -> Self {
        let mut limits = other.limits;
        limits.extend(self.limits);
        Self {
            address: self.address.or(other.address),
            tls_cert: self.tls_cert.or(other.tls_cert),
            tls_key: self.tls_key.or(other.tls_key),
            allowed_hosts: self.allowed_hosts.or(other.allowed_hosts),
            allowed_origins: self.allowed_origins.or(other.allowed_origins),
            behind_proxy: self.behind_proxy.or(other.behind_proxy),
            limits,
            oauth: self.oauth.or(other.oauth),
        }
    }

    /// What holds in the end.
    pub(crate) fn settle(self) -> Result<Setting> {
        let tls = match (self.tls_cert, self.tls_key) {
            (Some(cert), Some(key)) => Some((cert, key)),
            (None, None) => None,
            (Some(_), None) => bail!("tls-cert needs tls-key, the certificate's key"),
            (None, Some(_)) => bail!("tls-key needs tls-cert, the key's certificate"),
        };
        let mut limits = Limits::default();
        let mut waiting_max = WAITING_MAX;
        for (name, max) in &self.limits {
            let number = usize::try_from(*max).unwrap_or(usize::MAX);
            let small = u32::try_from(*max).unwrap_or(u32::MAX);
            if number == 0 && name != "rate" {
                bail!("http limit {name} is 0; it takes a whole number from 1");
            }
            match name.as_str() {
                "rate" => limits.rate_max = small,
                "burst" => limits.burst_max = small,
                "in-flight" => limits.in_flight_max = number,
                "inside" => limits.inside_max = number,
                "waiting" => (waiting_max, limits.waiting_max) = (number, number),
                "body-bytes" => limits.body_bytes_max = number,
                "connections" => limits.connections_max = number,
                _ => bail!("http limit {name:?} is unknown; it takes {}", LIMITS.join(", ")),
            }
        }
        let allowed_hosts = self.allowed_hosts.unwrap_or_default();
        let allowed_origins = self.allowed_origins.unwrap_or_default();
        check_sites(&allowed_hosts, &allowed_origins).map_err(|why| anyhow!(why))?;
        Ok(Setting {
            address: self.address,
            tls,
            allowed_hosts,
            allowed_origins,
            behind_proxy: self.behind_proxy.unwrap_or_default(),
            limits,
            waiting_max,
            oauth: self.oauth.settle()?,
        })
    }
}

impl HttpArgs {
    /// Refuses what was said of HTTP where it is not served, and would do nothing.
    pub(crate) fn refuse_any(&self) -> Result<()> {
        let said = [
            ("--tls-cert", self.tls_cert.is_some()),
            ("--tls-key", self.tls_key.is_some()),
            ("--allow-host", !self.allow_host.is_empty()),
            ("--allow-origin", !self.allow_origin.is_empty()),
            ("--behind-proxy", self.behind_proxy),
            ("--http-limit", !self.http_limit.is_empty()),
        ];
        match said.iter().find(|(_, is_said)| *is_said) {
            Some((option, _)) => bail!("{option} is for HTTP; --http ADDR serves it"),
            None => Ok(()),
        }
    }
}

impl Setting {
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

    fn settle(text: &str) -> Result<Setting> {
        #[derive(Deserialize)]
        struct File {
            #[serde(deserialize_with = "of_file")]
            http: Option<Partial>,
        }
        toml::from_str::<File>(text)?.http.unwrap_or_default().settle()
    }

    #[test]
    fn an_address_alone_is_enough_and_a_table_says_more() {
        let alone = settle("http = \"127.0.0.1:1\"").unwrap();
        assert_eq!(alone.address.as_deref(), Some("127.0.0.1:1"));
        assert_eq!((alone.limits, alone.waiting_max), (Limits::default(), WAITING_MAX));
        let table = settle(
            "[http]\naddress = \"0.0.0.0:1\"\ntls-cert = \"c\"\ntls-key = \"k\"\n\
             allowed-hosts = [\"lore.example\"]\nlimits.rate = 0\nlimits.body-bytes = 9",
        )
        .unwrap();
        assert_eq!(table.tls, Some(("c".into(), "k".into())));
        assert_eq!(table.allowed_hosts, ["lore.example"]);
        assert_eq!((table.limits.rate_max, table.limits.body_bytes_max), (0, 9));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| settle(text).unwrap_err().to_string();
        assert!(wrong("[http]\ntls-cert = \"c\"").contains("tls-cert needs tls-key"));
        assert!(wrong("[http]\nlimits.rat = 1").contains("\"rat\" is unknown; it takes rate"));
        assert!(wrong("[http]\nlimits.burst = 0").contains("burst is 0"));
        assert!(wrong("[http]\ntsl-cert = \"c\"").contains("unknown field `tsl-cert`"));
        assert!(wrong("http = 7").contains("an address, or a table"));
        let host = wrong("[http]\nallowed-hosts = [\"https://lore.example\"]");
        assert!(host.contains("\"https://lore.example\" is no name"), "{host}");
        assert!(wrong("[http]\nallowed-origins = [\"*\"]").contains("\"*\" is no site"));
    }

    #[test]
    fn beyond_this_machine_only_with_tls() {
        let bare = Setting::default();
        assert!(bare.socket("127.0.0.1:0").is_ok() && bare.socket("[::1]:0").is_ok());
        let refused = bare.socket("0.0.0.0:0").unwrap_err().to_string();
        assert!(refused.contains("beyond this machine") && refused.contains("--tls-cert"));
        let with_tls = Setting { tls: Some(("c".into(), "k".into())), ..Setting::default() };
        assert!(with_tls.socket("0.0.0.0:0").is_ok());
        let proxied = Setting { behind_proxy: true, ..Setting::default() };
        assert!(proxied.socket("0.0.0.0:0").is_ok());
        assert!(bare.socket("nowhere").is_err());
    }
}
