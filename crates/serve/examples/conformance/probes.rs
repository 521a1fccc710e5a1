//! Fixture tools of our own tests: one that panics and one that can be cancelled.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, Tool};
use serde_json::json;

use crate::tools::{Answer, Context, failure, plain, success, unknown, with_properties};

/// Names the file to which a cancelled `test_sleep` appends a line.
const LOG: &str = "LOREKEEP_FIXTURE_LOG";

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        plain("test_panic", "Panics."),
        with_properties(
            "test_sleep",
            "Sleeps; if cancelled, says so in the file named by LOREKEEP_FIXTURE_LOG.",
            &json!({ "ms": { "type": "integer", "minimum": 0 } }),
        ),
    ]
}

pub(crate) async fn call(request: &CallToolRequestParams, context: &Context) -> Answer {
    match &*request.name {
        "test_panic" => panic!("test_panic was called"),
        "test_sleep" => nap(request, context).await,
        _ => unknown(request),
    }
}

async fn nap(request: &CallToolRequestParams, context: &Context) -> Answer {
    let ms = request.arguments.as_ref().and_then(|map| map.get("ms")?.as_u64());
    let Some(ms) = ms else {
        return failure("`ms` must be an integer of at least 0");
    };
    tokio::select! {
        () = context.ct.cancelled() => {
            record_cancellation();
            failure("The call was cancelled.")
        }
        () = tokio::time::sleep(Duration::from_millis(ms)) => success(format!("Slept {ms} ms.")),
    }
}

fn record_cancellation() {
    let Some(path) = std::env::var_os(LOG) else {
        return;
    };
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(b"cancelled\n")) {
        tracing::warn!(%error, "cannot write the fixture log");
    }
}
