//! A clock, ids and a model that tests decide on, and an engine on a store of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use model::scope::OwnerId;
use model::{Caller, Identity, Layer, MemoryId, Role, Timestamp, time};

use crate::{
    BuiltIn, Calibration, Clock, Embedder, Embedding, Engine, Ids, Limits, Meaning, Purpose, Setup,
};

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

impl CountingIds {
    /// Ids that count up from behind `number`, for a second engine on the same store.
    pub fn behind(number: u64) -> Self {
        Self(AtomicU64::new(number))
    }
}

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
    Engine::open(dir, Setup { limits, ..setup(Meaning::BuiltIn) })
}

/// An admin with the id `me` in every layer.
pub fn everybody() -> Caller {
    let me = || OwnerId::nearest("me");
    let open = Layer::ALL.into_iter().filter_map(|layer| Some((layer, me()?)));
    let identity = open.fold(Identity::default(), |identity, (layer, id)| identity.with(layer, id));
    Caller { identity, role: Role::Admin }
}

/// A set-up with a ticking clock and counting ids, without limits.
pub fn setup(meaning: Meaning) -> Setup {
    Setup {
        clock: Box::<TickingClock>::default(),
        ids: Box::<CountingIds>::default(),
        meaning,
        limits: Limits::default(),
        read_only: false,
        keeps_index: false,
        keeps_queries: true,
    }
}

/// A model that knows words which the built-in one does not, and has other vectors of the same
/// cosines for all else. It is out of reach whenever a test says so.
#[derive(Debug, Clone, Default)]
pub struct FakeModel {
    /// Pairs of a word, and of one that the built-in model knows it by.
    pub words: &'static [(&'static str, &'static str)],
    /// Whether it is out of reach.
    pub fails: Arc<AtomicBool>,
    /// Whether nobody knows yet what its cosines weigh.
    pub is_unweighed: bool,
    /// How many texts it has embedded.
    pub embedded: Arc<AtomicU64>,
}

impl FakeModel {
    /// Its id.
    pub const ID: &'static str = "fake-model-v1";
}

impl Embedder for FakeModel {
    fn model(&self) -> &str {
        Self::ID
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String> {
        if self.fails.load(Ordering::Relaxed) {
            return Err("the fake model is out of reach".to_owned());
        }
        self.embedded.fetch_add(texts.len() as u64, Ordering::Relaxed);
        let known = |text: &&str| {
            let known = |text: String, (word, known): &(&str, &str)| text.replace(word, known);
            self.words.iter().fold((*text).to_owned(), known)
        };
        let texts: Vec<String> = texts.iter().map(known).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let turned = |vector: Embedding| {
            let numbers = vector.as_slice();
            Embedding::towards(numbers.iter().rev().chain(&[0.0; 16]).copied().collect::<Vec<_>>())
        };
        let vectors = BuiltIn.embed(&texts, purpose)?;
        Ok(vectors.into_iter().map(|vector| vector.and_then(turned)).collect())
    }

    fn calibration(&self) -> Option<Calibration> {
        (!self.is_unweighed).then_some(Calibration::BUILT_IN)
    }
}
