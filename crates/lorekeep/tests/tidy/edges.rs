//! Which crate may use which.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::{files, none, read};

/// The crates, and the crates of ours that each may use. A tenth crate needs a sentence that starts
/// "so that nobody can ever …".
const EDGES: [(&str, &[&str]); 10] = [
    ("model", &[]),
    ("rank", &["model"]),
    ("store", &["model", "rank"]),
    ("ledger", &["model"]),
    ("rules", &["model"]),
    ("engine", &["model", "rank", "store", "ledger", "rules"]),
    ("tools", &["engine", "model"]),
    ("providers", &["engine", "model"]),
    ("serve", &["tools", "engine", "model"]),
    (
        "lorekeep",
        &["model", "rank", "store", "ledger", "rules", "engine", "tools", "providers", "serve"],
    ),
];

/// What tests may use beyond that: the crate, what it uses, and why.
const TEST_EDGES: [(&str, &str, &str); 2] = [
    ("serve", "providers", "its example server needs a clock and ids"),
    ("tools", "providers", "its transcripts work on real files and run real commands"),
];

/// Everything the nouns may use of others.
const OF_MODEL: [&str; 3] = ["jiff", "serde_json", "uuid"];

/// What only these crates may use: the database, git, and what is async.
const RESERVED: [(&str, &[&str]); 7] = [
    ("rusqlite", &["store"]),
    ("gix", &["ledger"]),
    ("tokio", &["serve", "lorekeep"]),
    ("tokio-util", &["serve", "lorekeep"]),
    ("futures", &["serve"]),
    ("axum", &["serve"]),
    ("rmcp", &["serve"]),
];

struct Manifest {
    folder: String,
    table: Table,
}

impl Manifest {
    /// The names of what it uses in tables of this kind, those of single platforms included.
    fn uses(&self, kind: &str) -> Vec<String> {
        let platforms = self.table.get("target").and_then(Value::as_table);
        let tables = platforms.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        let tables = tables.chain([&self.table]).filter_map(|table| table.get(kind)?.as_table());
        tables.flatten().map(|(key, value)| package(key, value)).collect()
    }

    /// What ends up in the program.
    fn ships(&self) -> Vec<String> {
        [self.uses("dependencies"), self.uses("build-dependencies")].concat()
    }
}

/// What a dependency is really called.
fn package(key: &str, value: &Value) -> String {
    value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned()
}

fn manifests() -> Vec<Manifest> {
    let folder = |path: &String| {
        let folder = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        let table = read(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        Some(Manifest { folder: folder.to_owned(), table })
    };
    files().iter().filter_map(folder).collect()
}

fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from(EDGES)
}

#[test]
fn every_crate_is_named_as_its_folder_and_known() {
    for manifest in manifests() {
        let name = manifest.table["package"]["name"].as_str();
        assert_eq!(name, Some(manifest.folder.as_str()));
        assert!(allowed().contains_key(manifest.folder.as_str()), "{} is new", manifest.folder);
    }
}

#[test]
fn arrows_point_down() {
    let allowed = allowed();
    let mut findings = Vec::new();
    for manifest in manifests() {
        let name = manifest.folder.as_str();
        let is_ours = |used: &String| allowed.contains_key(used.as_str());
        let may = |used: &str| allowed[name].contains(&used);
        let may_in_tests = |used: &str| {
            may(used) || used == name || TEST_EDGES.iter().any(|(a, b, _)| (*a, *b) == (name, used))
        };
        let shipped = manifest.ships().into_iter().filter(is_ours).filter(|used| !may(used));
        findings.extend(shipped.map(|used| format!("{name} must not use {used}")));
        let tests = manifest.uses("dev-dependencies").into_iter().filter(is_ours);
        let tests = tests.filter(|used| !may_in_tests(used));
        findings.extend(tests.map(|used| format!("the tests of {name} must not use {used}")));
    }
    none(&findings);
}

#[test]
fn the_nouns_use_next_to_nothing() {
    let manifests = manifests();
    let model = manifests.iter().find(|manifest| manifest.folder == "model").expect("model");
    let strange = |used: &String| !OF_MODEL.contains(&used.as_str());
    let strangers: Vec<String> = model.ships().into_iter().filter(strange).collect();
    none(&strangers);
}

#[test]
fn each_door_has_one_crate_and_only_the_edge_is_async() {
    let mut findings = Vec::new();
    for manifest in manifests() {
        let name = manifest.folder.as_str();
        for used in manifest.ships() {
            let reserved = RESERVED.iter().find(|(reserved, _)| *reserved == used);
            if reserved.is_some_and(|(_, crates)| !crates.contains(&name)) {
                findings.push(format!("{name} must not use {used}"));
            }
        }
        let tests = manifest.uses("dev-dependencies");
        if !["serve", "lorekeep"].contains(&name) && tests.iter().any(|used| used == "tokio") {
            findings.push(format!("the tests of {name} must not use tokio"));
        }
    }
    none(&findings);
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    let workspace: Table = read("Cargo.toml").parse().expect("Cargo.toml");
    let lints = &workspace["workspace"]["lints"]["rust"];
    assert_eq!(lints["unsafe_code"].as_str(), Some("forbid"));
    for manifest in manifests() {
        let lints = manifest.table.get("lints").and_then(|lints| lints.get("workspace"));
        assert_eq!(lints.and_then(Value::as_bool), Some(true), "{}", manifest.folder);
    }
}
