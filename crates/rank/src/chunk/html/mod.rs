//! Web pages by what a reader sees of them, along their headings.
//!
//! The page is read tag by tag, and no tree is built: tags that are never closed, or nested a
//! million deep, cost nothing. What is gathered is plain text with a note in which line of the
//! source each part of it stands; that text is packed as any other.

mod page;
mod tags;

use super::atom::Words;
use super::pack::{Stretch, Style, pack};
use super::parts::Parts;
use super::path;
use page::{Page, Section};

/// Takes a page apart.
pub(super) fn read(source: &str, parts: &mut Parts) {
    let page = Page::read(source);
    let mut headings = Vec::<&Section>::new();
    let mut words = Words::new();
    let mut lines = Places { places: &page.places, line: 1 };
    for (at, section) in page.sections.iter().enumerate() {
        headings.retain(|above| above.level < section.level);
        headings.push(section);
        let end = page.sections.get(at + 1).map_or(page.text.len(), |next| next.start);
        let stretch = Stretch {
            range: section.start..end,
            heading_end: section.heading_end,
            style: Style::Prose,
            marks: &section.marks,
            units: &[],
        };
        let path = path(headings.iter().map(|above| above.name.as_str()));
        pack(&page.text, &stretch, &mut words, &mut |part| {
            let in_lines = (lines.line(part.start), lines.line(part.end - 1));
            parts.push_made(&page.text[part], in_lines, path.as_deref());
        });
    }
}

/// Finds the line of the source in which a part of the text stands.
struct Places<'a> {
    /// From where in the text on, and which line; those ahead.
    places: &'a [(usize, u32)],
    line: u32,
}

impl Places<'_> {
    /// Places are asked for in order.
    fn line(&mut self, at: usize) -> u32 {
        while let Some(((start, line), rest)) = self.places.split_first()
            && *start <= at
        {
            (self.line, self.places) = (*line, rest);
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Chunk, Format};

    fn chunk(source: &str) -> Vec<Chunk> {
        crate::chunk::chunk(Format::Html, source)
    }

    fn only(source: &str) -> Chunk {
        let chunks = chunk(source);
        assert_eq!(chunks.len(), 1, "{chunks:?}");
        chunks.into_iter().next().unwrap()
    }

    #[test]
    fn what_is_seen_is_kept_and_the_rest_is_dropped() {
        let source = "<!doctype html><html><head><title>Tea &amp; more</title>\
            <script>var x = '<p>no</p>';</script><style>p {no: 1}</style></head>\n\
            <body><!-- no --><p>Green<b>tea</b> at&nbsp;80&deg;<br>is\n fine</p>\
            <template><p>no</p></template><div>5 < 6</div><noscript>seen</noscript></body>";
        let text = only(source).text;
        assert_eq!(text, "Tea & more\n\nGreentea at\u{a0}80°\nis fine\n\n5 < 6\n\nseen");
    }

    #[test]
    fn headings_are_the_path() {
        let source = "<p>before</p>\n<h1>Tea <i>and</i> more</h1>\n<p>a</p>\n<h2>Green</h2>\n\
            <p>b\nc</p>\n<h2>Black</h2>d\n<h1>Coffee</h1>e";
        let told: Vec<_> = chunk(source)
            .into_iter()
            .map(|chunk| {
                (
                    chunk.header_path.unwrap_or_default(),
                    chunk.text,
                    chunk.start_line,
                    chunk.end_line,
                )
            })
            .collect();
        let expected = [
            ("", "before", 1, 1),
            ("Tea and more", "Tea and more\n\na", 2, 3),
            ("Tea and more > Green", "Green\n\nb c", 4, 6),
            ("Tea and more > Black", "Black\n\nd", 7, 7),
            ("Coffee", "Coffee\n\ne", 8, 8),
        ];
        let expected = expected.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c, d));
        assert_eq!(told, expected);
    }

    #[test]
    fn lists_tables_and_code_keep_their_lines() {
        let source = "<ul><li>one<li>two</ul><table><tr><td>a</td><td>b</td></tr><tr><td>c</table>\
            <pre>if x:\n    y()\n\nz</pre>";
        assert_eq!(only(source).text, "one\ntwo\n\na b\nc\n\nif x:\n    y()\n\nz");
    }

    #[test]
    fn spaces_between_tags_count_in_code() {
        for (code, text) in [
            ("<b>if</b> <i>x</i>:\n    <b>y</b>()", "if x:\n    y()"),
            ("<b>if</b> \t<!-- no --> <i>x</i>", "if \t x"),
            ("<b>a</b>  \n<b>b</b>", "a\nb"),
            ("<b>a</b>\n  \n  <b>b</b>", "a\n\n  b"),
            ("\n<b>  </b>  <b>a</b>", "    a"),
            ("<b>a</b>  <br>  <b>b</b>", "a\n  b"),
        ] {
            assert_eq!(only(&format!("<p>p</p><pre>{code}</pre>")).text, format!("p\n\n{text}"));
        }
    }

    #[test]
    fn lines_are_those_of_the_source_whatever_ends_them() {
        let chunk = only("\r\n\r\n<p\r\nclass=x>\r\none &amp;\r\ntwo<b>\r\nthree</b>\r\n\r\n");
        assert_eq!(
            (chunk.text.as_str(), chunk.start_line, chunk.end_line),
            ("one & two three", 5, 7)
        );
    }

    #[test]
    fn broken_and_deep_pages_are_read() {
        for (source, text) in [
            ("<div".repeat(100_000), ""),
            ("<div>".repeat(1_000_000) + "deep", "deep"),
            ("</div>".repeat(100_000) + "end", "end"),
            ("<h1>a".to_owned(), "a"),
            ("<script>a".to_owned(), ""),
            ("a<".to_owned(), "a<"),
            ("&&amp;&#x41;&nosuch;&#xFFFFFFFF;".to_owned(), "&&A&nosuch;\u{fffd}"),
        ] {
            let texts: Vec<String> = chunk(&source).into_iter().map(|chunk| chunk.text).collect();
            assert_eq!(texts.concat(), text, "{source:.20}");
        }
    }
}
