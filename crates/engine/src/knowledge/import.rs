//! Decisions that other tools wrote, as items of ours.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ledger::file::Flaw;
use ledger::item::adr::{self, Foreign};
use model::knowledge::is_item_id;
use model::{Caller, ItemKind, ItemStatus, Layer, Metadata, Severity};
use serde_json::json;

use super::batch::Batch;
use super::library::Catalogue;
use super::place::{Place, slug};
use super::write::{composed, is_there, redacted, writable};
use super::{Library, NewItem, roots};
use crate::ports::{FileError, Walked};
use crate::secrets::{self, Policy};
use crate::{Engine, Error, ErrorKind, Result};

/// A larger file is no decision.
const BYTES_MAX: u64 = 1 << 20;

/// What is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import<'a> {
    /// The folder of the decisions.
    pub dir: &'a str,
    /// How far they reach.
    pub layer: Layer,
    /// Whether they go to the project's own folder, which is made if there is none.
    pub here: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is an item now.
    New,
    /// It was imported before, and stays.
    Known,
    /// It is no decision.
    Skipped,
    /// It could not be taken.
    Failed,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::New, Self::Known, Self::Skipped, Self::Failed];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// A file, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// The file, below the folder.
    pub file: String,
    /// The item's id.
    pub id: Option<String>,
    /// Where the item stands.
    pub status: Option<ItemStatus>,
    /// What became of it.
    pub outcome: Outcome,
    /// What there is to say about it: why it failed, or what it did not tell.
    pub notes: Vec<String>,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The files, by name.
    pub files: Vec<ImportedFile>,
    /// The commit; none if nothing is new, or nothing was to be written.
    pub commit: Option<String>,
}

impl Imported {
    /// How many files of an outcome there are.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.files.iter().filter(|file| file.outcome == outcome).count()
    }
}

/// A decision that was read, and the id it gets.
struct Source {
    /// Which of the files it is.
    at: usize,
    /// The folder it lies in, and its name without the ending.
    folder: String,
    stem: String,
    decision: Foreign,
    id: String,
    /// How many secrets were taken out of it, and whether its name tells one of them.
    secrets: usize,
    is_misnamed: bool,
}

/// Makes items of the decisions below a folder, in one commit. The folder stays as it is. What was
/// imported before is not imported again.
///
/// # Errors
///
/// That there is no such folder, or what git said. A file that cannot be taken is none: it is told in
/// the answer, and the others are taken.
pub fn import(engine: &Engine, caller: &Caller, wanted: &Import<'_>) -> Result<Imported> {
    if !wanted.dry_run {
        writable(engine)?;
    }
    let dir = folder(engine, wanted.dir)?;
    let place = Place::of(engine, caller, wanted.layer, wanted.here)?;
    let catalogue = Library::look(engine, caller);
    let (mut files, mut sources) = gathered(engine, caller, &dir);
    let taken = Taken { catalogue: &catalogue, caller, place: &place };
    taken.name(&mut files, &mut sources);
    let mut batch = Batch::default();
    for source in &sources {
        let new = item(source, &sources, wanted, &origin(caller, &dir, &files, source));
        let (mut new, mut notes) = new;
        match source.secrets + redacted(engine, &mut new) {
            0 => {}
            found => notes.push(format!("secrets: {found} redacted")),
        }
        let row = &mut files[source.at];
        (row.id, row.status) = (Some(source.id.clone()), Some(new.status));
        row.outcome = if catalogue.has(&source.id) { Outcome::Known } else { Outcome::New };
        if row.outcome == Outcome::New {
            match put(engine, &place, &new, &source.id, wanted, &mut batch) {
                Ok(()) => row.notes.append(&mut notes),
                Err(why) => fail(row, why.message),
            }
        }
    }
    if batch.len() == 0 {
        return Ok(Imported { files, commit: None });
    }
    let count = batch.len();
    let items = if count == 1 { "item" } else { "items" };
    let mut subject = format!("knowledge: import {count} {items} from {}", wanted.dir);
    secrets::take(engine.secrets, &mut subject);
    let commit = batch.commit(&place.root.dir, &subject, "")?;
    Ok(Imported { files, commit })
}

fn folder(engine: &Engine, dir: &str) -> Result<PathBuf> {
    let missing = |why: &str| Error::new(ErrorKind::NotFound, format!("{dir}: {why}"));
    let path = engine.files.resolve(dir).map_err(|why| match why {
        FileError::NotFound => missing("there is no such folder"),
        FileError::Unreadable(why) => missing(&why),
    })?;
    let is_dir = engine.files.state(&path).is_ok_and(|state| state.is_dir);
    if is_dir { Ok(path) } else { Err(missing("it should be a folder with decisions in it")) }
}

fn fail(row: &mut ImportedFile, why: String) {
    row.outcome = Outcome::Failed;
    row.notes = vec![why];
}

/// The files of a folder, by name, and the decisions among them.
fn gathered(engine: &Engine, caller: &Caller, dir: &Path) -> (Vec<ImportedFile>, Vec<Source>) {
    let own: Vec<PathBuf> = roots(engine, caller).into_iter().map(|root| root.dir).collect();
    let mut walked: Vec<(PathBuf, Option<String>)> = Vec::new();
    engine.files.walk(dir, true, &mut |one| {
        match one {
            Walked::File(path, _) => {
                let ending = path.extension().and_then(|ending| ending.to_str());
                let is_text = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
                let is_ours = own.iter().any(|root| path.starts_with(root));
                walked.extend((is_text && !is_ours).then_some((path, None)));
            }
            Walked::Failed(path, why) => walked.push((path, Some(why))),
        }
        true
    });
    walked.sort();
    let (mut files, mut sources) = (Vec::new(), Vec::new());
    for (path, failed) in walked {
        let below = path.strip_prefix(dir).unwrap_or(&path);
        let file = below.to_string_lossy().replace('\\', "/");
        let read = failed.map_or_else(|| read(engine, &path, &file), Err);
        let mut row =
            ImportedFile { file, id: None, status: None, outcome: Outcome::Skipped, notes: vec![] };
        match read {
            Ok(None) => {}
            Ok(Some(decision)) => {
                sources.push(source(engine.secrets, files.len(), &row.file, decision));
            }
            Err(why) => fail(&mut row, why),
        }
        files.push(row);
    }
    (files, sources)
}

fn read(engine: &Engine, path: &Path, file: &str) -> Result<Option<Foreign>, String> {
    let bytes = engine.files.read(path, BYTES_MAX).map_err(|why| match why {
        FileError::NotFound => "it is not there any more".to_owned(),
        FileError::Unreadable(why) => why,
    })?;
    if let Some(flaw) = Flaw::of_bytes(&bytes) {
        return Err(flaw.to_string());
    }
    adr::read(file, &String::from_utf8_lossy(&bytes))
}

/// A decision with the id that its number and title make; one without a number keeps its name. What
/// is secret goes first: of an id it would be told by the file's name and by git.
fn source(policy: Policy, at: usize, file: &str, mut decision: Foreign) -> Source {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_misnamed = tells(policy, stem, &decision.title);
    let secrets = cleaned(policy, &mut decision);
    let words = slug(&decision.title);
    let id = match (decision.number, words.as_str()) {
        (Some(number), "") => format!("adr-{number:04}"),
        (Some(number), words) => format!("adr-{number:04}-{words}"),
        (None, _) if is_item_id(stem) && !is_misnamed => stem.to_owned(),
        (None, "") => String::new(),
        (None, words) => format!("adr-{words}"),
    };
    let (folder, stem) = (folder.to_owned(), stem.to_owned());
    Source { at, folder, stem, decision, id, secrets, is_misnamed }
}

/// Takes the secrets out of what is kept of a decision; how many there were.
fn cleaned(policy: Policy, decision: &mut Foreign) -> usize {
    let Foreign { title, status_text, tags, deciders, body, .. } = decision;
    let texts = [title, status_text, body].into_iter().chain(tags).chain(deciders);
    texts.map(|text| secrets::take(policy, text)).sum()
}

/// Whether a file's name holds a secret, or tells one of the title's: tools make names of titles.
fn tells(policy: Policy, stem: &str, title: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let name = plain(stem);
    let is_told = |secret: &String| name.contains(&plain(secret));
    !secrets::of(policy, stem).is_empty() || secrets::of(policy, title).iter().any(is_told)
}

/// Which ids are taken.
struct Taken<'a> {
    catalogue: &'a Catalogue,
    caller: &'a Caller,
    place: &'a Place,
}

impl Taken<'_> {
    /// Gives each decision an id that no other thing has; those that get none failed.
    fn name(&self, files: &mut [ImportedFile], sources: &mut Vec<Source>) {
        let mut first: HashMap<String, usize> = HashMap::new();
        sources.retain_mut(|source| {
            let (at, id) = (source.at, self.free(&source.id));
            if id.is_empty() {
                let why =
                    "neither its name nor its title makes an id: letters, digits, '-', '_', '.'";
                fail(&mut files[at], why.to_owned());
                return false;
            }
            if let Some(other) = first.get(&id) {
                let why = format!("its id {id:?} is that of {} already", files[*other].file);
                fail(&mut files[at], why);
                return false;
            }
            first.insert(id.clone(), at);
            source.id = id;
            true
        });
    }

    /// The id; with the owner's name behind it if it belongs to somebody else's item.
    fn free(&self, id: &str) -> String {
        let own = self.caller.identity.id(self.place.layer).map(|id| id.as_str());
        let is_other = self.catalogue.of_id(id).is_some_and(|item| {
            let is_own = item.owner.as_deref().is_none_or(|owner| Some(owner) == own);
            item.layer != self.place.layer || !is_own
        });
        let owner = slug(own.unwrap_or_default());
        if is_other && !owner.is_empty() { format!("{id}-{owner}") } else { id.to_owned() }
    }
}

/// Where a decision comes from, without a name that tells a secret.
fn origin(caller: &Caller, dir: &Path, files: &[ImportedFile], source: &Source) -> String {
    let file = &files[source.at].file;
    let folder =
        if source.folder.is_empty() { String::new() } else { format!("{}/", source.folder) };
    let marked = format!("{folder}{} name].md", rank::keep::secrets::MARK);
    from(caller, dir, if source.is_misnamed { &marked } else { file })
}

/// Where a file comes from: below the caller's project if it lies there.
fn from(caller: &Caller, dir: &Path, file: &str) -> String {
    let path = dir.join(file);
    let here = caller.here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    here.unwrap_or(&path).to_string_lossy().replace('\\', "/")
}

/// The item that a decision becomes, and what there is to say about it.
fn item(
    source: &Source,
    all: &[Source],
    wanted: &Import<'_>,
    from: &str,
) -> (NewItem, Vec<String>) {
    let decision = &source.decision;
    let mut notes = Vec::new();
    let status = decision.status.unwrap_or_else(|| {
        let said = decision.status_text.trim();
        notes.push(match said {
            "" => "it tells no status; taken as proposed".to_owned(),
            said => format!("its status {said:?} is unknown; taken as proposed"),
        });
        ItemStatus::Proposed
    });
    let mut linked = |links: &[String], what: &str| -> Vec<String> {
        let mut ids = Vec::new();
        for link in links {
            match resolved(link, source, all) {
                Some(id) if !ids.contains(&id) => ids.push(id),
                Some(_) => {}
                None => notes.push(format!("{what} {link:?}, which is not among these files")),
            }
        }
        ids
    };
    let superseded_by = linked(&decision.superseded_by, "it says it was superseded by");
    let mut supersedes = linked(&decision.supersedes, "it says it supersedes").into_iter();
    let first = supersedes.next();
    let others: Vec<String> = supersedes.collect();
    let mut metadata = Metadata::new();
    metadata.insert("importedFrom".to_owned(), json!(from));
    metadata.insert("importedStyle".to_owned(), json!(decision.style.name()));
    if !decision.deciders.is_empty() {
        metadata.insert("deciders".to_owned(), json!(decision.deciders));
    }
    if !others.is_empty() {
        notes.push(format!("it supersedes more than one; {} stand in metadata", others.join(", ")));
        metadata.insert("supersedesToo".to_owned(), json!(others));
    }
    let new = NewItem {
        id: Some(source.id.clone()),
        kind: ItemKind::Adr,
        layer: wanted.layer,
        here: wanted.here,
        title: decision.title.clone(),
        summary: String::new(),
        status,
        severity: Severity::default(),
        tags: decision.tags.clone(),
        constraints: Vec::new(),
        content: decision.body.clone(),
        metadata,
        created_at: decision.date,
        supersedes: first,
        superseded_by,
    };
    (new, notes)
}

/// The id of the decision that another one names by its file or its number; the nearest one first.
fn resolved(link: &str, from: &Source, all: &[Source]) -> Option<String> {
    let number: Option<u32> = link.parse().ok();
    let is_meant = |one: &&Source| {
        one.at != from.at
            && (one.stem == link || (number.is_some() && one.decision.number == number))
    };
    let beside = all.iter().filter(|one| one.folder == from.folder).find(is_meant);
    beside.or_else(|| all.iter().find(is_meant)).map(|one| one.id.clone())
}

/// Writes an item, or only looks whether it could be written.
fn put(
    engine: &Engine,
    place: &Place,
    new: &NewItem,
    id: &str,
    wanted: &Import<'_>,
    batch: &mut Batch,
) -> Result<()> {
    let (file, text) = composed(new, id, place, engine.clock.now())?;
    if wanted.dry_run || batch.create(&file, &text)? {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Conflict, is_there(&file)))
}
