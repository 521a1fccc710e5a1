//! The options of the commands that work with the ledger.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use model::record::RECORD_CONFIDENCE_NEW;
use model::{Namespace, Phase, RecordId, RecordKind};

use super::{StoreArgs, fraction};

/// Options of `decide`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --because the reason is written in your editor ($VISUAL or $EDITOR). Nothing is recorded if a
record about the same target answers the same question, or has the same title: supersede that one
(--supersedes), or keep both (--allow-conflict).")]
pub(crate) struct DecideArgs {
    /// What is decided, in one line
    #[arg(required = true)]
    pub title: Vec<String>,
    /// What it is about: a system or a component, in small letters, digits and _
    #[arg(long, value_name = "NAME")]
    pub target: String,
    /// Why; `-` reads it from standard input
    #[arg(long, value_name = "REASON")]
    pub because: Option<String>,
    /// What follows; may be given several times
    #[arg(long = "then", value_name = "CONSEQUENCE")]
    pub consequences: Vec<String>,
    /// decision, proposal or constraint
    #[arg(long, value_name = "KIND", default_value = "decision", value_parser = record_kinds())]
    pub kind: RecordKind,
    /// How sure you are, 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = RECORD_CONFIDENCE_NEW, value_parser = fraction)]
    pub confidence: f64,
    /// How settled it is: pattern, emergent or canonical
    #[arg(long, value_name = "PHASE", default_value = "pattern", value_parser = phases())]
    pub phase: Phase,
    /// The record that it takes the place of
    #[arg(long, value_name = "FID", value_parser = record_id)]
    pub supersedes: Option<RecordId>,
    /// Record it although a record is in conflict with it, and link the two
    #[arg(long, conflicts_with = "supersedes")]
    pub allow_conflict: bool,
    #[command(flatten)]
    pub ledger: LedgerArgs,
}

/// Which part of the ledger, and how it is shown.
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    /// Part of the ledger
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = namespace)]
    pub namespace: Namespace,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Only the commits of this record
    #[arg(value_parser = record_id)]
    pub fid: Option<RecordId>,
    /// How many at the most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Any record of the chain
    #[arg(value_parser = record_id)]
    pub fid: RecordId,
    /// Draw it: text or mermaid
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "text", value_parser = ["text", "mermaid"])]
    pub graph: Option<String>,
    #[command(flatten)]
    pub ledger: LedgerArgs,
}

fn record_kinds() -> impl TypedValueParser<Value = RecordKind> {
    let names = PossibleValuesParser::new(RecordKind::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| RecordKind::named(&name).ok_or("it is no kind"))
}

fn phases() -> impl TypedValueParser<Value = Phase> {
    let names = PossibleValuesParser::new(Phase::ALL.iter().map(|phase| phase.name()));
    names.try_map(|name| Phase::named(&name).ok_or("it is no phase"))
}

fn record_id(text: &str) -> Result<RecordId, &'static str> {
    RecordId::from_spelling(text).map_err(|_| "it takes 12 hex digits")
}

pub(super) fn namespace(text: &str) -> Result<Namespace, String> {
    text.parse().map_err(|why| format!("it {why}"))
}

/// Options of `bench ledger`.
#[derive(Debug, Args)]
pub(crate) struct LedgerBenchArgs {
    /// How many decisions the ledger has
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) records: u64,
    /// How many a large one has, for how the cost grows; 0 leaves that out
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    pub(crate) large: u64,
    /// Directory for the scratch stores
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
