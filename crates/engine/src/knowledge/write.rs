//! Changing items: new ones, and the steps of their lives. Each change is one commit.

use std::path::{Path, PathBuf};

use ledger::item::{self, Value};
use ledger::plain::Plain;
use model::{Caller, Constraint, Item, ItemKind, ItemStatus, Layer, Severity, Timestamp};

use super::batch::Batch;
use super::library::{Catalogue, Entry};
use super::place::{Place, named};
use super::{Library, Root, git_failed, not_found};
use crate::ports::FileError;
use crate::{Engine, Error, ErrorKind, Result, secrets};

/// So often another number is tried for an item whose name somebody else takes meanwhile.
const TRIES_MAX: u32 = 10;

/// A larger file is no item.
const BYTES_MAX: u64 = 1 << 20;

/// An item that is to be.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// Its id; none means one made of kind, number and title.
    pub id: Option<String>,
    /// What it is.
    pub kind: ItemKind,
    /// How far it reaches.
    pub layer: Layer,
    /// Whether it goes to the project's own folder, which is made if there is none.
    pub here: bool,
    /// In one line.
    pub title: String,
    /// In a sentence or two; empty means the first words of its text.
    pub summary: String,
    /// Where it stands.
    pub status: ItemStatus,
    /// How much its constraints weigh.
    pub severity: Severity,
    /// Tags.
    pub tags: Vec<String>,
    /// What it asks.
    pub constraints: Vec<Constraint>,
    /// Its text, as Markdown.
    pub content: String,
    /// Free data.
    pub metadata: model::Metadata,
    /// When it was made, if not now.
    pub created_at: Option<Timestamp>,
    /// Which one it took the place of.
    pub supersedes: Option<String>,
    /// Which ones took its place.
    pub superseded_by: Vec<String>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The item.
    pub id: String,
    /// Its file.
    pub file: PathBuf,
    /// The commit; none if nothing changed.
    pub commit: Option<String>,
}

/// A step in an item's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which item.
    pub id: String,
    /// What becomes of it.
    pub to: ItemStatus,
    /// Why, for the commit.
    pub reason: String,
}

/// Writes a new item and commits it.
///
/// # Errors
///
/// Why it would be none, that there is one of its id, or what git said. Then nothing was written.
pub fn create(engine: &Engine, caller: &Caller, new: &NewItem) -> Result<Written> {
    writable(engine)?;
    let new = &admitted(engine, new)?;
    let place = Place::of(engine, caller, new.layer, new.here)?;
    for taken in 0..TRIES_MAX {
        let catalogue = Library::look(engine, caller);
        let id = new.id.clone().unwrap_or_else(|| named(&catalogue, new, taken));
        if catalogue.has(&id) {
            return Err(is_taken(&id));
        }
        let (file, text) = composed(new, &id, &place, engine.clock.now())?;
        let mut batch = Batch::default();
        if batch.create(&file, &text)? {
            let subject = format!("knowledge: add {id}");
            let commit = batch.commit(&place.root.dir, &subject, new.title.trim())?;
            return Ok(Written { id, file, commit });
        }
        if new.id.is_some() {
            return Err(Error::new(ErrorKind::Conflict, is_there(&file)));
        }
    }
    let message = format!("others took {TRIES_MAX} names meanwhile; give this one an --id");
    Err(Error::new(ErrorKind::Conflict, message))
}

/// The item as it may be kept: without secrets, or not at all.
fn admitted(engine: &Engine, new: &NewItem) -> Result<NewItem> {
    let policy = engine.secrets;
    let mut new = new.clone();
    secrets::admit_name(policy, "--id", new.id.as_deref().unwrap_or_default())?;
    new.title = secrets::admit(policy, "title", &new.title)?;
    new.summary = secrets::admit(policy, "summary", &new.summary)?;
    new.content = secrets::admit(policy, "content", &new.content)?;
    new.tags = secrets::admit_each(policy, "tags", &new.tags)?;
    for constraint in &mut new.constraints {
        constraint.pattern = secrets::admit(policy, "constraint", &constraint.pattern)?;
        if let Some(message) = &mut constraint.message {
            *message = secrets::admit(policy, "constraint", message)?;
        }
    }
    Ok(new)
}

/// The item that comes from elsewhere, without its secrets, and how many there were.
pub(super) fn redacted(engine: &Engine, new: &mut NewItem) -> usize {
    let NewItem { title, summary, content, tags, metadata, .. } = new;
    let texts = [title, summary, content].into_iter().chain(tags);
    let found: usize = texts.map(|text| secrets::take(engine.secrets, text)).sum();
    found + secrets::take_metadata(engine.secrets, metadata)
}

fn is_taken(id: &str) -> Error {
    let message = format!("there is an item {id:?} already; give this one another --id");
    Error::new(ErrorKind::Conflict, message)
}

/// Where a file stands in the way of another.
pub(super) fn is_there(file: &Path) -> String {
    format!("there is a file {} already; it stays as it is", file.display())
}

/// Refuses what writes where nothing may.
pub(super) fn writable(engine: &Engine) -> Result<()> {
    if !engine.read_only {
        return Ok(());
    }
    let message = "knowledge is not changed: this store is opened to read alone (read-only)";
    Err(Error::new(ErrorKind::Forbidden, message))
}

/// The file of a new item and its text, which reads back as the item that is meant.
pub(super) fn composed(
    new: &NewItem,
    id: &str,
    place: &Place,
    now: Timestamp,
) -> Result<(PathBuf, String)> {
    let title = new.title.trim();
    if title.is_empty() || title.contains(char::is_control) {
        let why = "should be one line with at least one letter";
        return Err(invalid(format!("title {title:?} {why}")));
    }
    let path = place.path(new.kind, id)?;
    let item = Item {
        id: id.to_owned(),
        kind: new.kind,
        layer: new.layer,
        owner: place.owner.clone(),
        title: title.to_owned(),
        summary: new.summary.trim().to_owned(),
        status: new.status,
        severity: new.severity,
        tags: new.tags.clone(),
        metadata: new.metadata.clone(),
        created_at: Some(new.created_at.unwrap_or(now)),
        updated_at: Some(now),
        version: None,
        supersedes: new.supersedes.clone(),
        superseded_by: new.superseded_by.clone(),
        constraints: new.constraints.clone(),
        waivers: Vec::new(),
        flaws: Vec::new(),
        content: new.content.clone(),
    };
    let mut text = item::write(&item);
    if item.summary.is_empty() {
        // Its text says it.
        text = item::revise(&text, &[("summary", None)]).map_err(|flaws| unread(&path, &flaws))?;
    }
    let read = item::read(&path, place.root.layer, &text).map_err(|flaws| unread(&path, &flaws))?;
    let read = read.ok_or_else(|| invalid(format!("{path} would be no item")))?;
    followed(&read)?;
    let is_same = read.id == item.id
        && read.kind == item.kind
        && read.layer == item.layer
        && read.title == item.title
        && read.status == item.status
        && read.content.contains(item.content.trim());
    if !is_same {
        return Err(invalid(format!("{path} would not read back as it was written")));
    }
    Ok((place.root.dir.join(path), text))
}

/// Refuses an item of which something cannot be followed.
fn followed(item: &Item) -> Result<()> {
    let flaws = rules::flaws(item);
    if flaws.is_empty() {
        return Ok(());
    }
    let told = flaws.iter().map(|flaw| match &flaw.constraint {
        Some(words) => format!("constraint {:?}: {}", words.join(" "), flaw.why),
        None => format!("line {}: {}", flaw.line, flaw.why),
    });
    let told: Vec<String> = told.collect();
    Err(invalid(format!("{} cannot be followed: {}", item.id, told.join("; "))))
}

fn unread(path: &str, flaws: &[ledger::file::Flaw]) -> Error {
    let told: Vec<String> = flaws.iter().map(ToString::to_string).collect();
    invalid(format!("{path} would not be read: {}", told.join("; ")))
}

/// Takes a step in an item's life and commits it.
///
/// # Errors
///
/// That the step is illegal, and which ones are legal; that the item cannot be followed and so not be
/// accepted; or what git said. Then the item's file is as it was.
pub fn advance(engine: &Engine, caller: &Caller, step: &Step) -> Result<Written> {
    writable(engine)?;
    if step.to == ItemStatus::Superseded {
        return Err(invalid("an item is superseded by another; name that one".to_owned()));
    }
    let catalogue = Library::look(engine, caller);
    let entry = found(&catalogue, caller, &step.id)?;
    legal(entry, step.to)?;
    let root = &catalogue.roots[entry.root];
    let mut batch = Batch::default();
    let status = [("status", Some(Value::Text(step.to.name().to_owned())))];
    let file = revise(engine, &mut batch, root, entry, &status)?;
    let verb = match step.to {
        ItemStatus::Draft => "draft",
        ItemStatus::Proposed => "propose",
        ItemStatus::Accepted => "accept",
        ItemStatus::Rejected => "reject",
        ItemStatus::Deprecated => "deprecate",
        ItemStatus::Superseded => "supersede",
    };
    let subject = format!("knowledge: {verb} {}", step.id);
    let commit = batch.commit(&root.dir, &subject, &step.reason)?;
    Ok(Written { id: step.id.clone(), file, commit })
}

/// Lets `new` take the place of `old`, in one commit where both lie in one repository. A proposed item
/// is accepted by that.
///
/// # Errors
///
/// As for a step; and that a narrower layer may not take the place of what blocks in a wider one.
pub fn supersede(
    engine: &Engine,
    caller: &Caller,
    old: &str,
    new: &str,
    reason: &str,
) -> Result<Written> {
    writable(engine)?;
    let catalogue = Library::look(engine, caller);
    let (was, is) = (found(&catalogue, caller, old)?, found(&catalogue, caller, new)?);
    replaceable(was, is)?;
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let mut by = was.item.superseded_by.clone();
    if !by.iter().any(|id| id == new) {
        by.push(new.to_owned());
    }
    let superseded = ItemStatus::Superseded.name();
    let of_old = [("status", text(superseded)), ("supersededBy", Some(Value::List(by)))];
    let of_new = [("status", text(ItemStatus::Accepted.name())), ("supersedes", text(old))];
    let (old_root, new_root) = (&catalogue.roots[was.root], &catalogue.roots[is.root]);
    let subject = format!("knowledge: {new} supersedes {old}");
    let mut batch = Batch::default();
    let new_file = revise(engine, &mut batch, new_root, is, &of_new)?;
    if is_one_repository(old_root, new_root)? {
        revise(engine, &mut batch, old_root, was, &of_old)?;
        let commit = batch.commit(&new_root.dir, &subject, reason)?;
        return Ok(Written { id: new.to_owned(), file: new_file, commit });
    }
    let mut other = Batch::default();
    revise(engine, &mut other, old_root, was, &of_old)?;
    let former = batch.former();
    let commit = batch.commit(&new_root.dir, &subject, reason)?;
    if let Err(error) = other.commit(&old_root.dir, &subject, reason) {
        // What took the place is committed already: a second commit takes that back.
        let (subject, body) = (format!("knowledge: take back that {subject}"), &error.message);
        former.into_batch()?.commit(&new_root.dir, &subject, body)?;
        return Err(error);
    }
    Ok(Written { id: new.to_owned(), file: new_file, commit })
}

/// Refuses that `is` takes the place of `was`.
fn replaceable(was: &Entry, is: &Entry) -> Result<()> {
    let (old, new) = (&was.item.id, &is.item.id);
    if old == new {
        return Err(invalid(format!("{old} cannot take its own place; name another item")));
    }
    legal(was, ItemStatus::Superseded)?;
    if !is.item.is_binding() {
        legal(is, ItemStatus::Accepted)?;
    }
    if let Some(other) = is.item.supersedes.as_ref().filter(|other| *other != old) {
        let message = format!("{new} took the place of {other} already; it can do that for one");
        return Err(Error::new(ErrorKind::Conflict, message));
    }
    let mut constraints = was.item.constraints.iter();
    let blocks = constraints.any(|one| was.item.severity_of(one) == Severity::Block);
    // Layers are ordered narrowest first.
    if blocks && is.item.layer < was.item.layer {
        let (narrow, wide) = (is.item.layer.name(), was.item.layer.name());
        let message = format!(
            "{new} of layer {narrow} may not take the place of {old}, which blocks in layer {wide}: \
             a narrower layer can add rules and strengthen them, not weaken them"
        );
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    Ok(())
}

/// Whether two folders lie in one repository. One that lies in none becomes its own.
fn is_one_repository(one: &Root, other: &Root) -> Result<bool> {
    if one == other {
        return Ok(true);
    }
    let top = |root: &Root| -> Result<Option<PathBuf>> {
        let git = Plain::around(&root.dir).map_err(git_failed)?;
        Ok(git.map(|git| git.top().to_owned()))
    };
    let (one, other) = (top(one)?, top(other)?);
    Ok(one.is_some() && one == other)
}

/// The item of an id, or why there is none.
fn found<'a>(catalogue: &'a Catalogue, caller: &Caller, id: &str) -> Result<&'a Entry> {
    if let Some(entry) = catalogue.find(caller, id) {
        return Ok(entry);
    }
    let is_named = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.strip_suffix(".md") == Some(id)
    };
    let mut failed = catalogue.failed(caller);
    match failed.find(|failure| failure.item.is_none() && is_named(&failure.path)) {
        None => Err(not_found(caller, id)),
        Some(failure) => {
            let file = catalogue.roots[failure.root].dir.join(&failure.path);
            let message = format!("{} cannot be read: {}", file.display(), failure.why);
            Err(Error::new(ErrorKind::Damaged, message))
        }
    }
}

/// Refuses a step that the item cannot take.
fn legal(entry: &Entry, to: ItemStatus) -> Result<()> {
    let item = &entry.item;
    let message = |why| format!("{}: {why}", item.id);
    item.status.step(to).map_err(|why| Error::new(ErrorKind::Conflict, message(why)))?;
    if to == ItemStatus::Accepted {
        followed(item)?;
    }
    Ok(())
}

/// Sets keys of an item's file; all else stays as it is.
fn revise(
    engine: &Engine,
    batch: &mut Batch,
    root: &Root,
    entry: &Entry,
    changes: &[(&str, Option<Value>)],
) -> Result<PathBuf> {
    let file = root.dir.join(&entry.path);
    let damaged =
        |why: String| Error::new(ErrorKind::Damaged, format!("{}: {why}", file.display()));
    let bytes = engine.files.read(&file, BYTES_MAX).map_err(|why| match why {
        FileError::NotFound => damaged("it is not there any more".to_owned()),
        FileError::Unreadable(why) => damaged(why),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| damaged("it should be UTF-8".to_owned()))?;
    let now = item::read(&entry.path, root.layer, &text).ok().flatten();
    if now.is_none_or(|now| now.status != entry.item.status) {
        let message =
            format!("{} was changed by somebody else meanwhile; try again", file.display());
        return Err(Error::new(ErrorKind::Conflict, message));
    }
    let at = Value::Time(engine.clock.now());
    let changes = [changes, &[("updatedAt", Some(at))]].concat();
    let revised = item::revise(&text, &changes).map_err(|flaws| {
        let told: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        damaged(told.join("; "))
    })?;
    batch.replace(&file, text, &revised)?;
    Ok(file)
}

pub(super) fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidValue, message)
}
