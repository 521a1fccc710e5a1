//! Fixture tools that need several rounds: the call returns what it wants to know, and the
//! client repeats it with the answers (SEP-2322).

#![expect(deprecated, reason = "sampling and roots are deprecated but the suite asks for them")]

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
    InputRequest, InputRequiredResult, InputResponses, ListRootsRequest, SamplingMessage,
    SealOptions, Tool,
};
use serde_json::{Value, json};

use crate::capabilities::{need_elicitation, need_roots, need_sampling};
use crate::state::Shared;
use crate::tools::{Answer, Context, keys, plain, success, unknown};

/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        plain("test_input_required_result_elicitation", "Asks the user for a name."),
        plain("test_input_required_result_sampling", "Asks the client's model."),
        plain("test_input_required_result_list_roots", "Asks for the client's roots."),
        plain("test_input_required_result_request_state", "Asks the user, keeping state."),
        plain("test_input_required_result_tampered_state", "Asks the user, guarding state."),
        plain("test_input_required_result_multiple_inputs", "Asks three things at once."),
        plain("test_input_required_result_multi_round", "Asks two things in turn."),
        plain("test_input_required_result_capabilities", "Asks only what the client can answer."),
    ]
}

pub(crate) fn call(shared: &Shared, request: &CallToolRequestParams, context: &Context) -> Answer {
    match &*request.name {
        "test_input_required_result_elicitation" => by_elicitation(request, context),
        "test_input_required_result_sampling" => by_sampling(request, context),
        "test_input_required_result_list_roots" => by_roots(request, context),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => with_state(shared, request, context),
        "test_input_required_result_multiple_inputs" => at_once(shared, request, context),
        "test_input_required_result_multi_round" => in_turn(shared, request, context),
        "test_input_required_result_capabilities" => by_capability(request, context),
        _ => unknown(request),
    }
}

fn by_elicitation(request: &CallToolRequestParams, context: &Context) -> Answer {
    match answer(request.input_responses.as_ref(), "user_name", "name") {
        Some(Value::String(name)) => success(format!("Hello, {name}!")),
        _ => {
            need_elicitation(context)?;
            Ok(ask([("user_name", name_question("What is your name?")?)], None).into())
        }
    }
}

fn by_sampling(request: &CallToolRequestParams, context: &Context) -> Answer {
    match sampled(request, "capital_question") {
        Some(text) => success(format!("The model says: {text}")),
        None => {
            need_sampling(context)?;
            let question = sampling("What is the capital of France?", 100);
            Ok(ask([("capital_question", question)], None).into())
        }
    }
}

fn by_roots(request: &CallToolRequestParams, context: &Context) -> Answer {
    match listed_roots(request, "client_roots") {
        Some(roots) => success(format!("The client's roots: {roots}")),
        None => {
            need_roots(context)?;
            Ok(ask([("client_roots", roots())], None).into())
        }
    }
}

fn with_state(shared: &Shared, request: &CallToolRequestParams, context: &Context) -> Answer {
    let state = open(shared, request)?;
    let confirmed = answer(request.input_responses.as_ref(), "confirm", "ok");
    if state.is_some() && confirmed.is_some() {
        return success("state-ok: the state came back unchanged.");
    }
    need_elicitation(context)?;
    let question = elicitation("Please confirm", &json!({ "ok": { "type": "boolean" } }))?;
    let state = seal(shared, request, &json!({ "step": 1 }))?;
    Ok(ask([("confirm", question)], Some(state)).into())
}

fn at_once(shared: &Shared, request: &CallToolRequestParams, context: &Context) -> Answer {
    let state = open(shared, request)?;
    let name = answer(request.input_responses.as_ref(), "user_name", "name");
    let greeting = sampled(request, "greeting");
    let listed = listed_roots(request, "client_roots");
    if let (Some(_), Some(name), Some(greeting), Some(listed)) = (state, name, greeting, listed) {
        return success(format!("{greeting} to {name} with roots {listed}"));
    }
    need_elicitation(context)?;
    need_sampling(context)?;
    need_roots(context)?;
    let questions = [
        ("user_name", name_question("What is your name?")?),
        ("greeting", sampling("Generate a greeting", 50)),
        ("client_roots", roots()),
    ];
    let state = seal(shared, request, &json!({ "step": 1 }))?;
    Ok(ask(questions, Some(state)).into())
}

fn in_turn(shared: &Shared, request: &CallToolRequestParams, context: &Context) -> Answer {
    let state = open(shared, request)?.unwrap_or_default();
    let answers = request.input_responses.as_ref();
    // The name travels in the state, since the last round only brings the colour.
    let name = state.get("name").or_else(|| answer(answers, "step1", "name"));
    let colour = answer(answers, "step2", "color");
    if let (Some(2), Some(name), Some(colour)) = (state["step"].as_u64(), name, colour) {
        return success(format!("{name} likes {colour}"));
    }
    need_elicitation(context)?;
    match name.filter(|_| !state.is_null()) {
        Some(name) => {
            let properties = json!({ "color": { "type": "string" } });
            let question = elicitation("Step 2: What is your favorite color?", &properties)?;
            let state = seal(shared, request, &json!({ "step": 2, "name": name }))?;
            Ok(ask([("step2", question)], Some(state)).into())
        }
        None => {
            let state = seal(shared, request, &json!({ "step": 1 }))?;
            let question = name_question("Step 1: What is your name?")?;
            Ok(ask([("step1", question)], Some(state)).into())
        }
    }
}

fn by_capability(request: &CallToolRequestParams, context: &Context) -> Answer {
    let client = context.client_capabilities().unwrap_or_default();
    let mut questions = Vec::new();
    if client.elicitation.is_some() {
        questions.push(("user_name", name_question("What is your name?")?));
    }
    if client.sampling.is_some() {
        questions.push(("greeting", sampling("Generate a greeting", 50)));
    }
    if client.roots.is_some() {
        questions.push(("client_roots", roots()));
    }
    let answers = request.input_responses.as_ref();
    let open = |key: &str| answers.is_none_or(|answers| !answers.contains_key(key));
    questions.retain(|(key, _)| open(key));
    if questions.is_empty() {
        return success("There is nothing left to ask this client.");
    }
    Ok(ask(questions, None).into())
}

/// The field of an accepted form; `None` for an answer that is missing or malformed.
pub(crate) fn answer<'a>(
    answers: Option<&'a InputResponses>,
    key: &str,
    field: &str,
) -> Option<&'a Value> {
    let answer = answers?.get(key)?;
    (answer.get("action")?.as_str()? == "accept").then_some(())?;
    answer.get("content")?.get(field)
}

fn sampled<'a>(request: &'a CallToolRequestParams, key: &str) -> Option<&'a str> {
    let answer = request.input_responses.as_ref()?.get(key)?;
    answer.get("content")?.get("text")?.as_str()
}

fn listed_roots<'a>(request: &'a CallToolRequestParams, key: &str) -> Option<&'a Value> {
    let roots = request.input_responses.as_ref()?.get(key)?.get("roots")?;
    roots.is_array().then_some(roots)
}

/// The state the client sent back, if any; one that was tampered with is refused.
fn open(shared: &Shared, request: &CallToolRequestParams) -> Result<Option<Value>, ErrorData> {
    let sealed = request.request_state.as_deref();
    let opened = sealed.map(|sealed| shared.codec.open_json_with(sealed, request.name.as_bytes()));
    let refused = |_| ErrorData::invalid_params("requestState is not valid", None);
    opened.transpose().map_err(refused)
}

fn seal(
    shared: &Shared,
    request: &CallToolRequestParams,
    state: &Value,
) -> Result<String, ErrorData> {
    let options = SealOptions::new().associated_data(request.name.as_bytes()).ttl(PATIENCE);
    let sealed = shared.codec.seal_json_with(state, &options);
    sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

pub(crate) fn ask<'a>(
    questions: impl IntoIterator<Item = (&'a str, InputRequest)>,
    state: Option<String>,
) -> InputRequiredResult {
    let questions = questions.into_iter();
    let questions = questions.map(|(key, question)| (key.to_owned(), question)).collect();
    InputRequiredResult::new(Some(questions), state)
}

/// A form with the given properties, all of them required.
pub(crate) fn elicitation(message: &str, properties: &Value) -> Result<InputRequest, ErrorData> {
    let schema =
        json!({ "type": "object", "properties": properties, "required": keys(properties) });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params = serde_json::from_value(params)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
}

pub(crate) fn name_question(message: &str) -> Result<InputRequest, ErrorData> {
    elicitation(message, &json!({ "name": { "type": "string" } }))
}

fn sampling(prompt: &str, max_tokens: u32) -> InputRequest {
    let messages = vec![SamplingMessage::user_text(prompt)];
    let params = CreateMessageRequestParams::new(messages, max_tokens);
    InputRequest::CreateMessage(CreateMessageRequest::new(params))
}

fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}
