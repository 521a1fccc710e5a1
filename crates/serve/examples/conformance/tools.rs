//! The list of the fixture tools, and the call of one of them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};
use std::task::Poll;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ProtocolVersion, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::state::{Session, Shared};
use crate::{content, legacy, mrtr, probes, stateless, tasks};

pub(crate) type Context = RequestContext<RoleServer>;
pub(crate) type Answer = Result<CallToolResponse, ErrorData>;

/// The module a fixture tool belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group {
    Content,
    Legacy,
    Stateless,
    Mrtr,
    Tasks,
    Probes,
}

static TOOLS: LazyLock<Vec<(Group, Tool)>> = LazyLock::new(|| {
    let groups = [
        (Group::Content, content::tools()),
        (Group::Legacy, legacy::tools()),
        (Group::Stateless, stateless::tools()),
        (Group::Mrtr, mrtr::tools()),
        (Group::Tasks, tasks::tools()),
        (Group::Probes, probes::tools()),
    ];
    let tools = groups.into_iter();
    tools.flat_map(|(group, tools)| tools.into_iter().map(move |tool| (group, tool))).collect()
});

static BY_NAME: LazyLock<BTreeMap<&str, &(Group, Tool)>> =
    LazyLock::new(|| TOOLS.iter().map(|entry| (&*entry.1.name, entry)).collect());

/// Every fixture tool, always in the same order.
pub(crate) fn all() -> impl Iterator<Item = Tool> {
    TOOLS.iter().map(|(_, tool)| tool.clone())
}

pub(crate) fn get(name: &str) -> Option<Tool> {
    BY_NAME.get(name).map(|(_, tool)| tool.clone())
}

/// `None` for what is not a fixture.
pub(crate) fn group(name: &str) -> Option<Group> {
    BY_NAME.get(name).map(|(group, _)| *group)
}

impl Group {
    /// Calls the tool; a panic becomes an error result, for without an answer the
    /// client would wait for ever.
    pub(crate) async fn run(
        self,
        shared: &Shared,
        session: &Session,
        request: CallToolRequestParams,
        context: Context,
    ) -> Answer {
        let mut call = Box::pin(async move {
            match self {
                Self::Content => content::call(&request),
                Self::Legacy => legacy::call(session, &request, &context).await,
                Self::Stateless => stateless::call(shared, &request, &context).await,
                Self::Mrtr => mrtr::call(shared, &request, &context),
                Self::Tasks => tasks::call(shared, &request, &context).await,
                Self::Probes => probes::call(&request, &context).await,
            }
        });
        let guarded = std::future::poll_fn(|waker| {
            catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(waker)))
                .unwrap_or_else(|_| Poll::Ready(failure("The fixture tool panicked.")))
        });
        guarded.await
    }
}

/// Whether the request speaks 2026-07-28 or later.
pub(crate) fn is_modern(context: &Context) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// A tool that takes no arguments.
pub(crate) fn plain(name: &'static str, description: &'static str) -> Tool {
    let schema = json!({ "type": "object", "additionalProperties": false });
    tool(name, description, schema)
}

/// A tool with the given properties, all of them required.
pub(crate) fn with_properties(
    name: &'static str,
    description: &'static str,
    properties: &Value,
) -> Tool {
    let schema = json!({
        "type": "object",
        "required": keys(properties),
        "properties": properties,
        "additionalProperties": false,
    });
    tool(name, description, schema)
}

/// The names of a schema's properties.
pub(crate) fn keys(properties: &Value) -> Vec<&String> {
    properties.as_object().into_iter().flat_map(JsonObject::keys).collect()
}

pub(crate) fn tool(name: &'static str, description: &'static str, schema: Value) -> Tool {
    let schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    let hints = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(name, description, Arc::new(schema)).with_annotations(hints)
}

/// A successful result of one text.
pub(crate) fn success(text: impl Into<String>) -> Answer {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

/// A failure that the model gets to see.
pub(crate) fn failure(text: impl Into<String>) -> Answer {
    Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
}

/// Cannot happen as long as the lists and the calls of the modules agree.
pub(crate) fn unknown(request: &CallToolRequestParams) -> Answer {
    let message = format!("Unknown tool: {}", request.name);
    Err(ErrorData::invalid_params(message, None))
}

/// A string argument, or the empty string.
pub(crate) fn string<'a>(request: &'a CallToolRequestParams, name: &str) -> &'a str {
    let value = request.arguments.as_ref().and_then(|map| map.get(name));
    value.and_then(Value::as_str).unwrap_or_default()
}

/// A numeric argument.
pub(crate) fn number(request: &CallToolRequestParams, name: &str) -> Option<f64> {
    request.arguments.as_ref()?.get(name)?.as_f64()
}
