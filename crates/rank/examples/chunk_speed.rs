//! How fast files are parted into chunks: `cargo run --release -p rank --example chunk_speed`.

#![allow(clippy::print_stdout, reason = "an example that prints figures")]

use std::hint::black_box;
use std::time::Instant;

use rank::chunk::{Format, Language, chunk};

const BYTES: usize = 4 << 20;
/// A larger program is not parsed.
const PROGRAM_BYTES: usize = 512 << 10;
const WORDS: [&str; 40] = [
    "the",
    "index",
    "of",
    "memory",
    "is",
    "searched",
    "by",
    "words",
    "and",
    "meaning",
    "a",
    "server",
    "keeps",
    "one",
    "database",
    "with",
    "SQLite",
    "in",
    "WAL",
    "mode",
    "transactions",
    "are",
    "committed",
    "together",
    "reader",
    "never",
    "waits",
    "for",
    "writer",
    "tokenizer",
    "chunking",
    "heading",
    "paragraph",
    "which",
    "should",
    "configuration",
    "returns",
    "v2.1",
    "ErrorKind",
    "start_line",
];

fn main() {
    measure("text", Format::Text, &text());
    measure("Markdown", Format::Markdown, &markdown());
    measure("HTML", Format::Html, &html());
    measure("Rust", Format::Code(Language::Rust), &rust());
    measure("Python", Format::Code(Language::Python), &python());
    measure("TypeScript", Format::Code(Language::TypeScript), &typescript());
    measure("one line", Format::Text, &"x".repeat(BYTES));
    measure("CJK", Format::Text, &"今日はとても良い天気です。".repeat(BYTES / 40));
}

/// The best of five runs: what else the machine does only adds to the time.
fn measure(what: &str, format: Format, text: &str) {
    let mut best = f64::INFINITY;
    let mut count = 0;
    for _ in 0..5 {
        let start = Instant::now();
        count = black_box(chunk(format, black_box(text))).len();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (mb, average) = (text.len() as f64 / 1e6, text.len() / count.max(1));
    println!("{what:<10} {:7.1} MB/s   {count:6} chunks of {average:4} bytes", mb / best);
}

/// Pseudorandom numbers, the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn sentence(&mut self) -> String {
        let count = 6 + self.roll(14);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect();
        format!("The {}.", words.join(" "))
    }

    fn paragraph(&mut self) -> String {
        let count = 2 + self.roll(5);
        (0..count).map(|_| self.sentence()).collect::<Vec<_>>().join("\n") + "\n\n"
    }
}

/// Parts, one behind the other, until there is enough.
fn grown(part: impl FnMut(&mut Dice, usize) -> String) -> String {
    grown_to(BYTES, part)
}

fn grown_to(bytes: usize, mut part: impl FnMut(&mut Dice, usize) -> String) -> String {
    let (mut dice, mut text) = (Dice(7), String::new());
    for at in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&part(&mut dice, at));
    }
    text
}

fn text() -> String {
    grown(|dice, _| dice.paragraph())
}

fn markdown() -> String {
    grown(|dice, _| match dice.roll(8) {
        0 => format!("## {}\n\n", dice.sentence()),
        1 => format!("- {}\n- **{}**\n\n", dice.sentence(), dice.sentence()),
        2 => {
            "```rust\nlet index = Index::open(path)?;\nindex.search(&query, 10)\n```\n\n".to_owned()
        }
        _ => {
            dice.paragraph().replace("memory", "[memory](memory.md)").replace("server", "`server`")
        }
    })
}

fn html() -> String {
    grown(|dice, _| match dice.roll(6) {
        0 => format!("<h2 class=\"title\">{}</h2>\n", dice.sentence()),
        1 => format!("<ul><li>{}</li><li>{}</li></ul>\n", dice.sentence(), dice.sentence()),
        _ => format!(
            "<div class=\"text\"><p>{}</p></div>\n",
            dice.paragraph().replace("and", "&amp;")
        ),
    })
}

fn rust() -> String {
    grown_to(PROGRAM_BYTES, |dice, at| {
        format!(
            "/// {}\npub fn search_{at}(index: &Index, query: &str) -> Result<Vec<Hit>, Error> {{\n    \
             let terms = terms(query);\n    if terms.is_empty() {{\n        return Ok(Vec::new());\n    }}\n    \
             for term in &terms {{\n        index.add(term, {at})?;\n    }}\n    Ok(index.best(10))\n}}\n\n",
            dice.sentence()
        )
    })
}

fn python() -> String {
    grown_to(PROGRAM_BYTES, |dice, at| {
        format!(
            "class Index{at}(Base):\n    \"\"\"{}\"\"\"\n\n    def search(self, query, limit=10):\n        \
             terms = self.terms(query)\n        if not terms:\n            return []\n        \
             return [hit for hit in self.hits(terms) if hit.score > 0.5][:limit]\n\n\n",
            dice.sentence()
        )
    })
}

fn typescript() -> String {
    grown_to(PROGRAM_BYTES, |dice, at| {
        format!(
            "/** {} */\nexport async function search{at}(index: Index, query: string): Promise<Hit[]> {{\n  \
             const terms = index.terms(query);\n  if (terms.length === 0) {{\n    return [];\n  }}\n  \
             return terms.map((term) => index.best(term, {at}));\n}}\n\n",
            dice.sentence()
        )
    })
}
