//! Fixture tools that talk to the client during the call: progress and logs for every
//! revision, sampling and elicitation for those before 2026-07-28.

#![expect(
    deprecated,
    reason = "sampling and logging are deprecated but the 2025-11-25 suite asks for them"
)]

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, CreateMessageRequestParams, ElicitRequestParams,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, SamplingMessage,
    Tool,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::state::Session;
use crate::tools::{
    Answer, Context, failure, is_modern, plain, string, success, unknown, with_properties,
};

/// Between two notifications, so that the client sees them one by one.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        plain("test_tool_with_logging", "Logs three messages while it runs."),
        plain("test_logging_tool", "Logs one message if the client wants messages."),
        plain("test_tool_with_progress", "Reports progress three times."),
        with_properties(
            "test_sampling",
            "Asks the client's model.",
            &json!({ "prompt": { "type": "string", "description": "What to ask" } }),
        ),
        with_properties(
            "test_elicitation",
            "Asks the user for name and address.",
            &json!({ "message": { "type": "string", "description": "What to show the user" } }),
        ),
        plain("test_elicitation_sep1034_defaults", "Asks the user with a default for each type."),
        plain("test_elicitation_sep1330_enums", "Asks the user with each kind of choice."),
    ]
}

pub(crate) async fn call(
    session: &Session,
    request: &CallToolRequestParams,
    context: &Context,
) -> Answer {
    match &*request.name {
        "test_tool_with_logging" => logging(session, context).await,
        "test_logging_tool" => {
            log(session, context, "The logging tool was called").await;
            success("Logged, if a level was set.")
        }
        "test_tool_with_progress" => progress(context).await,
        "test_sampling" => sampling(string(request, "prompt"), context).await,
        "test_elicitation" => {
            let answer = elicit(string(request, "message"), &contact_form(), context).await;
            answer.map_or_else(failure, |answer| success(format!("User response: {answer}")))
        }
        "test_elicitation_sep1034_defaults" => completed(&form_with_defaults(), context).await,
        "test_elicitation_sep1330_enums" => completed(&form_with_choices(), context).await,
        _ => unknown(request),
    }
}

/// Sends an info message unless the client wants none that mild: a modern client says so
/// in every request (silence means none), a legacy one once per session.
async fn log(session: &Session, context: &Context, message: &str) {
    let least = if is_modern(context) { context.meta.log_level() } else { Some(session.level()) };
    if least.is_some_and(|least| LoggingLevel::Info as u8 >= least as u8) {
        let param = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        // Nothing is lost if the client has gone.
        let _ = context.peer.notify_logging_message(param).await;
    }
}

async fn logging(session: &Session, context: &Context) -> Answer {
    log(session, context, "Tool execution started").await;
    sleep(PAUSE).await;
    log(session, context, "Tool processing data").await;
    sleep(PAUSE).await;
    log(session, context, "Tool execution completed").await;
    success("Three messages were logged.")
}

async fn progress(context: &Context) -> Answer {
    let token = context.meta.get_progress_token();
    for (step, progress) in [0.0, 50.0, 100.0].into_iter().enumerate() {
        if step > 0 {
            sleep(PAUSE).await;
        }
        if let Some(token) = token.clone() {
            let param = ProgressNotificationParam::new(token, progress).with_total(100.0);
            let _ = context.peer.notify_progress(param).await;
        }
    }
    success("Progress was reported.")
}

fn declared(context: &Context, wanted: impl Fn(&ClientCapabilities) -> bool) -> bool {
    context.client_capabilities().as_ref().is_some_and(wanted)
}

async fn sampling(prompt: &str, context: &Context) -> Answer {
    if !declared(context, |client| client.sampling.is_some()) {
        return failure("The client does not support sampling.");
    }
    let messages = vec![SamplingMessage::user_text(prompt)];
    let params = CreateMessageRequestParams::new(messages, 100);
    match context.peer.create_message(params).await {
        Ok(result) => {
            let text = result.message.content.first().and_then(|block| block.as_text());
            let text = text.map_or("(not a text)", |text| &text.text);
            success(format!("LLM response: {text}"))
        }
        Err(error) => failure(format!("Sampling failed: {error}")),
    }
}

/// Asks the user; the answer or the reason why there is none, as a text.
async fn elicit(message: &str, schema: &Value, context: &Context) -> Result<String, String> {
    if !declared(context, |client| client.elicitation.is_some()) {
        return Err("The client does not support elicitation.".to_owned());
    }
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params: ElicitRequestParams =
        serde_json::from_value(params).map_err(|error| error.to_string())?;
    let answer = context.peer.create_elicitation(params).await;
    let answer = answer.map_err(|error| format!("Elicitation failed: {error}"))?;
    let action = json!(answer.action);
    let content = answer.content.unwrap_or_default();
    Ok(format!("action={}, content={content}", action.as_str().unwrap_or_default()))
}

async fn completed(schema: &Value, context: &Context) -> Answer {
    let answer = elicit("Please fill in the form.", schema, context).await;
    answer.map_or_else(failure, |answer| success(format!("Elicitation completed: {answer}")))
}

fn contact_form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

fn form_with_defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": {
                "type": "string",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

fn form_with_choices() -> Value {
    let titled = |word: &str| {
        json!([
            { "const": "value1", "title": format!("First {word}") },
            { "const": "value2", "title": format!("Second {word}") },
            { "const": "value3", "title": format!("Third {word}") },
        ])
    };
    let untitled = ["option1", "option2", "option3"];
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": untitled },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": untitled } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
    })
}
