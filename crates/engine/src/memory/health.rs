//! What in the store needs somebody's attention: contradictions, doubts, and what nobody uses.
//!
//! Never every text is compared with every other: only those that claim something of the same
//! subject and attribute. All work has a limit, and the answer says where one was reached.

use std::collections::{HashMap, HashSet};

use model::confidence::LOW_CEILING;
use model::{
    Caller, Memory, MemoryFilter, MemoryId, Order, Paging, Relation, Scope, SortKey, Timestamp,
    time,
};
use rank::claim::{Claims, contradiction};
use store::{EdgesOf, Vital};

use super::conflict::are_comparable;
use super::{access, embedded, list, similarity};
use crate::{Engine, Result};

/// The newest so many texts are compared with each other.
const TEXTS_MAX: u64 = 20_000;

/// Of the texts that claim something of one subject, the newest so many are compared.
const GROUP_MAX: usize = 100;

/// No more pairs are compared than this.
const PAIRS_MAX: usize = 500_000;

/// No more findings of one kind are counted than this.
const FINDINGS_MAX: usize = 10_000;

/// No more findings of one kind are shown than this.
const SHOWN_MAX: usize = 100;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// Memories that cannot hold together.
    pub contradictions: bool,
    /// Memories of low confidence.
    pub low_confidence: bool,
    /// Memories that nobody has used for so many days.
    pub stale_days: Option<u64>,
}

/// Two memories that cannot hold together.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispute {
    /// The newer one.
    pub one: MemoryId,
    /// The older one.
    pub other: MemoryId,
    /// How much they mean the same, 0..1.
    pub similarity: f64,
    /// Why not both can hold.
    pub reason: String,
}

/// What was found of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings<T> {
    /// The first of them.
    pub shown: Vec<T>,
    /// How many there are, as far as they were counted.
    pub count: usize,
}

impl<T> Findings<T> {
    fn of(mut all: Vec<T>) -> Self {
        let count = all.len();
        all.truncate(SHOWN_MAX);
        Self { shown: all, count }
    }
}

/// How a store is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// How many memories there are.
    pub total: u64,
    /// 100, less what was found; at least 0.
    pub score: u64,
    /// What contradicts each other, if that was asked.
    pub contradictions: Option<Findings<Dispute>>,
    /// What is doubted, if that was asked.
    pub low_confidence: Option<Findings<Vital>>,
    /// What nobody uses, if that was asked.
    pub stale: Option<Findings<Vital>>,
    /// What to do about it, in words.
    pub recommendations: Vec<String>,
}

/// Looks at what the caller may see in these places.
pub fn health(
    engine: &Engine,
    caller: &Caller,
    mut scopes: Vec<Scope>,
    checks: Checks,
) -> Result<Health> {
    scopes.retain(|scope| caller.identity.sees(scope));
    let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
    let total = engine.store.count_memories(&filter)?;
    let mut notes = Vec::new();
    let contradictions =
        checks.contradictions.then(|| disputes(engine, caller, &filter, &mut notes));
    let doubted = || engine.store.doubted(&filter, LOW_CEILING, FINDINGS_MAX);
    let low_confidence = checks.low_confidence.then(doubted);
    let stale = checks.stale_days.map(|days| {
        access::settle(engine);
        engine.store.unused(&filter, days_ago(engine.clock.now(), days), FINDINGS_MAX)
    });
    let mut health = Health {
        total,
        score: 0,
        contradictions: contradictions.transpose()?.map(Findings::of),
        low_confidence: low_confidence.transpose()?.map(Findings::of),
        stale: stale.transpose()?.map(Findings::of),
        recommendations: Vec::new(),
    };
    health.score = health.score();
    health.recommendations = health.advice(checks.stale_days.unwrap_or_default());
    health.recommendations.extend(notes);
    Ok(health)
}

fn days_ago(now: Timestamp, days: u64) -> Timestamp {
    let span = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MICROS);
    time::from_micros(now.as_microsecond().saturating_sub(span)).unwrap_or(Timestamp::MIN)
}

impl Health {
    fn counts(&self) -> [usize; 3] {
        [
            self.contradictions.as_ref().map_or(0, |found| found.count),
            self.low_confidence.as_ref().map_or(0, |found| found.count),
            self.stale.as_ref().map_or(0, |found| found.count),
        ]
    }

    fn score(&self) -> u64 {
        let [contradictions, low, stale] = self.counts();
        100_usize.saturating_sub(5 * contradictions + 2 * low + stale) as u64
    }

    fn advice(&self, days: u64) -> Vec<String> {
        let [contradictions, low, stale] = self.counts();
        let mut advice = Vec::new();
        if contradictions > 0 {
            advice.push(format!(
                "{}: forget the wrong one of each, or relate the right one to it as supersedes.",
                many(
                    contradictions,
                    "pair of memories contradicts",
                    "pairs of memories contradict"
                )
            ));
        }
        if low > 0 {
            advice.push(format!(
                "{}: validate what proves right, forget the rest.",
                many(low, "memory is of low confidence", "memories are of low confidence")
            ));
        }
        if stale > 0 {
            advice.push(format!(
                "{} for {days} days: validate what still holds, forget the rest.",
                many(stale, "memory was not used", "memories were not used")
            ));
        }
        if advice.is_empty() {
            advice.push("Nothing to do: no problem was found.".to_owned());
        }
        advice
    }
}

fn many(count: usize, one: &str, more: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        FINDINGS_MAX.. => format!("{FINDINGS_MAX} or more {more}"),
        _ => format!("{count} {more}"),
    }
}

/// The pairs that cannot hold together, unless one of them supersedes the other; `notes` says what
/// was not compared.
fn disputes(
    engine: &Engine,
    caller: &Caller,
    filter: &MemoryFilter,
    notes: &mut Vec<String>,
) -> Result<Vec<Dispute>> {
    let (key, order) = (SortKey::CreatedAt, Order::Descending);
    let paging = Paging { key, order, offset: 0, limit: TEXTS_MAX };
    let page = list(engine, caller, filter.clone(), paging)?;
    if page.total > TEXTS_MAX {
        let total = page.total;
        notes.push(format!(
            "Only the newest {TEXTS_MAX} of {total} memories were compared for contradictions."
        ));
    }
    let claims: Vec<Claims> = page.items.iter().map(|memory| Claims::of(&memory.content)).collect();
    let (pairs, is_complete) = pairs(&page.items, &claims);
    if !is_complete {
        notes.push("Not all memories about the same subject were compared.".to_owned());
    }
    let mut disputes = Vec::new();
    for (one, other) in pairs {
        let Some(found) = contradiction(&claims[one], &claims[other]) else { continue };
        let (one, other) = (&page.items[one], &page.items[other]);
        if is_settled(engine, one.id, other.id)? {
            continue;
        }
        let similarity =
            similarity(embedded(&one.content).as_ref(), embedded(&other.content).as_ref());
        let (one, other, reason) = (one.id, other.id, found.reason);
        disputes.push(Dispute { one, other, similarity, reason });
        if disputes.len() == FINDINGS_MAX {
            break;
        }
    }
    disputes.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    Ok(disputes)
}

/// The pairs that claim something of the same, the newer one first; and whether these are all.
fn pairs(memories: &[Memory], claims: &[Claims]) -> (Vec<(usize, usize)>, bool) {
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, claims) in claims.iter().enumerate() {
        for key in claims.keys() {
            groups.entry(*key).or_default().push(place);
        }
    }
    let mut groups: Vec<Vec<usize>> =
        groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    let (mut pairs, mut seen, mut is_complete) = (Vec::new(), HashSet::new(), true);
    for group in &groups {
        is_complete &= group.len() <= GROUP_MAX;
        let group = &group[..group.len().min(GROUP_MAX)];
        for (at, one) in group.iter().enumerate() {
            for other in &group[at + 1..] {
                let places = (&memories[*one].scope, &memories[*other].scope);
                if are_comparable(places.0, places.1) && seen.insert((*one, *other)) {
                    pairs.push((*one, *other));
                }
            }
        }
        if pairs.len() > PAIRS_MAX {
            return (pairs, false);
        }
    }
    (pairs, is_complete)
}

/// Whether somebody has said already which of the two holds.
fn is_settled(engine: &Engine, one: MemoryId, other: MemoryId) -> Result<bool> {
    for (source, target) in [(one, other), (other, one)] {
        let edges = engine.store.edges(EdgesOf::Between(source, target))?;
        if edges.iter().any(|placed| placed.edge.relation == Relation::Supersedes) {
            return Ok(true);
        }
    }
    Ok(false)
}
