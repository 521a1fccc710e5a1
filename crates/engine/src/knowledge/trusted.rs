//! How far items are trusted, and which of them wait for a person's word.
//!
//! An item is as good as its repository if git holds it as it is; one that lies there uncommitted may
//! be anybody's, and is trusted like an agent. Whether it reads like an order is asked of either: a
//! repository that was cloned is not one that anybody here has read.

use std::collections::HashSet;
use std::sync::Arc;

use ledger::plain;
use model::{Caller, Item, Scope, Timestamp, TrustLevel, time};

use super::library::{BYTES_MAX, Catalogue};
use super::{Entry, Library, Root, pointer};
use crate::trust::{self, Caution, Flagged};
use crate::{Engine, Result, secrets};

/// How far each of these items of a folder is trusted.
pub(super) fn levels(engine: &Engine, root: &Root, entries: &[&Entry]) -> Vec<TrustLevel> {
    let said = |entry: &&Entry| {
        let content = engine.files.read(&root.dir.join(&entry.path), BYTES_MAX).ok()?;
        Some((entry.path.clone(), ledger::blob_id(&content)))
    };
    let files: Vec<_> = entries.iter().filter_map(said).collect();
    let held = plain::committed(&root.dir, &files);
    let most = if root.project.is_none() { engine.home_trust_max } else { TrustLevel::Person };
    let level = |entry: &&Entry| match held.contains(&entry.path) {
        true => TrustLevel::Repository.min(most),
        false => TrustLevel::Agent,
    };
    entries.iter().map(level).collect()
}

/// What is known of the trust in the caller's items, as they are now.
pub struct Trusted<'e> {
    engine: &'e Engine,
    caller: &'e Caller,
    catalogue: Arc<Catalogue>,
}

/// An item with what a person judges of it.
struct Judged {
    scope: Scope,
    /// What agents are told of it unasked, and by searches.
    told: String,
    /// All that it says.
    whole: String,
}

impl<'e> Trusted<'e> {
    /// Looks at the caller's items.
    pub fn look(engine: &'e Engine, caller: &'e Caller) -> Self {
        Self { engine, caller, catalogue: Library::look(engine, caller) }
    }

    /// What who reads what is told of an item must know.
    pub fn caution(&self, item: &Item) -> Caution {
        self.order(item, |judged| judged.told)
    }

    /// What who reads all of an item must know.
    pub fn caution_of_all(&self, item: &Item) -> Caution {
        self.order(item, |judged| judged.whole)
    }

    fn order(&self, item: &Item, text: impl Fn(Judged) -> String) -> Caution {
        let order = match self.find(&item.id) {
            Some(judged) => {
                let scope = judged.scope.clone();
                trust::asked_of(self.engine, &scope, &text(judged))
            }
            // It was there a moment ago: the rules alone tell.
            None => trust::reads_like(self.engine, &whole(item)),
        };
        Caution { order, ..Caution::default() }
    }

    /// Those that an agent is told unasked, as many as are wanted.
    pub(crate) fn told(&self, items: &[Arc<Item>], max: usize) -> Result<Vec<Arc<Item>>> {
        let mut told = Vec::new();
        for some in items.chunks(max.max(1)) {
            let trusted = self.trusted(some);
            for item in some.iter().filter(|item| trusted.contains(&item.id)) {
                if told.len() < max && self.is_told(item)? {
                    told.push(Arc::clone(item));
                }
            }
            if told.len() == max {
                break;
            }
        }
        Ok(told)
    }

    fn is_told(&self, item: &Item) -> Result<bool> {
        let Some(judged) = self.find(&item.id) else { return Ok(false) };
        trust::is_text_told(self.engine, &judged.scope, &judged.told)
    }

    /// The ids of those that come from somebody trusted enough. Git is asked only where it matters:
    /// all items are an agent's or better.
    fn trusted(&self, items: &[Arc<Item>]) -> HashSet<String> {
        let least = self.engine.injects_from;
        if least <= TrustLevel::Agent {
            return items.iter().map(|item| item.id.clone()).collect();
        }
        let entries = items.iter().filter_map(|item| self.catalogue.find(self.caller, &item.id));
        let entries: Vec<&Entry> = entries.collect();
        let mut found = HashSet::new();
        for (number, root) in self.catalogue.roots.iter().enumerate() {
            let of_root = entries.iter().copied().filter(|entry| entry.root == number);
            let of_root: Vec<&Entry> = of_root.collect();
            let levels = levels(self.engine, root, &of_root).into_iter();
            let good = of_root.iter().zip(levels).filter(|(_, level)| *level >= least);
            found.extend(good.map(|(entry, _)| entry.item.id.clone()));
        }
        found
    }

    /// Those that wait for a person's word.
    pub(crate) fn flagged(&self) -> Result<Vec<Flagged>> {
        let mut found = Vec::new();
        for (_, entry) in self.catalogue.open(self.caller) {
            let judged = self.judged(entry);
            let parts = [judged.told, judged.whole];
            for text in parts {
                if let Some(why) = trust::waiting(self.engine, &judged.scope, &text)? {
                    let (id, scope) = (entry.item.id.clone(), judged.scope);
                    let from = format!("{} of knowledge, {}", entry.item.kind.name(), entry.path);
                    let at = moment(entry);
                    found.push(Flagged { id, scope, text, why, from, at });
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Where the item of this id lies, and what a person judges of it.
    pub(crate) fn texts(&self, id: &str) -> Option<(Scope, Vec<String>)> {
        let Judged { scope, told, whole } = self.find(id)?;
        Some((scope, vec![told, whole]))
    }

    fn find(&self, id: &str) -> Option<Judged> {
        self.catalogue.find(self.caller, id).map(|entry| self.judged(entry))
    }

    fn judged(&self, entry: &Entry) -> Judged {
        let item = &entry.item;
        let (mut told, mut tags) = (pointer::told(item), item.tags.clone());
        // As the pointer to it has them.
        for text in tags.iter_mut().chain([&mut told]) {
            secrets::take(self.engine.secrets, text);
        }
        let scope = self.catalogue.scope(entry);
        let named = |text: &str| pointer::named(self.engine, text, &item.id, &tags).into_owned();
        Judged { scope, told: named(&told), whole: named(&whole(item)) }
    }
}

/// All that an item says to who reads it.
fn whole(item: &Item) -> String {
    let mut text = format!("{}\n{}\n{}", item.title, item.summary, item.content);
    for message in item.constraints.iter().filter_map(|constraint| constraint.message.as_ref()) {
        text.push('\n');
        text.push_str(message);
    }
    text
}

fn moment(entry: &Entry) -> Timestamp {
    let of_file = time::from_micros(entry.modified / 1_000).unwrap_or_default();
    entry.item.updated_at.unwrap_or(of_file)
}
