//! Filling a store with sentences: by the verb that every memory comes in by, from many threads, so
//! that one sync serves many.
//!
//! Sentences come in sessions of some, each in one place. Four fifths of the places are the caller's
//! own, the rest belong to others, so that a search has something to leave out.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow};
use engine::memory::{self, NewMemory, Place};
use engine::{Clock, Engine, Limits, Meaning, Setup};
use model::{Caller, Identity, Importance, Kind, Layer, Metadata, Origin, Role, Timestamp, time};
use providers::{LocalFiles, RandomIds};

use super::sentences::{Dice, Sentences};

/// So many wait for one sync.
const THREADS: usize = 96;

/// How many sentences are said in one session.
const SESSION: u64 = 16;

/// How many projects and users there are beside the caller's.
const OTHERS: usize = 20;

/// The first memory's time, and how long after it the next one comes.
const BEGIN_MICROS: i64 = 1_700_000_000_000_000;
const STEP_MICROS: i64 = 10_000_000;

/// Whose searches are measured.
pub(super) const CALLER: [(Layer, &str); 5] = [
    (Layer::Agent, "scout"),
    (Layer::User, "ada"),
    (Layer::Project, "atlas"),
    (Layer::Team, "core"),
    (Layer::Org, "acme"),
];

/// The layer in which the caller has one memory only.
pub(super) const ALONE: Layer = Layer::Agent;

/// An engine on the store in `dir`, for filling it.
pub(in crate::commands::bench) fn open(dir: &Path) -> Result<Engine> {
    let setup = Setup {
        clock: Box::new(Calendar(AtomicI64::new(BEGIN_MICROS))),
        ids: Box::new(RandomIds),
        files: Box::<LocalFiles>::default(),
        meaning: Meaning::BuiltIn,
        limits: Limits::default(),
        read_only: false,
        keeps_index: false,
        keeps_queries: false,
        audits_reads: false,
        injects_from: model::TrustLevel::Agent,
        store_trust_max: model::TrustLevel::Person,
        trust: model::Trust::Open,
        secrets: engine::secrets::Policy::default(),
        knowledge_dir: None,
        outside: engine::Outside::default(),
        backups: engine::Rhythm::NEVER,
    };
    Ok(Engine::open(dir, setup)?)
}

/// Days go by while a store is filled, as they would have.
struct Calendar(AtomicI64);

impl Clock for Calendar {
    fn now(&self) -> Timestamp {
        let micros = self.0.fetch_add(STEP_MICROS, Ordering::Relaxed);
        time::from_micros(micros).unwrap_or_default()
    }
}

/// The one memory of [`ALONE`].
pub(super) fn put_alone(engine: &Engine, sentences: &Sentences) -> Result<()> {
    put(engine, &caller(&CALLER)?, ALONE, new(sentences, u64::MAX))
}

/// Puts the sentences `from..to` into the store.
pub(super) fn fill(engine: &Engine, sentences: &Sentences, from: u64, to: u64) -> Result<()> {
    let next = AtomicU64::new(from / SESSION);
    let work = || -> Result<()> {
        loop {
            let session = next.fetch_add(1, Ordering::Relaxed);
            let (first, end) = (from.max(session * SESSION), to.min((session + 1) * SESSION));
            if first >= to {
                return Ok(());
            }
            let (caller, layer) = place(session)?;
            for number in first..end {
                put(engine, &caller, layer, new(sentences, number))?;
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| anyhow!("a thread panicked"))?)
    })
}

/// Who says what is said in a session, and in which layer.
fn place(session: u64) -> Result<(Caller, Layer)> {
    let dice = &mut Dice::of(session.rotate_left(24));
    let layer = match dice.below(100) {
        0..45 => Layer::Project,
        45..60 => Layer::User,
        60..70 => Layer::Team,
        70..80 => Layer::Org,
        _ => {
            let other = format!("other-{}", dice.below(OTHERS));
            let layer = if dice.below(2) == 0 { Layer::Project } else { Layer::User };
            return Ok((caller(&[(layer, &other)])?, layer));
        }
    };
    Ok((caller(&CALLER)?, layer))
}

fn caller(ids: &[(Layer, &str)]) -> Result<Caller> {
    let mut identity = Identity::default();
    for (layer, id) in ids {
        identity = identity.with(*layer, id.parse().map_err(anyhow::Error::msg)?);
    }
    Ok(Caller::new(identity, Role::User))
}

fn new(sentences: &Sentences, number: u64) -> NewMemory {
    NewMemory {
        origin: Origin::Layers,
        place: Place::Layer(ALONE),
        kind: Kind::Fact,
        content: sentences.sentence(number),
        category: None,
        tags: sentences.tags(number),
        importance: Importance::Medium.value(),
        metadata: Metadata::from_iter([("session".to_owned(), (number / SESSION).into())]),
    }
}

fn put(engine: &Engine, caller: &Caller, layer: Layer, new: NewMemory) -> Result<()> {
    let new = NewMemory { place: Place::Layer(layer), ..new };
    memory::remember(engine, caller, new).map(drop).context("a memory could not be stored")
}
