//! Programs in all languages.

use super::*;
use crate::chunk::{Chunk, Format};

fn chunk(language: Language, text: &str) -> Vec<Chunk> {
    crate::chunk::chunk(Format::Code(language), text)
}

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
            ("A<T>", "impl<T> B for A<T> {"),
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

/// Checks the paths of all chunks of a program with a large function in it.
#[track_caller]
fn check_paths(language: Language, text: &str, expected: &[&str]) {
    let told = told(language, text);
    let paths: Vec<&str> = told.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, expected, "{told:#?}");
}

#[test]
fn other_languages_have_their_names() {
    let inner = body("    call(1, 2);", 400);
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        let text = format!(
            "class A extends B {{\n  one() {{\n{inner}  }}\n  // Two.\n  two() {{\n{inner}  }}\n}}\n\n\
             /** F. */\nexport function f() {{\n{inner}}}\n\nconst g = async () => {{\n{inner}}};\n"
        );
        check_paths(language, &text, &["A", "A > two", "f", "g"]);
    }
    let text = format!(
        "package a\n\nfunc F() {{\n{inner}}}\n\n// M is.\nfunc (s *Server[T]) M() {{\n{inner}}}\n"
    );
    check_paths(Language::Go, &text, &["", "Server > M"]);
    let text = format!(
        "public class A {{\n  @Override\n  void one() {{\n{inner}  }}\n\n  A() {{\n{inner}  }}\n}}\n"
    );
    check_paths(Language::Java, &text, &["A", "A > A"]);
    let text = format!("static char *f(int x)\n{{\n{inner}}}\n\nint main(void) {{\n{inner}}}\n");
    check_paths(Language::C, &text, &["f", "main"]);
    let text = format!(
        "namespace n {{\n\nclass A {{\n  void one() {{\n{inner}  }}\n}};\n\nvoid A::two() {{\n{inner}}}\n\n}}\n"
    );
    check_paths(Language::Cpp, &text, &["n", "n > A::two"]);
    let text = format!(
        "module M\n  class A\n    def one\n{inner}    end\n\n    def self.two\n{inner}    end\n  end\nend\n"
    );
    check_paths(Language::Ruby, &text, &["M", "M > A > two"]);
    let text = format!("set -e\n\n# One.\none() {{\n{inner}}}\n\nfunction two {{\n{inner}}}\n");
    check_paths(Language::Bash, &text, &["", "two"]);
}

#[test]
fn a_function_that_fits_is_not_parted_whatever_stands_before_it() {
    for (language, open, line, close) in [
        (Language::Python, "def f():\n", "    x = call(1)\n", ""),
        (Language::Rust, "fn f() {\n", "    call(1);\n", "}\n"),
        (Language::JavaScript, "const f = () => {\n", "  call(1);\n", "};\n"),
        (Language::Go, "func f() {\n", "\tcall(1)\n", "}\n"),
        (Language::Java, "class A { void f() {\n", "    call(1);\n", "} }\n"),
        (Language::C, "int f(int x)\n{\n", "    call(1);\n", "}\n"),
        (Language::Cpp, "void A::f() {\n", "    call(1);\n", "}\n"),
        (Language::Ruby, "def f\n", "  call(1)\n", "end\n"),
        (Language::Bash, "f() {\n", "  call 1\n", "}\n"),
    ] {
        for lines in [10, 30, 45, 150] {
            let function = |count: usize| format!("{open}{}{close}", line.repeat(count));
            let (before, whole) = (function(lines), function(40));
            let text = format!("{before}\n{whole}\n{before}");
            let told = told(language, &text);
            let is_whole = told.iter().any(|(_, text)| text.contains(whole.trim_end()));
            assert!(is_whole, "{language:?} behind {lines} lines: {told:#?}");
        }
    }
}

#[test]
fn a_comment_that_does_not_fit_with_its_function_leaves_it_whole() {
    let comment = "# Words about it.\n".repeat(40);
    let function = format!("def f():\n{}", "    x = call(1)\n".repeat(40));
    let told = told(Language::Python, &format!("{comment}{function}"));
    assert_eq!(told.last().map(|(_, text)| text.as_str()), Some(function.trim_end()), "{told:#?}");
}

#[test]
fn a_large_function_is_parted_between_its_statements() {
    let text = format!("fn f() {{\n{}}}\n", "    if a {\n        b();\n    }\n".repeat(80));
    let told = told(Language::Rust, &text);
    assert!(told.len() > 2);
    for (path, text) in &told {
        assert_eq!(path, "f");
        assert!(text.starts_with("fn f") || text.starts_with("    if a"), "{text}");
    }
}

#[test]
fn what_does_not_parse_is_parted_by_lines() {
    let text = "fn ( { this is ] no program at all\n".repeat(100);
    for (_, text) in told(Language::Rust, &text) {
        assert!(text.starts_with("fn (") && text.ends_with("at all"), "{text}");
    }
    let line = "let x = [1, 2, 3]; ".repeat(1_000);
    assert!(!looks_written(&line), "one line");
    assert!(!looks_written(&"(\n".repeat(1_000)) && !looks_written(&")\n".repeat(1_000)));
    assert!(!looks_written(&"a<\n".repeat(1_000)) && !looks_written(&"+-*\n".repeat(1_000)));
    assert!(looks_written(include_str!("mod.rs")) && looks_written(include_str!("tests.rs")));
}
