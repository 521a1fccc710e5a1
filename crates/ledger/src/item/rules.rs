//! Constraints and waivers. One that cannot be read is no flaw of its file: the others hold.

use model::time::Date;
use model::{Constraint, Flawed, Operator, Severity, Target, Waiver};

use super::front::{canonical, named};
use super::yaml::{self, Node, Yaml};
use crate::file::front::one_of;

/// What an item asks, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) constraints: Vec<Constraint>,
    pub(super) waivers: Vec<Waiver>,
    pub(super) flaws: Vec<Flawed>,
}

impl Rules {
    /// Reads the block of YAML in a text; its first line is the file's line `first`.
    pub(super) fn read_block(&mut self, text: &str, first: usize) {
        match yaml::read(text, first) {
            Ok(Node { value: Yaml::Map(entries), line }) => {
                let found = entries.into_iter().find(|(key, _)| key == "constraints");
                match found {
                    Some((_, node)) => self.read_constraints(node),
                    None => self.flaw(line, "should be a list of constraints".to_owned()),
                }
            }
            Ok(node) => self.read_constraints(node),
            Err(flaw) => self.flaw(flaw.line, flaw.why),
        }
    }

    pub(super) fn read_constraints(&mut self, node: Node) {
        for node in self.list(node, "constraints") {
            let (line, fields) = (node.line, Fields::of(node));
            match fields.constraint(line) {
                Ok(constraint) => self.constraints.push(constraint),
                Err(why) => {
                    let constraint = ["operator", "target", "pattern"]
                        .map(|key| fields.text(key).unwrap_or_default().to_owned());
                    self.flaws.push(Flawed { line, why, constraint: Some(constraint) });
                }
            }
        }
    }

    pub(super) fn read_waivers(&mut self, node: Node) {
        for node in self.list(node, "waivers") {
            let (line, fields) = (node.line, Fields::of(node));
            match fields.waiver(line) {
                Ok(waiver) => self.waivers.push(waiver),
                Err(why) => self.flaw(line, why),
            }
        }
    }

    fn list(&mut self, node: Node, key: &str) -> Vec<Node> {
        match node.value {
            Yaml::List(nodes) => return nodes,
            Yaml::Null => {}
            _ => self.flaw(node.line, format!("`{key}` should be a list, not {}", node.named())),
        }
        Vec::new()
    }

    fn flaw(&mut self, line: usize, why: String) {
        self.flaws.push(Flawed { line, why, constraint: None });
    }
}

/// The keys of a constraint or waiver; none if it is no map.
struct Fields(Option<Vec<(String, Node)>>);

impl Fields {
    fn of(node: Node) -> Self {
        match node.value {
            Yaml::Map(entries) => Self(Some(entries)),
            _ => Self(None),
        }
    }

    /// What is told for a key.
    fn get(&self, key: &str) -> Option<&Node> {
        let mut entries = self.0.iter().flatten();
        let (_, node) = entries.find(|(name, _)| canonical(name) == key)?;
        (!matches!(node.value, Yaml::Null)).then_some(node)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// A text that may be missing but not be something else.
    fn optional(&self, key: &str) -> Result<Option<String>, String> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let text = node.text().ok_or(format!("`{key}` should be a text, not {}", node.named()))?;
        Ok(Some(text.to_owned()))
    }

    /// A text that must be there, with what it should be.
    fn required(&self, key: &str, what: &str) -> Result<&str, String> {
        let Some(node) = self.get(key) else {
            return Err(format!("`{key}` is missing: it should be {what}"));
        };
        let text = node.text().filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| format!("`{key}` should be {what}, not {}", node.named()))
    }

    fn name<T: Copy>(
        &self,
        key: &str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Result<T, String> {
        let what = one_of(all, name);
        let text = self.required(key, &what)?;
        named(all, name, text).ok_or_else(|| format!("`{key}` should be {what}, not {text:?}"))
    }

    /// Globs: a text or a list of them.
    fn globs(&self, key: &str) -> Result<Vec<String>, String> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let globs = node.texts().filter(|globs| globs.iter().all(|glob| !glob.trim().is_empty()));
        globs.ok_or_else(|| format!("`{key}` should be a glob or a list of them"))
    }

    fn constraint(&self, line: usize) -> Result<Constraint, String> {
        if self.0.is_none() {
            return Err("should be a map with `operator`, `target` and `pattern`".to_owned());
        }
        let operator = self.name("operator", Operator::ALL, Operator::name)?;
        let target = self.name("target", Target::ALL, Target::name)?;
        let what = match target {
            Target::File => "a glob",
            _ => "a regular expression",
        };
        let severity = match self.get("severity") {
            Some(_) => Some(self.name("severity", Severity::ALL, Severity::name)?),
            None => None,
        };
        Ok(Constraint {
            operator,
            target,
            pattern: self.required("pattern", what)?.to_owned(),
            applies_to: self.globs("appliesTo")?,
            severity,
            message: self.optional("message")?,
            line,
        })
    }

    fn waiver(&self, line: usize) -> Result<Waiver, String> {
        if self.0.is_none() {
            return Err("should be a map with `reason` and `until`".to_owned());
        }
        let day = "the last day it holds, such as 2026-12-31";
        let until = self.required("until", day)?;
        let until = date(until).ok_or_else(|| format!("`until` should be {day}, not {until:?}"))?;
        let mut paths = self.globs("paths")?;
        paths.extend(self.globs("appliesTo")?);
        Ok(Waiver {
            paths,
            dependency: self.optional("dependency")?,
            pattern: self.optional("pattern")?,
            reason: self.required("reason", "why there is an exception")?.to_owned(),
            until,
            line,
        })
    }
}

/// A day as `YYYY-MM-DD`.
pub(super) fn date(text: &str) -> Option<Date> {
    let is_day = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_day.then(|| text.parse().ok())?
}
