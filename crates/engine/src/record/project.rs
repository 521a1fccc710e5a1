//! From files to rows: the view of what git holds.

use std::collections::{HashMap, HashSet};
use std::fmt;

use ledger::{ChangedFile, Edit};
use model::{
    Change, Episode, EpisodeKind, Evidence, Guard, IndexedRecord, Metadata, Op, Provenance, Record,
    RecordId, Rest, Timestamp,
};

use rank::keep::secrets::Found;
use store::StoredRecord;

use super::delivery::failed;
use super::{episode, in_file, origin, shortened};
use crate::secrets::{self, Policy};
use crate::{Engine, Result};

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, below the ledger's directory.
    pub path: String,
    /// In which line, if it is one.
    pub line: Option<usize>,
    /// What is wrong, and what would be right.
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(", line {line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", self.path, self.why)
    }
}

/// What files come to.
#[derive(Debug, Default)]
pub(super) struct Projection {
    /// What is to be done.
    pub(super) ops: Vec<Op>,
    /// What cannot be read; the rows of these stay as they are.
    pub(super) problems: Vec<Problem>,
    /// The records that changed.
    pub(super) records: Vec<Record>,
}

/// Who changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A person, or another git.
    Hand,
    /// Nobody: the rows were lost, or are of another repository.
    Nobody,
}

/// What the change of these files comes to. Each record that changed is something that happened.
pub(super) fn of(engine: &Engine, files: &[ChangedFile], by: By) -> Result<Projection> {
    let mut projection = Projection::default();
    let gone: HashSet<String> =
        files.iter().filter(|file| file.content.is_none()).map(|file| file.path.clone()).collect();
    let mut kept: HashMap<RecordId, String> = HashMap::new();
    for file in files.iter().filter(|file| file.content.is_some()) {
        let Some(indexed) = read(engine, file, &mut projection.problems)? else { continue };
        let id = indexed.record.id;
        if let Some(other) = kept.get(&id) {
            projection.problems.push(twice(&file.path, id, other));
            continue;
        }
        let known = engine.store.record(id)?;
        let elsewhere = known.as_ref().filter(|k| k.path != file.path && !gone.contains(&k.path));
        if let Some(other) = elsewhere
            && engine.delivery.ledger().file(&other.path).map_err(failed)?.is_some()
        {
            projection.problems.push(twice(&file.path, id, &other.path));
            continue;
        }
        kept.insert(id, file.path.clone());
        if known.is_some_and(|known| known.blob == indexed.blob && known.path == indexed.path) {
            continue;
        }
        replaced(engine, file, id, &mut projection)?;
        let kind = indexed.record.kind;
        let how = match by {
            By::Hand => "Changed by hand",
            By::Nobody => "Taken in from git",
        };
        let told = format!("{how}: {}", indexed.record.title);
        let happened = EpisodeKind::change_of(kind);
        let happened = episode(engine, &indexed.record.namespace, happened, told, vec![id]);
        projection.ops.extend(told_of(&indexed.record));
        projection.records.push(indexed.record.clone());
        projection.ops.push(Op::PutRecord(Box::new(indexed)));
        projection.ops.push(Op::Happen(Box::new(happened)));
    }
    for path in gone {
        let Some(stored) = engine.store.record_at(&path)? else { continue };
        let record = stored.record;
        if kept.contains_key(&record.id) {
            continue;
        }
        let told = format!("Deleted by hand: {}", record.title);
        let happened = EpisodeKind::change_of(record.kind);
        let happened = episode(engine, &record.namespace, happened, told, vec![record.id]);
        projection.ops.push(Op::DeleteRecord(record.id));
        projection.ops.push(Op::Happen(Box::new(happened)));
        projection.records.push(record);
    }
    Ok(projection)
}

/// The record that this file told of before goes, if it tells of another now.
fn replaced(
    engine: &Engine,
    file: &ChangedFile,
    id: RecordId,
    projection: &mut Projection,
) -> Result<()> {
    if let Some(before) = engine.store.record_at(&file.path)?
        && before.record.id != id
    {
        projection.ops.push(Op::DeleteRecord(before.record.id));
    }
    Ok(())
}

fn twice(path: &str, id: RecordId, other: &str) -> Problem {
    let why = format!("fid {id} is already that of {other}; each record has its own");
    Problem { path: path.to_owned(), line: None, why }
}

/// The record that a file tells of; none if it cannot be read, which is noted.
fn read(
    engine: &Engine,
    file: &ChangedFile,
    problems: &mut Vec<Problem>,
) -> Result<Option<IndexedRecord>> {
    let content = file.content.as_deref().unwrap_or_default();
    let (path, blob) = (file.path.clone(), file.blob.clone());
    let blob = blob.unwrap_or_else(|| ledger::blob_id(content));
    // What lies in no namespace is a person's own note.
    if !file.path.contains('/') {
        return Ok(None);
    }
    match readable(&path, content) {
        Ok(mut record) => {
            // What git holds is in git; what is searched and shown has no secrets all the same.
            secrets::take_record(engine.secrets, &mut record);
            date(engine, &mut record)?;
            let provenance = provenance(engine, &record, &path)?;
            Ok(Some(in_file(engine, record, (path, blob), provenance, true)))
        }
        Err(found) => {
            problems.extend(found);
            Ok(None)
        }
    }
}

/// Where what a file says comes from: from where the row has it, if it says the same. Who else wrote
/// into the file cannot be told, and it may have been an agent: that makes it no better than it was.
fn provenance(engine: &Engine, record: &Record, path: &str) -> Result<Provenance> {
    let edited = Provenance { source: Some(path.to_owned()), ..Provenance::UNKNOWN };
    Ok(match engine.store.record(record.id)? {
        Some(known) if says(&known.record) == says(record) => known.provenance,
        Some(known) if known.provenance.level < edited.level => known.provenance,
        _ => origin::heeded(&edited, record),
    })
}

/// All that a record says to who reads it or its file.
fn says(record: &Record) -> (String, &str, Vec<&str>, &Rest) {
    let evidence = record.evidence.iter().map(|one| match one {
        Evidence::Episode { text, .. } | Evidence::Note(text) => text.as_str(),
    });
    (record.searched(), &record.target, evidence.collect(), &record.rest)
}

/// The record in a file, or what is wrong with it.
pub(super) fn readable(path: &str, content: &[u8]) -> Result<Record, Vec<Problem>> {
    let problem = |line, why: String| Problem { path: path.to_owned(), line, why };
    let text = std::str::from_utf8(content)
        .map_err(|_| vec![problem(None, "it is not UTF-8 text".to_owned())])?;
    ledger::file::read(path, text)
        .map_err(|flaws| flaws.into_iter().map(|flaw| problem(Some(flaw.line), flaw.why)).collect())
}

/// The secrets in a file that a person wrote: they are told, and the file stays as it is.
pub(super) fn secrets_in(engine: &Engine, path: &str, content: &[u8]) -> Vec<Problem> {
    let text = std::str::from_utf8(content).unwrap_or_default();
    let found = match engine.secrets {
        Policy::Keep => Vec::new(),
        Policy::Refuse | Policy::Redact => rank::keep::secrets::find(text),
    };
    let problem = |secret: &Found| Problem {
        path: path.to_owned(),
        line: Some(text[..secret.range.start].matches('\n').count() + 1),
        why: format!("it holds what looks like a secret ({}); take it out", secret.kind),
    };
    found.iter().map(problem).collect()
}

/// A record without times has those of its commits.
fn date(engine: &Engine, record: &mut Record) -> Result<()> {
    if record.created_at != Timestamp::UNIX_EPOCH {
        return Ok(());
    }
    let log = engine.delivery.ledger().log(Some(record.id), usize::MAX).map_err(failed)?;
    let first = log.last().map(|entry| entry.at);
    record.created_at = first.unwrap_or_else(|| engine.clock.now());
    let last = log.first().map_or(record.created_at, |entry| entry.at);
    record.updated_at = last.max(record.created_at);
    Ok(())
}

/// What a record's file tells of what happened. What the store has stays as it is.
fn told_of(record: &Record) -> impl Iterator<Item = Op> + '_ {
    record.evidence.iter().filter_map(|evidence| {
        let Evidence::Episode { id, at, text } = evidence else { return None };
        let (kind, description) = text.split_once(": ").unwrap_or(("", text));
        let kind = EpisodeKind::named(kind).unwrap_or(EpisodeKind::Observation);
        Some(Op::Happen(Box::new(Episode {
            id: *id,
            namespace: record.namespace.clone(),
            kind,
            description: description.to_owned(),
            metadata: Metadata::new(),
            at: at.unwrap_or(record.updated_at),
            linked: vec![record.id],
        })))
    })
}

/// Makes the rows anew from the files that git holds, and nothing else; what cannot be read is told.
/// How many records there are.
pub fn rebuild(engine: &Engine) -> Result<(usize, Vec<Problem>)> {
    if !engine.delivery.ledger().exists() {
        return Ok((0, Vec::new()));
    }
    engine.delivery.locked(engine, |held, problems| {
        let head = held.head().map_err(failed)?;
        let files = held.changed(None, head).map_err(failed)?;
        let (mut ops, mut kept) = (Vec::new(), HashMap::<RecordId, String>::new());
        for file in &files {
            let Some(indexed) = read(engine, file, problems)? else { continue };
            let id = indexed.record.id;
            if let Some(other) = kept.get(&id) {
                problems.push(twice(&file.path, id, other));
                continue;
            }
            kept.insert(id, file.path.clone());
            ops.extend(told_of(&indexed.record));
            // Anew: nothing of the row that is there counts.
            ops.push(Op::DeleteRecord(id));
            ops.push(Op::PutRecord(Box::new(indexed)));
        }
        let known = engine.store.record_paths()?;
        let gone = known.into_iter().filter(|(id, _)| !kept.contains_key(id));
        ops.extend(gone.map(|(id, _)| Op::DeleteRecord(id)));
        engine.apply(Change { guards: Vec::new(), ops })?;
        Ok((kept.len(), std::mem::take(problems)))
    })
}

/// The records whose rows are not what git holds of them, though the rows say that they are of just
/// that: damage. Whoever calls has brought the two together before.
pub(super) fn differing(engine: &Engine, files: &[ChangedFile]) -> Result<Vec<RecordId>> {
    let stored = engine.store.records_as_they_are()?;
    let stored: HashMap<RecordId, StoredRecord> =
        stored.into_iter().map(|stored| (stored.record.id, stored)).collect();
    let (mut problems, mut found) = (Vec::new(), Vec::new());
    for file in files {
        let Some(indexed) = read(engine, file, &mut problems)? else { continue };
        let id = indexed.record.id;
        let is_it = |stored: &StoredRecord| stored.path != file.path || is_said(stored, &indexed);
        if !stored.get(&id).is_some_and(is_it) {
            found.push(id);
        }
    }
    Ok(found)
}

/// What is to be said of a record whose row is damaged.
pub fn not_as_git(id: &RecordId) -> String {
    format!("record {id} is not what git holds of it, and nobody changed it")
}

/// Whether a row says what its file does.
fn is_said(stored: &StoredRecord, told: &IndexedRecord) -> bool {
    stored.blob == told.blob && (is_written_so(stored) || stored.record == told.record)
}

/// Whether the row would be written as its file is.
fn is_written_so(stored: &StoredRecord) -> bool {
    ledger::file::write_in_each_form(&stored.record)
        .any(|text| ledger::blob_id(text.as_bytes()) == stored.blob)
}

/// The record as its file tells it, if its row says something else though it is of just this file:
/// then the row is damaged, and is made anew. True if it was.
pub(super) fn reread(engine: &Engine, stored: &StoredRecord, content: Vec<u8>) -> Result<bool> {
    if is_written_so(stored) {
        return Ok(false);
    }
    // A person may have written it in other words for the same.
    let (path, blob) = (stored.path.clone(), Some(stored.blob.clone()));
    let file = ChangedFile { path, blob, content: Some(content) };
    let Some(told) = read(engine, &file, &mut Vec::new())? else { return Ok(false) };
    let id = stored.record.id;
    if told.record.id != id || is_said(stored, &told) {
        return Ok(false);
    }
    tracing::warn!(record = %id, "its row is not what git holds; it is made anew from there");
    let ops = vec![Op::DeleteRecord(id), Op::PutRecord(Box::new(told))];
    let guards = vec![Guard::RecordUnchanged { id, revision: stored.revision }];
    engine.apply(Change { guards, ops })?;
    Ok(true)
}

/// What a look at the ledger found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// How many files git holds.
    pub files: usize,
    /// The newest commit.
    pub head: Option<String>,
    /// What is wrong with files.
    pub problems: Vec<Problem>,
    /// Files that were edited by hand and are not taken in yet.
    pub edits: Vec<Edited>,
    /// A merge or the like that is under way.
    pub unfinished: Option<&'static str>,
    /// Files of the work tree that cannot be read, where git has them whole.
    pub broken: Vec<Problem>,
    /// What is wrong with the repository itself.
    pub damage: Vec<String>,
    /// Records whose rows are not what git holds of them.
    pub differing: Vec<RecordId>,
    /// What is lost of the history for good.
    pub lost: Vec<String>,
}

/// A file that is not what git holds of it. A byte that flips in a letter looks like that, too, so a
/// person gets to see what is another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The file, below the ledger's directory.
    pub path: String,
    /// Which lines are others, and what they say.
    pub how: String,
    /// What a sync will make of it.
    pub outlook: Outlook,
}

/// What a sync will make of a file that was edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outlook {
    /// The record will say what the file says.
    TakenIn,
    /// The file is gone, and the record will be.
    Deleted,
    /// It cannot be read, and why.
    Refused(Vec<Problem>),
}

/// What git holds of a file.
pub(super) fn content_of<'a>(files: &'a [ChangedFile], path: &str) -> Option<&'a [u8]> {
    files.iter().find(|file| file.path == path).and_then(|file| file.content.as_deref())
}

/// So much of a line is shown.
const LINE_CHARS_MAX: usize = 80;

/// Which lines of a file are others than they were.
fn how(was: Option<&[u8]>, now: Option<&[u8]>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (Some(was), Some(now)) = (was.map(text), now.map(text)) else {
        return if now.is_some() { "it is new".to_owned() } else { "it is gone".to_owned() };
    };
    let (was, now): (Vec<&str>, Vec<&str>) = (was.lines().collect(), now.lines().collect());
    let first = was.iter().zip(&now).take_while(|(a, b)| a == b).count();
    let rest = was[first..].iter().rev().zip(now[first..].iter().rev());
    let same = rest.take_while(|(a, b)| a == b).count();
    let told = |lines: &[&str]| match lines[first..lines.len() - same] {
        [] => "nothing".to_owned(),
        [one] => format!("{:?}", shortened(one, LINE_CHARS_MAX)),
        [one, .., _] => format!("{:?} and more", shortened(one, LINE_CHARS_MAX)),
    };
    format!("line {}: {} was {}", first + 1, told(&now), told(&was))
}

/// Looks at all that git holds, for the doctor. None if there is no ledger.
pub fn check(engine: &Engine) -> Result<Option<Checked>> {
    if !engine.delivery.ledger().exists() {
        return Ok(None);
    }
    let mut damage = engine.delivery.ledger().examine().map_err(failed)?;
    if engine.delivery.ledger().head().is_ok_and(|head| head.is_none())
        && engine.store.queue(false)?.head.is_some()
    {
        let git = engine.delivery.ledger().dir().join(".git/HEAD");
        damage.push(format!("{} names no branch of the ledger", git.display()));
    }
    if !damage.is_empty() {
        return Ok(Some(Checked { damage, ..Checked::default() }));
    }
    engine.delivery.locked(engine, |held, problems| {
        let head = held.head().map_err(failed)?;
        let lost = engine.delivery.ledger().lost().map_err(failed)?;
        let mut checked =
            Checked { problems: std::mem::take(problems), lost, ..Checked::default() };
        let files = held.changed(None, head).map_err(failed)?;
        checked.differing = differing(engine, &files)?;
        for file in &files {
            if file.path.contains('/') {
                checked.files += 1;
                let content = file.content.as_deref().unwrap_or_default();
                checked.problems.extend(readable(&file.path, content).err().unwrap_or_default());
            }
        }
        checked.problems.dedup();
        checked.head = head.map(|head| head.to_string());
        let edits = held.edits().map_err(failed)?;
        checked.broken =
            super::repair::broken(&edits, &files).map(|(_, problem)| problem).collect();
        let edited = |edit: Edit| {
            let was = content_of(&files, &edit.path);
            let how = how(was, edit.content.as_deref());
            let outlook = match edit.content.as_deref().map(|now| readable(&edit.path, now)) {
                None => Outlook::Deleted,
                Some(Ok(_)) => Outlook::TakenIn,
                Some(Err(flaws)) => Outlook::Refused(flaws),
            };
            Edited { path: edit.path, how, outlook }
        };
        checked.edits = edits.into_iter().map(edited).collect();
        checked.unfinished = held.unfinished().map_err(failed)?.map(|found| found.what);
        Ok(Some(checked))
    })
}
