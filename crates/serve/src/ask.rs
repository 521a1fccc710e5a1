//! Questions to the client's own model: by sampling over stdio where the client is of before
//! 2026-07-28, by a second round of the call where it is newer. Only a client that offers its model
//! is asked, and only once.
#![expect(deprecated, reason = "sampling is how a client offers its model, as long as it does")]

use std::time::Duration;

use engine::fact::Question;
use engine::trust::visible;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, CreateMessageRequest, CreateMessageRequestParams, InputRequest,
    InputRequiredResult, InputResponses, ProtocolVersion, SamplingMessage, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};

/// How long a client's model may take for one answer: its user may be asked first.
const PATIENCE: Duration = Duration::from_secs(180);

/// How many tokens an answer may have.
const ANSWER_TOKENS_MAX: u32 = 8_192;

/// How a client's model can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a request of ours, while the call waits.
    Sampling,
    /// By answering the call with the questions; the client calls again with the answers.
    SecondRound,
}

/// What the model said, or why it did not.
pub(crate) type Answers = Result<Vec<String>, String>;

/// What came of asking the client's model.
pub(crate) enum Asked {
    /// It answered, or nobody asked it.
    Answered(Option<Answers>),
    /// The client is to bring the answers with its next call.
    SecondRound(InputRequiredResult),
}

/// How this client's model can be asked, if it offers it.
pub(crate) fn way(cx: &RequestContext<RoleServer>, is_http: bool) -> Option<Way> {
    cx.client_capabilities()?.sampling?;
    let version = cx.protocol_version()?;
    if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() {
        return Some(Way::SecondRound);
    }
    // An older client over HTTP would have to keep a stream open for us.
    (!is_http).then_some(Way::Sampling)
}

/// Asks one question after the other.
pub(crate) async fn sample(cx: &RequestContext<RoleServer>, questions: &[Question]) -> Answers {
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let request = ServerRequest::CreateMessageRequest(request(question));
        let options = PeerRequestOptions::with_timeout(PATIENCE);
        let handle = cx.peer.send_request_with_option(request, options).await;
        let response = match handle {
            Ok(handle) => handle.await_response().await,
            Err(why) => Err(why),
        };
        match response.map_err(|why| why.to_string())? {
            ClientResult::CreateMessageResult(result) => {
                let texts = result.message.content.iter().filter_map(|block| block.as_text());
                answers.push(texts.map(|text| text.text.as_str()).collect());
            }
            _ => return Err("it answered something else than a message".to_owned()),
        }
    }
    Ok(answers)
}

/// The answer that puts the questions to the client.
pub(crate) fn second_round(questions: &[Question]) -> InputRequiredResult {
    let ask = |(at, question): (usize, &Question)| {
        (key(at), InputRequest::CreateMessage(request(question)))
    };
    InputRequiredResult::from_input_requests(questions.iter().enumerate().map(ask).collect())
}

/// What the client brings back, in the order of the questions.
pub(crate) fn brought(responses: &InputResponses) -> Answers {
    let answers: Vec<String> = (0..)
        .map_while(|at| responses.get(&key(at)))
        .map(said)
        .collect::<Option<_>>()
        .ok_or("what the client brought is no message with a text".to_owned())?;
    if answers.is_empty() {
        return Err("the client brought no answer of it".to_owned());
    }
    Ok(answers)
}

/// The text of a message, whose content is one block or several.
fn said(response: &serde_json::Value) -> Option<String> {
    let content = response.get("content")?;
    let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

fn key(at: usize) -> String {
    format!("part-{}", at + 1)
}

fn request(question: &Question) -> CreateMessageRequest {
    let messages = vec![SamplingMessage::user_text(visible(&question.text))];
    let mut params = CreateMessageRequestParams::new(messages, ANSWER_TOKENS_MAX);
    params.system_prompt = Some(question.system.to_owned());
    params.temperature = Some(0.0);
    CreateMessageRequest::new(params)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn responses(value: serde_json::Value) -> InputResponses {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn what_is_brought_back_is_read_in_order() {
        let text = |text: &str| json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": text}});
        let several =
            json!({"content": [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]});
        let both = responses(json!({"part-2": several, "part-1": text("a")}));
        assert_eq!(brought(&both), Ok(vec!["a".to_owned(), "bc".to_owned()]));
        assert!(brought(&responses(json!({}))).is_err());
        assert!(brought(&responses(json!({"part-1": {"content": {"type": "image"}}}))).is_err());
    }

    #[test]
    fn every_question_has_a_key_of_its_own() {
        let question = Question { system: "Be brief.", text: "Why?".to_owned() };
        let asked = second_round(&[question.clone(), question]);
        let keys: Vec<String> = asked.input_requests.unwrap().into_keys().collect();
        assert_eq!(keys, ["part-1", "part-2"]);
    }
}
