//! The dependencies of a project: what all of its manifests declare.

use std::collections::{BTreeMap, HashMap};

use model::Dependency;

use super::{Declared, Manifest, cargo, read};
use crate::report::{Listed, Location};

/// The manifest of Cargo.
const CARGO: &str = "Cargo.toml";

/// The dependencies of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependencies {
    /// By file and line; none if no manifest could be read.
    pub listed: Option<Vec<Listed>>,
    /// What of a manifest cannot be read: its path and why.
    pub problems: Vec<(String, String)>,
}

/// Lists what these manifests declare, by their paths. Roots of Cargo workspaces that are not among
/// them are read by `elsewhere`.
pub fn list(
    manifests: &BTreeMap<String, String>,
    elsewhere: &dyn Fn(&str) -> Option<String>,
) -> Dependencies {
    let mut all = Dependencies::default();
    let read_root = |path: &str| manifests.get(path).cloned().or_else(|| elsewhere(path));
    let mut roots = Roots { read: &read_root, offered: HashMap::new() };
    for (path, text) in manifests {
        let mut manifest = read(path, text);
        roots.fill_in(path, &mut manifest);
        if !manifest.declared.is_empty() || manifest.problems.is_empty() {
            let listed = manifest.declared.into_iter().map(|one| listed(path, one));
            all.listed.get_or_insert_default().extend(listed);
        }
        all.problems.extend(manifest.problems.into_iter().map(|why| (path.clone(), why)));
    }
    all
}

fn listed(path: &str, declared: Declared) -> Listed {
    Listed {
        dependency: declared.dependency,
        location: Some(Location { file: path.to_owned(), line: Some(declared.line) }),
        last_line: Some(declared.last_line),
    }
}

/// What a root of a workspace offers its members, by their keys.
type Offered = HashMap<String, Dependency>;

/// The roots of Cargo workspaces.
struct Roots<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    /// By path; none if that is no root.
    offered: HashMap<String, Option<Offered>>,
}

impl Roots<'_> {
    /// Gives what a member takes from its workspace the name and the version that the root has.
    fn fill_in(&mut self, path: &str, manifest: &mut Manifest) {
        if !manifest.declared.iter().any(|one| one.is_inherited) {
            return;
        }
        let Some(offered) = self.of(path, manifest.workspace.as_deref()) else {
            let why = "it takes dependencies from a workspace whose root is not in this project";
            return manifest.problems.push(why.to_owned());
        };
        for one in manifest.declared.iter_mut().filter(|one| one.is_inherited) {
            let (name, line) = (&one.dependency.name, one.line);
            match offered.get(name) {
                Some(dependency) => one.dependency = dependency.clone(),
                None => manifest.problems.push(format!(
                    "line {line}: `{name}` should be among the dependencies of the workspace's root"
                )),
            }
        }
    }

    /// What the root offers that a member names, or else the nearest one around it.
    fn of(&mut self, path: &str, named: Option<&str>) -> Option<&Offered> {
        let folder = path.strip_suffix(CARGO)?;
        if let Some(named) = named {
            let root = below(&format!("{folder}{named}"))?;
            return self.at(&format!("{root}{CARGO}"));
        }
        let ends = folder.match_indices('/').map(|(at, _)| at + 1).rev().chain([0]);
        let paths: Vec<String> = ends.map(|end| format!("{}{CARGO}", &folder[..end])).collect();
        let root = paths.into_iter().find(|path| self.at(path).is_some())?;
        self.at(&root)
    }

    fn at(&mut self, path: &str) -> Option<&Offered> {
        if !self.offered.contains_key(path) {
            let offered = (self.read)(path).and_then(|text| cargo::offered(&text));
            self.offered.insert(path.to_owned(), offered);
        }
        self.offered[path].as_ref()
    }
}

/// A folder below the project without `.` and `..`, ending with `/` unless it is the project; none if
/// it lies outside.
fn below(folder: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.iter().map(|part| format!("{part}/")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the manifests list, as `path:line name version`, and the problems.
    fn listed(
        manifests: &[(&str, &str)],
        elsewhere: &[(&str, &str)],
    ) -> (Vec<String>, Vec<String>) {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        let elsewhere: BTreeMap<String, String> = elsewhere.iter().map(owned).collect();
        let manifests = manifests.iter().map(owned).collect();
        let found = list(&manifests, &|path| elsewhere.get(path).cloned());
        let shown = |one: &Listed| {
            let (place, Dependency { name, version }) = (one.location.as_ref(), &one.dependency);
            let (file, line) = place.map_or(("", None), |place| (&place.file, place.line));
            format!("{file}:{} {name} {}", line.unwrap_or(0), version.as_deref().unwrap_or("-"))
        };
        let problems = found.problems.iter().map(|(path, why)| format!("{path}: {why}"));
        (found.listed.iter().flatten().map(shown).collect(), problems.collect())
    }

    const ROOT: &str = "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies]\n\
        x = { package = \"mysql\", version = \"25\" }\ny = \"1.2\"\nz = { path = \"z\" }\n\
        [dependencies]\ny = { workspace = true }\n";
    const MEMBER: &str = "[dependencies]\nx.workspace = true\ny = { workspace = true, features = [] }\n\
        z = { workspace = true }\nown = \"3\"\n";

    #[test]
    fn a_member_takes_the_name_and_the_version_from_the_root_of_its_workspace() {
        let of_member = [
            "a/b/Cargo.toml:2 mysql 25",
            "a/b/Cargo.toml:3 y 1.2",
            "a/b/Cargo.toml:4 z -",
            "a/b/Cargo.toml:5 own 3",
        ];
        let (found, problems) = listed(
            &[
                ("Cargo.toml", ROOT),
                ("a/b/Cargo.toml", MEMBER),
                ("a/Cargo.toml", "[package]\nname = \"a\""),
            ],
            &[],
        );
        assert_eq!(
            found[..4],
            [
                "Cargo.toml:4 mysql 25",
                "Cargo.toml:5 y 1.2",
                "Cargo.toml:6 z -",
                "Cargo.toml:8 y 1.2"
            ]
        );
        assert_eq!(found[4..], of_member);
        assert!(problems.is_empty(), "{problems:?}");
        // The root is not among the files that are checked.
        assert_eq!(
            listed(&[("a/b/Cargo.toml", MEMBER)], &[("Cargo.toml", ROOT)]),
            (of_member.map(str::to_owned).to_vec(), Vec::new())
        );
    }

    #[test]
    fn a_member_may_say_where_its_workspace_lies() {
        let member = |root: &str| format!("[package]\nworkspace = \"{root}\"\n{MEMBER}");
        let lists = |root: &str| {
            let (text, inner) = (member(root), "[workspace]\n");
            listed(&[("a/Cargo.toml", &text), ("b/Cargo.toml", ROOT), ("Cargo.toml", inner)], &[]).0
        };
        assert!(lists("../b").contains(&"a/Cargo.toml:4 mysql 25".to_owned()));
        assert!(lists(".././b/").contains(&"a/Cargo.toml:4 mysql 25".to_owned()));
        let (found, problems) =
            listed(&[("a/Cargo.toml", &member("../../b")), ("b/Cargo.toml", ROOT)], &[]);
        assert_eq!(found[0], "a/Cargo.toml:4 x -");
        assert_eq!(
            problems,
            [
                "a/Cargo.toml: it takes dependencies from a workspace whose root is not in this project"
            ]
        );
    }

    #[test]
    fn what_the_root_does_not_offer_is_a_problem() {
        let (found, problems) =
            listed(&[("Cargo.toml", "[workspace]\n"), ("a/Cargo.toml", MEMBER)], &[]);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert_eq!(
            problems[0],
            "a/Cargo.toml: line 2: `x` should be among the dependencies of the workspace's root"
        );
    }

    #[test]
    fn of_a_project_whose_manifests_cannot_be_read_nothing_is_known() {
        let found = |text: &str| {
            list(&BTreeMap::from([("Cargo.toml".to_owned(), text.to_owned())]), &|_| None)
        };
        assert!(found("broken [").listed.is_none() && !found("broken [").problems.is_empty());
        assert!(found("").listed.is_some_and(|listed| listed.is_empty()));
    }
}
