//! The clients of others that Lorekeep can be put into: which there are, where their files are, what
//! is written there, and how it comes out again.
//!
//! What becomes of a file is worked out from its text ([`ClientFile::install`],
//! [`ClientFile::uninstall`]); only [`Desk`] reads and writes. Nothing is printed here, and no program of
//! a client is run: it would write its file in its own way, which is not what a dry run showed.

mod client;
mod desk;
mod edit;
mod folders;
mod hooks;
mod part;
mod plan;
#[cfg(test)]
mod samples;

pub use client::{Client, ClientFile, Extras, Home, Scope, System};
pub use desk::Desk;
pub use edit::Refusal;
pub use part::{NAME, Wish};
pub use plan::{Backup, Edit};
