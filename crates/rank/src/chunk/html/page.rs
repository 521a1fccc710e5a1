//! A page as text.

use std::convert::Infallible;
use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::tags;
use crate::chunk::lines::Lines;
use crate::chunk::name;
use crate::chunk::pack::{Level, Mark, Style};

/// What stands between two words; the later is the wider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Nothing: they are one word.
    None,
    /// A space.
    Space,
    /// The end of a line.
    Line,
    /// An empty line.
    Block,
}

/// The text of a page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) text: String,
    /// From where in the text on, and which line of the source that is; in order.
    pub(super) places: Vec<(usize, u32)>,
    /// In order, and the first starts with the text.
    pub(super) sections: Vec<Section>,
}

/// A heading and what stands under it.
#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) start: usize,
    /// 0 for what stands before the first heading.
    pub(super) level: u8,
    pub(super) name: String,
    pub(super) heading_end: usize,
    pub(super) marks: Vec<Mark>,
}

impl Page {
    /// Reads a page.
    pub(super) fn read(source: &str) -> Page {
        let mut reader = Reader {
            text: String::new(),
            places: Vec::new(),
            sections: vec![Section::default()],
            lines: Lines::of(source),
            gap: Gap::None,
            spaces: String::new(),
            hidden_by: None,
            pre_depth: 0,
            is_heading: false,
            item_is_due: false,
            is_raw: false,
            depth: 0,
        };
        reader.read_all(source, 0);
        reader.end_heading();
        Page { text: reader.text, places: reader.places, sections: reader.sections }
    }
}

struct Reader<'a> {
    text: String,
    places: Vec<(usize, u32)>,
    sections: Vec<Section>,
    lines: Lines<'a>,
    /// Between the last word and the next.
    gap: Gap,
    /// Those behind the last word of a line in which each counts.
    spaces: String,
    /// The tag whose content is not seen, and how many of them are open.
    hidden_by: Option<(Vec<u8>, usize)>,
    pre_depth: usize,
    /// Whether the last section's heading is being read.
    is_heading: bool,
    /// Whether the next word starts an item.
    item_is_due: bool,
    /// Whether the next string is a page by itself.
    is_raw: bool,
    /// How many pages this one lies in.
    depth: usize,
}

impl Reader<'_> {
    /// Reads a page, or a part of one that starts at `base` of the source.
    fn read_all(&mut self, source: &str, base: usize) {
        let mut emitter = CallbackEmitter::new(|event: CallbackEvent, span: Span<usize>| {
            self.read(&event, base + span.start..base + span.end);
            None::<Infallible>
        });
        emitter.naively_switch_states(true);
        Tokenizer::new_with_emitter(source, emitter).for_each(drop);
    }

    fn read(&mut self, event: &CallbackEvent, span: Range<usize>) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.start_tag(name),
            CallbackEvent::EndTag { name } => self.end_tag(name),
            CallbackEvent::String { value } if self.hidden_by.is_none() => {
                // The tokenizer splits at tags alone, so this is UTF-8 as the source is.
                let value = String::from_utf8_lossy(value);
                if std::mem::take(&mut self.is_raw) && self.depth == 0 {
                    self.depth += 1;
                    self.read_all(&value, span.start);
                    self.depth -= 1;
                } else {
                    self.words(&value, &span);
                }
            }
            _ => {}
        }
    }

    fn start_tag(&mut self, name: &[u8]) {
        self.is_raw = name == b"noscript";
        if let Some((hidden, depth)) = &mut self.hidden_by {
            *depth += usize::from(hidden == name);
        } else if tags::is_hidden(name) {
            self.hidden_by = Some((name.to_vec(), 1));
        } else {
            self.widen(tags::gap(name));
            self.item_is_due |= tags::is_item(name);
            if let Some(level) = tags::heading_level(name) {
                self.end_heading();
                self.sections.push(Section { start: self.text.len(), level, ..Section::default() });
                self.is_heading = true;
            } else if name == b"pre" {
                self.pre_depth += 1;
                self.mark(Level::BLOCK, Style::Lines);
            }
        }
    }

    fn end_tag(&mut self, name: &[u8]) {
        if let Some((hidden, depth)) = &mut self.hidden_by {
            *depth -= usize::from(hidden == name);
            if *depth == 0 {
                self.hidden_by = None;
            }
            return;
        }
        self.is_raw = false;
        self.widen(tags::gap(name));
        if tags::heading_level(name).is_some() {
            self.end_heading();
        } else if name == b"pre" && self.pre_depth > 0 {
            self.pre_depth -= 1;
            self.mark(Level::BLOCK, Style::Prose);
        }
    }

    /// Parts what stands before a tag from what stands behind it. Spaces at the end of a line do not
    /// count.
    fn widen(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
        if gap >= Gap::Line {
            self.spaces.clear();
        }
    }

    fn end_heading(&mut self) {
        if let Some(section) = self.sections.last_mut().filter(|_| self.is_heading) {
            section.name = name(&self.text[section.start..]);
            section.heading_end = self.text.len();
        }
        self.is_heading = false;
    }

    /// Notes what begins at the end of the text so far.
    fn mark(&mut self, level: Level, style: Style) {
        let at = self.text.len();
        if let Some(section) = self.sections.last_mut() {
            section.marks.push(Mark { at, level, style });
        }
    }

    fn words(&mut self, value: &str, span: &Range<usize>) {
        let mut line = self.lines.line(span.start);
        let last_line = self.lines.line(span.end).max(line);
        for (at, row) in value.split('\n').enumerate() {
            if at > 0 {
                line = last_line.min(line + 1);
                self.gap = self.gap.max(Gap::Space);
            }
            if self.pre_depth > 0 {
                self.pre_row(at, row, line);
            } else {
                self.row(row, line);
            }
        }
    }

    /// A line whose spaces mean nothing.
    fn row(&mut self, row: &str, line: u32) {
        for (at, word) in row.split([' ', '\t', '\r', '\u{c}']).enumerate() {
            if at > 0 {
                self.gap = self.gap.max(Gap::Space);
            }
            self.push(word, line);
        }
    }

    /// A line, or a part of one between two tags, that is kept as it stands.
    fn pre_row(&mut self, at: usize, row: &str, line: u32) {
        if at > 0 {
            self.gap = if self.gap < Gap::Line { Gap::Line } else { Gap::Block };
            self.spaces.clear();
        }
        if row.trim().is_empty() {
            self.spaces.push_str(row);
        } else {
            self.push(row, line);
        }
    }

    fn push(&mut self, word: &str, line: u32) {
        if word.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Block => "\n\n",
            });
        }
        self.gap = Gap::None;
        if std::mem::take(&mut self.item_is_due) {
            let style = if self.pre_depth > 0 { Style::Lines } else { Style::Prose };
            self.mark(Level::ITEM, style);
        }
        if self.places.last().is_none_or(|(_, last)| *last != line) {
            self.places.push((self.text.len(), line));
        }
        self.text.push_str(&self.spaces);
        self.spaces.clear();
        self.text.push_str(word);
    }
}
