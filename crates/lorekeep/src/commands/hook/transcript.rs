//! The last turn of a session, from the lines of JSON that a client writes it down in.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

/// No more of a file's end than this is read.
const TAIL_BYTES_MAX: u64 = 1 << 20;

/// What was said, and the last that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Turn {
    pub(super) prompt: String,
    pub(super) response: String,
}

/// The last turn that is written down in a file.
pub(super) fn last(path: &Path) -> Result<Turn> {
    if !std::fs::metadata(path)?.is_file() {
        bail!("{} is no file", path.display());
    }
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(TAIL_BYTES_MAX);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(of_lines(&String::from_utf8_lossy(&bytes)))
}

/// The last turn of these lines. What is no line of JSON, or says nothing, is passed over.
fn of_lines(text: &str) -> Turn {
    let mut turn = Turn::default();
    for line in text.lines() {
        let Some((speaker, said)) = serde_json::from_str(line).ok().as_ref().and_then(said) else {
            continue;
        };
        match speaker {
            Speaker::Person if rank::keep::clean(&said).is_empty() || said == turn.prompt => {}
            Speaker::Person => turn = Turn { prompt: said, response: String::new() },
            Speaker::Agent => turn.response = said,
        }
    }
    turn
}

enum Speaker {
    Person,
    Agent,
}

/// Who says what in a line, if anybody does.
fn said(line: &Value) -> Option<(Speaker, String)> {
    let is = |name: &str| line[name] == true;
    let said = match line["type"].as_str()? {
        // Claude Code; what it says to itself, or a helper of its, is nobody's word.
        "user" | "assistant" if is("isMeta") || is("isSidechain") => None,
        "user" => Some((Speaker::Person, text(&line["message"]["content"]))),
        "assistant" => Some((Speaker::Agent, text(&line["message"]["content"]))),
        // Codex.
        "event_msg" => {
            let told = || line["payload"]["message"].as_str().unwrap_or_default().to_owned();
            match line["payload"]["type"].as_str()? {
                "user_message" => Some((Speaker::Person, told())),
                "agent_message" => Some((Speaker::Agent, told())),
                _ => None,
            }
        }
        "response_item" if line["payload"]["type"] == "message" => {
            let told = text(&line["payload"]["content"]);
            match line["payload"]["role"].as_str()? {
                "user" => Some((Speaker::Person, told)),
                "assistant" => Some((Speaker::Agent, told)),
                _ => None,
            }
        }
        _ => None,
    };
    said.filter(|(_, text)| !text.trim().is_empty())
}

/// The text of a message: it is one, or made of parts. What tools say is none.
fn text(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    let texts = parts.filter_map(|part| {
        let is_text = matches!(part["type"].as_str(), Some("text" | "input_text" | "output_text"));
        part["text"].as_str().filter(|_| is_text)
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(prompt: &str, response: &str) -> Turn {
        Turn { prompt: prompt.to_owned(), response: response.to_owned() }
    }

    #[test]
    fn the_last_turn_of_claude_code_is_read() {
        let lines = r#"half a line"}
{"type":"user","message":{"role":"user","content":"Fix the login"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"Fixed."}]}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"We use pnpm"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"x"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","content":"a flood"}]}}
{"type":"user","isMeta":true,"message":{"content":"Caveat: x"}}
{"type":"user","message":{"content":"<system-reminder>x</system-reminder>"}}
{"type":"assistant","isSidechain":true,"message":{"content":"of a helper"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"I switched to pnpm."}]}}
{"type":"summary","summary":"x"}"#;
        assert_eq!(of_lines(lines), turn("We use pnpm", "I switched to pnpm."));
        assert_eq!(of_lines(""), Turn::default());
    }

    #[test]
    fn the_last_turn_of_codex_is_read() {
        let lines = r#"{"type":"session_meta","payload":{}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"We use uv"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"We use uv"}}
{"type":"response_item","payload":{"type":"function_call_output","output":"x"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"Noted."}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Noted."}]}}"#;
        assert_eq!(of_lines(lines), turn("We use uv", "Noted."));
    }

    #[test]
    fn only_the_end_of_a_large_file_is_read_and_only_of_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let old = r#"{"type":"user","message":{"content":"long ago"}}"#;
        let new = r#"{"type":"user","message":{"content":"just now"}}"#;
        let filler =
            format!("{{\"type\":\"system\",\"x\":\"{}\"}}\n", "y".repeat(1_000)).repeat(2_000);
        std::fs::write(&path, format!("{old}\n{filler}{new}\n")).unwrap();
        assert_eq!(last(&path).unwrap(), turn("just now", ""));
        std::fs::write(&path, format!("{old}\n{filler}")).unwrap();
        assert_eq!(last(&path).unwrap(), Turn::default());
        assert!(last(dir.path()).is_err());
    }
}
