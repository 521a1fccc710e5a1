//! The command line. Options that are settings come from the settings table.

mod audit;
mod bench;
mod check;
mod config;
pub(crate) mod everyday;
mod graph;
mod hook;
mod import;
mod install;
mod knowledge;
mod ledger;
mod token;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use model::Layer;

pub(crate) use audit::{ArchiveAuditArgs, AuditArgs, AuditWhat, ShowAuditArgs, VerifyArgs};
pub(crate) use bench::{GraphBenchArgs, KnowledgeBenchArgs, LoadArgs};
pub(crate) use check::{CheckArgs, Format};
pub(crate) use config::{ConfigArgs, ConfigWhat, GetConfigArgs, ListConfigArgs, TrustArgs};
pub(crate) use everyday::SearchArgs;
pub(crate) use graph::{GraphArgs, GraphWhat};
pub(crate) use hook::{HookArgs, ReviewArgs};
pub(crate) use import::{AUTO, ExportArgs, ImportArgs, ImportWhat, OWN};
pub(crate) use install::{ClientArgs, InstallArgs, InstallWhat, UninstallArgs, UninstallWhat};
pub(crate) use knowledge::{
    ImportAdrArgs, KnowledgeArgs, KnowledgeWhat, ListArgs, NewArgs, ReasonArgs, ShowArgs, StepArgs,
    SupersedeArgs,
};
pub(crate) use ledger::{DecideArgs, HistoryArgs, LedgerBenchArgs, LogArgs};
pub(crate) use token::{ListTokensArgs, NewTokenArgs, RevokeTokenArgs, TokenArgs, TokenWhat};

pub(crate) use crate::settings::options::{
    HttpArgs, LimitArgs, OfferArgs, OutsideArgs, QueryArgs, StoreArgs,
};

/// One memory for all of your agents.
#[derive(Debug, Parser)]
#[command(name = "lorekeep", version, about, disable_help_subcommand = true, max_term_width = 100)]
#[command(after_help = "\
Options may also be given as LOREKEEP_* variables, in the project's lorekeep.toml or in the user's.
What stands nearer wins: option, variable, project file, user file, default.")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve MCP on standard input and output, or over HTTP
    Serve(ServeArgs),
    /// List the tools that would be offered, and what they cost a model to read
    Tools(ToolsArgs),
    /// Call a tool without a client; the exit code tells success
    Call(CallArgs),
    /// Keep something worth remembering
    Add(everyday::AddArgs),
    /// Search the memories, and see why something is found or is not
    Search(SearchArgs),
    /// Search the memories, and read what is found in full
    Recall(everyday::RecallArgs),
    /// Show a memory, a decision or a part of a document in full
    Show(everyday::ShowArgs),
    /// Change a memory in your editor, or by options
    Edit(everyday::EditArgs),
    /// Delete memories for good
    Forget(everyday::ForgetArgs),
    /// List the memories
    List(everyday::ListArgs),
    /// Count what there is, and say where it lies
    Stats(everyday::StatsArgs),
    /// Show what an agent is told before a prompt
    Context(everyday::ContextArgs),
    /// Read files and folders into the store, so that searches find what they say
    Index(IndexArgs),
    /// Record a decision, a proposal or a constraint, with the reason for it
    Decide(DecideArgs),
    /// Show the commits of the ledger, or of one record
    Log(LogArgs),
    /// Show how a decision came to be
    History(HistoryArgs),
    /// Show what a thing of the graph has to do with others, or merge two
    Graph(GraphArgs),
    /// Check this project against the knowledge: before a commit, in CI, or any time
    Check(CheckArgs),
    /// Put Lorekeep into the agents on this machine, or before each commit
    Install(InstallArgs),
    /// Take Lorekeep out of the agents on this machine
    Uninstall(UninstallArgs),
    /// Write, list and show what binds and what is recommended, and lead it through its life
    Knowledge(KnowledgeArgs),
    /// Take in what other systems kept: memories, notes, decisions, conversations
    Import(ImportArgs),
    /// Decide what of the things that you told your agents is kept as a memory
    Review(ReviewArgs),
    /// Answer a client's hook: notes for a prompt, or what was said is recorded
    Hook(HookArgs),
    /// Write everything into a folder: for another store, for people, for git
    Export(ExportArgs),
    /// Explain a tool or a command
    Help(HelpArgs),
    /// Make, list and revoke the tokens that let callers in over HTTP
    Token(TokenArgs),
    /// Show the settings that hold here, and where each comes from
    Config(ConfigArgs),
    /// Trust a folder with the settings and the store in it
    Trust(TrustArgs),
    /// Look after the store: what is wrong, and how to mend it
    Doctor(DoctorArgs),
    /// Show what was done and refused, by whom, and check that nobody changed the log of it
    Audit(AuditArgs),
    /// Copy the store to a file while others use it
    Backup(BackupArgs),
    /// Put a backup in the store's place, after checking it
    Restore(RestoreArgs),
    /// Give every memory the vectors it lacks, or try another model on your own queries
    Reindex(ReindexArgs),
    /// Measure this build on this machine
    Bench(BenchArgs),
    /// See in a minute what Lorekeep does, on a scratch store
    Tour(everyday::TourArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
    /// Parse the files that come by a connection on standard input: what `serve` starts
    #[command(hide = true)]
    Reader,
}

/// Options of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub offer: OfferArgs,
    #[command(flatten)]
    pub outside: OutsideArgs,
    #[command(flatten)]
    pub http: HttpArgs,
    #[command(flatten)]
    pub queries: QueryArgs,
}

/// Options of `tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub offer: OfferArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool's name
    pub tool: String,
    /// The arguments as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    pub arguments: String,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub outside: OutsideArgs,
}

/// Options of `index`.
#[derive(Debug, Args)]
#[command(after_help = "\
Folders are read without what is hidden or ignored by version control, and without following links.
What has not changed since the last time is not read again; what is gone is taken out of the store.

Exit code: 0 if every PATH was read, even if single files within a folder could not be (they are
named); 1 if a PATH could not be, or nothing of it; 130 after Ctrl-C, which keeps what is stored (0 with --watch, which ends so).")]
pub(crate) struct IndexArgs {
    /// Files and folders
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,
    /// Where to put them: default, global, project:NAME or a name of your own
    #[arg(long, value_name = "NAMESPACE", default_value = "default")]
    pub namespace: String,
    /// Leave out the folders within folders
    #[arg(long)]
    pub no_recursive: bool,
    /// Stay, and follow every change until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Print JSON; with --watch a line for each round
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

fn limit() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=100)
}

fn fraction(text: &str) -> Result<f64, String> {
    let is_fraction = |number: &f64| (0.0..=1.0).contains(number);
    let number = text.parse().ok().filter(is_fraction);
    number.ok_or_else(|| "it takes a number from 0 to 1".to_owned())
}

pub(crate) fn layers() -> impl TypedValueParser<Value = Layer> {
    let names = PossibleValuesParser::new(Layer::ALL.map(Layer::name));
    names.try_map(|name| Layer::named(&name).ok_or("it is no layer"))
}

/// Options of `reindex`.
#[derive(Debug, Args)]
pub(crate) struct ReindexArgs {
    /// Switch nothing: compare what the model would find with what is found now
    #[arg(long, conflicts_with = "rebuild")]
    pub check: bool,
    /// The queries to compare by, one a line; behind a tab, the ids that should be found. Without
    /// it, those that you asked of late
    #[arg(long, value_name = "FILE", requires = "check")]
    pub queries: Option<PathBuf>,
    /// Drop the index and its snapshot, and build them from the rows
    #[arg(long)]
    pub rebuild: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A tool or a command
    pub topic: Option<String>,
}

/// Options of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Mend what is damaged, from what can be read, the newest backup and git; nothing is destroyed
    #[arg(long)]
    pub repair: bool,
    /// Say what --repair would do, and do nothing
    #[arg(long, requires = "repair")]
    pub dry_run: bool,
}

/// Options of `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to make; it must not be there yet
    #[arg(required_unless_present = "list")]
    pub file: Option<PathBuf>,
    /// List the backups that were made as time went by
    #[arg(long, conflicts_with = "file")]
    pub list: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The backup
    pub file: PathBuf,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `bench`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BenchArgs {
    /// What to measure instead of speed
    #[command(subcommand)]
    pub(crate) what: Option<BenchWhat>,
    /// How long each measurement runs, in seconds
    #[arg(long, default_value_t = 3.0)]
    pub seconds: f64,
    /// Directory for the scratch stores; the speed of its disk is part of the figures
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `bench` can measure besides speed.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchWhat {
    /// How much of what answers a question the search brings back
    Recall(RecallArgs),
    /// What a threshold keeps and drops, on pairs that we made
    Calibration(CalibrationArgs),
    /// How long a search takes in small and in large stores
    Scale(ScaleArgs),
    /// How fast files are read into the store, and searched there
    Documents(DocumentsArgs),
    /// How long lists, graphs and the health of many memories take
    Learning(LearningArgs),
    /// How fast decisions are recorded, linked, read and searched, with git behind them
    Ledger(LedgerBenchArgs),
    /// How fast knowledge is synced, and files are checked against its rules
    Knowledge(KnowledgeBenchArgs),
    /// How fast facts are added and looked at among many, and a large file is read
    Graph(GraphBenchArgs),
    /// How many clients at once are served over HTTP, how evenly, and what more than that are told
    Load(LoadArgs),
}

/// Options of `bench learning`.
#[derive(Debug, Args)]
pub(crate) struct LearningArgs {
    /// How many memories the long list has
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000)]
    pub(crate) memories: u64,
    /// Directory for the scratch stores; a million memories take about 1 GB
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `bench recall`.
#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// LoCoMo's locomo10.json
    #[arg(long, value_name = "FILE")]
    pub(crate) locomo: PathBuf,
    /// What compares meanings, as for `serve`
    #[arg(long, value_name = "WHAT")]
    pub(crate) embedder: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Options of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page a command into this directory instead
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// What `bench calibration` takes.
#[derive(Debug, Args)]
pub(crate) struct CalibrationArgs {
    /// What compares meanings, as for `serve`
    #[arg(long, value_name = "WHAT")]
    pub(crate) embedder: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `bench scale`.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// How many memories the store has, one size after the other
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',',
          default_values_t = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000])]
    pub(crate) sizes: Vec<u64>,
    /// How long each measurement runs, in seconds
    #[arg(long, default_value_t = 3.0)]
    pub(crate) seconds: f64,
    /// Directory for the scratch stores; the largest takes about 2 KB a memory
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Draw the times into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `bench documents`.
#[derive(Debug, Args)]
pub(crate) struct DocumentsArgs {
    /// How many megabytes of Markdown are indexed
    #[arg(long, value_name = "MB", default_value_t = 80)]
    pub(crate) megabytes: u64,
    /// How long the searches are measured, in seconds
    #[arg(long, default_value_t = 3.0)]
    pub(crate) seconds: f64,
    /// Directory for the files and the scratch stores
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
