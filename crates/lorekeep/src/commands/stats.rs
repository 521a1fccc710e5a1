//! `lorekeep stats`: how much there is of what, and where it lies.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use engine::index::State;
use engine::record::{RecordFilter, read_in};
use engine::{Engine, document, fact, index, knowledge, memory, record, scope};
use indicatif::HumanBytes;
use model::{
    Caller, Kind, Layer, MemoryFilter, Namespace, Order, Paging, Scope, SortKey, Status, Timestamp,
    time,
};
use serde_json::{Map, Value, json};

use super::memo;
use crate::cli::everyday::StatsArgs;
use crate::{output, wiring};

/// What the store's files begin with.
const FILES: &str = "lorekeep.";

/// The memories of one place among those that are counted.
struct Place {
    name: &'static str,
    by_kind: Vec<(Kind, u64)>,
}

impl Place {
    fn count(&self) -> u64 {
        self.by_kind.iter().map(|(_, count)| count).sum()
    }
}

/// What there is.
struct Stats {
    places: Vec<Place>,
    archived: u64,
    documents: usize,
    chunks: u64,
    decisions: Vec<(Status, u64)>,
    facts: fact::Counts,
    knowledge: usize,
    index: State,
    bytes: u64,
    last_write: Option<Timestamp>,
}

pub(crate) fn run(args: &StatsArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let (engine, caller) = (wiring::open_to_read(&settings)?, wiring::caller(&settings));
    let stats = counted(&engine, &caller, &args.namespace, &settings.data_dir)?;
    if args.json {
        output::json(&describe(&stats, &settings.data_dir))?;
    } else {
        print(&stats, &settings.data_dir);
    }
    Ok(ExitCode::SUCCESS)
}

fn counted(engine: &Engine, caller: &Caller, of: &Namespace, dir: &Path) -> Result<Stats> {
    let open = scope::open(engine, caller)?;
    let documents = document::stats(engine, &open)?;
    let (mut decisions, namespace) = (Vec::new(), read_in(caller, Some(of.clone())));
    for status in Status::ALL {
        let (namespace, status_only) = (namespace.clone(), Some(*status));
        let filter = RecordFilter { namespace, kind: None, status: status_only, target: None };
        let (_, count) = record::get(engine, None, &filter, 0)?;
        decisions.push((*status, count));
    }
    decisions.retain(|(_, count)| *count > 0);
    Ok(Stats {
        places: places(engine, caller, &open)?,
        archived: memory::stats(engine, caller)?.archived,
        documents: documents.paths.len(),
        chunks: documents.chunks,
        decisions,
        facts: fact::count(engine, caller)?,
        knowledge: knowledge::listed(engine, caller).open(caller).count(),
        index: index::state(engine)?,
        bytes: size(dir),
        last_write: last_write(engine, caller, of, open)?.max(documents.newest),
    })
}

/// The memories in the caller's layers, and in other projects; those that follow facts are counted with
/// the facts.
fn places(engine: &Engine, caller: &Caller, open: &[Scope]) -> Result<Vec<Place>> {
    let own = scope::own(engine, caller)?;
    let is_layer = |layer: Layer| own.iter().filter(move |scope| scope.layer == layer);
    let layers = Layer::ALL.into_iter().map(|layer| (layer.name(), is_layer(layer).collect()));
    let others: Vec<&Scope> = open.iter().filter(|scope| !own.contains(scope)).collect();
    let mut places = Vec::new();
    for (name, scopes) in layers.chain([("elsewhere", others)]) {
        let scopes: Vec<&Scope> = scopes;
        let scopes: Vec<Scope> =
            scopes.into_iter().filter(|scope| !scope.is_facts()).cloned().collect();
        if scopes.is_empty() {
            continue;
        }
        let mut by_kind = Vec::new();
        for kind in Kind::ALL {
            let (scopes, kinds) = (scopes.clone(), vec![kind]);
            let filter = MemoryFilter { scopes, kinds, ..MemoryFilter::default() };
            by_kind.push((kind, memory::count(engine, caller, filter)?));
        }
        by_kind.retain(|(_, count)| *count > 0);
        places.push(Place { name, by_kind });
    }
    places.retain(|place| !place.by_kind.is_empty());
    Ok(places)
}

/// When a memory or a decision was last written.
fn last_write(
    engine: &Engine,
    caller: &Caller,
    of: &Namespace,
    scopes: Vec<Scope>,
) -> Result<Option<Timestamp>> {
    let filter = MemoryFilter { scopes, archived: true, ..MemoryFilter::default() };
    let paging = Paging { key: SortKey::UpdatedAt, order: Order::Descending, offset: 0, limit: 1 };
    let memories = memory::browse(engine, caller, filter, paging)?.items;
    let namespace = read_in(caller, Some(of.clone()));
    let filter = RecordFilter { namespace, kind: None, status: None, target: None };
    let (records, _) = record::get(engine, None, &filter, 1)?;
    let memories = memories.iter().map(|memory| memory.updated_at);
    Ok(memories.chain(records.iter().map(|found| found.record.updated_at)).max())
}

/// How large the store's own files are: the database, its log and the snapshots of its index.
fn size(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let of_store =
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(FILES));
    of_store.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

fn describe(stats: &Stats, dir: &Path) -> Value {
    let place = |place: &Place| {
        let kinds: Map<String, Value> = place
            .by_kind
            .iter()
            .map(|(kind, count)| (kind.name().to_owned(), json!(count)))
            .collect();
        (place.name.to_owned(), Value::Object(kinds))
    };
    let places: Map<String, Value> = stats.places.iter().map(place).collect();
    let decisions = stats.decisions.iter();
    let decisions: Map<String, Value> =
        decisions.map(|(status, count)| (status.name().to_owned(), json!(count))).collect();
    let models = stats.index.models.iter().map(|model| {
        json!({"name": model.name, "dimensions": model.dimensions, "vectors": model.vectors,
               "complete": model.complete})
    });
    json!({
        "memories": {"total": stats.places.iter().map(Place::count).sum::<u64>(),
                     "archived": stats.archived, "by_layer": places},
        "documents": {"files": stats.documents, "chunks": stats.chunks},
        "decisions": decisions,
        "facts": {"things": stats.facts.entities, "links": stats.facts.links},
        "knowledge": {"items": stats.knowledge},
        "index": {"model": stats.index.serving, "models": models.collect::<Vec<_>>()},
        "store": {"dir": dir, "bytes": stats.bytes},
        "last_write": stats.last_write.map(time::rfc3339),
    })
}

fn print(stats: &Stats, dir: &Path) {
    let line = |name: &str, text: String| output::line(format!("{name:<11} {text}"));
    let total: u64 = stats.places.iter().map(Place::count).sum();
    let archived = match stats.archived {
        0 => String::new(),
        archived => format!(", and {archived} archived"),
    };
    line("memories", format!("{total}{archived}"));
    for place in &stats.places {
        let kinds = place.by_kind.iter().map(|(kind, count)| (kind.name(), *count));
        line(&format!("  {}", place.name), format!("{}: {}", place.count(), listed(kinds)));
    }
    line("documents", format!("{} files in {} chunks", stats.documents, stats.chunks));
    let decided: u64 = stats.decisions.iter().map(|(_, count)| count).sum();
    let by_status = stats.decisions.iter().map(|(status, count)| (status.name(), *count));
    let by_status = listed(by_status);
    let colon = if by_status.is_empty() { "" } else { ": " };
    line("decisions", format!("{decided}{colon}{by_status}"));
    let fact::Counts { entities, links } = stats.facts;
    line("facts", format!("{links} links between {entities} things"));
    line("knowledge", format!("{} items", stats.knowledge));
    line("store", format!("{}, {}", dir.display(), HumanBytes(stats.bytes)));
    let model = stats.index.serving.as_deref();
    let vectors = stats.index.models.iter().find(|known| Some(known.name.as_str()) == model);
    let vectors = vectors.map_or(0, |known| known.vectors);
    line(
        "index",
        model.map_or_else(
            || "by words alone".to_owned(),
            |model| format!("{vectors} texts by {model}"),
        ),
    );
    let last = stats.last_write.map_or_else(|| "never".to_owned(), memo::ago);
    line("last write", last);
}

/// Counts with their names: `3 fact, 1 pattern`.
fn listed<'n>(counts: impl Iterator<Item = (&'n str, u64)>) -> String {
    counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}
