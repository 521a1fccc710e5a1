//! `pom.xml`.

use std::collections::HashMap;

use roxmltree::{Document, Error, Node};

use super::{Flaw, Found};

/// The group of a plugin that names none.
const PLUGIN_GROUP: &str = "org.apache.maven.plugins";

/// How many attributes a tag, and how many namespaces a manifest may have: more take the parser
/// long.
const ATTRIBUTES_MAX: usize = 1_000;

/// How many properties a value may refer to, with what those refer to, and how long it may get.
const REFERENCES_MAX: usize = 100;
const VALUE_MAX: usize = 4_096;

/// Reads a manifest.
pub(super) fn read(text: &str, found: &mut Found) -> Result<(), Flaw> {
    if let Some(flaw) = excess(text) {
        return Err(flaw);
    }
    let document = Document::parse(text).map_err(|error| flaw(text, &error))?;
    let project = document.root_element();
    if project.tag_name().name() != "project" {
        let why = format!("`{}` should be `project`", project.tag_name().name());
        return Err(Flaw::new(project.range().start, why));
    }
    let mut pom = Pom { properties: properties(project), found };
    pom.section(project)?;
    children(project, "profiles")
        .flat_map(|profiles| children(profiles, "profile"))
        .try_for_each(|profile| pom.section(profile))
}

fn excess(text: &str) -> Option<Flaw> {
    let mut at = 0;
    // An attribute cannot contain the mark a tag begins with.
    for tag in text.split('<') {
        if tag.bytes().filter(|byte| *byte == b'=').count() > ATTRIBUTES_MAX {
            let why = format!("a tag should have at most {ATTRIBUTES_MAX} attributes");
            return Some(Flaw::new(at, why));
        }
        at += tag.len() + 1;
    }
    let (last, _) = text.match_indices("xmlns").nth(ATTRIBUTES_MAX)?;
    Some(Flaw::new(last, format!("there should be at most {ATTRIBUTES_MAX} namespaces")))
}

fn flaw(text: &str, error: &Error) -> Flaw {
    match error {
        Error::DtdDetected => {
            let at = text.find("<!DOCTYPE").unwrap_or_default();
            return Flaw::new(at, "a document type is not allowed here");
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            return Flaw::new(text.trim_end().len(), "the document ends before its root is closed");
        }
        _ => {}
    }
    let row = usize::try_from(error.pos().row).unwrap_or(1);
    let at = text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum();
    let why = error.to_string();
    let why = why.rsplit_once(" at ").map_or(why.as_str(), |(why, _)| why);
    Flaw::new(at, why)
}

fn children<'a, 'b>(
    node: Node<'a, 'b>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'b>> + use<'a, 'b> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The text of the first child of this name.
fn text<'a>(node: Node<'a, '_>, name: &'static str) -> Option<&'a str> {
    let text = children(node, name).next()?.text()?.trim();
    Some(text).filter(|text| !text.is_empty())
}

/// What `${…}` can stand for, by name. What the project says goes before what a profile says.
fn properties<'a>(project: Node<'a, '_>) -> HashMap<String, &'a str> {
    let mut properties = HashMap::new();
    let profiles = children(project, "profiles").flat_map(|all| children(all, "profile"));
    for section in std::iter::once(project).chain(profiles) {
        for property in children(section, "properties").flat_map(|all| all.children()) {
            let name = property.tag_name().name();
            if let Some(value) = property.text().filter(|_| property.is_element()) {
                properties.entry(name.to_owned()).or_insert(value.trim());
            }
        }
    }
    let parent = children(project, "parent").next();
    for name in ["groupId", "artifactId", "version"] {
        let above = parent.and_then(|parent| text(parent, name));
        if let Some(value) = above {
            properties.insert(format!("project.parent.{name}"), value);
        }
        let inherited = above.filter(|_| name != "artifactId");
        if let Some(value) = text(project, name).or(inherited) {
            properties.insert(format!("project.{name}"), value);
            properties.insert(format!("pom.{name}"), value);
        }
    }
    properties
}

/// A manifest that is being read.
struct Pom<'a, 'b> {
    properties: HashMap<String, &'a str>,
    found: &'b mut Found,
}

impl Pom<'_, '_> {
    /// Reads the project or a profile.
    fn section(&mut self, section: Node<'_, '_>) -> Result<(), Flaw> {
        self.dependencies(section)?;
        for management in children(section, "dependencyManagement") {
            self.dependencies(management)?;
        }
        for build in children(section, "build").chain(children(section, "reporting")) {
            self.plugins(build)?;
            for management in children(build, "pluginManagement") {
                self.plugins(management)?;
            }
        }
        Ok(())
    }

    fn dependencies(&mut self, parent: Node<'_, '_>) -> Result<(), Flaw> {
        children(parent, "dependencies")
            .flat_map(|all| children(all, "dependency"))
            .try_for_each(|dependency| self.add(dependency, None))
    }

    fn plugins(&mut self, parent: Node<'_, '_>) -> Result<(), Flaw> {
        let plugins = children(parent, "plugins").flat_map(|all| children(all, "plugin"));
        for plugin in plugins {
            self.add(plugin, Some(PLUGIN_GROUP))?;
            self.dependencies(plugin)?;
        }
        Ok(())
    }

    fn add(&mut self, node: Node<'_, '_>, group: Option<&str>) -> Result<(), Flaw> {
        let at = node.range().start;
        let missing = |name: &str| {
            Flaw::new(at, format!("`{}` should name its `{name}`", node.tag_name().name()))
        };
        let group = text(node, "groupId").or(group).ok_or_else(|| missing("groupId"))?;
        let artifact = text(node, "artifactId").ok_or_else(|| missing("artifactId"))?;
        let name = format!("{}:{}", self.resolved(group), self.resolved(artifact));
        let version = text(node, "version").map(|version| self.resolved(version));
        self.found.add(node.range(), &name, version.as_deref());
        Ok(())
    }

    /// A value with the properties it names put in; as it was written if they lead nowhere.
    fn resolved(&self, value: &str) -> String {
        self.expanded(value, &mut 0).unwrap_or_else(|| value.to_owned())
    }

    fn expanded(&self, value: &str, references: &mut usize) -> Option<String> {
        *references += 1;
        if *references > REFERENCES_MAX || value.len() > VALUE_MAX {
            return None;
        }
        let mut whole = String::new();
        let mut rest = value;
        while let Some((before, inside)) = rest.split_once("${") {
            let (name, behind) = inside.split_once('}')?;
            whole.push_str(before);
            match self.properties.get(name.trim()) {
                Some(value) => whole.push_str(&self.expanded(value, references)?),
                None => whole.push_str(&format!("${{{name}}}")),
            }
            if whole.len() > VALUE_MAX {
                return None;
            }
            rest = behind;
        }
        whole.push_str(rest);
        Some(whole)
    }
}
