//! Markdown that tells an agent what to keep in mind: CLAUDE.md, AGENTS.md, folders of automatic memory,
//! and any other.

use std::collections::HashMap;

use engine::import::{Incoming, IncomingMemory, Source};
use model::{Kind, Metadata};
use serde_json::json;

use super::front::{self, Note, Section};
use super::value::{set_kind, sources, text, texts, time_of};
use super::{File, Format};

pub(super) fn read(format: Format, file: &File<'_>) -> Result<Source, String> {
    let mut source = Source::new(format.name(), &file.name);
    let note = front::note(file.text);
    source.told = sources(&note.front);
    if let Some(flaw) = &note.flaw {
        source.skip(format!("{}:1", file.name), flaw.clone());
    }
    // A topic of automatic memory says of itself what it is: it stays whole.
    if format == Format::Claude && text(&note.front, &["description"]).is_some() {
        source.incoming.push(Incoming::Memory(Box::new(topic(file, &note))));
        return Ok(source);
    }
    let is_index = file.stem() == "MEMORY";
    let mut keys = Keys::of(file);
    for section in front::sections(note.body, note.first_line) {
        let place = format!("{}:{}", file.name, section.line);
        if is_index && is_list_of_links(&section.text) {
            source.skip(place, "it only lists other files");
            continue;
        }
        let mut memory = section_memory(file, &note.front, &section, &mut keys, None);
        if matches!(file.stem().as_str(), "CLAUDE" | "AGENTS") {
            memory.category = Some("instructions".to_owned());
            memory.kind = Kind::Preference;
        }
        source.incoming.push(Incoming::Memory(Box::new(memory)));
    }
    Ok(source)
}

fn topic(file: &File<'_>, note: &Note<'_>) -> IncomingMemory {
    let description = text(&note.front, &["description"]).unwrap_or_default();
    let content = format!("{description}\n\n{}", note.body.trim());
    let mut memory = IncomingMemory::new(format!("{}:1", file.name), content.trim());
    memory.key = Some(file.key());
    memory.category = text(&note.front, &["name"]).map(|name| name.chars().take(50).collect());
    set_kind(&mut memory, text(&note.front, &["type"]));
    date(&mut memory, file, &note.front);
    memory
}

/// The memory that a section becomes; `title` stands before its headings.
pub(super) fn section_memory(
    file: &File<'_>,
    front: &Metadata,
    section: &Section,
    keys: &mut Keys,
    title: Option<&str>,
) -> IncomingMemory {
    let path = section.path();
    let heading = match title {
        Some(title) if section.headings.first().is_some_and(|first| first == title) => path.clone(),
        Some(title) if path.is_empty() => title.to_owned(),
        Some(title) => format!("{title} > {path}"),
        None => path.clone(),
    };
    let text = section.text.trim();
    let content = if heading.is_empty() { text.to_owned() } else { format!("{heading}\n\n{text}") };
    let mut memory = IncomingMemory::new(format!("{}:{}", file.name, section.line), content);
    memory.key = Some(keys.next(&path));
    memory.tags = texts(front.get("tags"));
    memory.metadata.insert("file".to_owned(), json!(file.name));
    set_kind(&mut memory, super::value::text(front, &["type"]));
    date(&mut memory, file, front);
    memory
}

/// When a note was written, by what it says or by its file.
pub(super) fn date(memory: &mut IncomingMemory, file: &File<'_>, front: &Metadata) {
    let modified = file.modified();
    memory.created_at = time_of(front, &["created", "created_at", "date"]).or(modified);
    memory.updated_at = time_of(front, &["updated", "updated_at", "modified"]).or(modified);
}

/// What recognises the parts of a file.
pub(super) struct Keys {
    file: String,
    seen: HashMap<String, usize>,
}

impl Keys {
    pub(super) fn of(file: &File<'_>) -> Self {
        Self { file: file.key(), seen: HashMap::new() }
    }

    /// The key of the next part with this name.
    pub(super) fn next(&mut self, name: &str) -> String {
        let times = self.seen.entry(name.to_owned()).and_modify(|times| *times += 1).or_insert(1);
        let again = if *times > 1 { format!("~{times}") } else { String::new() };
        format!("{}#{name}{again}", self.file)
    }
}

fn is_list_of_links(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some()
        && lines.all(|line| {
            line.strip_prefix(['-', '*']).is_some_and(|item| item.trim_start().starts_with('['))
                && line.contains("](")
        })
}
