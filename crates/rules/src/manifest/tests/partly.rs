//! Manifests that can be read in part: one bad entry hides no other.

use crate::manifest::{Manifest, read};

/// Whether each text declares these names, and one problem begins like this.
fn check(path: &str, cases: &[(&str, &[&str], &str)]) {
    for (text, expected, problem) in cases {
        let Manifest { declared, problems, .. } = read(path, text);
        let names: Vec<&str> = declared.iter().map(|one| one.dependency.name.as_str()).collect();
        assert_eq!(names, *expected, "in {path}:\n{text}\n{problems:?}");
        assert!(problems.iter().any(|why| why.starts_with(problem)), "{problems:?}\n{text}");
    }
}

#[test]
fn of_a_package_json() {
    let kinds = r#""dependencies": {"a": "1", "b": "2"}, "devDependencies": {"c": "3"}"#;
    let closed = format!("{{{kinds},\n}}");
    let commented = format!("{{\n// it's ours\n{kinds}}}");
    check(
        "package.json",
        &[
            (r#"{"dependencies":{"flask":"1"},}"#, &["flask"], "line 1: key must be a string"),
            (&closed, &["a", "b", "c"], "line 2: "),
            (&commented, &["a", "b", "c"], "line 2: "),
            ("{\"dependencies\": {\"a\": ,\n\"b\": \"2\"}}", &["a", "b"], "line 1: "),
            ("{\"dependencies\": {\"a\" \"1\",\n\"b\": \"2\"}}", &["b"], "line 1: "),
            ("{\"dependencies\": {\"a\": \"1,\n\"b\": \"2\"}}", &["a", "b"], "line 1: "),
            (
                "{\"dependencies\": {\"a\": \"1\" \"b\": \"2\", c: \"3\", \"d\": 'x'}}",
                &["a", "b", "d"],
                "line 1: ",
            ),
            ("{\"dependencies\": {\"a\": \"1\"", &["a"], "line 1: EOF"),
            (
                "{\"dependencies\": [\"a\"], \"devDependencies\": {\"b\": \"1\"}}",
                &["b"],
                "line 1: `dependencies` should be",
            ),
            (
                "{\"bundledDependencies\": [\"a\", }, \"b\"], \"dependencies\": {\"c\": \"1\"}}",
                &["a", "b", "c"],
                "line 1: ",
            ),
            ("{\"dependencies\": {\"a\\ud800\": \"1\", \"b\": \"1\"}}", &["b"], "line 1: "),
        ],
    );
}

#[test]
fn of_a_cargo_toml() {
    check(
        "Cargo.toml",
        &[
            ("[dependencies]\na = \"1\"\nb = \nc = \"3\"", &["a", "b", "c"], "line 3: "),
            (
                "[dependencies]\na = 1\nb = \"2\"",
                &["b"],
                "line 2: `a` should be a version or a table",
            ),
            ("[package]\nname = oops\n[dependencies]\nb = \"2\"", &["b"], "line 2: "),
            (
                "dependencies = 1\n[dev-dependencies]\nb = \"2\"",
                &["b"],
                "line 1: `dependencies` should be a table",
            ),
            ("[dependencies\na = \"1\"\n[dev-dependencies]\nb = \"2\"", &["b"], "line 1: "),
            (
                "[target]\nx = 1\n[target.y.dependencies]\nb = \"2\"",
                &["b"],
                "line 2: `x` should be a table",
            ),
        ],
    );
}

#[test]
fn of_python_manifests() {
    check(
        "pyproject.toml",
        &[
            (
                "[project]\ndependencies = [\"a\",\n\"b c\",\n\"d\"]",
                &["a", "d"],
                "line 3: `b c` should be a req",
            ),
            ("[project]\nname = a b\ndependencies = [\"a\"]", &["a"], "line 2: "),
            (
                "[project]\ndependencies = \"a\"\n[build-system]\nrequires = [\"b\"]",
                &["b"],
                "line 2: `dependencies`",
            ),
            (
                "[tool.poetry.dependencies]\na = 1\nb = \"2\"",
                &["b"],
                "line 2: `a` should be a version",
            ),
            ("[dependency-groups]\nx = 1\ny = [\"b\"]", &["b"], "line 2: `x` should be a list"),
        ],
    );
    check(
        "requirements.txt",
        &[("a\nb c\n==1\nd==2", &["a", "d"], "line 2: `b c` should be a requirement")],
    );
    let many = "x y\n".repeat(50);
    let problems = read("requirements.txt", &many).problems;
    assert!(problems.len() == 10 && problems[9].ends_with("(and 40 more)"), "{problems:?}");
}

#[test]
fn of_a_go_mod() {
    check(
        "go.mod",
        &[
            (
                "require (\na v1\nb\nc v3\n)",
                &["a", "c"],
                "line 3: `b` should be a module and its version",
            ),
            ("require a\nrequire b v2", &["b"], "line 1: `a` should be a module"),
            ("require (\na v1\n", &["a"], "line 1: `require (` should be closed"),
        ],
    );
}

#[test]
fn of_a_pom() {
    let one = |id: &str, version: &str| {
        format!(
            "<dependency><groupId>g</groupId><artifactId>{id}</artifactId>{version}</dependency>\n"
        )
    };
    let whole = |inner: &str| {
        format!(
            "<project>\n<properties><v>7</v></properties>\n<dependencies>\n{inner}</dependencies>\n</project>"
        )
    };
    let [a, b, c] =
        [one("a", "<version>1</versio>"), one("b", "<version>${v}</version>"), one("c", "")];
    let broken =
        whole(&format!("{a}<!-- {b} -->{b}{c}<plugin><artifactId>p</artifactId></plugin>"));
    let unclosed = whole(&format!("<dependency><groupId>g</groupId>\n{b}{c}"));
    let nameless = whole(&format!("<dependency><groupId>g</groupId></dependency>{b}"));
    let elsewhere = whole(&format!("<x>&nothing;</x>{b}"));
    check(
        "pom.xml",
        &[
            (
                &broken,
                &["g:b", "g:c", "org.apache.maven.plugins:p"],
                "line 4: this `dependency` cannot be read",
            ),
            (&unclosed, &["g:b", "g:c"], "line 4: this `dependency` cannot be read"),
            (&nameless, &["g:b"], "line 4: `dependency` should name its `artifactId`"),
            (&elsewhere, &["g:b"], "line 4: "),
        ],
    );
    let declared = read("pom.xml", &broken).declared;
    assert_eq!((declared[0].line, declared[0].dependency.version.as_deref()), (6, Some("7")));
}
