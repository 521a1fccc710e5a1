//! Recording, superseding, accepting, rejecting, updating and forgetting.

use model::record::{REASON_CHARS_MIN, TITLE_CHARS_MIN, active_mark};
use model::{
    Caller, EpisodeKind, Guard, Outcome, Phase, Record, RecordId, RecordKind, Rest, Status, Trust,
};

use rank::similar::{CONFLICT_MIN, Side};

use super::find::{Narrow, nearest};
use super::{
    DECISIONS_MAX, EVIDENCE_MAX, StoredRecord, Write, Writing, as_evidence, current, episode,
    open_to_tools, overtaken,
};
use crate::{Engine, Error, ErrorKind, Result};

/// So many of the nearest records are compared with a new one.
const COMPARED_MAX: usize = 8;

/// What a search thinks less relevant than this is not compared.
const COMPARED_FLOOR: f64 = 0.3;

/// What is to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    /// Where.
    pub namespace: Writing,
    /// What it is.
    pub kind: RecordKind,
    /// In one line.
    pub title: String,
    /// What it is about.
    pub target: String,
    /// Why.
    pub rationale: String,
    /// What follows.
    pub consequences: Vec<String>,
    /// How sure we are.
    pub confidence: f64,
    /// How settled it is.
    pub phase: Phase,
}

/// A record that says nearly the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Similar {
    /// The record.
    pub record: Record,
    /// How near it is, 0..1; 1 if the titles are the same.
    pub similarity: f64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Recorded {
    /// It is recorded.
    Created(Box<Record>),
    /// These stand against it, and nothing was written.
    Conflict(Vec<Similar>),
}

/// Records something, unless an active record of the same kind answers the same question about the
/// same target, or has the same title.
pub fn record(engine: &Engine, caller: &Caller, new: &NewRecord) -> Result<Recorded> {
    let record = compose(engine, new)?;
    let similar = similar(engine, &record)?;
    if !similar.is_empty() {
        return Ok(Recorded::Conflict(similar));
    }
    let write = Write { guards: untitled(&record), ..creation(engine, record.clone(), Vec::new()) };
    match write.commit(engine, caller)? {
        // Another process was faster with the same title.
        Outcome::Titled(id) => match engine.store.record(id)? {
            Some(found) => {
                Ok(Recorded::Conflict(vec![Similar { record: found.record, similarity: 1.0 }]))
            }
            None => Err(overtaken(id)),
        },
        outcome if outcome.is_done() => Ok(Recorded::Created(Box::new(record))),
        _ => Err(overtaken(record.id)),
    }
}

/// Records something although others are in conflict with it, and links it with each of them: the
/// event that recorded it becomes evidence of both, and leaves the confidence of both as it is.
/// Returns what it is in conflict with, too.
pub fn record_beside_conflicts(
    engine: &Engine,
    caller: &Caller,
    new: &NewRecord,
) -> Result<(Record, Vec<Similar>)> {
    let record = compose(engine, new)?;
    for _ in 0..DECISIONS_MAX {
        let conflicts = similar(engine, &record)?;
        let others: Result<Vec<_>> =
            conflicts.iter().map(|one| current(engine, &new.namespace, one.record.id)).collect();
        if creation(engine, record.clone(), others?).commit(engine, caller)?.is_done() {
            return Ok((record, conflicts));
        }
    }
    Err(overtaken(record.id))
}

/// The write by which a record comes to be, beside others that are in conflict with it.
fn creation(engine: &Engine, mut record: Record, others: Vec<StoredRecord>) -> Write {
    let (kind, title) = (record.kind.name(), &record.title);
    let ids: Vec<RecordId> = others.iter().map(|other| other.record.id).collect();
    let told = match ids.as_slice() {
        [] => format!("Recorded {kind}: {title}"),
        ids => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            format!("Recorded {kind} {} in conflict with {}: {title}", record.id, ids.join(", "))
        }
    };
    let subject = told.replacen("Recorded", "Record", 1);
    let linked = [record.id].into_iter().chain(ids).collect();
    let kind = EpisodeKind::change_of(record.kind);
    let happened = episode(engine, &record.namespace, kind, told, linked);
    let guards = others.iter().map(unchanged).collect();
    let mut puts = Vec::new();
    for was in others.into_iter().filter(|other| other.record.evidence.len() < EVIDENCE_MAX) {
        let mut other = was.record.clone();
        other.evidence.push(as_evidence(&happened));
        other.updated_at = happened.at;
        puts.push((other, Some(was)));
    }
    if !puts.is_empty() {
        record.evidence.push(as_evidence(&happened));
    }
    let reason = record.rationale.clone();
    puts.push((record, None));
    Write {
        guards,
        puts,
        follows: None,
        delete: None,
        episode: happened,
        ops: Vec::new(),
        subject,
        reason,
    }
}

fn untitled(record: &Record) -> Vec<Guard> {
    let (namespace, kind) = (record.namespace.clone(), record.kind);
    vec![Guard::Untitled { namespace, kind, title: record.title.clone() }]
}

fn compose(engine: &Engine, new: &NewRecord) -> Result<Record> {
    // A title is one line of its file; the rest is kept to the letter.
    let title = new.title.replace("\r\n", " ").replace(['\n', '\r'], " ").trim().to_owned();
    long_enough("title", &title, TITLE_CHARS_MIN)?;
    long_enough("rationale", new.rationale.trim(), REASON_CHARS_MIN)?;
    let now = engine.clock.now();
    Ok(Record {
        id: engine.ids.record_id(),
        namespace: new.namespace.namespace().clone(),
        kind: new.kind,
        status: Status::of_new(new.kind),
        phase: new.phase,
        trust: Trust::Open,
        title,
        target: new.target.clone(),
        rationale: new.rationale.clone(),
        consequences: new.consequences.clone(),
        confidence: new.confidence,
        evidence: Vec::new(),
        supersedes: None,
        superseded_by: None,
        superseded_at: None,
        created_at: now,
        updated_at: now,
        rest: Rest::default(),
    })
}

/// Refuses a text that is mostly blanks.
fn long_enough(field: &str, text: &str, min: usize) -> Result<()> {
    if text.chars().count() >= min {
        return Ok(());
    }
    let why = format!("{field} got {text:?} and blanks; it takes {min} characters or more");
    Err(Error::new(ErrorKind::InvalidValue, why))
}

/// The active records that a new one stands against.
fn similar(engine: &Engine, new: &Record) -> Result<Vec<Similar>> {
    let side = Side::of(&new.title, &new.rationale);
    let compared = rivals(engine, new)?.into_iter().map(|(record, relevance)| {
        let other = Side::of(&record.title, &record.rationale);
        // Texts of which the table knows no word are compared as the search does.
        let similarity = side.similarity(&other).unwrap_or(relevance);
        Similar { record, similarity }
    });
    let mut similar: Vec<Similar> =
        compared.filter(|similar| similar.similarity >= CONFLICT_MIN).collect();
    similar.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    if let Some(id) = engine.store.titled(&new.namespace, new.kind, &new.title)? {
        similar.retain(|similar| similar.record.id != id);
        let found = engine.store.record(id)?;
        let same = found.map(|found| Similar { record: found.record, similarity: 1.0 });
        similar.splice(0..0, same);
    }
    Ok(similar)
}

/// The active records of the same kind about the same target, with how relevant a search thinks them:
/// all of them if they are few, else those that the search finds.
fn rivals(engine: &Engine, new: &Record) -> Result<Vec<(Record, f64)>> {
    let filter = store::RecordFilter {
        namespace: new.namespace.clone(),
        kind: Some(new.kind),
        status: Some(Status::Active),
        target: Some(new.target.clone()),
    };
    let (few, total) = engine.store.records(&filter, COMPARED_MAX as u64)?;
    if total <= COMPARED_MAX as u64 {
        return Ok(few.into_iter().map(|stored| (stored.record, 0.0)).collect());
    }
    let narrow = Narrow::Mark(active_mark(new.kind, &new.target));
    let (floor, max) = (COMPARED_FLOOR, COMPARED_MAX);
    let near = nearest(engine, &new.namespace, &new.told(), narrow, floor, max)?.0;
    Ok(near.into_iter().map(|hit| (hit.stored.record, hit.relevance)).collect())
}

/// A record and the one it took the place of.
#[derive(Debug, Clone, PartialEq)]
pub struct Superseded {
    /// The new one.
    pub new: Record,
    /// The old one.
    pub old: Record,
}

/// Puts a new record in the place of an active one; its evidence goes with it.
pub fn supersede(
    engine: &Engine,
    caller: &Caller,
    id: RecordId,
    new: &NewRecord,
) -> Result<Superseded> {
    for _ in 0..DECISIONS_MAX {
        let was = changeable(engine, &new.namespace, id)?;
        if was.record.status != Status::Active {
            return Err(not(&was, "active"));
        }
        let mut record = compose(engine, &NewRecord { kind: was.record.kind, ..new.clone() })?;
        record.phase = was.record.phase;
        record.evidence.clone_from(&was.record.evidence);
        record.supersedes = Some(id);
        let mut old = was.record.clone();
        old.status = Status::Superseded;
        old.superseded_by = Some(record.id);
        old.superseded_at = Some(record.created_at);
        old.updated_at = record.created_at.max(old.created_at);
        let kind = record.kind.name();
        let happened = episode(
            engine,
            new.namespace.namespace(),
            EpisodeKind::change_of(record.kind),
            format!("Superseded {kind} {id}: {} → {}", old.title, record.title),
            vec![record.id, id],
        );
        let write = Write {
            guards: vec![unchanged(&was)],
            follows: Some(was.provenance.clone()),
            puts: vec![(old.clone(), Some(was)), (record.clone(), None)],
            delete: None,
            episode: happened,
            ops: Vec::new(),
            subject: format!("Supersede {kind} {id}: {}", record.title),
            reason: format!("{}\n\nIn place of: {}", record.rationale, old.title),
        };
        if write.commit(engine, caller)?.is_done() {
            return Ok(Superseded { new: record, old });
        }
    }
    Err(overtaken(id))
}

/// Makes a draft proposal an active decision, one phase further.
pub fn accept(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: RecordId,
) -> Result<Record> {
    judge(engine, caller, namespace, id, "Accept", |record| {
        record.kind = RecordKind::Decision;
        record.status = Status::Active;
        record.phase = record.phase.next();
    })
}

/// Turns a draft proposal down.
pub fn reject(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: RecordId,
) -> Result<Record> {
    judge(engine, caller, namespace, id, "Reject", |record| record.status = Status::Rejected)
}

fn judge(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: RecordId,
    verb: &str,
    judge: impl Fn(&mut Record),
) -> Result<Record> {
    change(engine, caller, namespace, id, |was| {
        let is_open = was.record.kind == RecordKind::Proposal && was.record.status == Status::Draft;
        if !is_open {
            return Err(not(was, "a draft proposal"));
        }
        let mut record = was.record.clone();
        judge(&mut record);
        let subject = format!("{verb} proposal: {}", record.title);
        let reason = format!("{verb}ed. {}", record.rationale);
        Ok(Step { record, kind: EpisodeKind::ProposalChange, subject, reason })
    })
}

/// What is to be set anew.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Patch {
    /// How sure we are.
    pub confidence: Option<f64>,
    /// Where it stands.
    pub status: Option<Status>,
    /// How settled it is.
    pub phase: Option<Phase>,
}

/// Sets some of a record anew; the rest stays.
pub fn update(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: RecordId,
    patch: Patch,
) -> Result<Record> {
    change(engine, caller, namespace, id, |was| {
        let (before, mut record) = (&was.record, was.record.clone());
        record.confidence = patch.confidence.unwrap_or(before.confidence);
        record.status = patch.status.unwrap_or(before.status);
        record.phase = patch.phase.unwrap_or(before.phase);
        let is_moved = record.status != before.status || record.phase != before.phase;
        let kind = if is_moved || patch.confidence.is_none() {
            EpisodeKind::change_of(record.kind)
        } else {
            EpisodeKind::ConfidenceUpdate
        };
        let mut told = Vec::new();
        if patch.confidence.is_some() {
            told.push(format!("confidence {} → {}", before.confidence, record.confidence));
        }
        if patch.status.is_some() {
            told.push(format!("status {} → {}", before.status.name(), record.status.name()));
        }
        if patch.phase.is_some() {
            told.push(format!("phase {} → {}", before.phase.name(), record.phase.name()));
        }
        let subject = format!("Update {}: {}", record.kind.name(), record.title);
        Ok(Step { record, kind, subject, reason: told.join("\n") })
    })
}

/// Deletes a record: its file, its row and its vectors. What git remembers stays.
pub fn forget(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: RecordId,
) -> Result<Record> {
    for _ in 0..DECISIONS_MAX {
        let was = changeable(engine, namespace, id)?;
        let (record, kind) = (was.record.clone(), was.record.kind);
        let title = &record.title;
        let happened = episode(
            engine,
            namespace.namespace(),
            EpisodeKind::change_of(kind),
            format!("Forgot {}: {title}", kind.name()),
            vec![id],
        );
        let write = Write {
            guards: vec![unchanged(&was)],
            puts: Vec::new(),
            follows: None,
            delete: Some(was),
            episode: happened,
            ops: Vec::new(),
            subject: format!("Forget {}: {title}", kind.name()),
            reason: format!("Forgotten by request; it was {}.", record.status.name()),
        };
        if write.commit(engine, caller)?.is_done() {
            return Ok(record);
        }
    }
    Err(overtaken(id))
}

/// A record as it is to be, what happens, and what the commit says.
struct Step {
    record: Record,
    kind: EpisodeKind,
    subject: String,
    reason: String,
}

/// Changes one record by what `decide` makes of it; decided anew if others were faster.
fn change(
    engine: &Engine,
    caller: &Caller,
    namespace: &Writing,
    id: RecordId,
    decide: impl Fn(&StoredRecord) -> Result<Step>,
) -> Result<Record> {
    for _ in 0..DECISIONS_MAX {
        let was = changeable(engine, namespace, id)?;
        let Step { mut record, kind, subject, reason } = decide(&was)?;
        let told = format!("{subject} ({})", reason.replace('\n', ", "));
        let told = if kind == EpisodeKind::ProposalChange { subject.clone() } else { told };
        let happened = episode(engine, namespace.namespace(), kind, told, vec![id]);
        record.updated_at = happened.at.max(record.created_at);
        let write = Write {
            guards: vec![unchanged(&was)],
            puts: vec![(record.clone(), Some(was))],
            follows: None,
            delete: None,
            episode: happened,
            ops: Vec::new(),
            subject,
            reason,
        };
        if write.commit(engine, caller)?.is_done() {
            return Ok(record);
        }
    }
    Err(overtaken(id))
}

/// The record, if tools may change it.
fn changeable(engine: &Engine, namespace: &Writing, id: RecordId) -> Result<StoredRecord> {
    let was = current(engine, namespace, id)?;
    open_to_tools(engine, &was)?;
    Ok(was)
}

pub(super) fn unchanged(was: &StoredRecord) -> Guard {
    Guard::RecordUnchanged { id: was.record.id, revision: was.revision }
}

fn not(was: &StoredRecord, wanted: &str) -> Error {
    let Record { id, kind, status, superseded_by, .. } = &was.record;
    let by = superseded_by.map(|by| format!(", superseded by {by}")).unwrap_or_default();
    let (kind, status) = (kind.name(), status.name());
    Error::new(
        ErrorKind::Conflict,
        format!("record {id} is not {wanted}: it is a {kind} with status {status}{by}"),
    )
}
