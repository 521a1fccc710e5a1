//! Spans of requests, for who collects traces: one for each request over HTTP and one for each of
//! MCP, with what the tool's work makes of its own below it.
//!
//! A span has names of tools, methods, roles and kinds of errors, and no text of a user. Where nobody
//! collects, no span is made. What becomes of spans is the business of who set up `tracing`.

use std::borrow::Cow;
use std::future::Future;

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use model::Role;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use rmcp::model::{
    ClientNotification, ClientRequest, ProtocolVersion, RequestMetaObject, ServerConfig,
    ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, Service};
use tools::Toolset;
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The target of all spans that are meant for a collector. Other crates of ours write it out.
pub const TARGET: &str = "lorekeep::trace";

/// What stands for a word that only the client knows.
const OTHER: &str = "_OTHER";

/// The span of the request that brought a message.
#[derive(Clone)]
struct OfRequest(Span);

/// Makes a span of a request over HTTP. Only who is let in gets so far.
pub(crate) async fn request(mut request: Request, next: Next) -> Response {
    let method = match *request.method() {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => OTHER,
    };
    let route = if request.uri().path() == crate::http::PATH { crate::http::PATH } else { OTHER };
    let span = info_span!(
        target: TARGET,
        "http",
        "otel.name" = format_args!("{method} {route}"),
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "http.request.method" = method,
        "http.route" = route,
        "http.response.status_code" = Empty,
    );
    if span.is_disabled() {
        return next.run(request).await;
    }
    if let Some(parent) = parent(&Headers(request.headers())) {
        let _ = span.set_parent(parent);
    }
    request.extensions_mut().insert(OfRequest(span.clone()));
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    response
}

/// Says which tool a call is of.
pub(crate) fn of_tool(name: &'static str, toolset: impl FnOnce() -> Option<Toolset>, role: Role) {
    let span = Span::current();
    if span.is_disabled() {
        return;
    }
    span.record("otel.name", format_args!("tools/call {name}"));
    span.record("gen_ai.operation.name", "execute_tool");
    span.record("gen_ai.tool.name", name);
    span.record("lorekeep.role", role.name());
    if let Some(toolset) = toolset() {
        span.record("lorekeep.toolset", toolset.name());
    }
}

/// A handler that makes a span of each request.
pub(crate) struct Traced<H>(pub(crate) H);

impl<H: ServerHandler> Service<RoleServer> for Traced<H> {
    fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        let span = span_of(&request, &context);
        let handled = self.0.handle_request(request, context).instrument(span.clone());
        async move {
            let answer = handled.await;
            if !span.is_disabled() {
                conclude(&span, &answer);
            }
            answer
        }
    }

    fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.0.handle_notification(notification, context)
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}

/// The span of a message. Its parent is the one that the message names, else the request that
/// brought it.
fn span_of(request: &ClientRequest, context: &RequestContext<RoleServer>) -> Span {
    let method = match request {
        ClientRequest::CustomRequest(_) => OTHER,
        known => known.method(),
    };
    let brought =
        context.extensions.get::<Parts>().map(|parts| parts.extensions.get::<OfRequest>());
    let span = info_span!(
        target: TARGET,
        parent: None,
        "mcp",
        "otel.name" = method,
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "mcp.method.name" = method,
        "network.transport" = if brought.is_some() { "tcp" } else { "pipe" },
        "gen_ai.operation.name" = Empty,
        "gen_ai.tool.name" = Empty,
        "lorekeep.toolset" = Empty,
        "lorekeep.role" = Empty,
        "error.type" = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    let brought = brought.flatten().map(|OfRequest(span)| span.context());
    match (parent(&Meta(&context.meta)), brought) {
        (Some(named), brought) => {
            let _ = span.set_parent(named);
            if let Some(brought) = brought {
                span.add_link(brought.span().span_context().clone());
            }
        }
        (None, Some(brought)) => {
            let _ = span.set_parent(brought);
        }
        (None, None) => {}
    }
    span
}

/// Says what came of a request. A tool that failed has said why already.
fn conclude(span: &Span, answer: &Result<ServerResult, ErrorData>) {
    match answer {
        Err(error) => {
            span.record("error.type", error.code.0);
            span.record("otel.status_code", "ERROR");
        }
        Ok(ServerResult::CallToolResult(result)) if result.is_error == Some(true) => {
            span.record("otel.status_code", "ERROR");
        }
        Ok(_) => {}
    }
}

/// The span of another process that a request belongs below, if it names one.
fn parent(said: &dyn Extractor) -> Option<Context> {
    said.get("traceparent")?;
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), said);
    context.span().span_context().is_valid().then_some(context)
}

/// What headers say.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}

/// What the `_meta` of a message says.
struct Meta<'a>(&'a RequestMetaObject);

impl Extractor for Meta<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}
