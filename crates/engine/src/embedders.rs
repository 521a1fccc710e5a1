//! Who turns texts into vectors here: the built-in table, and the model the user chose.
//!
//! The built-in vector is always written, because it costs next to nothing: should the chosen model
//! be out of reach, or new to this store, the search goes on with it. A chosen model is searched
//! once every memory has had a vector of it.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use model::StoredVector;
use rank::calibrate::Calibration;
use rank::embed::{MODEL_ID, Quantised, StaticEmbedder};
use store::Store;

use crate::{Embedder, Embedding, Purpose, Result, index};

/// How texts are compared by what they mean.
#[derive(Default)]
pub enum Meaning {
    /// Not at all: by their words alone.
    Words,
    /// By the table that is part of the program.
    #[default]
    BuiltIn,
    /// By a model of the user's.
    Model(Box<dyn Embedder>),
}

/// The table that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn;

impl Embedder for BuiltIn {
    fn model(&self) -> &str {
        MODEL_ID
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Option<Embedding>>, String> {
        Ok(texts.iter().map(|text| StaticEmbedder::built_in().embed(text)).collect())
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::BUILT_IN)
    }
}

/// Which model a search compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The best that may be searched and can be reached.
    Serving,
    /// The built-in one.
    BuiltIn,
    /// The chosen one, whether its vectors are all there or not; the built-in one if none is chosen.
    Chosen,
}

/// A model that failed is not asked again for this long.
const REST: Duration = Duration::from_secs(15);

/// A query as the index takes it.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// The model whose vectors are compared.
    pub(crate) model: Option<&'a str>,
    /// The query's vector.
    pub(crate) vector: Option<Embedding>,
    /// What the evidence weighs.
    pub(crate) calibration: Calibration,
}

impl<'a> Asked<'a> {
    fn of(embedder: &'a dyn Embedder, vector: Embedding, calibration: Calibration) -> Self {
        Self { model: Some(embedder.model()), vector: Some(vector), calibration }
    }
}

/// The embedders of an engine.
pub(crate) struct Embedders {
    built_in: Option<BuiltIn>,
    chosen: Option<Box<dyn Embedder>>,
    /// When the chosen model failed to take a query.
    failed: Mutex<Option<Instant>>,
    /// What they will weigh, for who tries the model before that.
    trial: OnceLock<Calibration>,
}

impl Embedders {
    pub(crate) fn of(meaning: Meaning) -> Self {
        let (built_in, chosen) = match meaning {
            Meaning::Words => (None, None),
            Meaning::BuiltIn => (Some(BuiltIn), None),
            Meaning::Model(model) => (Some(BuiltIn), Some(model)),
        };
        Self { built_in, chosen, failed: Mutex::new(None), trial: OnceLock::new() }
    }

    /// All of them, the built-in first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn Embedder> {
        let built_in = self.built_in.as_ref().map(|built_in| built_in as &dyn Embedder);
        built_in.into_iter().chain(self.chosen.as_deref())
    }

    /// A text's vectors that are written with it: those of the built-in table. The chosen model may
    /// be slow or out of reach; who keeps the index asks it, for many texts at once.
    pub(crate) fn vectors(&self, text: &str) -> Vec<StoredVector> {
        let model = self.built_in().map(str::to_owned);
        let vector = || StaticEmbedder::built_in().embed(text);
        model.map(|model| StoredVector { model, code: code(vector()) }).into_iter().collect()
    }

    /// Whether the user chose a model.
    pub(crate) fn has_chosen(&self) -> bool {
        self.chosen.is_some()
    }

    /// What the chosen model answers; none if it fails, or did so a moment ago: not every search
    /// shall wait for a server that is down.
    fn unless_resting<T>(&self, ask: impl FnOnce() -> Result<T, String>) -> Option<T> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_some_and(|at| at.elapsed() < REST) {
            return None;
        }
        *failed = None;
        drop(failed);
        let answer = ask();
        if answer.is_err() {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        answer.ok()
    }

    /// The models answer again.
    pub(crate) fn wake(&self) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The model that searches compare with now.
    pub(crate) fn serving(&self, store: &Store) -> Result<Option<&str>> {
        let chosen = self.ready(store)?.map(|(chosen, _)| chosen.model());
        Ok(chosen.or(self.built_in()))
    }

    /// The name of the built-in model, if it is in use.
    pub(crate) fn built_in(&self) -> Option<&str> {
        self.built_in.as_ref().map(|built_in| built_in.model())
    }

    /// The name of the model the user chose.
    pub(crate) fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref().map(Embedder::model)
    }

    /// The query for this model; for the best one that can take it if that is what is wanted.
    pub(crate) fn query(&self, store: &Store, text: &str, by: By) -> Result<Asked<'_>> {
        let asked = match by {
            By::Serving => match self.ready(store)? {
                Some((chosen, weighs)) => {
                    let vector = self.unless_resting(|| embed_query(chosen, text)).flatten();
                    let dimensions = store.dimensions(chosen.model())?;
                    // A vector of another length is of another model, whatever its name.
                    let vector = vector.filter(|v| [0, v.as_slice().len()].contains(&dimensions));
                    vector.map(|vector| Asked::of(chosen, vector, weighs))
                }
                None => None,
            },
            By::Chosen => match self.chosen.as_deref() {
                Some(chosen) => {
                    let vector = embed_query(chosen, text).map_err(index::unreachable)?;
                    let weighs = self.tried(store, chosen)?;
                    vector.map(|vector| Asked::of(chosen, vector, weighs))
                }
                None => None,
            },
            By::BuiltIn => None,
        };
        Ok(asked.unwrap_or_else(|| self.built_in_query(text)))
    }

    fn built_in_query(&self, text: &str) -> Asked<'_> {
        let vector = self.built_in.as_ref().and_then(|_| StaticEmbedder::built_in().embed(text));
        let calibration =
            if vector.is_some() { Calibration::BUILT_IN } else { Calibration::LEXICAL };
        Asked { model: self.built_in.as_ref().map(|_| MODEL_ID), vector, calibration }
    }

    /// What the chosen model's cosines weigh, whether it may be searched yet or not.
    pub(crate) fn tried(&self, store: &Store, chosen: &dyn Embedder) -> Result<Calibration> {
        if let Some((_, weighs)) = self.ready(store)? {
            return Ok(weighs);
        }
        if let Some(weighs) = self.trial.get() {
            return Ok(*weighs);
        }
        let weighs = index::calibration_of(chosen)?;
        Ok(*self.trial.get_or_init(|| weighs))
    }

    /// The chosen model with what its cosines weigh, if it may be searched.
    fn ready(&self, store: &Store) -> Result<Option<(&dyn Embedder, Calibration)>> {
        let Some(chosen) = self.chosen.as_deref() else { return Ok(None) };
        let written = store.calibration(chosen.model())?;
        let weighs = written.and_then(|text| text.parse().ok());
        Ok(weighs.map(|weighs| (chosen, weighs)))
    }
}

fn embed_query(embedder: &dyn Embedder, text: &str) -> Result<Option<Embedding>, String> {
    Ok(embedder.embed(&[text], Purpose::Query)?.pop().flatten())
}

/// A vector as the store keeps it; no bytes if the model had nothing to say.
pub(crate) fn code(vector: Option<Embedding>) -> Vec<u8> {
    vector.map_or_else(Vec::new, |vector| Quantised::of(&vector).to_bytes())
}
