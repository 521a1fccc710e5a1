//! The contracts: every tool in one file of its own, nine toolsets, five dialects.
//!
//! The central type is [`Tool`]: a request whose doc comment is the specification, whose fields are
//! the schema, and whose `call` is the behaviour. Everything else renders it: the MCP entry, the
//! help page, the reference pages, the snapshots. [`Catalogue`] is the list that a server offers.
//!
//! A tool translates and never decides: if a tool file needs an `if` about the domain, a verb is
//! missing in the engine. Nothing here is async or knows about transports.

mod catalogue;
mod caution;
mod coerce;
mod conflict;
pub mod dialect;
pub mod doc;
mod documents;
#[cfg(test)]
mod exact;
mod files;
mod glance;
mod graph;
mod hint;
mod knowledge;
mod layers;
mod learning;
mod ledger;
pub mod mermaid;
mod notes;
mod parse;
pub mod prompt;
pub mod reference;
pub mod resource;
pub mod schema;
mod secrets;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod theo;
mod tool;
mod toolset;
mod web;
mod wire;

pub use catalogue::{Catalogue, Selection};
pub use dialect::Dialect;
pub use tool::{
    Argument, Attachment, Context, Definition, Denial, Effect, Pace, Reply, Spec, Tool,
};
pub use toolset::{Profile, Toolset};
