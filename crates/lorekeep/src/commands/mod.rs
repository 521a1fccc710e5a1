//! The subcommands, one file each.

pub(crate) mod backup;
pub(crate) mod bench;
pub(crate) mod call;
pub(crate) mod doctor;
pub(crate) mod generate;
pub(crate) mod help;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod tools;

use crate::cli::{OfferArgs, StoreArgs};
use crate::config::{self, Partial, Settings};

/// The settings of a command that offers no tools.
fn settings(store: &StoreArgs) -> anyhow::Result<Settings> {
    config::load(Partial::of_options(store, &OfferArgs::default(), None)?)
}
