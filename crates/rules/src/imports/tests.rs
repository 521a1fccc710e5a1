//! Imports, language by language, and what no text may do to any of them.

mod c;
mod hostile;
mod java_and_go;
mod python;
mod rust;
mod script;

use super::*;

/// A text, and its imports as `line: statement | module, module`.
type Case = (&'static str, &'static [&'static str]);

/// Whether every text has the imports it should have.
fn check(path: &str, cases: &[Case]) {
    assert!(cases.len() >= 25, "too few cases: {}", cases.len());
    for (text, expected) in cases {
        let found = read(path, text).unwrap();
        let shown = |import: &Import| {
            format!("{}: {} | {}", import.line, import.statement, import.modules.join(", "))
        };
        let found: Vec<String> = found.iter().map(shown).collect();
        assert_eq!(found, *expected, "in {path}:\n{text}");
    }
}

#[test]
fn a_file_of_another_language_is_not_read() {
    for path in ["a.rb", "a", "rs", "a.rs/b", "a.RS", "", ".", "Makefile", "a.md"] {
        assert_eq!(read(path, "use a;"), None, "{path}");
    }
}

#[test]
fn every_extension_is_read() {
    let cases = [
        ("rs py pyi js mjs cjs jsx ts mts cts tsx go java c h cc cpp cxx hh hpp hxx inl", ""),
        ("rs", "use a;"),
        ("py pyi", "import a"),
        ("js mjs cjs jsx ts mts cts tsx", "import 'a'"),
        ("vue svelte", "<script>import 'a'</script>"),
        ("go", "import \"a\""),
        ("java", "import a;"),
        ("c h cc cpp cxx hh hpp hxx inl", "#include <a>"),
    ];
    for (extensions, text) in cases {
        for extension in extensions.split(' ') {
            let found = read(&format!("b.x/a.{extension}"), text).unwrap();
            assert_eq!(found.len(), usize::from(!text.is_empty()), "{extension}");
            assert!(found.iter().all(|import| import.modules == ["a"]), "{extension}: {found:?}");
        }
    }
}
