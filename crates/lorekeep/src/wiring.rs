//! The floors put together.

use std::path::Path;

use engine::{Engine, Limits, Meaning};
use model::Caller;
use providers::{RandomIds, SystemClock};

use crate::config::Settings;
use crate::identity;

/// The caller at this machine: who was named, and the usual ids for the rest.
pub(crate) fn caller(settings: &Settings) -> Caller {
    let identity = settings.identity.clone().or(&identity::default_identity());
    Caller { identity, role: settings.role }
}

/// Opens the engine of these settings whenever it is called.
pub(crate) fn opener(
    settings: &Settings,
) -> impl Fn() -> engine::Result<Engine> + Send + Sync + 'static {
    let dir = settings.data_dir.clone();
    let (limits, read_only) = (settings.limits, settings.selection.read_only);
    move || open(&dir, limits, read_only)
}

fn open(dir: &Path, limits: Limits, read_only: bool) -> engine::Result<Engine> {
    let setup = engine::Setup {
        clock: Box::new(SystemClock),
        ids: Box::new(RandomIds),
        meaning: Meaning::BuiltIn,
        limits,
        read_only,
        keeps_index: true,
    };
    Engine::open(dir, setup)
}
