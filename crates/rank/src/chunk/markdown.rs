//! Markdown along its headings.
//!
//! A section is a heading and what stands under it, up to the next heading of any level. Headings in
//! quotes and lists are text. A heading with nothing but a deeper heading under it goes with that.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::atom::Words;
use super::lines::Lines;
use super::pack::{Level, Mark, Stretch, Style, pack};
use super::{Chunk, name, path};

/// The chunks of a document.
pub(super) fn chunk(text: &str) -> Vec<Chunk> {
    let mut reader = Reader {
        text,
        lines: Lines::of(text),
        words: Words::new(),
        chunks: Vec::new(),
        headings: Vec::new(),
        start: 0,
        heading_end: 0,
        marks: Vec::new(),
    };
    let (mut depth, mut heading) = (0_usize, None);
    let events = Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
    for (event, range) in events.into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                reader.open_section(range.start, level as u8);
                heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(_)) if depth == 0 => {
                reader.name_section(range.end, &heading.take().unwrap_or_default());
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut heading {
                    heading.push(' ');
                }
            }
            Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_)) => {
                let level = if depth == 0 { Level::BLOCK } else { Level::ITEM };
                reader.mark(range.start, level, Style::Lines);
                reader.mark(range.end, level, Style::Prose);
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Item) => reader.mark(range.start, Level::ITEM, Style::Prose),
            _ => {}
        }
    }
    reader.close_section(text.len());
    reader.chunks
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    words: Words,
    chunks: Vec<Chunk>,
    /// Those that the section stands under, its own included, with their levels.
    headings: Vec<(u8, String)>,
    /// Of the section.
    start: usize,
    heading_end: usize,
    marks: Vec<Mark>,
}

impl Reader<'_> {
    fn mark(&mut self, at: usize, level: Level, style: Style) {
        self.marks.push(Mark { at, level, style });
    }

    fn open_section(&mut self, start: usize, level: u8) {
        let is_deeper = self.headings.last().is_some_and(|(above, _)| *above < level);
        let is_bare = self.text[self.heading_end.min(start)..start].trim().is_empty();
        if !(is_deeper && is_bare) {
            self.close_section(start);
        }
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, String::new()));
        self.heading_end = start;
    }

    fn name_section(&mut self, heading_end: usize, heading: &str) {
        if let Some((_, text)) = self.headings.last_mut() {
            *text = name(heading);
        }
        self.heading_end = self.text[..heading_end].trim_end().len();
    }

    fn close_section(&mut self, end: usize) {
        let stretch = Stretch {
            range: self.start..end,
            heading_end: self.heading_end,
            style: Style::Prose,
            marks: &self.marks,
        };
        let path = path(self.headings.iter().map(|(_, text)| text.as_str()));
        let (lines, chunks) = (&mut self.lines, &mut self.chunks);
        pack(self.text, &stretch, &mut self.words, &mut |part| {
            chunks.push(lines.chunk(part, path.clone()));
        });
        self.marks.clear();
        self.start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(String, String, u32, u32)> {
        let tell = |chunk: Chunk| {
            (chunk.header_path.unwrap_or_default(), chunk.text, chunk.start_line, chunk.end_line)
        };
        chunk(text).into_iter().map(tell).collect()
    }

    #[test]
    fn sections_stand_under_their_headings() {
        let text = "before\n\n# A *very* `big` [one](x)\n\ntext\n\nB\nb\n---\n\n- item\n\n\
            ### D ###\n\ndeep\n\n# E\nend\n";
        let expected = [
            ("", "before", 1, 1),
            ("A very big one", "# A *very* `big` [one](x)\n\ntext", 3, 5),
            ("A very big one > B b", "B\nb\n---\n\n- item", 7, 11),
            ("A very big one > B b > D", "### D ###\n\ndeep", 13, 15),
            ("E", "# E\nend", 17, 18),
        ];
        assert_eq!(told(text), expected.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c, d)));
    }

    #[test]
    fn what_only_looks_like_a_heading_is_text() {
        let text =
            "# A\n\n```sh\n# comment\n```\n\n> # quoted\n\n- # listed\n\n    # indented\n\n#no\n";
        let told = told(text);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].0.as_str(), told[0].3), ("A", 13));
    }

    #[test]
    fn front_matter_is_text() {
        let told = told("---\ntitle: Tea\ntags: [a, b]\n---\n\n# A\n\nx\n");
        assert_eq!(told[0].1, "---\ntitle: Tea\ntags: [a, b]\n---");
        assert_eq!((told[0].0.as_str(), told[1].0.as_str()), ("", "A"));
    }

    #[test]
    fn a_heading_goes_with_what_stands_under_it() {
        let told = told("# A\n\n## B\n\ntext\n\n## C\n\n# D\n");
        let told: Vec<_> = told.iter().map(|told| (told.0.as_str(), told.1.as_str())).collect();
        assert_eq!(told, [("A > B", "# A\n\n## B\n\ntext"), ("A > C", "## C"), ("D", "# D")]);
        let long = format!("# Heading\n\n{}", "A sentence of some length it is. ".repeat(60));
        assert!(chunk(&long)[0].text.len() > 800);
    }

    #[test]
    fn code_that_fits_is_kept_whole() {
        let code = format!("```rust\n{}```", "let x = 1;\n\n".repeat(40));
        let text = format!("# A\n\n{}\n\n{code}\n\nend", "Some words to begin with. ".repeat(25));
        let chunks = chunk(&text);
        assert!(chunks.iter().any(|chunk| chunk.text.contains(&code)), "{chunks:#?}");
    }

    #[test]
    fn long_lists_are_parted_between_items() {
        let text = "# List\n\n".to_owned()
            + &"- an item. It has two sentences and\n  two lines\n".repeat(60);
        let chunks = chunk(&text);
        assert!(chunks.len() > 2);
        for chunk in &chunks[1..] {
            assert!(chunk.text.starts_with("- an item"), "{}", chunk.text);
            assert_eq!(chunk.header_path.as_deref(), Some("List"));
        }
    }
}
