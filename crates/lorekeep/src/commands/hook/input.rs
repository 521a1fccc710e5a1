//! What a client says, whatever it calls it. Clients read each other's hooks, so that every spelling
//! is taken from every client.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

/// What a client says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Input {
    /// The session.
    pub(super) session: Option<String>,
    /// Where its user works.
    pub(super) dir: Option<PathBuf>,
    /// What was said.
    pub(super) prompt: Option<String>,
    /// What was answered.
    pub(super) response: Option<String>,
    /// Where the session is written down.
    pub(super) transcript: Option<PathBuf>,
}

impl Input {
    /// Reads what was said.
    pub(super) fn of(value: &Value) -> Result<Self> {
        let object = value.as_object().context("a JSON object")?;
        let text = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| object.get(*name)?.as_str());
            texts.map(str::to_owned).find(|text| !text.is_empty())
        };
        let roots = ["workspace_roots", "workspaceRoots"];
        let root = || {
            let root = roots.iter().find_map(|name| object.get(*name)?.get(0)?.as_str())?;
            Some(root.to_owned())
        };
        Ok(Self {
            session: text(&["session_id", "sessionId", "conversation_id", "conversationId"]),
            dir: text(&["cwd"]).or_else(root).map(PathBuf::from),
            prompt: text(&["prompt"]),
            response: text(&["last_assistant_message", "lastAssistantMessage", "prompt_response"]),
            transcript: text(&["transcript_path", "transcriptPath"]).map(PathBuf::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_spelling_is_taken() {
        let snake = json!({"session_id": "s", "cwd": "/a", "prompt": "p", "prompt_response": "r",
                           "transcript_path": "/t"});
        let camel = json!({"sessionId": "s", "workspaceRoots": ["/a"], "prompt": "p",
                           "lastAssistantMessage": "r", "transcriptPath": "/t"});
        assert_eq!(Input::of(&snake).unwrap(), Input::of(&camel).unwrap());
        let odd = json!({"session_id": 7, "cwd": null, "prompt": ["x"], "workspace_roots": "x"});
        assert_eq!(Input::of(&odd).unwrap(), Input::default());
        assert!(Input::of(&json!([])).is_err());
    }
}
