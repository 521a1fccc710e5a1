//! Manifests, format by format, and what no text may do to any of them.

mod hostile;
mod jvm_and_go;
mod npm;
mod partly;
mod python;
mod rust;

use super::*;

/// A text, and what it declares as `line: name version`; or how the error reads.
type Case = (&'static str, Result<&'static [&'static str], &'static str>);

/// Whether every text declares what it should.
fn check(path: &str, cases: &[Case]) {
    assert!(is_manifest(path));
    for (text, expected) in cases {
        let shown = |declared: &Declared| {
            let Dependency { name, version } = &declared.dependency;
            let version = version.as_ref().map(|version| format!(" {version}"));
            format!("{}: {name}{}", declared.line, version.unwrap_or_default())
        };
        let Manifest { declared, problems, .. } = read(path, text);
        let found: Vec<String> = declared.iter().map(shown).collect();
        match expected {
            Ok(expected) => {
                assert_eq!(found, *expected, "in {path}:\n{text}");
                assert!(problems.is_empty(), "{problems:?}\nin {path}:\n{text}");
            }
            Err(expected) => {
                let first = problems.first().map_or("", String::as_str);
                assert!(first.starts_with(expected), "{first} ({expected})\nin {path}:\n{text}");
                assert!(problems.iter().all(|why| !why.contains('\n')), "{problems:?}");
            }
        }
    }
}

#[test]
fn a_manifest_is_known_by_its_name() {
    let manifests = [
        "Cargo.toml",
        "a/b/Cargo.toml",
        "package.json",
        "pyproject.toml",
        "go.mod",
        "pom.xml",
        "requirements.txt",
        "requirements-dev.txt",
        "requirements_dev.in",
        "requirements/base.txt",
        "a/requirements/dev.in",
    ];
    let others = [
        "",
        "Cargo.lock",
        "cargo.toml",
        "Cargo.toml/a",
        "my-Cargo.toml",
        "package-lock.json",
        "go.sum",
        "xpom.xml",
        "requirements.md",
        "requirements/a/b.txt",
        "requirements",
        "dev.txt",
        "docs/notes.in",
    ];
    manifests.iter().for_each(|path| assert!(is_manifest(path), "{path}"));
    others.iter().for_each(|path| assert!(!is_manifest(path), "{path}"));
    assert_eq!(read("a.txt", "a==1"), Manifest::default());
}
