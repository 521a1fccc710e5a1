//! Notes that are linked with each other: basic-memory and Obsidian.

use engine::import::{Incoming, IncomingMemory, Source};
use serde_json::json;

use super::front::{self, Section, inline_tags, wiki_links};
use super::markdown::{Keys, date, section_memory};
use super::value::{set_kind, sources, text, texts};
use super::{File, Format};

/// What a link in running text says.
const LINKS_TO: &str = "links to";

pub(super) fn read(format: Format, file: &File<'_>) -> Result<Source, String> {
    let mut source = Source::new(format.name(), &file.name);
    let note = front::note(file.text);
    source.told = sources(&note.front);
    if let Some(flaw) = &note.flaw {
        source.skip(format!("{}:1", file.name), flaw.clone());
    }
    let stem = file.stem();
    let title = match format {
        Format::BasicMemory => text(&note.front, &["title"]).unwrap_or(&stem).to_owned(),
        _ => stem.clone(),
    };
    let kind = text(&note.front, &["type"]).map(str::to_owned);
    source.incoming.push(Incoming::Thing {
        place: format!("{}:1", file.name),
        name: title.clone(),
        kind,
        summary: None,
    });
    let mut keys = Keys::of(file);
    let mut reader = Reader { format, file, title: &title, source: &mut source };
    for mut section in front::sections(note.body, note.first_line) {
        let tags = reader.take_lines(&mut section, &note.front);
        if section.text.trim().is_empty() {
            continue;
        }
        let mut memory = section_memory(file, &note.front, &section, &mut keys, Some(reader.title));
        memory.tags.extend(tags);
        reader.source.incoming.push(Incoming::Memory(Box::new(memory)));
    }
    Ok(source)
}

struct Reader<'a> {
    format: Format,
    file: &'a File<'a>,
    title: &'a str,
    source: &'a mut Source,
}

impl Reader<'_> {
    /// Takes observations and relations out of a section, and its links; the tags of what stays.
    fn take_lines(&mut self, section: &mut Section, front: &model::Metadata) -> Vec<String> {
        let (mut kept, mut tags, mut fence) = (String::new(), Vec::new(), None);
        for (line, at) in
            section.text.lines().zip(section.line + usize::from(!section.headings.is_empty())..)
        {
            let is_code = fence.is_some();
            front::follow(&mut fence, line);
            let place = format!("{}:{at}", self.file.name);
            if !is_code && self.format == Format::BasicMemory && self.take(line, &place, front) {
                continue;
            }
            if !is_code && fence.is_none() {
                tags.extend(inline_tags(line));
                for target in wiki_links(line) {
                    self.link(&place, LINKS_TO, &target);
                }
            }
            kept.push_str(line);
            kept.push('\n');
        }
        section.text = kept;
        tags
    }

    /// Takes a line that is an observation or a relation.
    fn take(&mut self, line: &str, place: &str, front: &model::Metadata) -> bool {
        let Some(item) = line.trim_start().strip_prefix(['-', '*']) else { return false };
        let item = item.trim();
        if let Some((relation, rest)) = item.split_once("[[")
            && rest.contains("]]")
            && !relation.contains(['[', ']'])
        {
            let relation = relation.trim().trim_matches('"');
            let relation = if relation.is_empty() { LINKS_TO } else { relation };
            for target in wiki_links(item).into_iter().take(1) {
                self.link(place, relation, &target);
            }
            return true;
        }
        let Some((category, text)) = item.strip_prefix('[').and_then(|item| item.split_once("] "))
        else {
            return false;
        };
        // A box to tick is none.
        if matches!(category, "" | " " | "x" | "X") || category.contains(['[', ']', '(']) {
            return false;
        }
        let told = text.split(" #").next().unwrap_or(text).trim();
        let mut memory = IncomingMemory::new(place, format!("{}: {told}", self.title));
        memory.category = Some(category.trim().chars().take(50).collect());
        memory.tags = texts(front.get("tags"));
        memory.tags.extend(inline_tags(text));
        memory.metadata.insert("entity".to_owned(), json!(self.title));
        set_kind(&mut memory, Some(category));
        date(&mut memory, self.file, front);
        self.source.incoming.push(Incoming::Memory(Box::new(memory)));
        true
    }

    fn link(&mut self, place: &str, relation: &str, target: &str) {
        // A note is known by its name, whatever folder it lies in.
        let target = match self.format {
            Format::Obsidian => target.rsplit('/').next().unwrap_or(target),
            _ => target,
        };
        let target = target.strip_suffix(".md").unwrap_or(target);
        let link = [self.title, relation, target].map(str::to_owned);
        self.source.incoming.push(Incoming::Link { place: place.to_owned(), link });
    }
}
