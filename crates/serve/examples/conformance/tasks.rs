//! Fixture tools of the tasks extension (SEP-2663): long calls that the client polls.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, Tool,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::capabilities::{need_elicitation, need_tasks};
use crate::mrtr;
use crate::state::Shared;
use crate::tools::{
    Answer, Context, failure, number, plain, string, success, tool, unknown, with_properties,
};

/// No fixture may keep a task busy for longer.
const LONGEST: f64 = 300.0;

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        with_properties(
            "greet",
            "Greets at once, never as a task.",
            &json!({ "name": { "type": "string" } }),
        ),
        tool(
            "slow_compute",
            "Takes its time, as a task if the client supports tasks.",
            json!({
                "type": "object",
                "properties": {
                    "seconds": { "type": "number", "minimum": 0, "maximum": LONGEST },
                    "label": { "type": "string" },
                },
                "required": ["seconds"],
                "additionalProperties": false,
            }),
        ),
        plain("failing_job", "A task whose tool fails."),
        plain("protocol_error_job", "A task that ends in a protocol error."),
        with_properties(
            "confirm_delete",
            "A task that asks the user before it pretends to delete.",
            &json!({ "filename": { "type": "string" } }),
        ),
        plain("multi_input", "A task that asks the user two things at once."),
        plain("test_tool_with_task", "Asks the user first and becomes a task then."),
    ]
}

pub(crate) async fn call(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &Context,
) -> Answer {
    match &*request.name {
        "greet" => success(format!("Hello, {}!", string(request, "name"))),
        "slow_compute" => slow_compute(shared, request, context).await,
        "failing_job" => {
            need_tasks(context)?;
            start(shared, |_| async {
                sleep(Duration::from_secs(1)).await;
                Ok(CallToolResult::error(vec![ContentBlock::text("The job failed as planned.")]))
            })
        }
        "protocol_error_job" => {
            need_tasks(context)?;
            start(shared, |_| async {
                Err(ErrorData::internal_error("the job broke down as planned", None).into())
            })
        }
        "confirm_delete" => {
            need_tasks(context)?;
            let file = string(request, "filename").to_owned();
            start(shared, |task| confirm_delete(task, file))
        }
        "multi_input" => {
            need_tasks(context)?;
            start(shared, multi_input)
        }
        "test_tool_with_task" => ask_then_start(shared, request, context),
        _ => unknown(request),
    }
}

/// Makes the future a task and hands its id to the client.
fn start<F>(shared: &Shared, job: impl FnOnce(TaskContext) -> F) -> Answer
where
    F: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
{
    let options = TaskOptions::new().with_poll_interval_ms(200);
    let task = shared.tasks.spawn(options, |context| Box::pin(job(context)));
    Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

async fn slow_compute(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &Context,
) -> Answer {
    let seconds = number(request, "seconds").filter(|seconds| (0.0..=LONGEST).contains(seconds));
    let Some(seconds) = seconds else {
        return failure(format!("`seconds` must be a number from 0 to {LONGEST}"));
    };
    let time = Duration::from_secs_f64(seconds);
    let done = format!("Computed {} for {seconds} s.", string(request, "label"));
    if need_tasks(context).is_err() {
        return tokio::select! {
            () = context.ct.cancelled() => failure("The call was cancelled."),
            () = sleep(time) => success(done),
        };
    }
    start(shared, move |task| async move {
        tokio::select! {
            () = task.cancelled() => Err(TaskExit::Cancelled),
            () = sleep(time) => Ok(text(done)),
        }
    })
}

async fn confirm_delete(task: TaskContext, file: String) -> Result<CallToolResult, TaskExit> {
    let properties = json!({ "confirm": { "type": "boolean" } });
    let question = mrtr::elicitation(&format!("Delete {file}?"), &properties)?;
    let answer = task.request_input("confirm", question).await?;
    let confirmed = answer["action"] == "accept" && answer["content"]["confirm"] == true;
    let verb = if confirmed { "Deleted" } else { "Kept" };
    Ok(text(format!("{verb} {file}.")))
}

async fn multi_input(task: TaskContext) -> Result<CallToolResult, TaskExit> {
    let first = mrtr::name_question("What is the first name?")?;
    let second = mrtr::name_question("What is the second name?")?;
    let (first, second) = tokio::try_join!(
        task.request_input("first_name", first),
        task.request_input("second_name", second),
    )?;
    let name = |answer: &Value| answer["content"]["name"].clone();
    Ok(text(format!("Got {} and {}.", name(&first), name(&second))))
}

fn ask_then_start(shared: &Shared, request: &CallToolRequestParams, context: &Context) -> Answer {
    need_tasks(context)?;
    let answers = request.input_responses.as_ref();
    let Some(name) = mrtr::answer(answers, "user_name", "name").and_then(Value::as_str) else {
        need_elicitation(context)?;
        let question = mrtr::name_question("What is your name?")?;
        return Ok(mrtr::ask([("user_name", question)], None).into());
    };
    let done = text(format!("The task greets {name}."));
    start(shared, |_| async { Ok(done) })
}
