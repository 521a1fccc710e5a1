//! How much lies where: kept up to date, so that no search has to count.

use super::{ARCHIVED, Index, NONE};

/// How many texts lie in a home, and how many terms they have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) texts: u64,
    pub(super) length: u64,
}

impl Tally {
    pub(super) fn and(self, other: Self) -> Self {
        Self { texts: self.texts + other.texts, length: self.length + other.length }
    }

    /// How many terms a text has on average.
    pub(super) fn mean(self) -> f32 {
        self.length as f32 / self.texts.max(1) as f32
    }
}

impl Index {
    /// The slot lies in this place from now on, [`NONE`] if it is not in use any more.
    pub(super) fn settle(&mut self, slot: usize, place: u32) {
        let length = self.postings.length(slot);
        let before = std::mem::replace(&mut self.places[slot], place);
        if before != NONE {
            let tally = &mut self.tallies[(before & !ARCHIVED) as usize];
            *tally = Tally { texts: tally.texts - 1, length: tally.length - length };
        }
        if place != NONE {
            let tally = &mut self.tallies[(place & !ARCHIVED) as usize];
            *tally = tally.and(Tally { texts: 1, length });
        }
    }

    /// What lies where, counted anew.
    pub(super) fn count(&mut self) {
        self.tallies = vec![Tally::default(); self.homes.len()];
        for (slot, place) in self.places.iter().enumerate().filter(|(_, place)| **place != NONE) {
            let length = self.postings.length(slot);
            if let Some(tally) = self.tallies.get_mut((place & !ARCHIVED) as usize) {
                *tally = tally.and(Tally { texts: 1, length });
            }
        }
    }
}
