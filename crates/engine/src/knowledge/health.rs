//! What about the knowledge is worth a look, though every file can be read.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger::item;
use ledger::plain::Plain;
use model::time::{self, Date};
use model::{Caller, Constraint, ContentHash, Item, ItemKind, ItemStatus, Waiver};
use store::KnownItem;

use super::library::{Catalogue, Entry, seal};
use super::rows::Place;
use super::sync::is_altered;
use super::{Choice, Library, Root, git_failed, rules};
use crate::{Engine, Result, secrets};

/// So many commits of an item are looked at.
const COMMITS_MAX: usize = 200;

/// Accepted decisions whose text is not the one that was accepted, by id, with their files. What was
/// accepted the store knows if it was synced since, else git.
pub fn altered(engine: &Engine, caller: &Caller) -> Result<Vec<(String, PathBuf)>> {
    let catalogue = Library::look(engine, caller);
    let mut altered = Vec::new();
    for (number, root) in catalogue.roots.iter().enumerate() {
        let (known, _) = engine.store.synced_items(&root.name)?;
        let known: HashMap<Place<'_>, &KnownItem> =
            known.iter().map(|known| (Place::of_row(&known.item), known)).collect();
        let sealed = sealed(&catalogue, caller, number);
        let (seen, unseen): (Vec<&Entry>, Vec<&Entry>) = sealed.into_iter().partition(|entry| {
            let known = known.get(&Place::of(&entry.item));
            known.is_some_and(|known| known.item.seal.is_some())
        });
        let is_altered = |entry: &&Entry| {
            let known = known.get(&Place::of(&entry.item));
            known.is_some_and(|known| is_altered(entry, &known.item))
        };
        let mut found: Vec<&Entry> = seen.into_iter().filter(is_altered).collect();
        found.extend(altered_by_git(root, unseen)?);
        let told = |entry: &Entry| (entry.item.id.clone(), root.dir.join(&entry.path));
        altered.extend(found.into_iter().map(told));
    }
    altered.sort_unstable();
    Ok(altered)
}

/// Items that were synced and that no file says any more, by id, with the files that did. A file that
/// cannot be read is told of as that.
pub fn vanished(engine: &Engine, caller: &Caller) -> Result<Vec<(String, PathBuf)>> {
    let catalogue = Library::look(engine, caller);
    let mut vanished = Vec::new();
    for (number, root) in catalogue.roots.iter().enumerate() {
        let there = catalogue.entries.iter().filter(|entry| entry.root == number);
        let there: HashSet<Place<'_>> = there.map(|entry| Place::of(&entry.item)).collect();
        let is_broken = |path: &str| {
            catalogue.failures.iter().any(|failure| failure.root == number && failure.path == path)
        };
        let (known, _) = engine.store.synced_items(&root.name)?;
        let known = known.iter().map(|known| &known.item).filter(|item| {
            caller.identity.knows(item.layer, item.owner.as_deref())
                && !there.contains(&Place::of_row(item))
                && !is_broken(&item.path)
        });
        vanished.extend(known.map(|item| (item.id.clone(), root.dir.join(&item.path))));
    }
    vanished.sort_unstable();
    Ok(vanished)
}

/// The decisions of a folder whose text may not change any more.
fn sealed<'a>(catalogue: &'a Catalogue, caller: &Caller, root: usize) -> Vec<&'a Entry> {
    let entries = catalogue.open(caller).map(|(_, entry)| entry);
    entries.filter(|entry| entry.root == root && entry.is_sealed()).collect()
}

/// Those of a folder whose text git knows otherwise.
fn altered_by_git<'a>(root: &Root, entries: Vec<&'a Entry>) -> Result<Vec<&'a Entry>> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let Some(git) = Plain::around(&root.dir).map_err(git_failed)? else { return Ok(Vec::new()) };
    let mut altered = Vec::new();
    for entry in entries {
        let file = root.dir.join(&entry.path);
        let accepted = accepted(&git, root, &entry.path, &file).map_err(git_failed)?;
        if accepted.is_some_and(|seal| seal != entry.seal) {
            altered.push(entry);
        }
    }
    Ok(altered)
}

/// The text with which a decision became what it is now, by git: that of the first commit since
/// which every one has it accepted. None if it never was.
fn accepted(
    git: &Plain,
    root: &Root,
    path: &str,
    file: &Path,
) -> ledger::Result<Option<ContentHash>> {
    let mut accepted = None;
    for commit in git.log(file, COMMITS_MAX)? {
        let Some(bytes) = git.show(&commit.id.to_string(), file)? else { break };
        let text = String::from_utf8_lossy(&bytes);
        let Ok(Some(item)) = item::read(path, root.layer, &text) else { break };
        if item.status != ItemStatus::Accepted || item.kind != ItemKind::Adr {
            break;
        }
        accepted = Some(seal(&item));
    }
    Ok(accepted)
}

/// A waiver and how long it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Lapse {
    /// Whose waiver it is.
    pub item: Arc<Item>,
    /// The waiver.
    pub waiver: Waiver,
    /// How many days it holds after today; fewer than none if it ran out.
    pub days_left: i32,
}

/// The waivers of binding items that ran out, or do so within so many days; the first to go first.
pub fn lapses(engine: &Engine, caller: &Caller, within: i32) -> Vec<Lapse> {
    let today = time::day(engine.clock.now());
    let catalogue = Library::look(engine, caller);
    let binding = catalogue.open(caller).filter(|(_, entry)| entry.item.is_binding());
    let mut lapses: Vec<Lapse> = binding
        .flat_map(|(_, entry)| entry.item.waivers.iter().map(|waiver| (&entry.item, waiver)))
        .map(|(item, waiver)| Lapse {
            item: Arc::clone(item),
            waiver: waiver.clone(),
            days_left: days(today, waiver.until),
        })
        .filter(|lapse| lapse.days_left <= within)
        .collect();
    lapses.sort_by_key(|lapse| lapse.days_left);
    lapses
}

/// How many days it is from one to the other; fewer than none if the other was before.
pub fn days(from: Date, to: Date) -> i32 {
    from.until(to).map_or(i32::MAX, |span| span.get_days())
}

/// Two binding items that ask for opposite things, the one of the wider layer first.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The items, each with its constraint.
    pub sides: [(Arc<Item>, Constraint); 2],
}

/// The binding items that contradict each other: of the same things one asks for what the other
/// forbids.
pub fn contradictions(engine: &Engine, caller: &Caller) -> Result<Vec<Contradiction>> {
    let rules = rules(engine, caller, &Choice::Binding)?;
    let side = |(item, constraint): (usize, usize)| {
        let item = &rules.items()[item];
        let mut constraint = item.constraints[constraint].clone();
        secrets::take(engine.secrets, &mut constraint.pattern);
        (Arc::clone(item), constraint)
    };
    let contradiction = |sides: [(usize, usize); 2]| {
        let mut sides = sides.map(side);
        sides.sort_by_key(|(item, _)| std::cmp::Reverse(item.layer));
        Contradiction { sides }
    };
    let mut found: Vec<Contradiction> =
        rules.contradictions().into_iter().map(contradiction).collect();
    found.sort_by_cached_key(|one| {
        one.sides.clone().map(|(item, constraint)| (item.id.clone(), constraint.pattern))
    });
    Ok(found)
}
