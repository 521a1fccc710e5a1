//! The options of the commands that work with knowledge.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use model::knowledge::KNOWLEDGE_LAYERS;
use model::{Constraint, ItemKind, ItemStatus, Layer, Operator, Severity, Target};

use super::StoreArgs;

/// Options of `knowledge`.
#[derive(Debug, Args)]
pub(crate) struct KnowledgeArgs {
    /// What to do
    #[command(subcommand)]
    pub what: KnowledgeWhat,
}

/// What can be done with knowledge.
#[derive(Debug, Subcommand)]
pub(crate) enum KnowledgeWhat {
    /// Write a new item, as a draft
    New(NewArgs),
    /// List the items, and the files that could not be read
    List(ListArgs),
    /// Show an item: its text, what it asks, and its commits
    Show(ShowArgs),
    /// Propose a draft
    Propose(StepArgs),
    /// Accept what was proposed: from now on it binds
    Accept(StepArgs),
    /// Turn a draft or a proposal down
    Reject(StepArgs),
    /// Say that an accepted item should not be followed any more
    Deprecate(StepArgs),
    /// Let an item take the place of an accepted one
    Supersede(SupersedeArgs),
}

/// Options of `knowledge new`.
#[derive(Debug, Args)]
#[command(after_help = "\
An item of layer project goes to the folder .lorekeep/knowledge of the project if it is there, else
to the store's knowledge folder. It is committed in the repository that the folder lies in.")]
pub(crate) struct NewArgs {
    /// Its title, in one line
    #[arg(required = true)]
    pub title: Vec<String>,
    /// What it is: adr, policy, pattern or spec
    #[arg(long = "type", value_name = "TYPE", value_parser = kinds())]
    pub kind: ItemKind,
    /// How far it reaches: company, org, team or project
    #[arg(long, value_name = "LAYER", default_value = "project", value_parser = layers())]
    pub layer: Layer,
    /// Its id; without one it is made of type, number and title
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// In a sentence or two; without it the first words of its text
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// How much its constraints weigh: info, warn or block
    #[arg(long, value_name = "HOW", default_value = "warn", value_parser = severities())]
    pub severity: Severity,
    /// What it asks, e.g. 'must_not_use dependency mysql'; may be given several times
    #[arg(long = "constraint", value_name = "OPERATOR TARGET PATTERN", value_parser = constraint)]
    pub constraints: Vec<Constraint>,
    /// Its text, from a file; `-` reads standard input. Without it, headings to fill in
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub content: Option<PathBuf>,
    /// Write the text in your editor ($VISUAL or $EDITOR) first
    #[arg(long)]
    pub edit: bool,
    /// Put it into the project's own folder, and make that folder if there is none
    #[arg(long)]
    pub here: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `knowledge list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only of this type: adr, policy, pattern or spec
    #[arg(long = "type", value_name = "TYPE", value_parser = kinds())]
    pub kind: Option<ItemKind>,
    /// Only of this layer: company, org, team or project
    #[arg(long, value_name = "LAYER", value_parser = layers())]
    pub layer: Option<Layer>,
    /// Only what is draft, proposed, accepted, rejected, deprecated or superseded; may be given
    /// several times
    #[arg(long = "status", value_name = "STATUS", value_parser = statuses())]
    pub statuses: Vec<ItemStatus>,
    /// Also what is of the past: rejected, deprecated, superseded
    #[arg(long, conflicts_with = "statuses")]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `knowledge show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The item
    pub id: String,
    /// With its commits
    #[arg(long)]
    pub history: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of a step in an item's life.
#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    /// The item
    pub id: String,
    #[command(flatten)]
    pub step: ReasonArgs,
}

/// Options of `knowledge supersede`.
#[derive(Debug, Args)]
pub(crate) struct SupersedeArgs {
    /// The accepted item
    pub old: String,
    /// The one that takes its place: accepted, or proposed and accepted by this
    pub new: String,
    #[command(flatten)]
    pub step: ReasonArgs,
}

/// Why, and how it is shown.
#[derive(Debug, Args)]
pub(crate) struct ReasonArgs {
    /// Why, for the commit
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `import adr`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every Markdown file below DIR that is a decision becomes an item, all in one commit; the files stay as
they are. What was imported before is not imported again.

Exit code: 0 if every decision was taken, 1 if one could not be (the others are in).")]
pub(crate) struct ImportAdrArgs {
    /// The folder of the decisions
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: String,
    /// How far they reach: company, org, team or project
    #[arg(long, value_name = "LAYER", default_value = "project", value_parser = layers())]
    pub layer: Layer,
    /// Put them into the project's own folder, and make that folder if there is none
    #[arg(long)]
    pub here: bool,
    /// Write nothing: only tell what would become of each file
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

fn kinds() -> impl TypedValueParser<Value = ItemKind> {
    let names = PossibleValuesParser::new(ItemKind::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| ItemKind::named(&name).ok_or("it is no type"))
}

fn layers() -> impl TypedValueParser<Value = Layer> {
    let names = PossibleValuesParser::new(KNOWLEDGE_LAYERS.map(Layer::name));
    names.try_map(|name| Layer::named(&name).ok_or("it is no layer"))
}

fn statuses() -> impl TypedValueParser<Value = ItemStatus> {
    let names = PossibleValuesParser::new(ItemStatus::ALL.iter().map(|status| status.name()));
    names.try_map(|name| ItemStatus::named(&name).ok_or("it is no status"))
}

fn severities() -> impl TypedValueParser<Value = Severity> {
    let names = PossibleValuesParser::new(Severity::ALL.iter().map(|severity| severity.name()));
    names.try_map(|name| Severity::named(&name).ok_or("it is no severity"))
}

/// Reads `OPERATOR TARGET PATTERN`; the pattern is the rest, with its spaces.
fn constraint(text: &str) -> Result<Constraint, String> {
    let mut words = text.trim_start().splitn(3, char::is_whitespace);
    let mut word = || words.next().map(str::trim).filter(|word| !word.is_empty());
    let (Some(operator), Some(target), Some(pattern)) = (word(), word(), word()) else {
        return Err("it takes three parts, e.g. 'must_not_use dependency mysql'".to_owned());
    };
    let one_of = |names: Vec<&str>| names.join(", ");
    let operator = Operator::named(operator).ok_or_else(|| {
        let names = one_of(Operator::ALL.iter().map(|one| one.name()).collect());
        format!("{operator:?} is no operator; it takes one of {names}")
    })?;
    let target = Target::named(target).ok_or_else(|| {
        let names = one_of(Target::ALL.iter().map(|one| one.name()).collect());
        format!("{target:?} is no target; it takes one of {names}")
    })?;
    Ok(Constraint {
        operator,
        target,
        pattern: pattern.to_owned(),
        applies_to: Vec::new(),
        severity: None,
        message: None,
        line: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constraint_is_three_parts_and_the_pattern_keeps_its_spaces() {
        let read = constraint("must_not_match code  eval \\(  ").unwrap();
        assert_eq!((read.operator, read.target), (Operator::MustNotMatch, Target::Code));
        assert_eq!(read.pattern, "eval \\(");
    }

    #[test]
    fn what_is_no_constraint_is_told_what_would_be_one() {
        for (text, why) in [
            ("must_use dependency", "three parts"),
            ("must dependency x", "it takes one of must_use, must_not_use"),
            ("must_use dep x", "it takes one of dependency, code"),
        ] {
            assert!(constraint(text).unwrap_err().contains(why), "{text}");
        }
    }
}
