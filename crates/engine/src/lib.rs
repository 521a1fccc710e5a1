//! The verbs: what Lorekeep does, in plain functions.
//!
//! A verb takes the [`Engine`], who calls, and what is asked; it reads, decides, and hands one
//! [`Change`](model::Change) to the store. It knows nothing of tools, of JSON or of the wire, asks
//! the time and new ids through the [`ports`], and prints nothing.

pub mod audit;
pub mod brief;
pub mod capture;
pub mod check;
mod counted;
mod denials;
pub mod document;
mod embedders;
mod error;
pub mod export;
pub mod fact;
pub mod find;
pub mod graph;
pub mod import;
pub mod index;
mod keeper;
pub mod knowledge;
pub mod limits;
pub mod memory;
mod parallel;
pub mod ports;
pub mod practice;
pub mod record;
mod rolling;
pub mod scope;
pub mod secrets;
pub mod shell;
#[cfg(feature = "testing")]
pub mod testing;
pub mod trust;
pub mod web;
pub mod workspace;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use denials::{Denials, Teller};
use embedders::Embedders;
use keeper::Keeper;
use model::{Actor, Caller, Change, Outcome, Trust, TrustLevel};
use rolling::Roller;
pub use store::Rhythm;
use store::{Attribution, Store};

pub use embedders::{BuiltIn, Meaning};
pub use error::{Error, Kind as ErrorKind, Result};
pub use limits::Limits;
pub use ports::{Calibration, Clock, Embedder, Embedding, Files, Ids, Outside, Purpose};

/// What a text costs a model: its number of o200k tokens.
pub fn tokens(text: &str) -> usize {
    rank::tokens::count(text)
}

/// The ledger's directory in a data directory.
pub const LEDGER: &str = "ledger";

/// The name of who acts when nobody does: the program itself.
const OURSELVES: &str = "lorekeep";

/// What who is not at this machine hears of damage.
const DAMAGED: &str = "the store is damaged: what can be read of it is, nothing is written into it; \
                       who runs this server mends it (lorekeep doctor --repair)";

/// The target of spans that are meant for who collects traces.
const TRACE: &str = "lorekeep::trace";

/// What the verbs work on, in the hands of one actor: what is written is written in its name. A handle
/// costs next to nothing, and every call has its own.
#[derive(Clone)]
pub struct Engine {
    core: Arc<Core>,
    actor: Arc<Actor>,
}

impl std::ops::Deref for Engine {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

/// What all handles share: a store, and the ports to the world.
pub struct Core {
    store: Arc<Store>,
    embedders: Arc<Embedders>,
    clock: Box<dyn Clock>,
    ids: Box<dyn Ids>,
    files: Box<dyn Files>,
    limits: Limits,
    read_only: bool,
    keeps_queries: bool,
    audits_reads: bool,
    injects_from: TrustLevel,
    store_trust_max: TrustLevel,
    /// The same of the knowledge items in the user's own folder, which may be the store's.
    home_trust_max: TrustLevel,
    notes: memory::Notes,
    counted: counted::Counted<usize>,
    orders: counted::Counted<Option<rank::keep::Order>>,
    trust: Trust,
    secrets: secrets::Policy,
    knowledge_dir: PathBuf,
    library: knowledge::Library,
    outside: Outside,
    counts: workspace::Counts,
    permits: document::Permits,
    delivery: record::Delivery,
    /// Of callers who were let in, and of who was not.
    denials: Arc<[Denials; 2]>,
    /// Ends with the engine.
    _teller: Option<Teller>,
    /// Ends with the engine.
    keeper: Option<Keeper>,
    /// Ends with the engine.
    _roller: Option<Roller>,
}

/// How an engine is set up.
pub struct Setup {
    /// Where the time comes from.
    pub clock: Box<dyn Clock>,
    /// Where new ids come from.
    pub ids: Box<dyn Ids>,
    /// What reads documents.
    pub files: Box<dyn Files>,
    /// How texts are compared by what they mean.
    pub meaning: Meaning,
    /// How much of what there may be.
    pub limits: Limits,
    /// Whether even readings leave no trace.
    pub read_only: bool,
    /// Whether the index is looked after in the background: for who stays, not for one call.
    pub keeps_index: bool,
    /// Whether queries are noted, so that a change of model can be tried on them.
    pub keeps_queries: bool,
    /// Whether the audit log tells of calls that only read, too.
    pub audits_reads: bool,
    /// What is trusted less than this is told to agents only when they ask.
    pub injects_from: TrustLevel,
    /// The highest level that is believed of what the store says: a copy from elsewhere may say anything.
    pub store_trust_max: TrustLevel,
    /// Who may change records.
    pub trust: Trust,
    /// What is done about secrets in what is to be kept.
    pub secrets: secrets::Policy,
    /// Where knowledge lies; none for the folder in the data directory.
    pub knowledge_dir: Option<PathBuf>,
    /// What may be reached beyond the store.
    pub outside: Outside,
    /// How often a process that stays makes a backup, and how many are kept.
    pub backups: Rhythm,
}

/// Makes the data directory if it is not there, readable by its owner alone.
pub fn make_private_dir(dir: &Path) -> Result<()> {
    Ok(store::make_private_dir(dir)?)
}

impl Engine {
    /// Opens the store in `dir` and puts the verbs on top of it.
    pub fn open(dir: &Path, setup: Setup) -> Result<Self> {
        let Setup {
            clock,
            ids,
            files,
            meaning,
            limits,
            read_only,
            keeps_index,
            keeps_queries,
            audits_reads,
            injects_from,
            store_trust_max,
            trust,
            secrets,
            knowledge_dir,
            outside,
            backups,
        } = setup;
        let store = if read_only { Store::open_read_only(dir)? } else { Store::open(dir)? };
        let (store, embedders) = (Arc::new(store), Arc::new(Embedders::of(meaning)));
        let keeper = (keeps_index && !read_only && store.damage().is_none())
            .then(|| Keeper::start(Arc::clone(&store), Arc::clone(&embedders)));
        let stays = keeps_index && !read_only && store.damage().is_none();
        let denials = Arc::new([Denials::inside(), Denials::at_the_door()]);
        let teller = stays.then(|| Teller::start(&store, &denials)).flatten();
        let roller = stays.then(|| Roller::start(Arc::clone(&store), backups)).flatten();
        if let Some(why) = store.damage() {
            tracing::warn!(%why, "the store is damaged and is read only; mend: lorekeep doctor --repair");
        }
        let is_damaged = store.damage().is_some();
        let ledger = ledger::Ledger::open(&dir.join(LEDGER)).map_err(record::failed)?;
        let delivery = record::Delivery::new(ledger, Arc::clone(&store), keeps_index);
        let core = Core {
            store,
            embedders,
            clock,
            ids,
            files,
            limits,
            read_only,
            keeps_queries,
            audits_reads,
            injects_from,
            store_trust_max,
            home_trust_max: if knowledge_dir.is_some() {
                TrustLevel::Person
            } else {
                store_trust_max
            },
            notes: memory::Notes::default(),
            counted: counted::Counted::default(),
            orders: counted::Counted::default(),
            trust,
            secrets,
            knowledge_dir: knowledge_dir.unwrap_or_else(|| dir.join(knowledge::FOLDER)),
            library: knowledge::Library::default(),
            outside,
            counts: workspace::Counts::default(),
            permits: document::Permits::default(),
            delivery,
            denials,
            _teller: teller,
            keeper: keeper.flatten(),
            _roller: roller,
        };
        let engine = Self { core: Arc::new(core), actor: Arc::new(Actor::agent_of(OURSELVES)) };
        // A ledger that is out of order must not cost the memories: its own tools tell.
        if !read_only
            && !is_damaged
            && let Err(error) = engine.delivery.recover(&engine)
        {
            tracing::warn!(%error, "git and the store do not agree yet");
        }
        Ok(engine)
    }

    /// The same engine in the hands of this actor.
    #[must_use]
    pub fn acting(&self, actor: Actor) -> Self {
        Self { core: Arc::clone(&self.core), actor: Arc::new(actor) }
    }

    /// What a test may change while nobody else has a handle.
    #[cfg(test)]
    fn alone(&mut self) -> &mut Core {
        Arc::get_mut(&mut self.core).expect("the only handle")
    }

    /// In whose name is written.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Applies a change, and notes who made it.
    fn apply(&self, change: Change) -> Result<Outcome> {
        let _span = tracing::info_span!(target: TRACE, "store.apply").entered();
        let by = Attribution { actor: Arc::clone(&self.actor), at: self.clock.glance() };
        Ok(self.store.apply_by(change, by)?)
    }

    /// Applies a change that brings texts; their vectors of a slow model are the keeper's business.
    fn apply_texts(&self, change: Change) -> Result<Outcome> {
        let outcome = self.apply(change)?;
        if let (true, Some(keeper), true) =
            (outcome.is_done(), &self.keeper, self.embedders.has_chosen())
        {
            keeper.nudge();
        }
        Ok(outcome)
    }

    /// What a text costs a model: its number of o200k tokens. Remembered, for texts that come again.
    pub fn tokens(&self, text: &str) -> usize {
        self.counted.of(text, rank::tokens::count)
    }

    /// What is done about secrets in what is to be kept.
    pub fn secrets(&self) -> secrets::Policy {
        self.secrets
    }

    /// An error as this caller is told it: who is not at this machine does not hear where its files lie,
    /// nor what of them is damaged.
    pub fn told(&self, caller: &Caller, mut error: Error) -> Error {
        let mut error = match (error.kind, self.store.path().parent()) {
            _ if !caller.confined => error,
            // What is damaged may be another's.
            (ErrorKind::Damaged, _) => Error::new(error.kind, DAMAGED),
            // Other errors name what the caller named.
            (ErrorKind::Storage | ErrorKind::Timeout, Some(dir)) => {
                error.message = error.message.replace(&format!("{}/", dir.display()), "");
                error
            }
            _ => error,
        };
        if let (ErrorKind::NotFound, Some(why)) = (error.kind, self.incomplete()) {
            error.message = format!("{}; {why}", error.message);
        }
        error
    }

    /// Why an answer may not be all there is, if so.
    pub fn incomplete(&self) -> Option<&'static str> {
        const WHY: &str = "the store is damaged, and this may not be all that is in it; lorekeep \
                           doctor says what is wrong, lorekeep doctor --repair mends it";
        self.store.damage().map(|_| WHY)
    }

    /// Why nothing can be written that would stay, if so; not that it was opened to read alone.
    pub fn refuse_trouble(&self) -> Result<()> {
        Ok(self.store.refuse_trouble()?)
    }

    /// Whether it was opened to read and nothing else.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The store, for those who look after it (backup, doctor).
    pub fn store(&self) -> &Store {
        &self.store
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.notes.hand_in(&self.store);
        for entry in self.denials.iter().flat_map(Denials::all) {
            // A store that cannot be written to any more loses a number.
            let _ = self.store.note_later(entry);
        }
    }
}
