//! What holds for any text, in any format.

use proptest::prelude::*;

use super::pack::{CLOSING, CLOSING_MAX};
use super::*;
use crate::embed::count_tokens;

const LANGUAGES: [Language; 11] = [
    Language::Python,
    Language::Rust,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Go,
    Language::Java,
    Language::C,
    Language::Cpp,
    Language::Ruby,
    Language::Bash,
];

/// Those whose chunks are parts of the source as it stands there.
fn exact_formats() -> impl Iterator<Item = Format> {
    [Format::Markdown, Format::Text].into_iter().chain(LANGUAGES.map(Format::Code))
}

/// Pieces that mean something in one format or another, and words.
fn pieces() -> impl Strategy<Value = String> {
    let fragments = prop::sample::select(vec![
        "# ",
        "## ",
        "###",
        "```",
        "~~~",
        "---",
        "===",
        "- ",
        "1. ",
        "> ",
        "\n",
        "\n\n",
        "\r\n",
        "    ",
        "\t",
        "<div",
        "<div>",
        "</div>",
        "<h1>",
        "</h2>",
        "<p>",
        "<pre>",
        "<script>",
        "&amp;",
        "&#10;",
        "<!--",
        "-->",
        "<br>",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "\"",
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "fn f",
        "fn ",
        "class A",
        "def f():",
        "func (s *T) f()",
        "impl A for B",
        "end",
        "if ",
        "#[x]",
        "@x",
        "=> ",
        "\\",
        "|",
        "$(",
        "<<EOF\n",
        "≠",
        "漢字",
        "한글",
        "e\u{301}",
        "\u{200b}",
        "\u{3000}",
        "。",
        "🙂",
        "\u{c}",
        "İ",
    ]);
    let piece = prop_oneof![
        4 => fragments.prop_map(str::to_owned),
        4 => "[a-zA-Z]{1,12} ".prop_map(|word| word),
        1 => "[a-z]{1,8}[.!?] ".prop_map(|word| word),
        1 => any::<char>().prop_map(String::from),
        1 => (any::<char>(), 1..600_usize).prop_map(|(c, n)| String::from(c).repeat(n)),
        1 => ("[a-z]{1,9} ", 1..200_usize).prop_map(|(word, n)| word.repeat(n)),
        1 => ("[a-z]{1,9}\n", 1..100_usize).prop_map(|(word, n)| word.repeat(n)),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Checks what must hold for every chunk.
fn check_sizes(chunks: &[Chunk]) -> Result<(), TestCaseError> {
    for chunk in chunks {
        prop_assert!(!chunk.text.trim().is_empty());
        prop_assert!(chunk.text.chars().count() <= CHUNK_CHARS_MAX, "{}", chunk.text);
        prop_assert!(count_tokens(&chunk.text) <= CHUNK_TOKENS_MAX, "{}", chunk.text);
        prop_assert!(1 <= chunk.start_line && chunk.start_line <= chunk.end_line);
    }
    let ascends = |pair: &[Chunk]| pair[0].end_line <= pair[1].start_line;
    prop_assert!(chunks.windows(2).all(ascends), "{:?}", chunks);
    Ok(())
}

/// Checks that the chunks are the source in order, and that only white space is missing.
fn check_exact(source: &str, chunks: &[Chunk]) -> Result<(), TestCaseError> {
    let mut at = 0;
    for chunk in chunks {
        let found = source[at..].find(&chunk.text);
        prop_assert!(found.is_some(), "{:?} is not in {:?}", chunk.text, &source[at..]);
        let start = at + found.unwrap_or_default();
        prop_assert!(source[at..start].trim().is_empty(), "{:?} is lost", &source[at..start]);
        let line = |at: usize| 1 + source[..at].matches('\n').count() as u32;
        prop_assert_eq!(chunk.start_line, line(start));
        prop_assert_eq!(chunk.end_line, line(start + chunk.text.len()));
        at = start + chunk.text.len();
    }
    prop_assert!(source[at..].trim().is_empty(), "{:?} is lost", &source[at..]);
    Ok(())
}

/// Checks that no word that a chunk has room for is parted, and that it stands where it is said to.
fn check_words(source: &str, chunks: &[Chunk]) -> Result<(), TestCaseError> {
    let is_kept = |word: &str| chunks.iter().any(|chunk| chunk.text.contains(word));
    // To the tokenizer a form feed is nothing, not a space.
    let is_space = |c: char| c.is_whitespace() && (!c.is_control() || "\t\r\n".contains(c));
    let is_end = |c: char| is_space(c) || "。！？".contains(c);
    for word in source.split(is_end).filter(|word| (1..=60).contains(&word.len())) {
        // What closes a sentence may stay with it.
        let rest = word.trim_start_matches(|c| CLOSING.contains(c));
        let closing = word[..word.len() - rest.len()].chars().count();
        let rest = rest.trim();
        prop_assert!(closing >= CLOSING_MAX || rest.is_empty() || is_kept(rest), "{:?}", rest);
    }
    let lines: Vec<&str> = source.split('\n').collect();
    for chunk in chunks {
        let first = chunk.text.split_whitespace().next().unwrap_or_default();
        let last = chunk.text.split_whitespace().next_back().unwrap_or_default();
        prop_assert!(lines[chunk.start_line as usize - 1].contains(first), "{:?}", first);
        prop_assert!(lines[chunk.end_line as usize - 1].contains(last), "{:?}", last);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_parted_without_loss(source in pieces()) {
        for format in exact_formats() {
            let chunks = chunk(format, &source);
            check_sizes(&chunks)?;
            check_exact(&source, &chunks)?;
            check_words(&source, &chunks)?;
        }
    }

    #[test]
    fn any_page_is_read(source in pieces()) {
        check_sizes(&chunk(Format::Html, &source))?;
    }

    #[test]
    fn every_word_of_a_page_is_in_some_chunk_and_on_its_line(
        words in prop::collection::vec(
            ("[a-z]{1,9}",
             prop::sample::select(vec![" ", "\n", "<p>", "</p>\n", "<b> ", " </b>", "<br>", "<h2>",
                                       "</h2>", "<li>", "\r\n<td>", "<pre>\n", "</pre>", "&amp; ",
                                       "<!-- x -->\n ", "<a\nhref='x'> ", "<script>no</script> "])),
            0..300)
    ) {
        let source: String =
            words.iter().enumerate().map(|(at, (word, gap))| format!("{word}{at}q{gap}")).collect();
        let chunks = chunk(Format::Html, &source);
        check_sizes(&chunks)?;
        let all = chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n");
        let lines: Vec<&str> = source.split('\n').collect();
        for (at, (word, _)) in words.iter().enumerate() {
            let word = format!("{word}{at}q");
            prop_assert!(all.contains(&word), "{} in {:?}", word, chunks);
        }
        for chunk in chunks {
            let plain = |word: &&str| word.contains('q') && !word.contains('&');
            let mut inner = chunk.text.split(|c: char| !c.is_alphanumeric()).filter(plain);
            if let Some(first) = inner.next() {
                prop_assert!(lines[chunk.start_line as usize - 1].contains(first),
                    "{} is not in line {}", first, chunk.start_line);
                let last = inner.next_back().unwrap_or(first);
                prop_assert!(lines[chunk.end_line as usize - 1].contains(last),
                    "{} is not in line {}", last, chunk.end_line);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]
    #[test]
    fn any_bytes_come_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let text = decode(&bytes).unwrap_or_else(|_| String::from_utf8_lossy(&bytes));
        for format in exact_formats().chain([Format::Html]) {
            check_sizes(&chunk(format, &text))?;
        }
    }
}

/// Texts that are hard on one parser or another, of about this many bytes.
fn hard_texts(bytes: usize) -> Vec<String> {
    let repeated = [
        "x",
        " ",
        "\n",
        "#",
        "# a\n",
        "# a\n## b\n",
        "```\n",
        "`",
        "`` a",
        "*a ",
        "**a _b ",
        "[",
        "[a](",
        "![",
        "<",
        "<a",
        "<!--",
        "&",
        "&amp",
        "> ",
        ">",
        "- ",
        "  - a\n",
        "1. a\n",
        "|a",
        "a|b\n-|-\n",
        "a\n=\n",
        "---\n",
        "[a]: b\n",
        "\\",
        "{",
        "}",
        "(",
        "((",
        "[[",
        "{\n",
        "if (x) {\n",
        "\"",
        "'",
        "/*",
        "/* ",
        "//",
        "#{",
        "<<A\n",
        "$(",
        "${",
        "f(",
        "fn f() {",
        "class A {\n",
        "def f():\n ",
        "a.b",
        "a+",
        "-",
        "a?b:",
        "a<b>",
        "=>",
        ")",
        "))",
        "*)",
        ".",
        ". ",
        "。",
        "漢",
        "한",
        "\u{301}",
        "\u{200b}",
        "<div>",
        "</div>",
        "<h1>",
        "<script>",
        "<noscript>",
        "<pre>",
        "<!",
        "<![CDATA[",
        "if x\n",
        "do\n",
        "begin\n",
        "r#\"",
        "b'",
        "r##",
        "template<",
        "operator",
        "~",
        "@a\n",
        "#[a]\n",
        "#if a\n",
        "#define a \\\n",
        "case a) ",
        "async ",
        "\t",
        "    a\n",
        "a\r",
        "\u{c}",
        "%w(",
        "=begin\n",
    ];
    repeated.iter().map(|piece| piece.repeat(bytes / piece.len())).collect()
}

#[test]
fn hard_texts_come_to_an_end_and_lose_nothing() {
    // Short enough for one line of a program, or it would not be parsed at all.
    for text in hard_texts(4_000) {
        for format in exact_formats() {
            let chunks = chunk(format, &text);
            let checked = check_sizes(&chunks).and_then(|()| check_exact(&text, &chunks));
            assert!(checked.is_ok(), "{format:?} {text:.20}: {checked:?}");
        }
        assert!(check_sizes(&chunk(Format::Html, &text)).is_ok(), "{text:.20}");
    }
}

#[test]
fn large_texts_are_parted() {
    let line = "x".repeat(10_000_000);
    for format in [Format::Text, Format::Markdown, Format::Html, Format::Code(Language::Rust)] {
        assert_eq!(chunk(format, &line).len(), 10_000, "{format:?}");
    }
    let headings = chunk(Format::Markdown, &"# a\n\n".repeat(1_000_000));
    assert_eq!((headings.len(), headings[999_999].start_line), (1_000_000, 1_999_999));
    assert_eq!(chunk(Format::Text, &" \n\t".repeat(3_000_000)), []);
    let nested = "(".repeat(1_000_000);
    assert!(chunk(Format::Code(Language::Rust), &nested).len() >= 1_000);
}

#[test]
fn a_file_has_a_bounded_number_of_chunks() {
    let headings = "# a\n".repeat(CHUNKS_MAX);
    assert_eq!(parts(Format::Markdown, &headings).map(|parts| parts.len()), Ok(CHUNKS_MAX));
    let headings = headings + "# b\n# c\n";
    assert_eq!(parts(Format::Markdown, &headings), Err(TooMany::Chunks(CHUNKS_MAX + 2)));
    let pages = vec!["a".to_owned(); CHUNKS_MAX + 3];
    assert_eq!(chunk_pages(&pages), Err(TooMany::Chunks(CHUNKS_MAX + 3)));
}

#[test]
fn pages_have_numbers_and_lines_of_their_own() {
    let pages = ["one\n\ntwo".to_owned(), " \n".to_owned(), "\nthree".to_owned()];
    let told: Vec<_> = chunk_pages(&pages)
        .unwrap()
        .into_iter()
        .map(|chunk| (chunk.text, chunk.page, chunk.start_line, chunk.end_line))
        .collect();
    let expected = [("one\n\ntwo", Some(1), 1, 3), ("three", Some(3), 2, 2)];
    assert_eq!(told, expected.map(|(text, page, start, end)| (text.to_owned(), page, start, end)));
}

#[test]
fn names_are_short_and_on_one_line() {
    assert_eq!(name(" a\n b "), "a b");
    let long = name(&"word ".repeat(1_000_000));
    assert!(long.chars().count() <= NAME_CHARS_MAX + 1 && long.ends_with("word…"), "{long}");
    assert_eq!(path(["", "a", "", "b"].into_iter()), Some("a > b".to_owned()));
    assert_eq!(path([""].into_iter()), None);
}

/// What the server parses itself must not end it, however it is nested.
#[test]
fn short_markdown_of_any_shape_is_parsed_on_a_small_stack() {
    let shapes = [
        "> ", ">", "- ", "  - a\n", "1. ", "[", "[a](", "[a][", "![", "[^a]: ", "[a]: b\n", "*",
        "_ *", "**a _b ", "*a**b", "`", "``a`", "~~", "~~~", "|a", "# a\n", "a\n=\n", "<a ",
        "<!--", "\\", "&#1;", "\t",
    ];
    let parse = move || {
        for shape in shapes {
            let text = shape.repeat((64 << 10) / shape.len());
            let parts = super::parts(Format::Markdown, &text);
            assert!(parts.is_ok(), "{shape:?}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(parse);
    thread.expect("a thread").join().expect("it ends");
}
