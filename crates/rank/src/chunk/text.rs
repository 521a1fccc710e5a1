//! Plain text, and what is treated as such: by paragraphs, items, sentences and lines.

use super::atom::Words;
use super::lines::Lines;
use super::pack::{Stretch, Style, pack};
use super::parts::Parts;

/// Takes a text apart.
pub(super) fn read(text: &str, parts: &mut Parts) {
    let mut lines = Lines::of(text);
    let stretch = Stretch {
        range: 0..text.len(),
        heading_end: 0,
        style: Style::Prose,
        marks: &[],
        units: &[],
    };
    pack(text, &stretch, &mut Words::new(), &mut |part| {
        let in_lines = lines.of_part(&part);
        parts.push_at(part, in_lines, None);
    });
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Chunk, Format};

    fn chunk(text: &str) -> Vec<Chunk> {
        crate::chunk::chunk(Format::Text, text)
    }

    fn texts(text: &str) -> Vec<String> {
        chunk(text).into_iter().map(|chunk| chunk.text).collect()
    }

    #[test]
    fn short_paragraphs_stand_together_and_their_lines_are_right() {
        let text = "\n\n  First line.\nSecond line.\n\nThird.\n\n\n";
        let chunks = chunk(text);
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].text, "  First line.\nSecond line.\n\nThird.");
        assert_eq!((chunks[0].start_line, chunks[0].end_line), (3, 6));
        assert_eq!((chunks[0].page, chunks[0].header_path.as_ref()), (None, None));
    }

    #[test]
    fn a_paragraph_that_does_not_fit_any_more_starts_a_chunk() {
        let (a, b) = ("Apples are red. ".repeat(30), "Pears are green. ".repeat(40));
        assert_eq!(texts(&format!("{a}\n\n{b}")), [a.trim(), b.trim()]);
    }

    #[test]
    fn a_long_paragraph_is_parted_between_sentences() {
        let text = "The house on the hill has been empty for years. ".repeat(60);
        let texts = texts(&text);
        assert!(texts.len() >= 3);
        for text in texts {
            assert!(text.starts_with("The house") && text.ends_with("years."), "{text}");
            assert!(text.len() > 800, "{}", text.len());
        }
    }

    #[test]
    fn sentences_of_other_scripts_end_too() {
        let text = "今日はとても良い天気です。".repeat(100);
        assert!(texts(&text).iter().all(|text| text.ends_with('。')));
    }

    #[test]
    fn entries_and_statements_stay_whole() {
        let yaml: String = (0..100)
            .map(|n| format!("service{n}:\n  image: postgres\n  ports:\n    - 5432\n"))
            .collect();
        for text in texts(&yaml) {
            assert!(text.starts_with("service") && text.ends_with("5432"), "{text}");
        }
        let sql = "INSERT INTO t (a, b)\nVALUES (1, 2);\n".repeat(100);
        for text in texts(&sql) {
            assert!(text.starts_with("INSERT") && text.ends_with(';'), "{text}");
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        for text in ["", " ", "\n \t\r\n\u{3000}\u{c}"] {
            assert_eq!(chunk(text), []);
        }
    }
}
