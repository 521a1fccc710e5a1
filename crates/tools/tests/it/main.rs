//! Tests over the list of tools: every tool that is built is held against its contract, against the
//! rules for what a host is shown, and against the committed snapshots and pages.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod committed;
mod contract;
mod guards;
mod hidden;
mod isolation;
mod namespaces;
mod schemas;

use tools::{Catalogue, Selection};

/// Every tool that is built.
fn everything() -> Catalogue {
    Catalogue::new(Selection::all())
}

/// Fails with all the findings at once.
#[track_caller]
fn none(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}
