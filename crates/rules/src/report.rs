//! What a check says, and what it is told.

use model::{Dependency, Severity};

/// A report has no more findings than this.
pub const FINDINGS_MAX: usize = 10_000;

/// A report has no more findings of one rule than this.
pub const FINDINGS_OF_RULE_MAX: usize = 1_000;

/// A file to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile<'a> {
    /// Its path in the project.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// A dependency of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The dependency.
    pub dependency: Dependency,
    /// Where it is listed, if it is known.
    pub location: Option<Location>,
    /// The line in which its entry ends, if that is known.
    pub last_line: Option<usize>,
}

/// Whether more belongs to a project than is checked. Rules about a project as a whole (`must_exist`,
/// and `must_use` of a dependency) are never judged by a part of it alone.
#[derive(Debug, Clone, Copy)]
pub enum Extent<'a> {
    /// All of it is checked.
    Whole,
    /// A part of this one is.
    PartOf(&'a Project),
    /// A part of one that nobody knows.
    Part,
}

/// What a project has, whatever of it is checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// The paths of its files.
    pub paths: Vec<String>,
    /// Its dependencies; none if they are not known.
    pub dependencies: Option<Vec<Listed>>,
}

/// A place in a project.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file's path.
    pub file: String,
    /// The line, from 1; none means the whole file.
    pub line: Option<usize>,
}

/// A rule that is broken, or that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whose rule it is, among the items of the rule set.
    pub item: usize,
    /// What the rule asks; empty if what cannot be followed is no rule.
    pub operator: String,
    /// Of what; empty if what cannot be followed is no rule.
    pub target: String,
    /// The rule's pattern; empty if what cannot be followed is no rule.
    pub pattern: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What to tell who broke it.
    pub message: String,
    /// Where, if it is about one place.
    pub location: Option<Location>,
    /// The line in which it ends, if it is in one.
    pub last_line: Option<usize>,
    /// The line, the import or the dependency it is about, not longer than 200 characters.
    pub excerpt: Option<String>,
    /// Whether it is about all files or all dependencies together.
    pub global: bool,
    /// Globs of the paths the rule is for; none means all.
    pub applies_to: Vec<String>,
}

/// What came out of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The findings, by file, line, item and constraint.
    pub findings: Vec<Finding>,
    /// How many weigh `info`, in the list or not.
    pub info: usize,
    /// How many weigh `warn`, in the list or not.
    pub warn: usize,
    /// How many weigh `block`, in the list or not.
    pub block: usize,
    /// How many are not in the list.
    pub left_out: usize,
    /// The rules about the whole project that nobody can judge by the part that was checked.
    pub unjudged: Vec<String>,
    /// The searches that took too long: more may be there to find.
    pub unfinished: Vec<Unfinished>,
}

/// A rule whose search in a file took too long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unfinished {
    /// The file's path.
    pub file: String,
    /// Why, with the rule.
    pub why: String,
}

impl Report {
    pub(crate) fn count(&mut self, severity: Severity, times: usize) {
        match severity {
            Severity::Info => self.info += times,
            Severity::Warn => self.warn += times,
            Severity::Block => self.block += times,
        }
    }
}
