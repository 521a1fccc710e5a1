//! The options of `check`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use model::Severity;

use super::StoreArgs;

/// Options of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
All files of the project are looked at that git does not ignore, but for .lorekeep/ and the
knowledge; links are not followed. The manifests among them tell the dependencies. With PATHs, rules
that ask for something anywhere in the project are left out.

The baseline holds violations that are old and known. It is made once, and then only shrinks.

What cannot be checked (a manifest with a slip, a file that cannot be read, a pattern that takes too
long) is told on the error output, and the check fails; with --diff and --staged if it is in a file
that changed.

Exit code: 0 if nothing blocks and nothing was left out, 1 if not, 2 if the check could not be made.")]
pub(crate) struct CheckArgs {
    /// Only these files and folders
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Only what is new or changed since here and BASE (a branch, a tag or a commit) parted
    #[arg(long, value_name = "BASE")]
    pub diff: Option<String>,
    /// Only what is staged, as it is staged
    #[arg(long)]
    pub staged: bool,
    /// How to tell it
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Pass although something could not be checked
    #[arg(long)]
    pub allow_problems: bool,
    /// The lightest that is told: info, warn or block
    #[arg(long, value_name = "SEVERITY", default_value = "warn", value_parser = severities(), hide_possible_values = true)]
    pub min_severity: Severity,
    /// Only against this item, wherever it stands; may be given several times
    #[arg(long = "item", value_name = "ID")]
    pub items: Vec<String>,
    /// The baseline, if not .lorekeep/baseline.json in the project
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,
    /// Make the baseline of what is found, or take out of it what is mended
    #[arg(long, conflicts_with = "no_baseline")]
    pub update_baseline: bool,
    /// Tell old violations too
    #[arg(long, conflicts_with = "baseline")]
    pub no_baseline: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// How a check is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit's XML, for test reports
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

fn severities() -> impl TypedValueParser<Value = Severity> {
    let names = PossibleValuesParser::new(Severity::ALL.iter().map(|severity| severity.name()));
    names.try_map(|name| Severity::named(&name).ok_or("it is no severity"))
}
