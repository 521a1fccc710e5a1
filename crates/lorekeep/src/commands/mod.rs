//! The subcommands, one file each.

pub mod backup;
pub mod bench;
pub mod call;
pub mod doctor;
pub mod generate;
pub mod help;
pub mod restore;
pub mod serve;
pub mod tools;

use crate::cli::{OfferArgs, StoreArgs};
use crate::config::{self, Partial, Settings};

/// The settings of a command that offers no tools.
fn settings(store: &StoreArgs) -> anyhow::Result<Settings> {
    config::load(Partial::of_options(store, &OfferArgs::default(), None)?)
}
