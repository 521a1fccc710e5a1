//! Finding items, and showing one.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use ledger::plain::Plain;
use model::{Caller, Item, ItemKind, ItemStatus, Layer, Noun, Scope, Timestamp, time};
use rank::calibrate::Calibration;
use rank::embed::StaticEmbedder;
use rank::index::{Ask, Filter};

use super::library::{Catalogue, Entry};
use super::{Library, git_failed, not_found};
use crate::find::{Findings, Found, Thing, Wanted};
use crate::{Engine, Result};

/// The least relevance: what probably helps.
const RELEVANCE_MIN: f64 = 0.6;

/// So many versions of an item are told.
const VERSIONS_MAX: usize = 100;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// In the caller's words; none means all that pass.
    pub text: Option<String>,
    /// Only of this kind.
    pub kind: Option<ItemKind>,
    /// Only of this layer.
    pub layer: Option<Layer>,
    /// Only with at least one of these tags; none means any.
    pub tags_any: Vec<String>,
    /// Only where it stands at one of these; none means any.
    pub statuses: Vec<ItemStatus>,
    /// How many at the most.
    pub limit: usize,
}

impl Query {
    fn passes(&self, item: &Item) -> bool {
        self.kind.is_none_or(|kind| item.kind == kind)
            && self.layer.is_none_or(|layer| item.layer == layer)
            && (self.statuses.is_empty() || self.statuses.contains(&item.status))
            && (self.tags_any.is_empty() || item.tags.iter().any(|tag| self.tags_any.contains(tag)))
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The items, best first; without a text narrower layers first, then by id.
    pub items: Vec<Arc<Item>>,
    /// How many there are in all.
    pub total: usize,
}

/// Searches the items that the caller may see.
pub fn query(engine: &Engine, caller: &Caller, query: &Query) -> Result<Summary> {
    let catalogue = Library::look(engine, caller);
    let passing = catalogue.open(caller).filter(|(_, entry)| query.passes(&entry.item));
    let passing: Vec<usize> = passing.map(|(at, _)| at).collect();
    let text = query.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let found = match text {
        Some(text) => {
            crate::memory::note(engine, caller, text);
            let found = ranked(&catalogue, &passing, text, RELEVANCE_MIN).into_iter();
            found.map(|(at, _)| at).collect()
        }
        None => in_order(&catalogue, passing),
    };
    let total = found.len();
    let items = found.into_iter().take(query.limit);
    let items = items.map(|at| Arc::clone(&catalogue.entries[at].item)).collect();
    Ok(Summary { items, total })
}

/// The items that hold or are proposed and are at least so relevant, in a list with other things.
pub(crate) fn find(engine: &Engine, caller: &Caller, wanted: &Wanted) -> Findings {
    let catalogue = Library::look(engine, caller);
    let is_past = |status: ItemStatus| {
        matches!(status, ItemStatus::Rejected | ItemStatus::Superseded | ItemStatus::Deprecated)
    };
    let passes = |entry: &Entry| {
        let Item { layer, tags, status, .. } = &*entry.item;
        let namespace = wanted.namespace.as_deref();
        !is_past(*status)
            && (wanted.layers.is_empty() || wanted.layers.contains(layer))
            && (wanted.tags_any.is_empty() || tags.iter().any(|tag| wanted.tags_any.contains(tag)))
            && namespace.is_none_or(|name| catalogue.scope(entry).namespace() == name)
    };
    let passing = catalogue.open(caller).filter(|(_, entry)| passes(entry));
    let passing: Vec<usize> = passing.map(|(at, _)| at).collect();
    if passing.is_empty() {
        return Findings::default();
    }
    let ranked = ranked(&catalogue, &passing, &wanted.text, wanted.floor);
    let total = ranked.len();
    let found = ranked.into_iter().take(wanted.limit).map(|(at, relevance)| {
        let entry = &catalogue.entries[at];
        Found { thing: Thing::Item(Arc::clone(&entry.item), catalogue.scope(entry)), relevance }
    });
    Findings { found: found.collect(), total }
}

/// All items that the caller may see, with where they come from, and what failed.
pub fn listed(engine: &Engine, caller: &Caller) -> Arc<Catalogue> {
    Library::look(engine, caller)
}

fn in_order(catalogue: &Catalogue, mut items: Vec<usize>) -> Vec<usize> {
    items.sort_by_key(|at| {
        let item = &catalogue.entries[*at].item;
        (item.layer, item.id.clone())
    });
    items
}

/// The items of these numbers that are at least so relevant to a text, best first.
fn ranked(catalogue: &Catalogue, passing: &[usize], text: &str, floor: f64) -> Vec<(usize, f64)> {
    let keys: HashSet<i64> = passing.iter().filter_map(|at| i64::try_from(*at).ok()).collect();
    let mut scopes: Vec<Scope> =
        passing.iter().map(|at| catalogue.scope(&catalogue.entries[*at])).collect();
    scopes.sort_unstable();
    scopes.dedup();
    let terms = rank::terms::query_terms(text);
    let vector = StaticEmbedder::built_in().embed(text);
    let ask = Ask {
        terms: &terms,
        vector: vector.as_ref(),
        same: crate::memory::hash(text),
        filter: Filter {
            scopes: &scopes,
            nouns: &[Noun::Memory],
            archived: false,
            tags_any: &[],
            keys: Some(&keys),
        },
        calibration: &Calibration::BUILT_IN,
        wanted: passing.len(),
        english: true,
    };
    let found = catalogue.index().search(&ask).into_iter();
    let found = found.filter(|candidate| candidate.relevance >= floor);
    let found = found.filter_map(|found| Some((usize::try_from(found.key).ok()?, found.relevance)));
    let found: Vec<(usize, f64)> = found.collect();
    // Who asks for an item by its id means that one.
    let named = passing.iter().copied().find(|at| catalogue.entries[*at].item.id == text);
    let others = found.into_iter().filter(|(at, _)| Some(*at) != named);
    named.map(|at| (at, 1.0)).into_iter().chain(others).collect()
}

/// One version of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The commit.
    pub version: String,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub author: String,
    /// What changed, and why.
    pub message: String,
}

/// An item with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The item.
    pub item: Arc<Item>,
    /// When it was made: as its file says, else git, else the file system.
    pub created_at: Timestamp,
    /// When it was changed last, by the same.
    pub updated_at: Timestamp,
    /// Its versions, newest first; none where git does not know it.
    pub history: Vec<History>,
    /// Where its file lies.
    pub file: std::path::PathBuf,
}

/// Shows one item.
pub fn show(engine: &Engine, caller: &Caller, id: &str, with_history: bool) -> Result<Shown> {
    let catalogue = Library::look(engine, caller);
    let entry = catalogue.find(caller, id).ok_or_else(|| not_found(caller, id))?;
    let (item, root) = (&entry.item, &catalogue.roots[entry.root]);
    let file = root.dir.join(&entry.path);
    let is_dated = item.created_at.is_some() && item.updated_at.is_some();
    let history = if with_history || !is_dated { history(&file)? } else { Vec::new() };
    let of_file = time::from_micros(entry.modified / 1_000).unwrap_or_default();
    let (newest, oldest) = (history.first(), history.last());
    let created_at = item.created_at.or(oldest.map(|one| one.at)).or(item.updated_at);
    let updated_at = item.updated_at.or(newest.map(|one| one.at)).or(item.created_at);
    Ok(Shown {
        item: Arc::clone(item),
        created_at: created_at.unwrap_or(of_file),
        updated_at: updated_at.unwrap_or(of_file),
        history: if with_history { history } else { Vec::new() },
        file,
    })
}

/// The versions of a file in whatever repository it lies in, newest first.
fn history(file: &Path) -> Result<Vec<History>> {
    let Some(dir) = file.parent() else { return Ok(Vec::new()) };
    let Some(git) = Plain::around(dir).map_err(git_failed)? else { return Ok(Vec::new()) };
    let log = git.log(file, VERSIONS_MAX).map_err(git_failed)?;
    let version = |entry: ledger::Entry| History {
        version: entry.id.to_string(),
        at: entry.at,
        author: entry.author,
        message: entry.subject,
    };
    Ok(log.into_iter().map(version).collect())
}
