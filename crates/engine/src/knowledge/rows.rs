//! The rows that syncs leave, and whose they are.
//!
//! A row's key is the id of its item. Owners who see nothing of each other may use the same id: whoever
//! comes second has its layer and name behind it, so that no sync touches the row of another owner.

use std::collections::{HashMap, HashSet};

use model::{Item, Layer, SyncedItem};
use store::KnownItem;

use super::library::Entry;

/// What stands between an id and its owner in a key; no id has it.
const BEHIND: char = '@';

/// Whose item of which id it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place<'a> {
    id: &'a str,
    layer: Layer,
    owner: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) fn of(item: &'a Item) -> Self {
        Self { id: &item.id, layer: item.layer, owner: item.owner.as_deref() }
    }

    pub(super) fn of_row(row: &'a SyncedItem) -> Self {
        Self { id: id_of(&row.id), layer: row.layer, owner: row.owner.as_deref() }
    }
}

/// The id that a key begins with.
fn id_of(key: &str) -> &str {
    key.split(BEHIND).next().unwrap_or(key)
}

/// The rows of a folder that no item was found for yet, by their ids.
pub(super) struct Rows<'a> {
    by_id: HashMap<&'a str, Vec<&'a KnownItem>>,
    keys: HashSet<&'a str>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(known: &'a [KnownItem]) -> Self {
        let mut by_id: HashMap<&str, Vec<&KnownItem>> = HashMap::new();
        for known in known {
            by_id.entry(id_of(&known.item.id)).or_default().push(known);
        }
        Self { by_id, keys: known.iter().map(|known| known.item.id.as_str()).collect() }
    }

    /// The row of an item, if it has one, and the key that it has or is to have. The row of an item
    /// that is not `there` any more is that of one that moved.
    pub(super) fn take(
        &mut self,
        entry: &Entry,
        there: &HashSet<Place<'_>>,
    ) -> (Option<&'a KnownItem>, String) {
        let place = Place::of(&entry.item);
        let rows = self.by_id.get_mut(place.id);
        let row = rows.and_then(|rows| {
            let own = rows.iter().position(|row| Place::of_row(&row.item) == place);
            let moved = || rows.iter().position(|row| !there.contains(&Place::of_row(&row.item)));
            own.or_else(moved).map(|at| rows.swap_remove(at))
        });
        let is_own = |row: &&KnownItem| Place::of_row(&row.item) == place;
        let is_free = |row: Option<&KnownItem>| {
            row.is_some_and(|row| row.item.id == place.id) || !self.keys.contains(place.id)
        };
        let key = match row {
            Some(row) if is_own(&row) => row.item.id.clone(),
            row if is_free(row) => place.id.to_owned(),
            _ => {
                let owner = place.owner.unwrap_or_default();
                format!("{}{BEHIND}{}:{owner}", place.id, place.layer.name())
            }
        };
        (row, key)
    }

    /// The rows for which no item was found.
    pub(super) fn left(self) -> impl Iterator<Item = &'a KnownItem> {
        self.by_id.into_values().flatten()
    }
}
