//! What must be listed somewhere is listed there: migrations, modules, tools.

use std::collections::BTreeSet;
use std::path::Path;

use crate::code::{blanked, has_word};
use crate::{files, files_ending, none, read, root};

const TOOLSETS: [&str; 9] =
    ["layers", "knowledge", "notes", "ledger", "documents", "learning", "graph", "files", "web"];

#[test]
fn migrations_are_listed_in_order() {
    let folder = "crates/store/src/migrations/";
    let scripts: BTreeSet<String> =
        files().iter().filter_map(|path| path.strip_prefix(folder)).map(str::to_owned).collect();
    let source = read("crates/store/src/migrate.rs");
    let listed: Vec<&str> = source
        .split("include_str!(\"migrations/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(listed, scripts.iter().map(String::as_str).collect::<Vec<_>>());
    for (script, number) in listed.iter().zip(1..) {
        assert!(script.starts_with(&format!("{number:04}_")), "{script} should be {number:04}_…");
    }
}

#[test]
fn no_file_is_dead() {
    let mut findings = Vec::new();
    for path in files_ending(".rs").into_iter().filter(|path| path.contains("/src/")) {
        let Some(parents) = parents(&path) else { continue };
        let name = module(&path);
        let declares = |parent: &String| {
            let code = read(parent);
            code.lines().any(|line| line.trim_end().ends_with(&format!("mod {name};")))
        };
        if !parents.iter().filter(|parent| root().join(parent).is_file()).any(declares) {
            findings.push(format!("{path}: no `mod {name};` in {}", parents.join(" or ")));
        }
    }
    none(&findings);
}

/// The name a file has as a module: its own, or its folder's if it is `mod.rs`.
fn module(path: &str) -> &str {
    let path = Path::new(path.strip_suffix("/mod.rs").unwrap_or(path));
    path.file_stem().and_then(|stem| stem.to_str()).expect("a name")
}

/// Where the module of a file may be declared; none for the root of a crate.
fn parents(path: &str) -> Option<Vec<String>> {
    let (folder, file) = path.rsplit_once('/')?;
    if ["lib.rs", "main.rs"].contains(&file) && folder.ends_with("/src") {
        return None;
    }
    let folder = if file == "mod.rs" { folder.rsplit_once('/')?.0 } else { folder };
    let names = ["lib.rs", "main.rs", "mod.rs"].map(|name| format!("{folder}/{name}"));
    Some(names.into_iter().chain([format!("{folder}.rs")]).collect())
}

#[test]
fn every_tool_is_in_the_list_of_its_toolset_and_in_its_own_file() {
    let toolsets = read("crates/tools/src/toolset.rs");
    let mut findings = Vec::new();
    for toolset in TOOLSETS {
        let folder = format!("crates/tools/src/{toolset}/");
        let inside: Vec<String> =
            files_ending(".rs").into_iter().filter(|path| path.starts_with(&folder)).collect();
        if inside.is_empty() {
            continue;
        }
        if !toolsets.contains(&format!("{toolset}::TOOLS")) {
            findings.push(format!("{folder} is not in Toolset::tools"));
        }
        let list = read(&format!("{folder}mod.rs"));
        let list = list.split("TOOLS").nth(1).and_then(|rest| rest.split("];").next());
        let list = list.unwrap_or_default();
        findings.extend(inside.iter().flat_map(|path| tool_findings(path, list)));
    }
    none(&findings);
}

/// What is wrong with a file that holds a tool.
fn tool_findings(path: &str, list: &str) -> Vec<String> {
    let source = read(path);
    let code = blanked(&source);
    let requests: Vec<&str> = code
        .lines()
        .filter_map(|line| line.strip_prefix("impl Tool for ")?.split([' ', '{']).next())
        .collect();
    let unlisted = requests.iter().filter(|request| !has_word(list, request));
    let mut findings: Vec<String> =
        unlisted.map(|request| format!("{path}: {request} is not in TOOLS")).collect();
    if requests.len() > 1 {
        findings.push(format!("{path}: one file a tool"));
    }
    let name = source.split("const NAME: &'static str = \"").nth(1);
    let name = name.and_then(|rest| rest.split('"').next()).map(|name| name.replace('-', "_"));
    if let Some(name) = name.filter(|name| !requests.is_empty() && name != module(path)) {
        findings.push(format!("{path}: should be called {name}.rs"));
    }
    if !requests.is_empty() {
        findings.extend(verb_finding(path, &source, &code));
    }
    findings
}

/// A tool calls the verb that its section `# Related` names, and the engine has it.
fn verb_finding(path: &str, source: &str, code: &str) -> Option<String> {
    let related = source.split("/// # Related").nth(1).and_then(|rest| rest.split('`').nth(1));
    let Some((noun, verb)) = related.and_then(|verb| verb.split_once("::")) else {
        return Some(format!("{path}: `# Related` names no verb"));
    };
    let (file, folder) =
        (format!("crates/engine/src/{noun}.rs"), format!("crates/engine/src/{noun}/"));
    let is_verb = |path: &String| {
        (*path == file || path.starts_with(&folder))
            && read(path).contains(&format!("pub fn {verb}("))
    };
    if !files().iter().any(is_verb) {
        return Some(format!("{path}: the engine has no verb {noun}::{verb}"));
    }
    let calls = code.contains(&format!("{verb}(")) && has_word(code, noun);
    (!calls).then(|| format!("{path}: {noun}::{verb} is not called"))
}
