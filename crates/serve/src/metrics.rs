//! Figures of a running server, in the text form that Prometheus reads.
//!
//! No figure has a text of a user, an id or a token in it: what there is to count by are the names of
//! tools, methods, outcomes and reasons, and those are few.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::ErrorKind;

/// The bounds of the steps that times are counted by, in seconds.
const STEPS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It brought no good token.
    Auth,
    /// Its bearer asks too much.
    Rate,
    /// Its `Host` or `Origin` is nobody's that may call.
    Host,
    /// There are too many connections.
    Connections,
    /// It was too large, too slow, or broken.
    Body,
}

impl Reason {
    const ALL: [Self; 5] = [Self::Auth, Self::Rate, Self::Host, Self::Connections, Self::Body];

    const fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Rate => "rate",
            Self::Host => "host",
            Self::Connections => "connections",
            Self::Body => "body",
        }
    }
}

/// What came of a call, in a word to count by.
pub(crate) fn outcome(called: &engine::Result<tools::Reply>) -> &'static str {
    match called {
        Ok(reply) if reply.is_error => "error",
        Ok(_) => "ok",
        Err(error) => match error.kind {
            ErrorKind::Limit => "rate_limited",
            ErrorKind::Timeout => "timeout",
            _ => "failed",
        },
    }
}

/// Times, counted by steps.
#[derive(Debug, Default, Clone)]
struct Histogram {
    steps: [u64; STEPS.len()],
    count: u64,
    seconds: f64,
}

impl Histogram {
    fn add(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        for (count, step) in self.steps.iter_mut().zip(STEPS) {
            *count += u64::from(seconds <= step);
        }
        self.count += 1;
        self.seconds += seconds;
    }
}

/// What is counted under one lock.
#[derive(Default)]
struct Counts {
    requests: BTreeMap<(&'static str, u16), u64>,
    request_times: Histogram,
    calls: BTreeMap<(&'static str, &'static str), u64>,
    call_times: BTreeMap<&'static str, Histogram>,
}

/// The figures.
#[derive(Default)]
pub(crate) struct Metrics {
    counts: Mutex<Counts>,
    refused: [AtomicU64; Reason::ALL.len()],
    in_flight: AtomicUsize,
    waiting: AtomicUsize,
    connections: AtomicUsize,
}

/// One more of something, until it is dropped.
pub(crate) struct One {
    metrics: Arc<Metrics>,
    of: fn(&Metrics) -> &AtomicUsize,
}

impl Drop for One {
    fn drop(&mut self) {
        (self.of)(&self.metrics).fetch_sub(1, Ordering::Relaxed);
    }
}

/// A figure that is what it is at the moment it is asked for.
pub(crate) struct Gauge {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) value: u64,
}

impl Metrics {
    /// A connection that is open.
    pub(crate) fn connection(self: &Arc<Self>) -> One {
        self.one(|metrics| &metrics.connections)
    }

    /// A request that is being answered.
    pub(crate) fn request(self: &Arc<Self>) -> One {
        self.one(|metrics| &metrics.in_flight)
    }

    /// A request that waits for its turn.
    pub(crate) fn waiting(self: &Arc<Self>) -> One {
        self.one(|metrics| &metrics.waiting)
    }

    fn one(self: &Arc<Self>, of: fn(&Self) -> &AtomicUsize) -> One {
        of(self).fetch_add(1, Ordering::Relaxed);
        One { metrics: Arc::clone(self), of }
    }

    /// A request was refused.
    pub(crate) fn refused(&self, reason: Reason) {
        self.refused[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// A request was answered.
    pub(crate) fn answered(&self, method: &'static str, status: u16, time: Duration) {
        let mut counts = self.counts();
        *counts.requests.entry((method, status)).or_default() += 1;
        counts.request_times.add(time);
    }

    /// A tool was called.
    pub(crate) fn called(&self, tool: &'static str, outcome: &'static str, time: Duration) {
        let mut counts = self.counts();
        *counts.calls.entry((tool, outcome)).or_default() += 1;
        counts.call_times.entry(tool).or_default().add(time);
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// All figures as text, and these besides.
    pub(crate) fn text(&self, gauges: &[Gauge]) -> String {
        let mut page = Page::default();
        let counts = self.counts();
        page.head("lorekeep_http_requests_total", "counter", "Requests by method and status.");
        for ((method, status), count) in &counts.requests {
            let labels = format!("method=\"{method}\",status=\"{status}\"");
            page.figure("lorekeep_http_requests_total", &labels, count);
        }
        page.head("lorekeep_http_request_seconds", "histogram", "Times until answers began.");
        page.histogram("lorekeep_http_request_seconds", "", &counts.request_times);
        page.head("lorekeep_calls_total", "counter", "Calls by tool and outcome.");
        for ((tool, outcome), count) in &counts.calls {
            let labels = format!("tool=\"{tool}\",outcome=\"{outcome}\"");
            page.figure("lorekeep_calls_total", &labels, count);
        }
        page.head("lorekeep_call_seconds", "histogram", "Times of calls, waiting included.");
        for (tool, times) in &counts.call_times {
            page.histogram("lorekeep_call_seconds", &format!("tool=\"{tool}\""), times);
        }
        drop(counts);
        page.head("lorekeep_refused_total", "counter", "Requests that were refused, by reason.");
        for reason in Reason::ALL {
            let labels = format!("reason=\"{}\"", reason.name());
            let count = self.refused[reason as usize].load(Ordering::Relaxed);
            page.figure("lorekeep_refused_total", &labels, count);
        }
        let open = [
            ("lorekeep_http_in_flight", "Requests being answered.", &self.in_flight),
            ("lorekeep_http_waiting", "Requests that wait for a turn.", &self.waiting),
            ("lorekeep_http_connections", "Open connections.", &self.connections),
        ];
        for (name, help, value) in open {
            page.head(name, "gauge", help);
            page.figure(name, "", value.load(Ordering::Relaxed));
        }
        for gauge in gauges {
            page.head(gauge.name, "gauge", gauge.help);
            page.figure(gauge.name, "", gauge.value);
        }
        page.0
    }
}

/// The text that is being written; writing into a text cannot fail.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn figure(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }

    fn histogram(&mut self, name: &str, labels: &str, times: &Histogram) {
        let bucket = format!("{name}_bucket");
        let comma = if labels.is_empty() { "" } else { "," };
        for (step, count) in STEPS.iter().zip(times.steps) {
            self.figure(&bucket, &format!("{labels}{comma}le=\"{step}\""), count);
        }
        self.figure(&bucket, &format!("{labels}{comma}le=\"+Inf\""), times.count);
        self.figure(&format!("{name}_sum"), labels, times.seconds);
        self.figure(&format!("{name}_count"), labels, times.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_lines_that_prometheus_reads() {
        let metrics = Arc::new(Metrics::default());
        let open = metrics.connection();
        metrics.answered("POST", 200, Duration::from_millis(3));
        metrics.called("memory_add", "ok", Duration::from_millis(3));
        metrics.called("memory_add", "ok", Duration::from_secs(99));
        metrics.refused(Reason::Rate);
        let gauge = Gauge { name: "lorekeep_x", help: "X.", value: 7 };
        let text = metrics.text(&[gauge]);
        for line in [
            "lorekeep_http_requests_total{method=\"POST\",status=\"200\"} 1",
            "lorekeep_calls_total{tool=\"memory_add\",outcome=\"ok\"} 2",
            "lorekeep_call_seconds_bucket{tool=\"memory_add\",le=\"0.0025\"} 0",
            "lorekeep_call_seconds_bucket{tool=\"memory_add\",le=\"0.005\"} 1",
            "lorekeep_call_seconds_bucket{tool=\"memory_add\",le=\"30\"} 1",
            "lorekeep_call_seconds_bucket{tool=\"memory_add\",le=\"+Inf\"} 2",
            "lorekeep_call_seconds_count{tool=\"memory_add\"} 2",
            "lorekeep_http_request_seconds_bucket{le=\"0.005\"} 1",
            "lorekeep_refused_total{reason=\"rate\"} 1",
            "lorekeep_http_connections 1",
            "# TYPE lorekeep_x gauge",
            "lorekeep_x 7",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        drop(open);
        assert!(metrics.text(&[]).contains("lorekeep_http_connections 0"));
    }
}
