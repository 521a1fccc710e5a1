//! Spans of requests, for who collects traces: one for each request over HTTP and one for each of
//! MCP, with what the tool's work makes of its own below it.
//!
//! A span has names of tools, methods, roles and kinds of errors, and no text of a user. Where nobody
//! collects, no span is made. What becomes of spans is the business of who set up `tracing`.

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tracing::field::Empty;
use tracing::{Instrument, Level, Span, info_span, span_enabled};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::Server;

type Answer<T> = Result<T, ErrorData>;
type Request = RequestContext<RoleServer>;

/// The target of all spans that are meant for a collector. Other crates of ours write it out.
pub const TARGET: &str = "lorekeep::trace";

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// What stands for a word that only the client knows.
const OTHER: &str = "_OTHER";

/// The span of the request that brought a message.
#[derive(Clone)]
struct OfRequest(Span);

/// Makes a span of a request over HTTP. Only who is let in gets so far.
pub(crate) async fn request(mut request: axum::extract::Request, next: Next) -> Response {
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

/// The server, with a span of each request.
#[derive(Clone)]
pub struct Traced(Server);

impl Traced {
    /// This server, followed.
    pub fn new(server: Server) -> Self {
        Self(server)
    }

    /// The span of a call. A name that no tool has is not told.
    fn span_of_call(&self, name: &str, cx: &Request) -> Span {
        if !span_enabled!(target: TARGET, Level::INFO) {
            return Span::none();
        }
        let Some((toolset, tool)) = self.0.tool(name) else { return span_of(CALL, cx) };
        let span = span_of(&format!("{CALL} {tool}"), cx);
        span.record("gen_ai.operation.name", "execute_tool");
        span.record("gen_ai.tool.name", tool);
        span.record("lorekeep.toolset", toolset.name());
        span.record("lorekeep.role", self.0.vouched(cx).role.name());
        span
    }
}

/// Answers within a span, and says in it what went wrong. A tool that failed has said so already.
async fn follow<T>(span: Span, work: impl Future<Output = Answer<T>>) -> Answer<T> {
    let answer = work.instrument(span.clone()).await;
    if let Err(error) = &answer {
        span.record("error.type", error.code.0);
        span.record("otel.status_code", "ERROR");
    }
    answer
}

/// Methods that the server answers within a span.
macro_rules! followed {
    ($($method:expr => $name:ident($($request:ident: $kind:ty)?) -> $answer:ty;)*) => {$(
        async fn $name(&self, $($request: $kind,)? cx: Request) -> Answer<$answer> {
            let span = span_of($method, &cx);
            follow(span, self.0.$name($($request,)? cx)).await
        }
    )*};
}

impl ServerHandler for Traced {
    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.get_tool(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: Request,
    ) -> Answer<CallToolResponse> {
        let span = self.span_of_call(&request.name, &cx);
        follow(span, self.0.call_tool(request, cx)).await
    }

    followed! {
        "server/discover" => discover() -> DiscoverResult;
        "tools/list" => list_tools(page: Option<PaginatedRequestParams>) -> ListToolsResult;
        "resources/list" =>
            list_resources(page: Option<PaginatedRequestParams>) -> ListResourcesResult;
        "resources/templates/list" =>
            list_resource_templates(page: Option<PaginatedRequestParams>)
            -> ListResourceTemplatesResult;
        "resources/read" =>
            read_resource(request: ReadResourceRequestParams) -> ReadResourceResponse;
        "prompts/list" => list_prompts(page: Option<PaginatedRequestParams>) -> ListPromptsResult;
        "prompts/get" => get_prompt(request: GetPromptRequestParams) -> GetPromptResponse;
        "completion/complete" => complete(request: CompleteRequestParams) -> CompleteResult;
        OTHER => on_custom_request(request: CustomRequest) -> CustomResult;
    }
}

/// The span of a message. Its parent is the one that the message names, else the request that
/// brought it.
fn span_of(name: &str, context: &Request) -> Span {
    let brought =
        context.extensions.get::<Parts>().map(|parts| parts.extensions.get::<OfRequest>());
    let span = info_span!(
        target: TARGET,
        parent: None,
        "mcp",
        "otel.name" = name,
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "mcp.method.name" = name.split(' ').next(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The methods of the handler that a file implements.
    fn methods(source: &str, of: &str) -> Vec<String> {
        let (_, rest) = source.split_once(of).unwrap();
        let (body, _) = rest.split_once("\n}\n").unwrap();
        let name = |line: &str| {
            let line = line.trim_start();
            let rest = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "))?;
            Some(rest.split('(').next()?.to_owned())
        };
        body.lines().filter_map(name).collect()
    }

    #[test]
    fn whatever_the_server_answers_is_followed() {
        let own = include_str!("traces.rs");
        let answered = methods(include_str!("handler.rs"), "impl ServerHandler for Server {");
        assert!(answered.len() > 9, "{answered:?}");
        for name in answered {
            assert!(own.contains(&format!(" {name}(")), "{name} is not handed on");
        }
    }

    #[test]
    fn only_a_whole_parent_is_one() {
        let said = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("traceparent", value.parse().unwrap());
            parent(&Headers(&headers)).is_some()
        };
        assert!(said("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-wombat-00f067aa0ba902b7-01",
        ] {
            assert!(!said(wrong), "{wrong}");
        }
    }
}
