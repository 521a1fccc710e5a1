//! Memories for people to read.

use model::{Memory, Scope, time};

/// The heading of a place.
pub(super) fn heading(place: &Scope) -> String {
    format!("# {} ({})\n\n", place.layer.name(), place.owner)
}

/// A memory as an item of a list.
pub(super) fn memory(memory: &Memory) -> String {
    let mut lines = memory.content.trim().lines();
    let mut text = format!("- {}\n", lines.next().unwrap_or_default());
    for line in lines {
        text.push_str(&format!("  {line}\n"));
    }
    let tags: String = memory.tags.iter().map(|tag| format!(", #{tag}")).collect();
    let put_away = if memory.archived { ", archived" } else { "" };
    let (kind, day) = (memory.kind.name(), time::day(memory.created_at));
    text.push_str(&format!("  ({kind}, {day}{tags}{put_away}; {})\n\n", memory.id.prefixed()));
    text
}
