//! `pom.xml`.

use std::collections::HashMap;

use roxmltree::{Document, Error, Node};

use super::Found;

/// The group of a plugin that names none.
const PLUGIN_GROUP: &str = "org.apache.maven.plugins";

/// How many attributes a tag, and how many namespaces a manifest may have: more take the parser
/// long.
const ATTRIBUTES_MAX: usize = 1_000;

/// How many properties a value may refer to, with what those refer to, and how long it may get.
const REFERENCES_MAX: usize = 100;
const VALUE_MAX: usize = 4_096;

/// Reads a manifest.
pub(super) fn read(text: &str, found: &mut Found) {
    if let Some((at, why)) = excess(text) {
        return found.flaw(at, why);
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let (at, why) = flaw(text, &error);
            found.flaw(at, why);
            return pieces(text, found);
        }
    };
    let project = document.root_element();
    if project.tag_name().name() != "project" {
        let why = format!("`{}` should be `project`", project.tag_name().name());
        return found.flaw(project.range().start, why);
    }
    let mut pom = Pom { properties: properties(project), start: 0, found };
    pom.section(project);
    children(project, "profiles")
        .flat_map(|profiles| children(profiles, "profile"))
        .for_each(|profile| pom.section(profile));
}

/// Reads each dependency and each plugin by itself, of a document that is none as a whole.
fn pieces(text: &str, found: &mut Found) {
    let text = without_comments(text);
    let mut pom = Pom { properties: HashMap::new(), start: 0, found };
    for (_, piece) in elements(&text, "properties") {
        if let Ok(document) = Document::parse(piece) {
            add_properties(document.root_element(), &mut pom.properties);
        }
    }
    for (name, group) in [("dependency", None), ("plugin", Some(PLUGIN_GROUP))] {
        for (start, piece) in elements(&text, name) {
            pom.start = start;
            match Document::parse(piece) {
                Ok(document) => pom.add(document.root_element(), group),
                Err(_) => pom.found.flaw(start, format!("this `{name}` cannot be read")),
            }
        }
    }
}

/// The same with spaces in place of comments.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        let end = rest[start..].find("-->").map_or(rest.len(), |end| start + end + "-->".len());
        kept.push_str(&rest[..start]);
        kept.extend(rest[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    kept + rest
}

/// The elements of this name, which do not lie in each other, and where they begin.
fn elements<'a>(text: &'a str, name: &str) -> Vec<(usize, &'a str)> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let is_tag =
        |at: &usize| text[at + open.len()..].starts_with(['>', '/', ' ', '\t', '\r', '\n']);
    let starts: Vec<usize> = text.match_indices(&open).map(|(at, _)| at).filter(is_tag).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let piece = |(start, end): (&usize, usize)| {
        let whole = &text[*start..end];
        let end = whole.find(&close).map_or(whole.len(), |at| at + close.len());
        (*start, &whole[..end])
    };
    starts.iter().zip(ends).map(piece).collect()
}

fn excess(text: &str) -> Option<(usize, String)> {
    let mut at = 0;
    // An attribute cannot contain the mark a tag begins with.
    for tag in text.split('<') {
        if tag.bytes().filter(|byte| *byte == b'=').count() > ATTRIBUTES_MAX {
            let why = format!("a tag should have at most {ATTRIBUTES_MAX} attributes");
            return Some((at, why));
        }
        at += tag.len() + 1;
    }
    let (last, _) = text.match_indices("xmlns").nth(ATTRIBUTES_MAX)?;
    Some((last, format!("there should be at most {ATTRIBUTES_MAX} namespaces")))
}

fn flaw(text: &str, error: &Error) -> (usize, String) {
    match error {
        Error::DtdDetected => {
            let at = text.find("<!DOCTYPE").unwrap_or_default();
            return (at, "a document type is not allowed here".to_owned());
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            return (
                text.trim_end().len(),
                "the document ends before its root is closed".to_owned(),
            );
        }
        _ => {}
    }
    let row = usize::try_from(error.pos().row).unwrap_or(1);
    let at = text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum();
    let why = error.to_string();
    (at, why.rsplit_once(" at ").map_or(why.as_str(), |(why, _)| why).to_owned())
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
fn properties(project: Node<'_, '_>) -> HashMap<String, String> {
    let mut properties = HashMap::new();
    let profiles = children(project, "profiles").flat_map(|all| children(all, "profile"));
    for section in std::iter::once(project).chain(profiles) {
        children(section, "properties").for_each(|all| add_properties(all, &mut properties));
    }
    let parent = children(project, "parent").next();
    for name in ["groupId", "artifactId", "version"] {
        let above = parent.and_then(|parent| text(parent, name));
        if let Some(value) = above {
            properties.insert(format!("project.parent.{name}"), value.to_owned());
        }
        let inherited = above.filter(|_| name != "artifactId");
        if let Some(value) = text(project, name).or(inherited) {
            properties.insert(format!("project.{name}"), value.to_owned());
            properties.insert(format!("pom.{name}"), value.to_owned());
        }
    }
    properties
}

/// Adds those that are not there yet.
fn add_properties(all: Node<'_, '_>, properties: &mut HashMap<String, String>) {
    for property in all.children().filter(Node::is_element) {
        if let Some(value) = property.text() {
            let name = property.tag_name().name().to_owned();
            properties.entry(name).or_insert_with(|| value.trim().to_owned());
        }
    }
}

/// A manifest that is being read.
struct Pom<'f> {
    properties: HashMap<String, String>,
    /// Where in the manifest the document begins that is read.
    start: usize,
    found: &'f mut Found,
}

impl Pom<'_> {
    /// Reads the project or a profile.
    fn section(&mut self, section: Node<'_, '_>) {
        self.dependencies(section);
        for management in children(section, "dependencyManagement") {
            self.dependencies(management);
        }
        for build in children(section, "build").chain(children(section, "reporting")) {
            self.plugins(build);
            for management in children(build, "pluginManagement") {
                self.plugins(management);
            }
        }
    }

    fn dependencies(&mut self, parent: Node<'_, '_>) {
        children(parent, "dependencies")
            .flat_map(|all| children(all, "dependency"))
            .for_each(|dependency| self.add(dependency, None));
    }

    fn plugins(&mut self, parent: Node<'_, '_>) {
        for plugin in children(parent, "plugins").flat_map(|all| children(all, "plugin")) {
            self.add(plugin, Some(PLUGIN_GROUP));
            self.dependencies(plugin);
        }
    }

    fn add(&mut self, node: Node<'_, '_>, group: Option<&str>) {
        let span = self.start + node.range().start..self.start + node.range().end;
        let (group, artifact) = (text(node, "groupId").or(group), text(node, "artifactId"));
        let (Some(group), Some(artifact)) = (group, artifact) else {
            let name = if group.is_none() { "groupId" } else { "artifactId" };
            let why = format!("`{}` should name its `{name}`", node.tag_name().name());
            return self.found.flaw(span.start, why);
        };
        let name = format!("{}:{}", self.resolved(group), self.resolved(artifact));
        let version = text(node, "version").map(|version| self.resolved(version));
        self.found.add(span, &name, version.as_deref());
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
