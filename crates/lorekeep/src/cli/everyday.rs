//! The options of what a person does with memories every day.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::find::FoundKind;
use model::{Kind, Layer, MemoryId, Namespace, SortKey};

use super::ledger::namespace;
use super::{StoreArgs, fraction, layers, limit};

/// Options of `add`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without TEXT it is read from standard input, or written in your editor ($VISUAL or $EDITOR, else vi)
at a terminal. The same text again in the same layer is the same memory; tags it did not have are
added to it.")]
pub(crate) struct AddArgs {
    /// What to remember; `-` reads it from standard input
    pub text: Vec<String>,
    /// Whose it is: agent, user, session, project, team, org or company
    #[arg(long, value_name = "LAYER", default_value = "user", value_parser = layers())]
    pub layer: Layer,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// What it is about
    #[arg(long, value_name = "KIND", default_value = "fact", value_parser = kinds())]
    pub kind: Kind,
    /// How much it matters, 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5, value_parser = fraction)]
    pub importance: f64,
    /// Write it in your editor, beginning with TEXT
    #[arg(long)]
    pub edit: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to search for, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    /// How many hits at the most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = limit())]
    pub limit: u64,
    /// The least relevance, 0 to 1
    #[arg(long, value_name = "T", default_value_t = 0.7, value_parser = fraction)]
    pub threshold: f64,
    /// Only in this layer; may be given several times
    #[arg(long = "layer", value_name = "LAYER", value_parser = layers())]
    pub layers: Vec<Layer>,
    /// Only with this tag, or with one of several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only of this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND", value_parser = found_kinds())]
    pub kinds: Vec<FoundKind>,
    /// Show what speaks for each memory that is found, and nothing but memories
    #[arg(long)]
    pub explain: bool,
    /// Say what became of this memory: why it is not among the hits, or at which place it is
    #[arg(long, value_name = "ID", value_parser = memory_id)]
    pub why_not: Option<MemoryId>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

fn found_kinds() -> impl TypedValueParser<Value = FoundKind> {
    let names = PossibleValuesParser::new(FoundKind::ALL.map(FoundKind::name));
    names.try_map(|name| {
        FoundKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or("it is no kind")
    })
}

/// Options of `recall`.
#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// What to recall, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    /// So many tokens of text at the most; what does not fit is left out
    #[arg(long, value_name = "TOKENS", default_value_t = 2_000)]
    pub budget: usize,
    /// How many memories at the most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = limit())]
    pub limit: u64,
    /// The least relevance, 0 to 1
    #[arg(long, value_name = "T", default_value_t = 0.5, value_parser = fraction)]
    pub threshold: f64,
    /// Only in this layer; may be given several times
    #[arg(long = "layer", value_name = "LAYER", value_parser = layers())]
    pub layers: Vec<Layer>,
    /// Only with this tag, or with one of several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// How something is shown, and from which store.
#[derive(Debug, Args)]
pub(crate) struct ShownArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Do not show a long text page by page ($PAGER, else less)
    #[arg(long)]
    pub no_pager: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The id of a memory or a decision, or its first 6 digits or more; or of a part of a document
    pub id: String,
    /// Part of the ledger where a decision is looked for
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = namespace)]
    pub namespace: Namespace,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Options of `edit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without an option that says what is new, the memory is written in your editor ($VISUAL or $EDITOR,
else vi). If others change it meanwhile, nothing of theirs is lost: your text is kept in a file, whose
name is told.")]
pub(crate) struct EditArgs {
    /// The memory's id, or its first 6 digits or more
    pub id: String,
    /// Its new text; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub content: Option<String>,
    /// A tag that it has from now on, in place of those it had; may be given several times
    #[arg(long = "tag", value_name = "TAG", conflicts_with = "no_tags")]
    pub tags: Vec<String>,
    /// It has no tags from now on
    #[arg(long)]
    pub no_tags: bool,
    /// What it is about from now on
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub kind: Option<Kind>,
    /// How much it matters from now on, 0 to 1
    #[arg(long, value_name = "NUMBER", value_parser = fraction)]
    pub importance: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `forget`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 if all are gone; 1 if nothing was forgotten, because an id is unknown, a golden rule is
among them, or the answer was no; 2 if it could not be done.")]
pub(crate) struct ForgetArgs {
    /// Ids of memories, or their first 6 digits or more
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Golden rules too; for admins
    #[arg(long)]
    pub golden: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only in this layer; may be given several times
    #[arg(long = "layer", value_name = "LAYER", value_parser = layers())]
    pub layers: Vec<Layer>,
    /// Only with this tag; given several times, with all of them
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only of this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND", value_parser = kinds())]
    pub kinds: Vec<Kind>,
    /// What comes first: the newest, most important, surest, or last read
    #[arg(long, value_name = "BY", default_value = "created", value_parser = sort_keys())]
    pub sort: SortKey,
    /// How many at the most
    #[arg(long, value_name = "N", default_value_t = 50, conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// As many as there are
    #[arg(long)]
    pub all: bool,
    /// The archived ones too
    #[arg(long)]
    pub archived: bool,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Options of `stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Part of the ledger whose decisions are counted
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = namespace)]
    pub namespace: Namespace,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `context`.
#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// The prompt; `-` reads it from standard input. Without it, what an agent should know anyway
    pub text: Vec<String>,
    /// So many tokens at the most
    #[arg(long, value_name = "TOKENS", default_value_t = 1_500)]
    pub budget: usize,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Options of `tour`.
#[derive(Debug, Args)]
pub(crate) struct TourArgs {
    /// Do not wait for a key between the steps
    #[arg(long)]
    pub no_pause: bool,
}

fn memory_id(text: &str) -> Result<MemoryId, &'static str> {
    text.parse().map_err(|_| "it takes mem_ and 32 hex digits, or a UUID")
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let names = PossibleValuesParser::new(Kind::ALL.map(Kind::name));
    names.try_map(|name| Kind::named(&name).ok_or("it is no kind"))
}

/// What a list may be sorted by, with the names a person gives.
const SORT_KEYS: [(&str, SortKey); 5] = [
    ("created", SortKey::CreatedAt),
    ("updated", SortKey::UpdatedAt),
    ("accessed", SortKey::AccessedAt),
    ("importance", SortKey::Importance),
    ("confidence", SortKey::Confidence),
];

fn sort_keys() -> impl TypedValueParser<Value = SortKey> {
    let names = PossibleValuesParser::new(SORT_KEYS.map(|(name, _)| name));
    names.try_map(|name| {
        let found = SORT_KEYS.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, key)| key).ok_or("a list is not sorted by it")
    })
}
