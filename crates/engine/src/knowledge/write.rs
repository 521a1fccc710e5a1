//! Changing items: new ones, and the steps of their lives. Each change is one commit.

use std::path::{Path, PathBuf};

use ledger::item::{self, Value};
use ledger::plain::Plain;
use model::knowledge::{ITEM_ID_CHARS_MAX, is_item_id};
use model::time::rfc3339;
use model::{Caller, Item, ItemKind, ItemStatus, Layer, Severity, Timestamp};

use super::library::{Catalogue, Entry};
use super::{Library, Root, git_failed, not_found, root_for};
use crate::{Engine, Error, ErrorKind, Result};

/// An item that is to be.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// Its id; none means one made of kind, number and title.
    pub id: Option<String>,
    /// What it is.
    pub kind: ItemKind,
    /// How far it reaches.
    pub layer: Layer,
    /// In one line.
    pub title: String,
    /// In a sentence or two.
    pub summary: String,
    /// Where it stands.
    pub status: ItemStatus,
    /// How much its constraints weigh.
    pub severity: Severity,
    /// Tags.
    pub tags: Vec<String>,
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

/// What became of something that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// It is an item now.
    New(Written),
    /// An item of that id is there already, and stays.
    Known(String),
}

/// Writes a new item and commits it.
pub fn create(engine: &Engine, caller: &Caller, new: NewItem) -> Result<Written> {
    let title = new.title.clone();
    let (id, file, root) = put(engine, caller, new, true)?;
    let commit = commit(&root, &[file.clone()], &format!("knowledge: add {id}"), &title)?;
    Ok(Written { id, file, commit })
}

/// Writes what comes from elsewhere, in one commit. An item that is there already stays as it is, so
/// that the same import twice adds nothing.
pub fn import(
    engine: &Engine,
    caller: &Caller,
    items: Vec<NewItem>,
    from: &str,
) -> Result<Vec<Imported>> {
    let catalogue = Library::look(engine, caller);
    let (mut imported, mut files, mut root) = (Vec::new(), Vec::new(), None);
    for new in items {
        let known = new.id.as_ref().filter(|id| catalogue.has(id));
        if let Some(id) = known {
            imported.push(Imported::Known(id.clone()));
            continue;
        }
        let (id, file, at) = put(engine, caller, new, false)?;
        files.push(file.clone());
        root = Some(at);
        imported.push(Imported::New(Written { id, file, commit: None }));
    }
    let Some(root) = root else { return Ok(imported) };
    let subject = format!("knowledge: import {} items from {from}", files.len());
    let made = commit(&root, &files, &subject, "")?;
    for one in &mut imported {
        if let Imported::New(written) = one {
            written.commit.clone_from(&made);
        }
    }
    Ok(imported)
}

fn put(
    engine: &Engine,
    caller: &Caller,
    new: NewItem,
    checks: bool,
) -> Result<(String, PathBuf, Root)> {
    let layer = new.layer;
    let owner = owner(caller, layer)?;
    let root = root_for(engine, caller, layer)
        .ok_or_else(|| Error::new(ErrorKind::NotFound, "there is no knowledge folder"))?;
    let catalogue = Library::look(engine, caller);
    let id = new.id.clone().unwrap_or_else(|| named(&catalogue, new.kind, &new.title));
    if !is_item_id(&id) {
        let takes = "letters, digits, '-', '_' and '.'";
        return Err(invalid(format!("id {id:?} should be 1 to {ITEM_ID_CHARS_MAX} of {takes}")));
    }
    if checks && catalogue.has(&id) {
        let message = format!("there is an item {id:?} already; give this one another --id");
        return Err(Error::new(ErrorKind::Conflict, message));
    }
    let now = engine.clock.now();
    let item = Item {
        id: id.clone(),
        kind: new.kind,
        layer,
        owner,
        title: new.title,
        summary: new.summary,
        status: new.status,
        severity: new.severity,
        tags: new.tags,
        metadata: new.metadata,
        created_at: Some(new.created_at.unwrap_or(now)),
        updated_at: Some(now),
        version: None,
        supersedes: new.supersedes,
        superseded_by: new.superseded_by,
        constraints: Vec::new(),
        waivers: Vec::new(),
        flaws: Vec::new(),
        content: new.content,
    };
    let path = match root.layer {
        Some(own) if own == layer => format!("{}/{id}.md", item.kind.folder()),
        _ => item.path(),
    };
    let file = root.dir.join(path);
    item::save(&file, &item::write(&item)).map_err(git_failed)?;
    Ok((id, file, root))
}

/// The id that the caller named for a layer; nobody's folder if it named none.
fn owner(caller: &Caller, layer: Layer) -> Result<Option<String>> {
    if caller.identity.id(layer).is_none() {
        let name = layer.name();
        let message =
            format!("layer {name} is closed to this caller: its identity names no {name} id");
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    Ok(caller.identity.named(layer).map(|id| id.as_str().to_owned()))
}

/// An id of kind, number and title that no item has.
fn named(catalogue: &Catalogue, kind: ItemKind, title: &str) -> String {
    let prefix = format!("{}-", kind.name());
    let number = |id: &str| {
        let rest = id.strip_prefix(&prefix)?;
        rest.split('-').next()?.parse::<u32>().ok()
    };
    let last = catalogue.entries.iter().filter_map(|entry| number(&entry.item.id)).max();
    let number = last.unwrap_or(0).saturating_add(1);
    match slug(title).as_str() {
        "" => format!("{prefix}{number:03}"),
        slug => format!("{prefix}{number:03}-{slug}"),
    }
}

/// A title as part of an id: its words in small letters, with dashes between.
pub(crate) fn slug(title: &str) -> String {
    let folded = title.to_lowercase();
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        if slug.len() + word.len() > 60 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    slug
}

/// Takes a step in an item's life and commits it.
pub fn advance(engine: &Engine, caller: &Caller, step: &Step) -> Result<Written> {
    if step.to == ItemStatus::Superseded {
        let message = "an item is superseded by another; name that one";
        return Err(Error::new(ErrorKind::InvalidValue, message));
    }
    let catalogue = Library::look(engine, caller);
    let entry = found(&catalogue, caller, &step.id)?;
    legal(entry, step.to)?;
    let root = &catalogue.roots[entry.root];
    let status = [("status", Some(Value::Text(step.to.name().to_owned())))];
    let file = revise(engine, root, entry, &status)?;
    let verb = match step.to {
        ItemStatus::Draft => "draft",
        ItemStatus::Proposed => "propose",
        ItemStatus::Accepted => "accept",
        ItemStatus::Rejected => "reject",
        ItemStatus::Deprecated => "deprecate",
        ItemStatus::Superseded => "supersede",
    };
    let subject = format!("knowledge: {verb} {}", step.id);
    let commit = commit(root, &[file.clone()], &subject, &step.reason)?;
    Ok(Written { id: step.id.clone(), file, commit })
}

/// Lets `new` take the place of `old`, in one commit. A proposed item is accepted by that.
pub fn supersede(
    engine: &Engine,
    caller: &Caller,
    old: &str,
    new: &str,
    reason: &str,
) -> Result<Written> {
    let catalogue = Library::look(engine, caller);
    let (was, is) = (found(&catalogue, caller, old)?, found(&catalogue, caller, new)?);
    legal(was, ItemStatus::Superseded)?;
    if old == new {
        return Err(invalid(format!("{old} cannot take its own place; name another item")));
    }
    if !is.item.is_binding() {
        legal(is, ItemStatus::Accepted)?;
    }
    let blocks =
        was.item.constraints.iter().any(|one| was.item.severity_of(one) == Severity::Block);
    // Layers are ordered narrowest first.
    if blocks && is.item.layer < was.item.layer {
        let (narrow, wide) = (is.item.layer.name(), was.item.layer.name());
        let message = format!(
            "{new} of layer {narrow} may not take the place of {old}, which blocks in layer {wide}: \
             a narrower layer can add rules and strengthen them, not weaken them"
        );
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    let (old_root, new_root) = (&catalogue.roots[was.root], &catalogue.roots[is.root]);
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let mut by = was.item.superseded_by.clone();
    by.push(new.to_owned());
    let superseded = ItemStatus::Superseded.name();
    let changes = [("status", text(superseded)), ("supersededBy", Some(Value::List(by)))];
    let old_file = revise(engine, old_root, was, &changes)?;
    let changes = [("status", text(ItemStatus::Accepted.name())), ("supersedes", text(old))];
    let new_file = revise(engine, new_root, is, &changes)?;
    let subject = format!("knowledge: {new} supersedes {old}");
    let commit = if old_root == new_root {
        commit(old_root, &[old_file, new_file.clone()], &subject, reason)?
    } else {
        // Two repositories, two commits: what took the place first.
        let made = commit(new_root, &[new_file.clone()], &subject, reason)?;
        commit(old_root, &[old_file], &subject, reason)?;
        made
    };
    Ok(Written { id: new.to_owned(), file: new_file, commit })
}

fn found<'a>(catalogue: &'a Catalogue, caller: &Caller, id: &str) -> Result<&'a Entry> {
    catalogue.find(caller, id).ok_or_else(|| not_found(caller, id))
}

fn legal(entry: &Entry, to: ItemStatus) -> Result<()> {
    let item = &entry.item;
    let message = |why| format!("{}: {why}", item.id);
    item.status.step(to).map_err(|why| Error::new(ErrorKind::Conflict, message(why)))
}

/// Sets keys of an item's file; all else stays as it is.
fn revise(
    engine: &Engine,
    root: &Root,
    entry: &Entry,
    changes: &[(&str, Option<Value>)],
) -> Result<PathBuf> {
    let file = root.dir.join(&entry.path);
    let bytes = engine.files.read(&file, u64::MAX - 1).map_err(|why| unreadable(&file, &why))?;
    let now = Value::Text(rfc3339(engine.clock.now()));
    let changes = [changes, &[("updatedAt", Some(now))]].concat();
    let text = String::from_utf8_lossy(&bytes);
    let revised = item::revise(&text, &changes).map_err(|flaws| {
        let told: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        Error::new(ErrorKind::Damaged, format!("{}: {}", file.display(), told.join("; ")))
    })?;
    item::save(&file, &revised).map_err(git_failed)?;
    Ok(file)
}

fn unreadable(file: &Path, why: &crate::ports::FileError) -> Error {
    Error::new(ErrorKind::Storage, format!("{}: {why:?}", file.display()))
}

/// Commits files of a folder in whatever repository it lies in; if in none, in one of its own.
fn commit(root: &Root, files: &[PathBuf], subject: &str, body: &str) -> Result<Option<String>> {
    let git = Plain::around_or_new(&root.dir).map_err(git_failed)?;
    git.commit(files, subject, body).map_err(git_failed)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidValue, message)
}
