//! Fixture tools for the stateless lifecycle of 2026-07-28: capability checks, a stream
//! without server requests, and pretended list changes.

use std::time::Duration;

use rmcp::model::{CallToolRequestParams, Tool};
use rmcp::service::SubscriptionSink;
use serde_json::json;

use crate::capabilities::{need_elicitation, need_sampling};
use crate::mrtr;
use crate::state::{Change, Shared};
use crate::tools::{Answer, Context, is_modern, plain, success, unknown};

/// A listener gets its acknowledgement just before it begins to wait for changes; a client
/// that calls at once must not be faster than that.
const SETTLE: Duration = Duration::from_millis(500);

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        plain("test_missing_capability", "Needs a client that supports sampling."),
        plain("test_streaming_elicitation", "Asks the user without a server request."),
        plain("test_trigger_tool_change", "Pretends that the list of tools changed."),
        plain("test_trigger_prompt_change", "Pretends that the list of prompts changed."),
    ]
}

pub(crate) async fn call(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &Context,
) -> Answer {
    match &*request.name {
        "test_missing_capability" => {
            need_sampling(context)?;
            success("The client supports sampling.")
        }
        "test_streaming_elicitation" => streaming_elicitation(request, context),
        "test_trigger_tool_change" => trigger(Change::Tools, shared, context).await,
        "test_trigger_prompt_change" => trigger(Change::Prompts, shared, context).await,
        _ => unknown(request),
    }
}

fn streaming_elicitation(request: &CallToolRequestParams, context: &Context) -> Answer {
    if mrtr::answer(request.input_responses.as_ref(), "proceed", "ok").is_some() {
        return success("The user answered.");
    }
    need_elicitation(context)?;
    let question = mrtr::elicitation("Proceed?", &json!({ "ok": { "type": "boolean" } }))?;
    Ok(mrtr::ask([("proceed", question)], None).into())
}

async fn trigger(change: Change, shared: &Shared, context: &Context) -> Answer {
    tokio::time::sleep(SETTLE).await;
    if is_modern(context) {
        // Without a listener there is nobody to tell.
        let _ = shared.changes.send(change);
    } else {
        let _ = match change {
            Change::Tools => context.peer.notify_tool_list_changed().await,
            Change::Prompts => context.peer.notify_prompt_list_changed().await,
        };
    }
    success("The change was announced.")
}

/// Passes the pretended changes on to a listener for as long as it listens.
pub(crate) async fn announce(shared: &Shared, sink: SubscriptionSink) {
    let mut changes = shared.changes.subscribe();
    while let Ok(change) = changes.recv().await {
        // A refusal means that the client did not ask for this kind.
        let _ = match change {
            Change::Tools => sink.notify_tool_list_changed().await,
            Change::Prompts => sink.notify_prompt_list_changed().await,
        };
    }
}
