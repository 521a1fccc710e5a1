//! Finding records.

use model::record::mark;
use model::{
    Caller, Episode, EpisodeKind, MemoryFilter, Namespace, Noun, RecordId, RecordKind, Status,
};
use store::StoredRecord;

use super::{Reading, stored};
use crate::embedders::By;
use crate::memory::{Question, Ranked, note};
use crate::{Engine, Result};

/// How sure a search wants to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// What was asked for.
    Strict,
    /// What probably helps.
    #[default]
    Balanced,
    /// What may have to do with it.
    Fuzzy,
}

impl Mode {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Balanced => "balanced",
            Self::Fuzzy => "fuzzy",
        }
    }

    /// The least relevance.
    pub const fn floor(self) -> f64 {
        match self {
            Self::Strict => 0.8,
            Self::Balanced => 0.6,
            Self::Fuzzy => 0.4,
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// In the caller's words.
    pub text: String,
    /// Where.
    pub namespace: Reading,
    /// Only of this kind.
    pub kind: Option<RecordKind>,
    /// Only of this target.
    pub target: Option<String>,
    /// How sure.
    pub mode: Mode,
    /// How many at the most.
    pub limit: usize,
}

/// A record that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The record.
    pub stored: StoredRecord,
    /// Its calibrated relevance, 0..1.
    pub relevance: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hits {
    /// The most relevant, best first.
    pub hits: Vec<Hit>,
    /// How many reached the floor.
    pub total: usize,
    /// The relevance of what came near, best first, if nothing reached the floor.
    pub near: Vec<f64>,
}

/// Searches what holds or is proposed: what is past is left out.
pub fn search(engine: &Engine, caller: &Caller, query: &Query) -> Result<Hits> {
    let narrow = match (query.kind, query.target.as_deref()) {
        (None, None) => Narrow::Nothing,
        (kind, target) => Narrow::Mark(mark(kind, target)),
    };
    let (floor, limit) = (query.mode.floor(), query.limit);
    let hits = match query.namespace.open() {
        Some(namespace) => ranked(engine, namespace, &query.text, narrow, floor, limit)?,
        None => Hits::default(),
    };
    note(engine, caller, &query.text);
    Ok(hits)
}

/// Which records a search looks at.
pub(super) enum Narrow {
    /// All of the namespace.
    Nothing,
    /// Those with this mark.
    Mark(String),
}

/// The records nearest to a text, and how many reach the floor.
pub(super) fn nearest(
    engine: &Engine,
    namespace: &Namespace,
    text: &str,
    narrow: Narrow,
    floor: f64,
    limit: usize,
) -> Result<(Vec<Hit>, usize)> {
    let Hits { hits, total, .. } = ranked(engine, namespace, text, narrow, floor, limit)?;
    Ok((hits, total))
}

fn ranked(
    engine: &Engine,
    namespace: &Namespace,
    text: &str,
    narrow: Narrow,
    floor: f64,
    limit: usize,
) -> Result<Hits> {
    let tags_any = match narrow {
        Narrow::Nothing => Vec::new(),
        Narrow::Mark(mark) => vec![mark],
    };
    let filter =
        MemoryFilter { scopes: vec![namespace.scope()], tags_any, ..MemoryFilter::default() };
    let mut question = Question::asking(engine, text, filter, limit, By::Serving)?;
    question.nouns = vec![Noun::Record];
    let Ranked { best, total, near } = question.ranked(engine, floor)?;
    let ids: Vec<_> = best.iter().filter_map(|candidate| candidate.subject.record()).collect();
    let mut found = engine.store.load_records(&ids)?.into_iter().peekable();
    let hits = best.iter().filter_map(|candidate| {
        let id = candidate.subject.record()?;
        let stored = found.next_if(|stored| stored.record.id == id)?;
        Some(Hit { stored, relevance: candidate.relevance })
    });
    Ok(Hits { hits: hits.collect(), total, near })
}

/// Which records are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFilter {
    /// Where.
    pub namespace: Reading,
    /// Only of this kind.
    pub kind: Option<RecordKind>,
    /// Only those that stand there.
    pub status: Option<Status>,
    /// Only of this target.
    pub target: Option<String>,
}

/// The newest records that the filter lets through, past ones too, and how many there are. One that
/// is asked for by its id must be there; whether it passes the filter is another matter.
pub fn get(
    engine: &Engine,
    id: Option<RecordId>,
    filter: &RecordFilter,
    max: u64,
) -> Result<(Vec<StoredRecord>, u64)> {
    let Some(id) = id else { return list(engine, filter, max) };
    let found = stored(engine, &filter.namespace, id)?;
    let record = &found.record;
    let passes = filter.kind.is_none_or(|kind| record.kind == kind)
        && filter.status.is_none_or(|status| record.status == status)
        && filter.target.as_ref().is_none_or(|target| record.target == *target);
    let found: Vec<StoredRecord> = Some(found).filter(|_| passes).into_iter().collect();
    let total = found.len() as u64;
    Ok((found, total))
}

fn list(engine: &Engine, filter: &RecordFilter, max: u64) -> Result<(Vec<StoredRecord>, u64)> {
    let Some(namespace) = filter.namespace.open().cloned() else { return Ok((Vec::new(), 0)) };
    let RecordFilter { kind, status, target, .. } = filter.clone();
    Ok(engine.store.records(&store::RecordFilter { namespace, kind, status, target }, max)?)
}

/// No more records than this are looked at for the first digits of an id.
const BEGINNING_MAX: u64 = 1_000;

/// The records of a namespace whose ids begin with these hex digits.
pub fn beginning(engine: &Engine, namespace: &Reading, digits: &str) -> Result<Vec<StoredRecord>> {
    let ids = engine.store.records_beginning(digits, BEGINNING_MAX)?;
    let mut found = engine.store.load_records(&ids)?;
    found.retain(|stored| Some(&stored.record.namespace) == namespace.open());
    Ok(found)
}

/// What happened of late in a namespace, newest first, and how much there is.
pub fn recent(
    engine: &Engine,
    namespace: &Reading,
    kind: Option<EpisodeKind>,
    max: u64,
) -> Result<(Vec<Episode>, u64)> {
    let Some(namespace) = namespace.open() else { return Ok((Vec::new(), 0)) };
    Ok(engine.store.episodes(namespace, kind, max)?)
}
