//! Conversations that ChatGPT and Claude exported: one document each.

use std::collections::{HashMap, HashSet};

use engine::import::{Incoming, Source};
use model::{Metadata, Timestamp, time};
use serde_json::Value;

use super::value::{text, time_of};
use super::{File, Format};

/// A conversation has no more characters than this in the store.
const CONVERSATION_CHARS_MAX: usize = 2_000_000;

/// Who said something, and what.
type Turn = (String, String);

/// The conversations of ChatGPT: a tree of messages each, of which the branch that was last shown counts.
pub(super) fn chatgpt(file: &File<'_>) -> Result<Source, String> {
    let ids = &["conversation_id", "id"];
    read(file, Format::ChatGpt, ids, &["create_time"], &["update_time"], |conversation| {
        let mapping = conversation.get("mapping").and_then(Value::as_object);
        let mapping = mapping.ok_or("it has no mapping of messages")?;
        Ok(branch(mapping, conversation).into_iter().filter_map(chatgpt_turn).collect())
    })
}

/// The conversations of Claude: a list of messages each.
pub(super) fn claude(file: &File<'_>) -> Result<Source, String> {
    let ids = &["uuid", "id"];
    read(file, Format::ClaudeExport, ids, &["created_at"], &["updated_at"], |conversation| {
        let messages = conversation.get("chat_messages").and_then(Value::as_array);
        let messages = messages.ok_or("it has no chat_messages")?;
        Ok(messages.iter().filter_map(Value::as_object).filter_map(claude_turn).collect())
    })
}

fn read(
    file: &File<'_>,
    format: Format,
    ids: &[&str],
    created: &[&str],
    updated: &[&str],
    turns: impl Fn(&Metadata) -> Result<Vec<Turn>, String>,
) -> Result<Source, String> {
    let document: Value =
        serde_json::from_str(file.text).map_err(|why| format!("it is no JSON: {why}"))?;
    let list = match document {
        Value::Array(list) => list,
        Value::Object(mut object) => match object.remove("conversations") {
            Some(Value::Array(list)) => list,
            _ => vec![Value::Object(object)],
        },
        _ => return Err("it is no list of conversations".to_owned()),
    };
    let mut source = Source::new(format.name(), &file.name);
    for (value, at) in list.into_iter().zip(1..) {
        let place = format!("{}#{at}", file.name);
        let Value::Object(conversation) = value else {
            source.skip(place, "it is no object");
            continue;
        };
        let Some(id) = text(&conversation, ids) else {
            source.skip(place, "it has no id");
            continue;
        };
        let turns = match turns(&conversation) {
            Ok(turns) if turns.is_empty() => Err("nobody said anything in it".to_owned()),
            turns => turns,
        };
        match turns {
            Ok(turns) => {
                let began = time_of(&conversation, created);
                let title = text(&conversation, &["title", "name"]).unwrap_or("Conversation");
                source.incoming.push(Incoming::Document {
                    path: format!("{}:{id}", format.name()),
                    text: told(title, began, &turns),
                    modified: time_of(&conversation, updated).or(began),
                });
            }
            Err(why) => source.skip(place, why),
        }
    }
    Ok(source)
}

/// A conversation as Markdown.
fn told(title: &str, began: Option<Timestamp>, turns: &[Turn]) -> String {
    let mut text = format!("# {}\n", title.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some(began) = began {
        text.push_str(&format!("\n{}\n", time::day(began)));
    }
    let mut left = CONVERSATION_CHARS_MAX;
    for (who, said) in turns {
        let said: String = said.trim().replace('\0', "").chars().take(left).collect();
        left -= said.chars().count();
        text.push_str(&format!("\n## {who}\n\n{said}\n"));
        if left == 0 {
            break;
        }
    }
    text
}

/// The messages from the first to the one that was last shown.
fn branch<'a>(mapping: &'a Metadata, conversation: &Metadata) -> Vec<&'a Metadata> {
    let node = |id: &str| mapping.get(id).and_then(Value::as_object);
    let parents: HashMap<&str, &str> = mapping
        .iter()
        .filter_map(|(id, node)| Some((id.as_str(), node.get("parent")?.as_str()?)))
        .collect();
    let has_children: HashSet<&str> = parents.values().copied().collect();
    let last = text(conversation, &["current_node"]).filter(|id| mapping.contains_key(*id));
    let leaf = || mapping.keys().map(String::as_str).rfind(|id| !has_children.contains(id));
    let (mut at, mut seen, mut found) = (last.or_else(leaf), HashSet::new(), Vec::new());
    while let Some(id) = at {
        // A tree that goes in circles is none.
        if !seen.insert(id.to_owned()) {
            break;
        }
        found.extend(node(id).and_then(|node| node.get("message")?.as_object()));
        at = parents.get(id).copied();
    }
    found.reverse();
    found
}

fn chatgpt_turn(message: &Metadata) -> Option<Turn> {
    let role = message.get("author")?.get("role")?.as_str()?;
    let who = match role {
        "user" => "User",
        "assistant" => "Assistant",
        _ => return None,
    };
    let content = message.get("content")?;
    let parts = content.get("parts").and_then(Value::as_array);
    let said: Vec<&str> = match parts {
        Some(parts) => parts.iter().filter_map(part).collect(),
        None => content.get("text").and_then(Value::as_str).into_iter().collect(),
    };
    turn(who, &said.join("\n"))
}

fn part(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| part.get("text")?.as_str())
}

fn claude_turn(message: &Metadata) -> Option<Turn> {
    let who = match text(message, &["sender"])? {
        "human" | "user" => "User",
        "assistant" => "Assistant",
        _ => return None,
    };
    let said = text(message, &["text"]).map(str::to_owned).or_else(|| {
        let parts = message.get("content")?.as_array()?;
        Some(parts.iter().filter_map(part).collect::<Vec<_>>().join("\n"))
    })?;
    turn(who, &said)
}

fn turn(who: &str, said: &str) -> Option<Turn> {
    (!said.trim().is_empty()).then(|| (who.to_owned(), said.to_owned()))
}
