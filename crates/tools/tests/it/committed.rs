//! Committed renderings of the tools, so that a change of what hosts and people see is seen in
//! review: one snapshot a tool in `snapshots/`, one page a toolset in `docs/tools`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo nextest run -p tools committed` writes them anew.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use tools::{Definition, Toolset, reference};

use crate::{everything, none};

/// Files by name.
type Files = BTreeMap<String, String>;

/// Holds the files of a folder against what they should be, or makes them so.
#[track_caller]
fn hold(folder: &str, expected: &Files) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        write(&folder, expected);
    }
    let found = read(&folder);
    let mut findings = Vec::new();
    for (name, text) in expected {
        match found.get(name) {
            None => findings.push(format!("{name} is missing")),
            Some(found) if found != text => findings.push(difference(name, found, text)),
            Some(_) => {}
        }
    }
    let extra = found.keys().filter(|name| !expected.contains_key(*name));
    findings.extend(extra.map(|name| format!("{name} belongs to nothing that is built")));
    if !findings.is_empty() {
        findings.push("to accept: UPDATE_SNAPSHOTS=1 cargo nextest run -p tools committed".into());
    }
    none(&findings);
}

fn read(folder: &Path) -> Files {
    let Ok(entries) = fs::read_dir(folder) else { return Files::new() };
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        (name, text.replace("\r\n", "\n"))
    };
    entries.map(|entry| file(entry.unwrap())).collect()
}

fn write(folder: &Path, expected: &Files) {
    fs::create_dir_all(folder).unwrap();
    for name in read(folder).keys().filter(|name| !expected.contains_key(*name)) {
        fs::remove_file(folder.join(name)).unwrap();
    }
    for (name, text) in expected {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// The first line in which two texts differ.
fn difference(name: &str, found: &str, expected: &str) -> String {
    let (mut found, mut expected) = (found.lines(), expected.lines());
    for number in 1.. {
        let (old, new) = (found.next(), expected.next());
        if old != new || old.is_none() {
            let show = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
            return format!("{name}:{number}\n  - {}\n  + {}", show(old), show(new));
        }
    }
    unreachable!("texts end")
}

#[test]
fn every_tool_is_the_one_of_its_snapshot() {
    let catalogue = everything();
    let snapshot = |(toolset, definition): (Toolset, &Definition)| {
        let text = serde_json::to_string_pretty(&reference::entry(toolset, definition)).unwrap();
        (format!("{}.json", definition.spec.name), text + "\n")
    };
    hold("snapshots", &catalogue.all().map(snapshot).collect());
}

#[test]
fn the_reference_pages_are_up_to_date() {
    let catalogue = everything();
    let all: Vec<(Toolset, &Definition)> = catalogue.all().collect();
    let mut pages = Files::from([("README.md".to_owned(), reference::index(&all))]);
    for toolset in Toolset::ALL.into_iter().filter(|toolset| catalogue.has(*toolset)) {
        let of_toolset = all.iter().filter(|(of, _)| *of == toolset);
        let tools: Vec<&Definition> = of_toolset.map(|(_, definition)| *definition).collect();
        pages.insert(format!("{}.md", toolset.name()), reference::page(toolset, &tools));
    }
    hold("../../docs/tools", &pages);
}
