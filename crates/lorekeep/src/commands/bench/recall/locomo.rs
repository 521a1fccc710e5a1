//! Reading LoCoMo's file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// A conversation with its questions.
pub(crate) struct Conversation {
    pub(crate) id: String,
    pub(crate) turns: Vec<Turn>,
    pub(crate) questions: Vec<Question>,
}

/// One turn: its id, its session, and who said what when, with what a photo shows.
pub(crate) struct Turn {
    pub(crate) id: String,
    pub(crate) session: u32,
    pub(crate) text: String,
}

/// A question and the turns that answer it.
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) category: u64,
    pub(crate) evidence: Vec<String>,
}

#[derive(Deserialize)]
struct RawConversation {
    sample_id: String,
    conversation: BTreeMap<String, Value>,
    qa: Vec<RawQuestion>,
}

#[derive(Deserialize)]
struct RawTurn {
    speaker: String,
    dia_id: String,
    text: String,
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct RawQuestion {
    question: String,
    category: u64,
    #[serde(default)]
    evidence: Vec<String>,
}

/// The conversations in the file.
pub(crate) fn load(path: &Path) -> Result<Vec<Conversation>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let raw: Vec<RawConversation> =
        serde_json::from_str(&text).with_context(|| format!("{} is not LoCoMo", path.display()))?;
    raw.into_iter().map(conversation).collect()
}

fn conversation(raw: RawConversation) -> Result<Conversation> {
    let mut turns = Vec::new();
    for number in 1.. {
        let name = format!("session_{number}");
        let date = raw.conversation.get(&format!("{name}_date_time")).and_then(Value::as_str);
        // A session may have a date and no turns; where there is no date there is no session.
        let Some(date) = date else { break };
        let Some(session) = raw.conversation.get(&name) else { continue };
        let session: Vec<RawTurn> = Deserialize::deserialize(session).context(name)?;
        turns.extend(session.into_iter().map(|turn| told(turn, number, date)));
    }
    Ok(Conversation {
        id: raw.sample_id,
        turns,
        questions: raw.qa.into_iter().map(question).collect(),
    })
}

fn told(turn: RawTurn, session: u32, date: &str) -> Turn {
    let photo = turn.blip_caption.map_or_else(String::new, |shows| format!(" (photo: {shows})"));
    let text = format!("{date}, {}: {}{photo}", turn.speaker, turn.text);
    Turn { id: turn.dia_id, session, text }
}

/// Some questions have several turns in one string, apart by spaces or semicolons.
fn question(raw: RawQuestion) -> Question {
    let apart = |text: String| -> Vec<String> {
        let parts = text.split([';', ',', ' ']).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let mut evidence: Vec<String> = raw.evidence.into_iter().flat_map(apart).collect();
    evidence.sort();
    evidence.dedup();
    Question { text: raw.question, category: raw.category, evidence }
}

/// A conversation of our own in LoCoMo's form.
#[cfg(test)]
pub(crate) const SMALL: &str = r#"[{
    "sample_id": "small",
    "conversation": {
        "speaker_a": "Ada", "speaker_b": "Bob",
        "session_1_date_time": "1:00 pm on 1 May, 2026",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought a violin"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice", "blip_caption": "a sailing boat"}
        ],
        "session_2_date_time": "2:00 pm on 2 May, 2026"
    },
    "qa": [
        {"question": "What did Ada buy? A violin?", "category": 4, "evidence": ["D1:1; D9:9"]},
        {"question": "Who showed a boat?", "category": 1, "evidence": ["D1:2"]},
        {"question": "Who flew?", "category": 5, "evidence": ["D1:1"]}
    ]
}]"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_carry_their_date_and_photo_and_evidence_is_taken_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("small.json");
        std::fs::write(&path, SMALL).unwrap();
        let all = load(&path).unwrap();
        let texts: Vec<_> = all[0].turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "1:00 pm on 1 May, 2026, Ada: I bought a violin",
                "1:00 pm on 1 May, 2026, Bob: Nice (photo: a sailing boat)",
            ]
        );
        assert_eq!(all[0].questions[0].evidence, ["D1:1", "D9:9"]);
        std::fs::write(&path, "{}").unwrap();
        assert!(load(&path).err().unwrap().to_string().contains("is not LoCoMo"));
    }
}
