//! What belongs to one machine, or to a host that builds must not reach out to by themselves, does
//! not stand in the repository.

use crate::{files, none, root};

/// Files that name them by their nature.
const EXEMPT: [&str; 3] =
    ["Cargo.lock", "fuzz/Cargo.lock", "crates/lorekeep/tests/tidy/strangers.rs"];

/// Folders of one machine. What follows must be a name.
const FOLDERS: [&str; 4] = ["/work/", "/root/", "/home/", "/Users/"];

/// Package registries and raw downloads. Schema addresses and documentation may be linked.
const HOSTS: [&str; 9] = [
    "index.crates.io",
    "static.crates.io",
    "crates.io-index",
    "pypi.org",
    "files.pythonhosted.org",
    "registry.npmjs.org",
    "raw.githubusercontent.com",
    "codeload.github.com",
    "/releases/download/",
];

fn stranger(line: &str) -> Option<&'static str> {
    let is_folder = |folder: &&str| {
        line.match_indices(*folder).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + folder.len()..].chars().next();
            // Inside a longer path it is a folder of anyone's.
            let is_inside = |c: char| c.is_alphanumeric() || "._-}*~".contains(c);
            !before.is_some_and(is_inside)
                && after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
        })
    };
    let is_raw = line.contains("github.com/") && line.contains("/raw/");
    let host = HOSTS.into_iter().find(|host| line.contains(host));
    FOLDERS.into_iter().find(is_folder).or(host).or(is_raw.then_some("a raw download"))
}

#[test]
fn no_file_knows_a_machine_or_a_registry() {
    let mut findings = Vec::new();
    for path in files().into_iter().filter(|path| !EXEMPT.contains(&path.as_str())) {
        let bytes = std::fs::read(root().join(&path)).unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let lines = text.lines().zip(1..).filter_map(|(line, at)| Some((at, stranger(line)?)));
        findings.extend(lines.map(|(at, what)| format!("{path}:{at}: {what}")));
    }
    none(&findings);
}

#[test]
fn strangers_are_told_from_links() {
    for line in ["cd /work/main", "\"/home/ada/x\"", "file:///root/.ssh", "https://pypi.org/simple"]
    {
        assert!(stranger(line).is_some(), "{line}");
    }
    for line in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://github.com/rust-lang/rust/issues/1",
        "https://crates.io/crates/serde",
        "framework/work/x",
        "<data-dir>/home/",
    ] {
        assert_eq!(stranger(line), None, "{line}");
    }
}
