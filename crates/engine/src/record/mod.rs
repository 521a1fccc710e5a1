//! The ledger: what was decided, proposed or ruled out, with reasons, evidence and a trail in git.
//!
//! A write goes into the database first, together with the commit it promises; then the commit is
//! made, and only then is it acknowledged. Who is killed between the two has promised a commit that
//! the next one who comes by makes. Files are the record, rows are a view of them.

mod agree;
mod committer;
mod context;
mod delivery;
mod door;
mod find;
mod history;
mod link;
mod origin;
mod project;
mod repair;
mod sync;
mod take;
mod write;

use model::{Caller, Change, Evidence, Namespace, Outcome, Provenance, Record, RecordId, Trust};
use model::{Draft, DraftFile, Episode, EpisodeKind, Guard, IndexedRecord, Layer, Metadata, Op};
pub use store::StoredRecord;

pub use context::{Context, context, steps, told_unasked};
pub(crate) use delivery::{Delivery, failed};
pub use door::{Reading, Writing, read_in, write_in};
pub use find::{Hit, Hits, Mode, Query, RecordFilter, beginning, get, recent, search};
pub use history::{History, history};
pub(crate) use link::told;
pub use link::{Bridged, Exchange, Linked, bridge, link};
pub use project::{Checked, Edited, Outlook, Problem, check, not_as_git, rebuild};
pub use repair::{Repaired, repair};
pub use sync::{Synced, sync};
pub(crate) use take::take;
pub use write::{NewRecord, Patch, Recorded, Similar, Superseded};
pub use write::{accept, forget, record, record_beside_conflicts, reject, supersede, update};

use crate::{Engine, Error, ErrorKind, Result};

/// How often a decision is made anew when others are faster.
const DECISIONS_MAX: usize = 16;

/// A record has no more evidence than this.
pub const EVIDENCE_MAX: usize = 1_000;

/// An episode is told in no more characters than this where it is evidence.
const EVIDENCE_CHARS_MAX: usize = 200;

/// The reason in a commit's message has no more characters than this.
const REASON_CHARS_MAX: usize = 1_000;

/// So many episodes that are old enough are dropped with each that is kept.
const EXPIRED_AT_ONCE: u64 = 8;

/// The record of this id in this namespace, as its file tells it now.
fn current(engine: &Engine, namespace: &Writing, id: RecordId) -> Result<StoredRecord> {
    // Who names another namespace is told nothing of its file, nor is that taken in for them.
    let reading = namespace.reading();
    stored(engine, &reading, id)?;
    let found = engine.delivery.take_in_edits(engine, id)?;
    of_namespace(found, &reading, id)
}

/// The record of this id in this namespace. Others do not exist here.
pub fn stored(engine: &Engine, namespace: &Reading, id: RecordId) -> Result<StoredRecord> {
    let found = namespace.open().map(|open| engine.store.record_in(open, id)).transpose()?;
    of_namespace(found.flatten(), namespace, id)
}

fn of_namespace(
    found: Option<StoredRecord>,
    namespace: &Reading,
    id: RecordId,
) -> Result<StoredRecord> {
    let found = found.filter(|found| Some(&found.record.namespace) == namespace.open());
    found.ok_or_else(|| {
        let namespace = namespace.named().as_str();
        Error::new(ErrorKind::NotFound, format!("no record {id} in namespace {namespace}"))
    })
}

/// The commits of the ledger, or of one record, newest first: for who is at the machine, since they are
/// of all namespaces.
pub fn log(engine: &Engine, id: Option<RecordId>, max: usize) -> Result<Vec<ledger::Entry>> {
    engine.delivery.ledger().log(id, max).map_err(failed)
}

/// Where its file lies.
pub fn path_of(engine: &Engine, stored: &StoredRecord) -> std::path::PathBuf {
    engine.delivery.ledger().absolute(&stored.path)
}

/// Refuses what only a person may change.
fn open_to_tools(engine: &Engine, stored: &StoredRecord) -> Result<()> {
    let (id, path) = (stored.record.id, path_of(engine, stored));
    let by_store = engine.trust == Trust::HumanOnly;
    if !by_store && stored.record.trust == Trust::Open {
        return Ok(());
    }
    let whose = if by_store { "this store's records are" } else { "it is" };
    Err(Error::new(
        ErrorKind::Forbidden,
        format!("record {id}: {whose} HUMAN_ONLY; a person edits {} and syncs", path.display()),
    ))
}

/// One change of the ledger: what becomes of records, what happened, and what the commit says.
struct Write {
    guards: Vec<Guard>,
    /// The records as they are to be, with what they were.
    puts: Vec<(Record, Option<StoredRecord>)>,
    /// Where that is from whose place new ones take: they are no better, unless a person words them.
    follows: Option<Provenance>,
    /// The record that goes.
    delete: Option<StoredRecord>,
    /// What happened; its links are the records'.
    episode: Episode,
    /// More that is done with it.
    ops: Vec<Op>,
    /// What, in one line.
    subject: String,
    /// Why.
    reason: String,
}

impl Write {
    /// Puts it into the database and into git. `Ok` of a refusal means that nothing was done.
    fn commit(self, engine: &Engine, caller: &Caller) -> Result<Outcome> {
        let (mut ops, mut files) = (Vec::new(), Vec::new());
        if let Some(gone) = &self.delete {
            ops.push(Op::DeleteRecord(gone.record.id));
            files.push(removal(gone));
        }
        for (mut record, was) in self.puts {
            let says = |was: &StoredRecord| was.record.searched() == record.searched();
            let is_said = was.as_ref().is_some_and(says);
            let provenance = match &was {
                Some(was) if is_said => was.provenance.clone(),
                Some(was) => was.provenance.reworded_by(engine.actor()),
                None => match &self.follows {
                    Some(old) => old.reworded_by(engine.actor()),
                    None => origin::heeded(&Provenance::by(engine.actor()), &record),
                },
            };
            origin::note(&mut record, &provenance);
            let (indexed, content) = indexed(engine, record, provenance, !is_said);
            let is_moved = |was: &&StoredRecord| was.path != indexed.path;
            files.extend(was.as_ref().filter(is_moved).map(removal));
            let blob = was.filter(|was| was.path == indexed.path).map(|was| was.blob);
            files.push(DraftFile { path: indexed.path.clone(), content: Some(content), was: blob });
            ops.push(Op::PutRecord(Box::new(indexed)));
        }
        let draft = Draft {
            episode: self.episode.id,
            files,
            subject: self.subject,
            body: shortened(&self.reason, REASON_CHARS_MAX),
            author: author(caller),
            at: self.episode.at,
        };
        ops.push(Op::Happen(Box::new(self.episode)));
        ops.extend(self.ops);
        ops.extend(expire(engine));
        ops.push(Op::Enqueue(Box::new(draft)));
        let outcome = engine.apply_texts(Change { guards: self.guards, ops })?;
        if let Outcome::Recorded(number) = outcome {
            engine.delivery.deliver(engine, number);
        }
        Ok(outcome)
    }
}

/// What the retention setting takes away.
pub(crate) fn expire(engine: &Engine) -> Option<Op> {
    let days = Some(engine.limits.event_days).filter(|days| *days > 0)?;
    let micros = i64::try_from(days).ok()?.checked_mul(24 * 3_600 * 1_000_000)?;
    let before = engine.clock.now().as_microsecond().saturating_sub(micros);
    let before = model::time::from_micros(before)?;
    Some(Op::Expire { before, max: EXPIRED_AT_ONCE })
}

fn removal(gone: &StoredRecord) -> DraftFile {
    DraftFile { path: gone.path.clone(), content: None, was: Some(gone.blob.clone()) }
}

/// A record with its file and what its search needs. The vectors of a text that is there already need
/// not be made again.
fn indexed(
    engine: &Engine,
    record: Record,
    provenance: Provenance,
    has_new_text: bool,
) -> (IndexedRecord, String) {
    let content = ledger::file::write(&record);
    let file = (record.path(), ledger::blob_id(content.as_bytes()));
    (in_file(engine, record, file, provenance, has_new_text), content)
}

/// A record that a file of this path and git id tells of, with what its search needs.
fn in_file(
    engine: &Engine,
    record: Record,
    (path, blob): (String, String),
    provenance: Provenance,
    has_new_text: bool,
) -> IndexedRecord {
    let text = record.searched();
    let vectors = if has_new_text { engine.embedders.vectors(&text) } else { Vec::new() };
    let hash = crate::memory::hash(&text);
    IndexedRecord { record, path, blob, provenance, hash, vectors }
}

/// Something that happens now.
fn episode(
    engine: &Engine,
    namespace: &Namespace,
    kind: EpisodeKind,
    description: String,
    linked: Vec<RecordId>,
) -> Episode {
    Episode {
        id: engine.ids.episode_id(),
        namespace: namespace.clone(),
        kind,
        description,
        metadata: Metadata::new(),
        at: engine.clock.now(),
        linked,
    }
}

/// What happened as a record's evidence.
fn as_evidence(episode: &Episode) -> Evidence {
    let words: Vec<&str> = episode.description.split_whitespace().collect();
    let description = shortened(&words.join(" "), EVIDENCE_CHARS_MAX);
    Evidence::Episode {
        id: episode.id,
        at: Some(episode.at),
        text: format!("{}: {description}", episode.kind.name()),
    }
}

/// No more of a text than this; where something is left out, it says so.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max - 1).chain(['…']).collect()
}

/// Who a commit is by: the user, and the agent where one is named.
fn author(caller: &Caller) -> String {
    let id = |layer| caller.identity.id(layer).map(|id| id.as_str().to_owned());
    let agent = id(Layer::Agent).filter(|agent| agent != "default");
    match (id(Layer::User), agent) {
        (Some(user), Some(agent)) => format!("{user} ({agent})"),
        (Some(user), None) => user,
        (None, Some(agent)) => agent,
        (None, None) => "lorekeep".to_owned(),
    }
}

fn overtaken(id: RecordId) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!("record {id} is being changed by others at the same time; try again"),
    )
}
