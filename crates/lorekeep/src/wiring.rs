//! The floors put together.

use engine::{Engine, Meaning};
use model::Caller;
use providers::{RandomIds, SystemClock};

use crate::config::Settings;
use crate::identity;

/// The caller at this machine: who was named, and the usual ids for the rest.
pub(crate) fn caller(settings: &Settings) -> Caller {
    let identity = settings.identity.clone().or(&identity::default_identity());
    Caller { identity, role: settings.role }
}

/// Opens the engine of these settings whenever it is called, for who stays.
pub(crate) fn opener(
    settings: &Settings,
) -> impl Fn() -> engine::Result<Engine> + Send + Sync + 'static {
    let settings = settings.clone();
    move || open(&settings, true)
}

/// Opens the engine of these settings for one command: the index is looked after by others.
pub(crate) fn open_once(settings: &Settings) -> engine::Result<Engine> {
    open(settings, false)
}

/// How texts are compared by what they mean.
pub(crate) fn meaning(_: &Settings) -> Meaning {
    Meaning::BuiltIn
}

fn open(settings: &Settings, keeps_index: bool) -> engine::Result<Engine> {
    let setup = engine::Setup {
        clock: Box::new(SystemClock),
        ids: Box::new(RandomIds),
        meaning: meaning(settings),
        limits: settings.limits,
        read_only: settings.selection.read_only,
        keeps_index,
        keeps_queries: settings.keep_queries,
    };
    Engine::open(&settings.data_dir, setup)
}
