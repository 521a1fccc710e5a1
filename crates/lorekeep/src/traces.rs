//! What the server tells while it works: a log on standard error, and traces to a collector if that
//! is wanted.

use std::fmt::Debug;
use std::io::IsTerminal;
use std::time::Duration;

use anyhow::{Context, Result};
use opentelemetry::trace::TracerProvider as _;
use tracing::field::Field;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt, registry};

use crate::output;
use crate::settings::variable;

/// How long the last spans may take at the end of the process.
const FLUSH_MAX: Duration = Duration::from_millis(400);

/// What holds: whether traces are made, and where they go, if that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Whether they are made.
    pub enabled: bool,
    /// Where they go; none for where OpenTelemetry's own variables say.
    pub endpoint: Option<String>,
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
        .fmt_fields(fields())
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

/// How the log says what there is to say, with everything in it to be seen: it may be somebody else's, the
/// name of a client or what a request asked for.
fn fields() -> impl for<'writer> fmt::FormatFields<'writer> {
    let field = |writer: &mut fmt::format::Writer<'_>, field: &Field, value: &dyn Debug| {
        let told = output::lines(&format!("{value:?}"));
        match field.name() {
            // They say where a line of the crate `log` is from.
            name if name.starts_with("log.") => Ok(()),
            "message" => write!(writer, "{told}"),
            name => write!(writer, "{name}={told}"),
        }
    };
    fmt::format::debug_fn(field).delimited(" ")
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use tools::testing::hidden;

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_line_of_the_log_shows_what_nobody_sees() {
        let written = Shared::default();
        let writer = written.clone();
        let log = fmt().with_ansi(false).fmt_fields(fields()).with_writer(move || writer.clone());
        tracing::subscriber::with_default(log.finish(), || {
            for text in hidden::texts() {
                tracing::warn!(client = text, number = 7, shown = %text, "it said {text}");
            }
        });
        let log = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        hidden::check_text("the log", &log);
        assert!(log.contains("it said ␀") && log.contains(" number=7 "), "{log:.300}");
    }
}
