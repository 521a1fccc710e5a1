//! What the server tells while it works: a log on standard error, and traces to a collector if that
//! is wanted.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use opentelemetry::trace::TracerProvider as _;
use serde::Deserialize;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt, registry};

use crate::config::variable;
use crate::output;

/// How long the last spans may take at the end of the process.
const FLUSH_MAX: Duration = Duration::from_millis(400);

/// The variable that turns traces on or off, or says where they go.
const VARIABLE: &str = "LOREKEEP_TRACES";

/// What one place says. Keys are those of the table `traces` in the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Partial {
    enabled: Option<bool>,
    endpoint: Option<String>,
}

/// What holds: whether traces are made, and where they go, if that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Whether they are made.
    pub enabled: bool,
    /// Where they go; none for where OpenTelemetry's own variables say.
    pub endpoint: Option<String>,
}

impl Partial {
    /// What the variables say; `get` reads one. Those of OpenTelemetry turn nothing on by themselves:
    /// a client that sends its own traces hands them on to all that it starts.
    pub(crate) fn of_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        if get("OTEL_SDK_DISABLED").is_some_and(|said| said.eq_ignore_ascii_case("true")) {
            return Ok(Self { enabled: Some(false), endpoint: None });
        }
        Ok(match get(VARIABLE).as_deref() {
            None => Self::default(),
            Some("1" | "true") => Self { enabled: Some(true), endpoint: None },
            Some("0" | "false") => Self { enabled: Some(false), endpoint: None },
            Some(url) if is_address(url) => {
                Self { enabled: Some(true), endpoint: Some(url.to_owned()) }
            }
            Some(other) => bail!("{VARIABLE} is {other:?}; it takes true, false or an address"),
        })
    }

    /// This place's word, and the other's where this one says nothing. Who only turns them on leaves
    /// where they go to the other.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { enabled: self.enabled.or(other.enabled), endpoint: self.endpoint.or(other.endpoint) }
    }

    /// What holds in the end: whoever says where they go wants them, unless they say otherwise.
    pub(crate) fn settle(self) -> Result<Setting> {
        if let Some(url) = self.endpoint.as_deref().filter(|url| !is_address(url)) {
            bail!(
                "traces.endpoint {url:?} is no address; it takes one such as http://127.0.0.1:4318"
            );
        }
        let enabled = self.enabled.unwrap_or(self.endpoint.is_some());
        Ok(Setting { enabled, endpoint: self.endpoint })
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Brings the last spans on their way when it is dropped.
pub(crate) struct Telling(Option<Box<dyn FnOnce() + Send>>);

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// Starts telling. Standard output belongs to the protocol, so logs go to standard error. What is
/// stored is logged at no level of ours; the SDK logs requests from `debug` on.
pub(crate) fn start(setting: &Setting) -> Result<Telling> {
    let said = variable("LOREKEEP_LOG").unwrap_or_else(|| "warn,rmcp=error".into());
    let filter = EnvFilter::try_new(&said).with_context(|| format!("LOREKEEP_LOG {said:?}"))?;
    // A log that cannot be written, on a full disk say, is no reason to panic.
    // Colours are for eyes: a file of them is hard to read.
    let is_seen = std::io::stderr().is_terminal() && variable("NO_COLOR").is_none();
    let log = fmt::layer()
        .log_internal_errors(false)
        .with_ansi(is_seen)
        .with_writer(std::io::stderr)
        .with_filter(filter);
    if !setting.enabled {
        registry().with(log).init();
        return Ok(Telling(None));
    }
    let version = env!("CARGO_PKG_VERSION");
    let provider = match providers::traces::provider(setting.endpoint.as_deref(), version) {
        Ok(provider) => provider,
        // Traces that cannot be told must not cost the memories.
        Err(why) => {
            output::note(format!("{why}; no traces are made"));
            registry().with(log).init();
            return Ok(Telling(None));
        }
    };
    let only_spans = Targets::new().with_target(serve::traces::TARGET, LevelFilter::INFO);
    let traces = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("lorekeep"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(only_spans);
    registry().with(log).with(traces).init();
    Ok(Telling(Some(Box::new(move || {
        // Who does not take them in time does not get them.
        let _ = provider.shutdown_with_timeout(FLUSH_MAX);
    }))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(all: &[(&str, &str)]) -> Result<Partial> {
        Partial::of_variables(|name| {
            all.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn settle(all: &[(&str, &str)], file: &str) -> Setting {
        let file: Partial = toml::from_str(file).unwrap();
        variables(all).unwrap().or(file).settle().unwrap()
    }

    #[test]
    fn traces_are_off_until_somebody_wants_them_here() {
        let otel = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.example");
        assert_eq!(settle(&[otel], ""), Setting::default());
        assert!(settle(&[otel, (VARIABLE, "true")], "").enabled);
        let there = settle(&[(VARIABLE, "https://c.example")], "");
        assert_eq!((there.enabled, there.endpoint.as_deref()), (true, Some("https://c.example")));
        let file = "endpoint = \"http://127.0.0.1:4318\"";
        assert!(settle(&[], file).enabled);
        assert!(!settle(&[(VARIABLE, "0")], file).enabled);
        assert!(!settle(&[("OTEL_SDK_DISABLED", "true"), (VARIABLE, "1")], file).enabled);
        assert!(!settle(&[], "enabled = false\nendpoint = \"http://127.0.0.1:4318\"").enabled);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = variables(&[(VARIABLE, "yes")]).unwrap_err().to_string();
        assert!(wrong.contains("\"yes\"; it takes true, false or an address"));
        let wrong = toml::from_str::<Partial>("endpoint = \"here\"").unwrap().settle().unwrap_err();
        assert!(wrong.to_string().contains("\"here\" is no address"));
    }
}
