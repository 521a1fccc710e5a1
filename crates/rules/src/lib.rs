//! What a project is, against what the rules say of it.
//!
//! Texts, paths and names go in, findings come out. Nothing here reads a file, asks the time or
//! knows who asks, so that nobody can ever make a verdict depend on anything but what was looked at.

pub mod imports;
pub mod manifest;
