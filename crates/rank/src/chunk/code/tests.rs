//! Programs in all languages.

use super::*;

/// The paths of the chunks of a program, and their texts.
fn told(language: Language, text: &str) -> Vec<(String, String)> {
    let chunks = chunk(language, text).into_iter();
    chunks.map(|chunk| (chunk.header_path.unwrap_or_default(), chunk.text)).collect()
}

/// A body that fills most of a chunk, each line of which is `line`.
fn body(line: &str, chars: usize) -> String {
    format!("{line}\n").repeat(chars / (line.len() + 1))
}

#[track_caller]
fn check(language: Language, text: &str, expected: &[(&str, &str)]) {
    let told = told(language, text);
    let starts: Vec<(&str, &str)> = told
        .iter()
        .map(|(path, text)| (path.as_str(), text.trim_start().lines().next().unwrap_or_default()))
        .collect();
    assert_eq!(starts, expected, "{told:#?}");
}

#[test]
fn small_neighbours_stand_together() {
    let text = "use a::b;\n\nconst X: u8 = 1;\n\nfn f() {}\n\nfn g() {}\n";
    assert_eq!(told(Language::Rust, text), [(String::new(), text.trim_end().to_owned())]);
    let text = "/// Doc.\n#[test]\nfn f() {\n    g();\n}\n";
    assert_eq!(told(Language::Rust, text), [("f".to_owned(), text.trim_end().to_owned())]);
}

#[test]
fn rust_is_parted_between_items_and_methods() {
    let inner = body("        let x = 1;", 700);
    let text = format!(
        "//! Module.\n\nuse a::b;\n\n/// A type.\n#[derive(Debug)]\nstruct A {{\n{}}}\n\n\
         impl<T> B for A<T> {{\n    /// First.\n    fn one() {{\n{inner}    }}\n\n    // Second.\n    \
         #[inline]\n    fn two() {{\n{inner}    }}\n}}\n\n/// Free.\npub fn free() {{\n{inner}}}\n",
        body("    field: u8,", 300),
    );
    check(
        Language::Rust,
        &text,
        &[
            ("", "//! Module."),
            ("A<T> > one", "impl<T> B for A<T> {"),
            ("A<T> > two", "// Second."),
            ("free", "/// Free."),
        ],
    );
}

#[test]
fn python_is_parted_between_classes_and_methods() {
    let inner = body("        value = 1", 500);
    let text = format!(
        "import os\n\n# About A.\n@decorated\nclass A(B):\n    def one(self):\n{inner}\n    \
         @property\n    def two(self):\n{inner}\n\n@cached\ndef free():\n{inner}\nprint(1)\n"
    );
    check(Language::Python, &text, &[("", "import os"), ("A > two", "@property"), ("", "@cached")]);
}
