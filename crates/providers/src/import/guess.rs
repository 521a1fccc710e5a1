//! Which system wrote what lies at a path.

use std::path::Path;

use engine::import::Foreign;
use serde_json::Value;

use super::table::TABLE;
use super::{FILE_BYTES_MAX, Format, NOTE_BYTES_MAX, files, text};

/// So many notes of a folder are looked at.
const NOTES_LOOKED_AT: usize = 50;

/// Guesses the format of a file or folder.
///
/// # Errors
///
/// Nothing we know looks like that.
pub fn guess(path: &Path) -> Result<Format, String> {
    let unknown = || {
        let names = Format::ALL.map(Format::name).join(", ");
        format!("{}: cannot tell what wrote it; name one of {names}", path.display())
    };
    if path.is_dir() {
        return folder(path).ok_or_else(unknown);
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_lowercase().as_str() {
        "db" | "sqlite" | "sqlite3" => {
            let database = Foreign::open(path).map_err(|why| why.to_string())?;
            let columns = database.columns(TABLE).map_err(|why| why.to_string())?;
            let has = |name: &str| columns.iter().any(|column| column == name);
            // Both have a confidence; only mcp-memory-service has times twice, only Theo a namespace.
            let is_service = has("created_at_iso") || has("content_hash") && !has("confidence");
            let is_theo = has("namespace") || has("confidence") && !has("created_at_iso");
            match (has("content"), is_service, is_theo) {
                (true, true, false) => Ok(Format::MemoryService),
                (true, false, true) => Ok(Format::Theo),
                (true, true, true) => Err(format!(
                    "{}: it looks like both {} and {}; name the one that wrote it",
                    path.display(),
                    Format::MemoryService.name(),
                    Format::Theo.name()
                )),
                _ => Err(unknown()),
            }
        }
        "json" | "jsonl" => {
            let text = text(path, FILE_BYTES_MAX)?;
            json(&text).ok_or_else(unknown)
        }
        "md" | "markdown" => {
            let text = text(path, NOTE_BYTES_MAX)?;
            Ok(note(path, &text))
        }
        _ => Err(unknown()),
    }
}

fn folder(path: &Path) -> Option<Format> {
    if path.join("semantic").is_dir() {
        return Some(Format::LedgerMind);
    }
    if path.join(".obsidian").is_dir() {
        return Some(Format::Obsidian);
    }
    if path.join("MEMORY.md").is_file() || path.join("CLAUDE.md").is_file() {
        return Some(Format::Claude);
    }
    if let Ok(text) = text(&path.join("conversations.json"), FILE_BYTES_MAX) {
        return json(&text);
    }
    let notes = files(Format::Markdown, path).ok()?;
    let guesses: Vec<Format> = notes
        .iter()
        .take(NOTES_LOOKED_AT)
        .filter_map(|path| Some(note(path, &text(path, NOTE_BYTES_MAX).ok()?)))
        .collect();
    let first = [Format::BasicMemory, Format::Obsidian];
    first.into_iter().find(|format| guesses.contains(format)).or(Some(Format::Markdown))
}

fn note(path: &Path, text: &str) -> Format {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if matches!(name, "CLAUDE" | "AGENTS" | "MEMORY") {
        return Format::Claude;
    }
    if text.lines().any(|line| line.starts_with("permalink:")) {
        return Format::BasicMemory;
    }
    if text.contains("[[") { Format::Obsidian } else { Format::Markdown }
}

fn json(text: &str) -> Option<Format> {
    let whole = serde_json::from_str::<Value>(text).ok();
    let first_line =
        || serde_json::from_str(text.lines().find(|line| !line.trim().is_empty())?).ok();
    let value = whole.or_else(first_line)?;
    if value.get("entities").is_some() {
        return Some(Format::ServerMemory);
    }
    if value.get("results").is_some() {
        return Some(Format::Mem0);
    }
    let one = match &value {
        Value::Array(list) => list.first()?,
        _ => value.get("memories").and_then(|list| list.get(0)).unwrap_or(&value),
    };
    let has = |key: &str| one.get(key).is_some();
    Some(match () {
        () if has("mapping") => Format::ChatGpt,
        () if has("chat_messages") => Format::ClaudeExport,
        () if has("memory") => Format::Mem0,
        () if has("entityType") || has("relationType") => Format::ServerMemory,
        () if has("content") && has("type") => Format::AgentMemory,
        () => return None,
    })
}
