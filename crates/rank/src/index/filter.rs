//! Which slots a search may look at.

use std::collections::HashSet;

use model::Scope;

use super::{ARCHIVED, Index, NONE};
use crate::bits::Bits;

/// What an entry must be like to be looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter<'a> {
    /// It lies in one of these.
    pub scopes: &'a [Scope],
    /// Archived entries count too.
    pub archived: bool,
    /// It has at least one of these; none means any entry.
    pub tags_any: &'a [String],
    /// It has one of these keys; `None` means any entry.
    pub keys: Option<&'a HashSet<i64>>,
}

impl Index {
    /// The slots that a filter lets through.
    pub(super) fn allowed(&self, filter: &Filter<'_>) -> Bits {
        let mut open = vec![false; self.scopes.len()];
        for id in filter.scopes.iter().filter_map(|scope| self.scope_ids.get(scope)) {
            open[*id as usize] = true;
        }
        let ignored = if filter.archived { ARCHIVED } else { 0 };
        let passes = |slot: usize| {
            let place = self.places[slot];
            place != NONE
                && open.get((place & !ignored) as usize).is_some_and(|open| *open)
                && filter.keys.is_none_or(|keys| keys.contains(&self.slots[slot].key))
        };
        if filter.tags_any.is_empty() {
            return Bits::filled(self.slots.len(), passes);
        }
        let mut allowed = Bits::none(self.slots.len());
        for id in filter.tags_any.iter().filter_map(|tag| self.tag_ids.get(tag.as_str())) {
            for slot in &self.tagged[*id as usize] {
                let slot = *slot as usize;
                // It may have lost the tag since.
                if self.tags[slot].contains(id) && passes(slot) {
                    allowed.insert(slot);
                }
            }
        }
        allowed
    }
}
