//! Markdown along its headings.
//!
//! A section is a heading and what stands under it, up to the next heading of any level. Headings in
//! quotes and lists are text. A heading with nothing but a deeper heading under it goes with that.
//!
//! The parser holds all that it was given, in up to 145 bytes for a byte, so it is given one
//! [`Window`] after the other: a block that a window's end might cut is read again in the next.

mod window;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::atom::Words;
use super::lines::Lines;
use super::pack::{Level, Mark, Stretch, Style, pack};
use super::parts::Parts;
use super::{name, path};
use window::{Window, Windows};

/// Takes a document apart.
pub(super) fn read(text: &str, parts: &mut Parts) {
    read_by(text, window::WINDOW_BYTES, parts);
}

/// The same with windows of another size.
fn read_by(text: &str, window_bytes: usize, parts: &mut Parts) {
    let mut reader = Reader {
        text,
        lines: Lines::of(text),
        words: Words::new(),
        parts,
        headings: Vec::new(),
        start: 0,
        heading_end: 0,
        marks: Vec::new(),
    };
    let front_matter_end = front_matter_end(text);
    if front_matter_end > 0 {
        reader.marks.push(Mark { at: 0, level: Level::BLOCK, style: Style::Lines });
        let (at, style) = (front_matter_end, Style::Prose);
        reader.marks.push(Mark { at, level: Level::BLOCK, style });
    }
    let mut windows = Windows::of(text, front_matter_end, window_bytes);
    while let Some(window) = windows.next() {
        let outline = Outline::of(&window, &windows);
        let (found, next) = match outline.resume_at {
            Some(at) => (outline.settled, at),
            None => outline.all(text, window.range.end),
        };
        for step in found {
            reader.take(step);
        }
        windows.go_on_at(next);
    }
    reader.close_section(text.len());
}

/// Where the front matter ends with which a document starts; 0 if it has none. Only the first line
/// opens one: the parser would take any `---` in the text for that, and lose the headings behind it.
fn front_matter_end(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return 0 };
    let mut end = first.len();
    for (number, line) in lines.enumerate() {
        end += line.len();
        match line.trim_end() {
            // As an empty block or a rule it says nothing.
            "" | "---" | "..." if number == 0 => return 0,
            "---" | "..." => return end,
            _ => {}
        }
    }
    0
}

/// What is found in a document, in its order.
#[derive(Debug)]
enum Step {
    /// A heading of this level starts a section here.
    Heading(usize, u8),
    /// It ends here and reads so.
    HeadingEnd(usize, String),
    Mark(Mark),
}

/// The steps of a window, up to where the next window is to start.
#[derive(Default)]
struct Outline {
    settled: Vec<Step>,
    /// Those of the last block, which may go on behind the window.
    open: Vec<Step>,
    /// Where the last block starts, if it is not the first one and something stands behind the window.
    resume_at: Option<usize>,
    /// What ends the last block, if it is fenced.
    fence: Option<Fence>,
}

impl Outline {
    fn of(window: &Window<'_>, windows: &Windows<'_>) -> Outline {
        let mut outline = Outline::default();
        // How many quotes and lists something lies in, and how many blocks of any kind.
        let (mut depth, mut nesting) = (0_usize, 0_usize);
        let mut heading = None;
        for (event, range) in window.events(windows) {
            let at = range.start;
            let is_block = match &event {
                Event::Start(Tag::Item) => nesting <= 1,
                Event::Start(_) | Event::Rule => nesting == 0,
                _ => false,
            };
            if is_block {
                outline.start_block(window, at);
            }
            match &event {
                Event::Start(_) => nesting += 1,
                Event::End(_) => nesting = nesting.saturating_sub(1),
                _ => {}
            }
            match event {
                Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                    outline.open.push(Step::Heading(at, level as u8));
                    windows.is_heading.set(true);
                    heading = Some(String::new());
                }
                Event::End(TagEnd::Heading(_)) if depth == 0 => {
                    let text = heading.take().unwrap_or_default();
                    windows.is_heading.set(false);
                    outline.open.push(Step::HeadingEnd(range.end, text));
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
                Event::Start(Tag::CodeBlock(kind)) => {
                    let is_fenced = depth == 0 && matches!(kind, CodeBlockKind::Fenced(_));
                    outline.fence = is_fenced.then(|| Fence::at(windows.text, at)).flatten();
                    outline.mark_block(range, depth);
                }
                Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => {
                    depth = depth.saturating_sub(1);
                }
                Event::Start(Tag::Item) => outline.mark(at, Level::ITEM, Style::Prose),
                _ => {}
            }
        }
        outline
    }

    /// A block starts: those before it are as they are, whatever stands behind the window.
    fn start_block(&mut self, window: &Window<'_>, at: usize) {
        self.settled.append(&mut self.open);
        self.fence = None;
        self.resume_at = window.resume_at(at);
    }

    /// A block whose lines count.
    fn mark_block(&mut self, range: Range<usize>, depth: usize) {
        let level = if depth == 0 { Level::BLOCK } else { Level::ITEM };
        self.mark(range.start, level, Style::Lines);
        self.mark(range.end, level, Style::Prose);
    }

    fn mark(&mut self, at: usize, level: Level, style: Style) {
        self.open.push(Step::Mark(Mark { at, level, style }));
    }

    /// All steps, and where to go on, if a window ends in its first block or at the text's end. The
    /// rest of a block is read as if it stood alone, but for the code in a fence, and a line that is
    /// longer than a window is not looked at any more.
    fn all(mut self, text: &str, end: usize) -> (Vec<Step>, usize) {
        let mut next = end;
        if let Some(fence) = self.fence.filter(|_| end < text.len()) {
            next = fence.end(text, end);
            if let Some(Step::Mark(mark)) = self.open.last_mut() {
                mark.at = next;
            }
        } else if !text[..end].ends_with('\n') {
            next = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        }
        self.settled.append(&mut self.open);
        (self.settled, next)
    }
}

/// The signs that open a block of code, which a line of as many closes.
#[derive(Debug, Clone, Copy)]
struct Fence {
    sign: char,
    count: usize,
}

impl Fence {
    fn at(text: &str, at: usize) -> Option<Fence> {
        let line = text[at..].trim_start_matches(' ');
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        Some(Fence { sign, count: line.len() - line.trim_start_matches(sign).len() })
    }

    /// Where the block ends that goes on at a line's start.
    fn end(self, text: &str, from: usize) -> usize {
        let mut at = from;
        for line in text[from..].split_inclusive('\n') {
            at += line.len();
            let code = line.trim_start_matches(' ');
            let rest = code.trim_start_matches(self.sign);
            let is_closing = code.len() - rest.len() >= self.count && rest.trim().is_empty();
            if is_closing && line.len() - code.len() < 4 {
                return at;
            }
        }
        at
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    words: Words,
    parts: &'a mut Parts,
    /// Those that the section stands under, its own included, with their levels.
    headings: Vec<(u8, String)>,
    /// Of the section.
    start: usize,
    heading_end: usize,
    marks: Vec<Mark>,
}

impl Reader<'_> {
    fn take(&mut self, step: Step) {
        match step {
            Step::Heading(start, level) => self.open_section(start, level),
            Step::HeadingEnd(end, text) => self.name_section(end, &text),
            Step::Mark(mark) => self.marks.push(mark),
        }
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
            units: &[],
        };
        let path = path(self.headings.iter().map(|(_, text)| text.as_str()));
        let (lines, parts) = (&mut self.lines, &mut self.parts);
        pack(self.text, &stretch, &mut self.words, &mut |part| {
            let in_lines = lines.of_part(&part);
            parts.push_at(part, in_lines, path.as_deref());
        });
        self.marks.clear();
        self.start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{Chunk, Format};
    use proptest::prelude::*;

    fn chunk(text: &str) -> Vec<Chunk> {
        crate::chunk::chunk(Format::Markdown, text)
    }

    /// The same by windows of this size.
    fn chunk_by(text: &str, window_bytes: usize) -> Vec<Chunk> {
        let mut parts = Parts::unbounded();
        read_by(text, window_bytes, &mut parts);
        let parts = parts.finish().unwrap();
        parts.into_iter().map(|part| part.chunk(text).unwrap()).collect()
    }

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
    fn only_the_first_line_opens_front_matter() {
        let paths = |text: &str| told(text).into_iter().map(|told| told.0).collect::<Vec<_>>();
        assert_eq!(paths("# A\n\na\n\n---\n# B\n\nb\n\n---\n\nc\n"), ["A", "B"]);
        assert_eq!(paths("---\nx: 1\n---\n# A\n\na\n\n---\n# B\n\n---\n"), ["", "A", "B"]);
        assert_eq!(paths("---\n\n# A\n\na\n\n---\n"), ["", "A"], "a rule");
        assert_eq!(paths("---\n# A\n\na\n"), ["", "A"], "it does not end");
        assert_eq!(paths("--- \r\n# x: 1\r\n...\r\n# A\r\n"), ["", "A"]);
        let long = format!("---\n{}---\n# A\n", "# key: value\n".repeat(100));
        assert_eq!(chunk_by(&long, 200), chunk(&long));
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

    /// Blocks as people write them, of up to 300 bytes.
    fn blocks() -> impl Strategy<Value = String> {
        let block = prop::sample::select(vec![
            "# One\n",
            "## Two [v1.2] and [text][ref] `code`\n\n",
            "Setext *heading*\n===\n\n",
            "Three\n---\n\n",
            "#### Four ####\n\n",
            "A paragraph. It has two sentences\nand two lines.\n\n",
            "A paragraph without an empty line behind it,\n    and a line that is indented.\n",
            "- one\n- two\n\n  second paragraph\n  - deep\n    - deeper\n\n      # no heading\n- three\n",
            "1. one\n   ```\n   # code\n   ```\n2. two\n\n10. ten\n    - below\n",
            " * a\n   lazy\nline\n  * b\n",
            "> quoted\n> # no heading\n> - item\nlazy\n\n",
            "```sh\n# comment\n\n- x\n```\n",
            "~~~~\n```\n# no\n~~~\n~~~~\n\n",
            "    indented\n\n    # code\n\n",
            "<div>\n# html\n\n</div>\n\n",
            "<!-- a comment\n\n# no heading\n\n-->\n",
            "***\n\n",
            "---\n",
            "\n[v1.2]: https://example.org/1\n",
            "\n[ref]: <b> 'title\nof two lines'\n\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
            "\n\n",
            "\r\nwindows\r\n\r\n# Of lines\r\n",
        ]);
        prop::collection::vec(block, 0..60).prop_map(|blocks| blocks.concat())
    }

    proptest! {
        #[test]
        fn windows_are_not_seen_in_the_chunks(text in blocks(), window in 600..2_000_usize) {
            prop_assert_eq!(chunk_by(&text, window), chunk_by(&text, usize::MAX), "{}", text);
        }

        #[test]
        fn any_window_loses_nothing(text in blocks(), odd in "\\PC{0,9}", window in 1..100_usize) {
            let text = text.replace("paragraph", &odd);
            let chunks = chunk_by(&text, window);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let kept: Vec<String> = chunks.iter().flat_map(|chunk| words(&chunk.text)).collect();
            prop_assert_eq!(kept.concat(), words(&text).concat());
        }
    }

    #[test]
    fn code_longer_than_windows_stays_code() {
        let code = "# no heading\n- no item\n``\n".repeat(100);
        let text = format!("# A\n\n```sh\n{code}  ```\n\n# B\n\nend\n");
        let paths: Vec<_> = chunk_by(&text, 200).into_iter().map(|c| c.header_path).collect();
        let (last, first) = paths.split_last().unwrap();
        assert_eq!(last.as_deref(), Some("B"));
        assert!(first.iter().all(|path| path.as_deref() == Some("A")), "{paths:?}");
        assert_eq!(chunk_by(&text, 200), chunk_by(&text, usize::MAX));
    }

    #[test]
    fn a_line_longer_than_windows_is_text() {
        let text = format!("![](data:{}# x\n# B\n\nend\n", "ab ".repeat(2_000));
        let chunks = chunk_by(&text, 100);
        assert_eq!(chunks.last().unwrap().header_path.as_deref(), Some("B"));
        assert!(chunks.len() > 2 && chunks[0].header_path.is_none());
    }

    #[test]
    fn links_in_headings_are_looked_up_in_the_whole_document() {
        let filler = "Some words in a paragraph.\n\n".repeat(50);
        let text = format!("## [1.2] - [x]\n\n{filler}[1.2]: https://example.org\n");
        let path = chunk_by(&text, 300)[0].header_path.clone();
        assert_eq!(path.as_deref(), Some("1.2 - [x]"));
    }
}
