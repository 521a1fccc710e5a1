//! A text into the stretches that are read as one: paragraphs, points of a list, headings.
//!
//! What Markdown marks as code is left out. Nothing is copied: a block is where its lines stand.

use std::ops::Range;

/// A paragraph, a point of a list, a heading or the row of a table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Its lines without indents and marks, as bytes of the text.
    pub(super) lines: Vec<Range<usize>>,
    /// Whether it names things and states nothing: a heading, the row of a table.
    pub(super) is_title: bool,
}

/// The blocks of a text, in order.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader { after_blank: true, ..Reader::default() };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        reader.line(line.trim_end(), at);
        at += line.len();
    }
    reader.flush();
    reader.done
}

#[derive(Default)]
struct Reader<'a> {
    done: Vec<Block>,
    current: Block,
    /// What closes the code that is open.
    fence: Option<&'a str>,
    after_blank: bool,
    in_list: bool,
}

impl<'a> Reader<'a> {
    fn flush(&mut self) {
        if !self.current.lines.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    fn line(&mut self, line: &'a str, at: usize) {
        let content = line.trim_start().trim_start_matches(['>', ' ']);
        if let Some(fence) = self.fence {
            if content.starts_with(fence) {
                self.fence = None;
            }
            return;
        }
        if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| content.starts_with(fence)) {
            self.flush();
            self.fence = content.get(..fence.len());
            return;
        }
        let after_blank = std::mem::replace(&mut self.after_blank, content.is_empty());
        if content.is_empty() {
            self.flush();
            return;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if is_indented && after_blank && !self.in_list || content.starts_with("$ ") {
            self.after_blank = true;
            return;
        }
        if content.chars().all(|c| matches!(c, '=' | '-' | '*' | '_')) {
            self.current.is_title |= content.starts_with(['=', '-']);
            self.flush();
            return;
        }
        self.content(content, at + line.len() - content.len());
    }

    fn title(&mut self, line: Range<usize>) {
        self.done.push(Block { lines: std::iter::once(line).collect(), is_title: true });
    }

    fn content(&mut self, content: &str, at: usize) {
        let end = at + content.len();
        if let Some(rest) = heading(content) {
            self.flush();
            self.in_list = false;
            self.title(end - rest.len()..end);
            return;
        }
        if content.starts_with('|') {
            self.flush();
            self.title(at..end);
            return;
        }
        if let Some(rest) = point(content) {
            self.flush();
            self.in_list = true;
            self.current.lines.push(end - rest.len()..end);
            return;
        }
        self.in_list &= !self.current.lines.is_empty();
        self.current.lines.push(at..end);
    }
}

/// What stands behind the mark of a heading.
fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level).then(|| rest.strip_prefix(' '))?.map(str::trim)
}

/// What stands behind the mark of a point: `-`, `*`, `+`, `•`, `1.`, `2)`.
fn point(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = if (1..=3).contains(&(line.len() - digits.len())) {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•'])
    };
    let rest = behind?.strip_prefix(' ')?.trim_start();
    Some(rest.strip_prefix("[ ]").or(rest.strip_prefix("[x]")).unwrap_or(rest).trim_start())
}

#[cfg(test)]
mod tests {
    use super::blocks;

    fn read(text: &str) -> Vec<(String, bool)> {
        let join = |lines: &[std::ops::Range<usize>]| {
            lines.iter().map(|line| &text[line.clone()]).collect::<Vec<_>>().join(" ")
        };
        blocks(text).iter().map(|block| (join(&block.lines), block.is_title)).collect()
    }

    #[test]
    fn paragraphs_points_and_headings_are_blocks_of_their_own() {
        let text = "# Stack\nOne\ntwo\n\n- a\n  b\n2. c\n> d\n\nTitle\n=====\n| x | y |\n";
        let expected = [
            ("Stack", true),
            ("One two", false),
            ("a b", false),
            ("c d", false),
            ("Title", true),
            ("| x | y |", true),
        ];
        assert_eq!(read(text), expected.map(|(text, title)| (text.to_owned(), title)));
    }

    #[test]
    fn code_is_left_out() {
        let text = "a\n```rust\nb\n\n# c\n```\nd\n\n    e\n\n$ f\ng\n~~~\nh";
        let expected = ["a", "d", "g"].map(|text| (text.to_owned(), false));
        assert_eq!(read(text), expected);
    }
}
