//! What a project is, against what the rules say of it.
//!
//! Texts, paths and names go in, findings come out. Nothing here reads a file, asks the time or
//! knows who asks, so that nobody can ever make a verdict depend on anything but what was looked at.

#![forbid(unsafe_code)]

mod book;
mod bundle;
mod conclude;
mod finder;
mod glob;
pub mod imports;
mod literal;
mod look;
pub mod manifest;
mod message;
mod parallel;
mod pattern;
mod report;
mod seen;
mod set;
#[cfg(test)]
mod tests;

pub use glob::{Globs, clean};
pub use look::Watch;
pub use report::{
    Extent, FINDINGS_MAX, FINDINGS_OF_RULE_MAX, Finding, Listed, Location, Project, Report,
    SourceFile, Unfinished,
};
pub use seen::Seen;
pub use set::{RuleSet, flaws};
