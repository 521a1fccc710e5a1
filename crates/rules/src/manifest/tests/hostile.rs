//! What no text may do: make a reader fall, or take forever.

use proptest::prelude::*;

use crate::manifest::{Manifest, read};

const PATHS: [&str; 6] =
    ["Cargo.toml", "package.json", "pyproject.toml", "requirements.txt", "go.mod", "pom.xml"];

/// What the formats are made of.
const PIECES: [&str; 44] = [
    "[dependencies]",
    "[project]",
    "[tool.poetry.dependencies]",
    "[target.a.dependencies]",
    "a",
    "b-c",
    "ä",
    "\"",
    "'",
    "\\",
    "=",
    "==",
    ">=",
    "1",
    "v1",
    ".",
    ",",
    ":",
    ";",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"dependencies\":",
    "\"a\":",
    "\"npm:@\"",
    "{\"dependencies\":{\"a\":\"",
    "require ",
    "require (",
    "<project>",
    "<dependencies>",
    "<dependency>",
    "</",
    ">",
    "<",
    "${",
    "#egg=",
    "-e ",
    "--hash",
    "@",
    "\n",
    "\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_makes_a_reader_fall(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..40),
    ) {
        let text = pieces.concat();
        let lines = text.split('\n').count();
        for path in PATHS {
            let Manifest { declared, problems, .. } = read(path, &text);
            prop_assert!(declared.iter().all(|it| it.line >= 1 && it.line <= lines));
            for problem in problems {
                let line = problem.strip_prefix("line ").and_then(|it| it.split(':').next());
                let line = line.and_then(|line| line.parse::<usize>().ok());
                prop_assert!(line.is_some_and(|line| line >= 1 && line <= lines), "{problem}");
                prop_assert!(!problem.contains('\n'), "{problem}");
            }
        }
    }
}

#[test]
fn deep_nesting_and_much_of_the_same_end() {
    let same = [
        "[",
        "{",
        "{\"a\":",
        "[[",
        "a.",
        "[a.",
        "a={",
        "<a>",
        "<a ",
        "<project>",
        "a\\\n",
        "(",
        "\"",
        "require (\n",
        "\n",
        "#",
        "a[",
        "${",
    ];
    for path in PATHS {
        for same in same {
            let text = same.repeat(300_000 / same.len());
            let _ = read(path, &text);
            let _ = read(path, &format!("{{\"dependencies\":{{\"a\":{text}"));
            let _ = read(path, &format!("[dependencies]\na = {text}"));
            let _ = read(path, &format!("<project>{text}</project>"));
        }
    }
}

#[test]
fn a_document_made_to_take_long_is_refused() {
    let attributes: String = (0..200_000).map(|n| format!(" a{n}=''")).collect();
    let error = read("pom.xml", &format!("<project>\n<a{attributes}/></project>")).problems;
    assert_eq!(error, ["line 2: a tag should have at most 1000 attributes"]);
    let nested: String = (0..100_000).map(|n| format!("<a xmlns:n{n}='x'>")).collect();
    let error = read("pom.xml", &format!("<project>{nested}")).problems;
    assert_eq!(error, ["line 1: there should be at most 1000 namespaces"]);
}

#[test]
fn properties_that_multiply_stay_as_they_are_written() {
    let step = |n: usize| format!("<p{n}>{}</p{n}>", format!("${{p{}}}", n + 1).repeat(100));
    let steps: String = (0..20).map(step).collect();
    let text = format!(
        "<project><properties>{steps}<p20></p20></properties><dependencies><dependency><groupId>a\
         </groupId><artifactId>b</artifactId><version>${{p0}}</version></dependency></dependencies>\
         </project>"
    );
    let found = read("pom.xml", &text).declared;
    assert_eq!(found[0].dependency.version.as_deref(), Some("${p0}"));
}
