//! Spans on their way to a collector: OTLP over HTTP, as JSON, in batches, from a thread of its own.
//!
//! What the collector does not take in time is lost, and nobody waits for it. Names, samplers, headers
//! and bounds come by OpenTelemetry's own variables (`OTEL_…`).

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use ureq::Agent;

/// How long one batch may take.
const BATCH_MAX: Duration = Duration::from_secs(5);

/// No answer of a collector is longer.
const BODY_MAX: u64 = 64 * 1024;

/// Where traces go when nobody says so: a collector on this machine.
const ENDPOINT: &str = "http://127.0.0.1:4318";

/// The path of traces at a collector.
const PATH: &str = "/v1/traces";

/// The name of this service, unless `OTEL_SERVICE_NAME` says another.
const SERVICE: &str = "lorekeep";

/// Where spans go, until it is shut down.
pub fn provider(
    endpoint: Option<&str>,
    version: &'static str,
) -> Result<SdkTracerProvider, String> {
    let mut builder = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector(agent()))
        .with_protocol(Protocol::HttpJson);
    let is_said = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let said = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
    match endpoint {
        Some(base) => builder = builder.with_endpoint(address(base)),
        None if !said.into_iter().any(is_said) => {
            builder = builder.with_endpoint(address(ENDPOINT));
        }
        None => {}
    }
    let exporter = builder.build().map_err(|why| format!("traces: {why}"))?;
    let mut resource = Resource::builder()
        .with_attribute(opentelemetry::KeyValue::new("service.version", version));
    if !is_said("OTEL_SERVICE_NAME") {
        resource = resource.with_service_name(SERVICE);
    }
    let provider = SdkTracerProvider::builder().with_resource(resource.build());
    Ok(provider.with_batch_exporter(exporter).build())
}

/// Where a collector takes traces.
fn address(base: &str) -> String {
    let base = base.trim().trim_end_matches('/');
    if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") }
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(BATCH_MAX))
        .user_agent("lorekeep");
    config.build().into()
}

/// Who takes batches.
#[derive(Debug)]
struct Collector(Agent);

#[async_trait]
impl HttpClient for Collector {
    /// Blocks: it is called on the thread of the batches.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let mut answer = self.0.run(Request::from_parts(parts, body.to_vec()))?;
        let body = answer.body_mut().with_config().limit(BODY_MAX).read_to_vec()?;
        let (parts, _) = answer.into_parts();
        Ok(Response::from_parts(parts, body.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_told_by_its_address_with_or_without_the_path() {
        assert_eq!(address("http://127.0.0.1:4318/"), "http://127.0.0.1:4318/v1/traces");
        assert_eq!(address("https://c.example/otlp"), "https://c.example/otlp/v1/traces");
        assert_eq!(address("http://c.example/v1/traces"), "http://c.example/v1/traces");
    }
}
