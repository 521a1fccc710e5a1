//! What happened, and what it speaks for or against.

use model::record::{after_evidence, after_failure};
use model::{Caller, Change, Episode, EpisodeId, EpisodeKind, Metadata, Op, Outcome, RecordId};

use super::find::{Mode, Narrow, nearest};
use super::write::unchanged;
use super::{
    DECISIONS_MAX, EVIDENCE_MAX, StoredRecord, Write, Writing, as_evidence, current, episode,
    expire, overtaken, shortened,
};
use crate::{Engine, Error, ErrorKind, Result};

/// An exchange is linked with no more records than this by itself.
const BRIDGED_MAX: usize = 5;

/// A prompt and a response are told in no more characters than this each.
const TOLD_CHARS_MAX: usize = 500;

/// What was linked.
#[derive(Debug, Clone, PartialEq)]
pub struct Linked {
    /// The records, in the order they were named.
    pub records: Vec<RecordId>,
}

/// Links what happened with records as evidence: with all of them or with none.
pub fn link(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: EpisodeId,
    records: &[RecordId],
) -> Result<Linked> {
    let is_there = |found: &Episode| found.namespace == *namespace.namespace();
    let happened = engine.store.episode(id)?.filter(is_there);
    let happened = happened.ok_or_else(|| {
        let namespace = namespace.namespace().as_str();
        Error::new(ErrorKind::NotFound, format!("no event {id} in namespace {namespace}"))
    })?;
    let mut wanted: Vec<RecordId> = Vec::new();
    for id in records {
        if !wanted.contains(id) {
            wanted.push(*id);
        }
    }
    for _ in 0..DECISIONS_MAX {
        let found: Result<Vec<_>> =
            wanted.iter().map(|id| current(engine, namespace, *id)).collect();
        let found = found?;
        for was in &found {
            linkable(was, &happened)?;
        }
        let titles: Vec<&str> = found.iter().map(|was| was.record.title.as_str()).collect();
        let told = episode(
            engine,
            namespace.namespace(),
            EpisodeKind::EvidenceLink,
            format!("Linked {id} as evidence: {}", titles.join("; ")),
            wanted.clone(),
        );
        let ops = vec![Op::Link { episode: id, records: wanted.clone() }];
        let write = evidenced(found, &happened, told, ops, true);
        if write.commit(engine, caller)?.is_done() {
            return Ok(Linked { records: wanted });
        }
    }
    Err(overtaken(wanted.first().copied().unwrap_or(RecordId([0; 6]))))
}

/// Refuses a second link, and one too many.
fn linkable(was: &StoredRecord, happened: &Episode) -> Result<()> {
    let (id, evidence) = (was.record.id, &was.record.evidence);
    if evidence.iter().any(|evidence| evidence.episode() == Some(happened.id)) {
        let why = format!("event {} is already linked to record {id}", happened.id);
        return Err(Error::new(ErrorKind::Conflict, why));
    }
    if evidence.len() >= EVIDENCE_MAX {
        let why =
            format!("record {id} has {EVIDENCE_MAX} pieces of evidence, the most there may be");
        return Err(Error::new(ErrorKind::Limit, why));
    }
    Ok(())
}

/// The write by which records get one more piece of evidence, for them or against them.
fn evidenced(
    found: Vec<StoredRecord>,
    happened: &Episode,
    told: Episode,
    ops: Vec<Op>,
    is_for: bool,
) -> Write {
    let what = if is_for { "evidence" } else { "evidence against" };
    let subject = match found.as_slice() {
        [one] => format!("Link {what}: {}", one.record.title),
        more => format!("Link {what} to {} records", more.len()),
    };
    let confidence = if is_for { after_evidence } else { after_failure };
    let guards = found.iter().map(unchanged).collect();
    let puts = found.into_iter().map(|was| {
        let mut record = was.record.clone();
        record.evidence.push(as_evidence(happened));
        record.confidence = confidence(record.confidence);
        record.updated_at = told.at.max(record.created_at);
        (record, Some(was))
    });
    Write {
        guards,
        puts: puts.collect(),
        follows: None,
        delete: None,
        reason: format!("{}: {}", happened.kind.name(), happened.description),
        episode: told,
        ops,
        subject,
    }
}

/// Something that was asked and answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Where it belongs.
    pub namespace: Writing,
    /// What was asked.
    pub prompt: String,
    /// What was answered.
    pub response: String,
    /// Whether it went well.
    pub success: bool,
    /// More, for programs.
    pub metadata: Metadata,
}

/// What came of an exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Bridged {
    /// What happened.
    pub episode: EpisodeId,
    /// The records it is evidence for, or against if it failed.
    pub records: Vec<RecordId>,
}

/// An exchange as something that happens now, in few words.
pub(crate) fn told(engine: &Engine, exchange: &Exchange, kind: EpisodeKind) -> Episode {
    let told = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        shortened(&words.join(" "), TOLD_CHARS_MAX)
    };
    let Exchange { namespace, prompt, response, .. } = exchange;
    let description = format!("Prompt: {} → Response: {}", told(prompt), told(response));
    let metadata = exchange.metadata.clone();
    Episode { metadata, ..episode(engine, namespace.namespace(), kind, description, Vec::new()) }
}

/// Keeps an exchange, and links it with the records it has to do with: as evidence for them, or
/// against them if it failed. Nothing in it is opened or
/// followed: it is text.
pub fn bridge(engine: &Engine, caller: &Caller, exchange: &Exchange) -> Result<Bridged> {
    let Exchange { namespace, prompt, response, success, .. } = exchange;
    let kind = if *success { EpisodeKind::AgentAction } else { EpisodeKind::Error };
    let mut happened = told(engine, exchange, kind);
    let text = format!("{prompt}\n{response}");
    let floor = Mode::Balanced.floor();
    let (hits, _) =
        nearest(engine, namespace.namespace(), &text, Narrow::Nothing, floor, BRIDGED_MAX)?;
    let ids: Vec<RecordId> = hits.iter().map(|hit| hit.stored.record.id).collect();
    for _ in 0..DECISIONS_MAX {
        let found = ids.iter().map(|id| current(engine, namespace, *id));
        // What cannot be linked any more (it was forgotten, or has all the evidence it may) is not.
        let mut found: Vec<StoredRecord> = found.filter_map(Result::ok).collect();
        found.retain(|was| linkable(was, &happened).is_ok());
        let records: Vec<RecordId> = found.iter().map(|was| was.record.id).collect();
        happened.linked.clone_from(&records);
        let outcome = if found.is_empty() {
            let ops = [Op::Happen(Box::new(happened.clone()))].into_iter().chain(expire(engine));
            engine.apply(Change { guards: Vec::new(), ops: ops.collect() })?
        } else {
            evidenced(found, &happened, happened.clone(), Vec::new(), *success)
                .commit(engine, caller)?
        };
        if let Outcome::Applied | Outcome::Recorded(_) = outcome {
            return Ok(Bridged { episode: happened.id, records });
        }
    }
    Err(overtaken(ids.first().copied().unwrap_or(RecordId([0; 6]))))
}
