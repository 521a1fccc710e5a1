//! Looking after the index: vectors for what has none yet, and the change to another model.

use model::{Change, Op, Outcome};
use rank::calibrate::data::{self, Pairs};
use rank::calibrate::{self, Calibration};
pub use store::ModelState;
use store::Store;

use crate::embedders::{Embedders, code};
use crate::{Embedder, Embedding, Engine, Error, ErrorKind, Purpose, Result};

/// So many texts are embedded and written together.
const BATCH: usize = 256;

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many memories have a vector now that had none.
    pub done: u64,
    /// How many lacked one at the beginning.
    pub all: u64,
}

/// Gives every memory the vectors it lacks, and lets the models be searched from then on; the old
/// index serves meanwhile. What is done is kept if it is cut off. `tell` hears of each step, and the
/// work ends early when it answers false.
pub fn complete(engine: &Engine, mut tell: impl FnMut(&str, Progress) -> bool) -> Result<()> {
    complete_in(&engine.store, &engine.embedders, &mut tell)
}

/// Gives every memory the vectors it lacks, as [`complete`] does, but lets nothing be searched that
/// was not before: so that a model can be tried first ([`crate::check`]). False if it was told to
/// end.
pub fn fill(engine: &Engine, mut tell: impl FnMut(&str, Progress) -> bool) -> Result<bool> {
    for embedder in engine.embedders.all() {
        if !fill_one(&engine.store, embedder, &mut tell)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What there is of the index that searches use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The model that searches compare with; none if they go by words alone.
    pub serving: Option<String>,
    /// What the store has of each model.
    pub models: Vec<ModelState>,
    /// Whether a snapshot of the index was written just now; one that is small or as good as new
    /// needs none.
    pub snapshot: bool,
}

/// What there is of the index that searches use; nothing is written.
pub fn state(engine: &Engine) -> Result<State> {
    let serving = engine.embedders.serving(&engine.store)?.map(str::to_owned);
    Ok(State { serving, models: engine.store.models()?, snapshot: false })
}

/// For a process that ends now: writes the snapshot of the index that a search here has read, if there
/// is none yet or it is old, so that the next need not read every row, and lets go of the index. True
/// if it wrote.
pub fn leave(engine: &Engine) -> Result<bool> {
    if !engine.store.has_index() {
        return Ok(false);
    }
    let serving = engine.embedders.serving(&engine.store)?;
    let saved = engine.store.save_index(serving);
    engine.store.abandon_indexes();
    Ok(saved?)
}

/// Brings the index that searches use up to date and writes its snapshot. With `anew`, what is there
/// of it is dropped first, and it is built from the rows.
pub fn save(engine: &Engine, anew: bool) -> Result<State> {
    let store = &engine.store;
    if anew {
        store.drop_indexes()?;
    }
    let serving = engine.embedders.serving(store)?;
    store.warm(serving)?;
    let snapshot = store.save_index(serving)?;
    Ok(State { serving: serving.map(str::to_owned), models: store.models()?, snapshot })
}

pub(crate) fn complete_in(
    store: &Store,
    embedders: &Embedders,
    tell: &mut dyn FnMut(&str, Progress) -> bool,
) -> Result<()> {
    for embedder in embedders.all() {
        if !fill_one(store, embedder, tell)? {
            return Ok(());
        }
        if embedders.chosen() == Some(embedder.model()) {
            embedders.wake();
        }
        if store.calibration(embedder.model())?.is_none()
            && !complete_one(store, embedders, embedder, tell)?
        {
            return Ok(());
        }
    }
    Ok(())
}

/// Marks a model as complete; false if it was told to end, or others write faster than it embeds.
fn complete_one(
    store: &Store,
    embedders: &Embedders,
    embedder: &dyn Embedder,
    tell: &mut dyn FnMut(&str, Progress) -> bool,
) -> Result<bool> {
    const TRIES: usize = 16;
    let is_chosen = embedders.chosen() == Some(embedder.model());
    let calibration =
        if is_chosen { embedders.tried(store, embedder)? } else { calibration_of(embedder)? };
    let calibration = calibration.to_string();
    for _ in 0..TRIES {
        // What was written meanwhile.
        if !fill_one(store, embedder, tell)? {
            return Ok(false);
        }
        // The index is there before the first search that asks for it.
        if store.has_index() {
            store.warm(Some(embedder.model()))?;
        }
        let (model, calibration) = (embedder.model().to_owned(), calibration.clone());
        if store.apply(Change::of(Op::Complete { model, calibration }))? == Outcome::Applied {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Embeds what lacks a vector of this model; false if it was told to end.
fn fill_one(
    store: &Store,
    embedder: &dyn Embedder,
    tell: &mut dyn FnMut(&str, Progress) -> bool,
) -> Result<bool> {
    let model = embedder.model();
    let mut progress = Progress { done: 0, all: store.count_unembedded(model)? };
    let mut after = 0;
    // What is written meanwhile comes behind; what is changed meanwhile is the next round's.
    while progress.all > 0 {
        let lacking = store.unembedded(model, after, BATCH)?;
        let Some(last) = lacking.last() else { break };
        after = last.key;
        let texts: Vec<&str> = lacking.iter().map(|lacking| lacking.text.as_str()).collect();
        let vectors = embedder.embed(&texts, Purpose::Passage).map_err(unreachable)?;
        let codes: Vec<_> = lacking
            .iter()
            .zip(vectors)
            .map(|(lacking, vector)| (lacking.key, lacking.hash, code(vector)))
            .collect();
        progress.done += codes.len() as u64;
        progress.all = progress.all.max(progress.done);
        store.apply(Change::of(Op::PutVectors { model: model.to_owned(), codes }))?;
        if !tell(model, progress) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What the model's cosines weigh: fitted on the pairs that come with the program if it is not known.
pub(crate) fn calibration_of(embedder: &dyn Embedder) -> Result<Calibration> {
    if let Some(known) = embedder.calibration() {
        return Ok(known);
    }
    let pairs = data::built_in();
    let (memories, queries) = embed_pairs(embedder, &pairs)?;
    Ok(calibrate::fit(&pairs, &memories, &queries))
}

/// The vectors of memories and of queries.
pub type PairVectors = (Vec<Option<Embedding>>, Vec<Option<Embedding>>);

/// The vectors of the pairs that evidence is weighed on.
pub fn embed_pairs(embedder: &dyn Embedder, pairs: &Pairs) -> Result<PairVectors> {
    let embed = |texts: &[&str], purpose| -> Result<Vec<_>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(embedder.embed(batch, purpose).map_err(unreachable)?);
        }
        Ok(vectors)
    };
    let memories = embed(&pairs.memories(), Purpose::Passage)?;
    Ok((memories, embed(&pairs.queries(), Purpose::Query)?))
}

pub(crate) fn unreachable(why: String) -> Error {
    Error::new(ErrorKind::Outside, why)
}
