//! What no text may do: make a reader fall, count wrong, or take forever.

use proptest::prelude::*;

use crate::imports::read;

const PATHS: [&str; 8] = ["a.rs", "a.py", "a.ts", "a.vue", "a.go", "a.java", "a.c", "a.cpp"];

/// What the languages are made of, and what could be taken for it.
const PIECES: [&str; 62] = [
    "use ",
    "pub ",
    "pub(crate) ",
    "extern crate ",
    "import ",
    "from ",
    "export ",
    "require(",
    "import(",
    "#include ",
    "#include_next",
    "package ",
    "static ",
    "as ",
    "self",
    "__import__(",
    "importlib.import_module(",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "a",
    "b::",
    "c.",
    "ä",
    "r",
    "f",
    "R",
    "u8",
    "x1",
    "*",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    ".",
    "=",
    "#",
    "@",
    "!",
    "$",
    "${",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "/",
    "//",
    "/*",
    "*/",
    "\\",
    "\n",
    "\r\n",
    " ",
    "\u{feff}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_makes_a_reader_fall(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60),
    ) {
        let text = pieces.concat();
        let lines = text.split('\n').count();
        for path in PATHS {
            let found = read(path, &text).unwrap();
            let mut last = 1;
            for import in found {
                prop_assert!(import.line >= last && import.line <= lines, "{path}: {import:?}");
                prop_assert!(!import.statement.contains(['\n', '\r']), "{path}: {import:?}");
                prop_assert!(import.modules.iter().all(|name| !name.is_empty()), "{path}");
                last = import.line;
            }
        }
    }

    #[test]
    fn no_letters_make_a_reader_fall(text in "\\PC{0,40}") {
        for path in PATHS {
            prop_assert!(read(path, &text).is_some());
        }
    }
}

/// Five megabytes of the same; a reader that goes back over what it read would not end.
#[test]
fn much_of_the_same_ends() {
    const SAME: [&str; 40] = [
        "/*",
        "use a::{",
        "use a::{b,",
        "use a::{b,a::{",
        "`",
        "\"",
        "'",
        "pub(",
        "pub /*",
        "r#\"",
        "r##",
        "'\\",
        "from a import (",
        "from a import b,",
        "from . ",
        "import a,",
        "f\"{",
        "f'''{",
        "import {",
        "import {a,",
        "import \"",
        "export {\"",
        "`${",
        "${`",
        "/[",
        "= /[ ",
        "require(\"m\",",
        "<script>",
        "<script",
        "#include \\\n",
        "#include <",
        "\n#i/*",
        ";import <",
        ";import a.",
        "R\"a(",
        "1'1",
        "__import__(\"",
        "package ",
        "import (",
        "@a(",
    ];
    for path in PATHS {
        for same in SAME {
            let text = same.repeat(5_000_000 / same.len() / SAME.len());
            assert!(read(path, &text).is_some(), "{path}: {same}");
        }
    }
    for (path, same) in [
        ("a.rs", "/*"),
        ("a.rs", "use a::{"),
        ("a.ts", "`"),
        ("a.ts", "/["),
        ("a.py", "f\"{"),
        ("a.py", "from a import ("),
        ("a.cpp", ";import <"),
        ("a.c", "\n#i/*"),
    ] {
        assert!(read(path, &same.repeat(5_000_000 / same.len())).is_some(), "{path}: {same}");
    }
}

#[test]
fn names_that_repeat_a_long_path_do_not_fill_the_memory() {
    let path = "a::".repeat(100_000);
    let names = "b, ".repeat(100_000);
    let found = read("a.rs", &format!("use {path}{{{names}}};")).unwrap();
    assert!(found[0].modules.iter().map(String::len).sum::<usize>() < 10_000_000);
    let path = path.replace("::", ".");
    let found = read("a.py", &format!("from {path}a import {names}b")).unwrap();
    assert!(found[0].modules.iter().map(String::len).sum::<usize>() < 10_000_000);
}
