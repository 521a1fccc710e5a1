//! A clock and ids that tests decide on, and an engine on a store of its own.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use model::{MemoryId, Timestamp, time};

use crate::{Clock, Engine, Ids, Limits, Meaning, Setup};

/// A clock that goes on by one second whenever it is asked, from 2026-01-01.
#[derive(Debug)]
pub struct TickingClock(AtomicI64);

/// 2026-01-01T00:00:00Z.
const START_MICROS: i64 = 1_767_225_600_000_000;

impl Default for TickingClock {
    fn default() -> Self {
        Self(AtomicI64::new(START_MICROS))
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        time::from_micros(self.0.fetch_add(1_000_000, Ordering::Relaxed)).unwrap_or_default()
    }
}

/// Ids that count up: the first ends in 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn memory_id(&self) -> MemoryId {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        MemoryId::from_random(bytes)
    }
}

/// An engine with a ticking clock and counting ids on the store in `dir`.
pub fn engine(dir: &std::path::Path, limits: Limits) -> crate::Result<Engine> {
    let setup = Setup {
        clock: Box::<TickingClock>::default(),
        ids: Box::<CountingIds>::default(),
        meaning: Meaning::BuiltIn,
        limits,
        read_only: false,
        keeps_index: false,
    };
    Engine::open(dir, setup)
}
