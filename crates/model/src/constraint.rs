//! What a knowledge item asks of code: operator × target × pattern.

use crate::record::names;
use crate::time::Date;

/// How much a constraint weighs, lightest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Should not be.
    #[default]
    Warn,
    /// Must not be.
    Block,
}

names!(Severity {
    Info => "info",
    Warn => "warn",
    Block => "block",
});

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// At least one.
    MustUse,
    /// None.
    MustNotUse,
    /// Every one.
    MustMatch,
    /// Not one.
    MustNotMatch,
    /// At least one is there.
    MustExist,
    /// None is there.
    MustNotExist,
}

names!(Operator {
    MustUse => "must_use",
    MustNotUse => "must_not_use",
    MustMatch => "must_match",
    MustNotMatch => "must_not_match",
    MustExist => "must_exist",
    MustNotExist => "must_not_exist",
});

/// Of what it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// The names of dependencies.
    Dependency,
    /// The text of code.
    Code,
    /// The text of configuration.
    Config,
    /// What files import.
    Import,
    /// The paths of files.
    File,
}

names!(Target {
    Dependency => "dependency",
    Code => "code",
    Config => "config",
    Import => "import",
    File => "file",
});

impl Operator {
    /// The operators that can be asked of a target.
    pub const fn of(target: Target) -> &'static [Self] {
        match target {
            Target::Dependency => Self::ALL,
            Target::Code | Target::Config | Target::Import => {
                &[Self::MustUse, Self::MustNotUse, Self::MustMatch, Self::MustNotMatch]
            }
            Target::File => &[
                Self::MustNotUse,
                Self::MustMatch,
                Self::MustNotMatch,
                Self::MustExist,
                Self::MustNotExist,
            ],
        }
    }

    /// Whether who follows the one breaks the other, of the same target and pattern.
    pub const fn is_opposite(self, other: Self) -> bool {
        self.asks_for() != other.asks_for()
    }

    /// Whether it asks for something to be there.
    pub const fn asks_for(self) -> bool {
        matches!(self, Self::MustUse | Self::MustMatch | Self::MustExist)
    }
}

/// A rule of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// What is asked.
    pub operator: Operator,
    /// Of what.
    pub target: Target,
    /// A regular expression; for files a glob.
    pub pattern: String,
    /// Globs of the paths it is for; none means all.
    pub applies_to: Vec<String>,
    /// How much it weighs; none means as much as its item.
    pub severity: Option<Severity>,
    /// What to tell who breaks it.
    pub message: Option<String>,
    /// Where it stands in its item's file, from 1.
    pub line: usize,
}

/// What people wrote into an item that cannot be followed; the rest of the item can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flawed {
    /// Where it stands in the item's file, from 1.
    pub line: usize,
    /// What would be right, in words.
    pub why: String,
    /// The constraint as it was written, if it is one: operator, target, pattern.
    pub constraint: Option<[String; 3]>,
}

/// An exception from an item's constraints, for a reason and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// Globs of the paths it is for; none means all.
    pub paths: Vec<String>,
    /// Only for this dependency.
    pub dependency: Option<String>,
    /// Only from the constraint with this pattern; none means all of the item.
    pub pattern: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day it holds.
    pub until: Date,
    /// Where it stands in the item's file, from 1.
    pub line: usize,
}

/// Something a project depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// Its version, if it is told.
    pub version: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heavier_severity_is_greater() {
        assert!(Severity::Info < Severity::Warn && Severity::Warn < Severity::Block);
    }

    #[test]
    fn what_is_asked_for_stands_against_what_is_forbidden() {
        assert!(Operator::MustUse.is_opposite(Operator::MustNotUse));
        assert!(Operator::MustExist.is_opposite(Operator::MustNotUse));
        assert!(!Operator::MustExist.is_opposite(Operator::MustUse));
    }

    #[test]
    fn a_file_cannot_be_used_and_a_text_cannot_exist() {
        assert!(!Operator::of(Target::File).contains(&Operator::MustUse));
        assert!(!Operator::of(Target::Code).contains(&Operator::MustExist));
        assert_eq!(Operator::of(Target::Dependency).len(), 6);
    }
}
