//! Fixture prompts and the completion of their arguments.

use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Prompt, PromptArgument, PromptMessage, Reference,
    ResourceContents, Role,
};
use serde_json::json;

use crate::capabilities::need_elicitation;
use crate::content::{PIXEL_PNG, PNG};
use crate::mrtr;
use crate::tools::Context;

const SIMPLE: &str = "test_simple_prompt";
const ARGUMENTS: &str = "test_prompt_with_arguments";
const RESOURCE: &str = "test_prompt_with_embedded_resource";
const IMAGE: &str = "test_prompt_with_image";
const INPUT: &str = "test_input_required_result_prompt";

/// What the arguments of [`ARGUMENTS`] can be completed to.
const WORDS: [&str; 4] = ["testament", "tester", "testimony", "word"];

pub(crate) fn all() -> Vec<Prompt> {
    let argument = |name: &str, description: &str| {
        PromptArgument::new(name).with_description(description).with_required(true)
    };
    let prompt = |name: &str, description: &str, arguments: Vec<PromptArgument>| {
        let arguments = (!arguments.is_empty()).then_some(arguments);
        Prompt::new(name, Some(description), arguments)
    };
    vec![
        prompt(SIMPLE, "A prompt without arguments.", vec![]),
        prompt(
            ARGUMENTS,
            "A prompt that repeats its two arguments.",
            vec![argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
        ),
        prompt(
            RESOURCE,
            "A prompt that embeds a resource.",
            vec![argument("resourceUri", "URI of the resource to embed")],
        ),
        prompt(IMAGE, "A prompt with an image.", vec![]),
        prompt(INPUT, "A prompt that asks the user for its context first.", vec![]),
    ]
}

/// `None` for what is not a fixture.
pub(crate) fn get(
    request: &GetPromptRequestParams,
    context: &Context,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    let messages = match request.name.as_str() {
        SIMPLE => Ok(vec![text("This is a simple prompt for testing.")]),
        ARGUMENTS => with_arguments(request),
        RESOURCE => with_resource(request),
        IMAGE => Ok(vec![
            PromptMessage::new(Role::User, ContentBlock::image(PIXEL_PNG, PNG)),
            text("Please analyze the image above."),
        ]),
        INPUT => return Some(with_input(request, context)),
        _ => return None,
    };
    Some(messages.map(|messages| GetPromptResult::new(messages).into()))
}

fn text(text: impl Into<String>) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|map| map.get(name));
    value.and_then(|value| value.as_str()).ok_or_else(|| {
        ErrorData::invalid_params(format!("prompt argument `{name}` (string) is missing"), None)
    })
}

fn with_arguments(request: &GetPromptRequestParams) -> Result<Vec<PromptMessage>, ErrorData> {
    let (first, second) = (argument(request, "arg1")?, argument(request, "arg2")?);
    let sentence = format!("Prompt with arguments: arg1='{first}', arg2='{second}'");
    Ok(vec![text(sentence)])
}

fn with_resource(request: &GetPromptRequestParams) -> Result<Vec<PromptMessage>, ErrorData> {
    let uri = argument(request, "resourceUri")?;
    let resource = ResourceContents::text("Embedded resource content for testing.", uri);
    Ok(vec![
        PromptMessage::new(Role::User, ContentBlock::resource(resource)),
        text("Please process the embedded resource above."),
    ])
}

fn with_input(
    request: &GetPromptRequestParams,
    context: &Context,
) -> Result<GetPromptResponse, ErrorData> {
    let answers = request.input_responses.as_ref();
    if let Some(subject) = mrtr::answer(answers, "user_context", "context") {
        let message = text(format!("Prompt with this context: {subject}"));
        return Ok(GetPromptResult::new(vec![message]).into());
    }
    need_elicitation(context)?;
    let question = mrtr::elicitation(
        "What context should the prompt use?",
        &json!({ "context": { "type": "string" } }),
    )?;
    Ok(mrtr::ask([("user_context", question)], None).into())
}

/// `None` for what is not a fixture.
pub(crate) fn complete(
    request: &CompleteRequestParams,
) -> Option<Result<CompleteResult, ErrorData>> {
    match &request.r#ref {
        Reference::Prompt(prompt) if prompt.name == ARGUMENTS => {}
        _ => return None,
    }
    let values = WORDS.iter().filter(|word| word.starts_with(&request.argument.value));
    let info = CompletionInfo::with_all_values(values.map(|word| (*word).to_owned()).collect());
    Some(info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None)))
}
