//! The clients: what they call what happens, and in which form they take what they are told.

use serde_json::{Value, json};

/// A client with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Client {
    ClaudeCode,
    Codex,
    VsCode,
    Cursor,
    Gemini,
}

/// What happens in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// It starts, or goes on after its context was cut.
    Start,
    /// Somebody says something.
    Prompt,
    /// It was answered.
    Answer,
    /// It ends.
    End,
}

/// What Claude Code calls it, and who follows it.
const CLAUDE: [(&str, Event); 4] = [
    ("SessionStart", Event::Start),
    ("UserPromptSubmit", Event::Prompt),
    ("Stop", Event::Answer),
    ("SessionEnd", Event::End),
];

const CURSOR: [(&str, Event); 4] = [
    ("sessionStart", Event::Start),
    ("beforeSubmitPrompt", Event::Prompt),
    ("stop", Event::Answer),
    ("sessionEnd", Event::End),
];

const GEMINI: [(&str, Event); 4] = [
    ("SessionStart", Event::Start),
    ("BeforeAgent", Event::Prompt),
    ("AfterAgent", Event::Answer),
    ("SessionEnd", Event::End),
];

impl Client {
    const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::VsCode, Self::Cursor, Self::Gemini];

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
        }
    }

    /// The client of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// What it means by this name, in any case, and how it spells it.
    pub(super) fn event(self, name: &str) -> Option<(Event, &'static str)> {
        let names = match self {
            Self::ClaudeCode | Self::Codex | Self::VsCode => CLAUDE,
            Self::Cursor => CURSOR,
            Self::Gemini => GEMINI,
        };
        let found = names.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(known, event)| (event, known))
    }

    /// Whether it takes notes with a prompt. Where it does not, the prompt itself is what we learn:
    /// these clients do not tell it again with the answer.
    pub(super) const fn takes_context_with_prompts(self) -> bool {
        match self {
            Self::ClaudeCode | Self::Codex | Self::Gemini => true,
            Self::VsCode | Self::Cursor => false,
        }
    }

    /// Notes in the form it takes them. Nothing else may stand there: Codex refuses keys it does not
    /// know.
    pub(super) fn context(self, event: &str, text: &str) -> Value {
        match self {
            Self::Cursor => json!({"additional_context": text}),
            _ => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_in_any_case_and_others_mean_nothing() {
        let event = |client: &str, name: &str| Client::named(client)?.event(name);
        let prompt = Some((Event::Prompt, "UserPromptSubmit"));
        assert_eq!(event("claude-code", "userpromptsubmit"), prompt);
        assert_eq!(event("cursor", "SESSIONSTART"), Some((Event::Start, "sessionStart")));
        assert_eq!(event("gemini", "AfterAgent"), Some((Event::Answer, "AfterAgent")));
        assert_eq!(event("gemini", "Stop"), None);
        assert_eq!(event("claude-code", "PreCompact"), None);
        assert_eq!(event("emacs", "Stop"), None);
    }
}
