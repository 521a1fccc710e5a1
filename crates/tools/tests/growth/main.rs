//! Costs that must not grow with what is stored: a small form of each benchmark with a goal that
//! `docs/BENCHMARKS.md` names. Each makes the same calls on a small store and on one ten times as large,
//! and fails if the large one costs more than a few times as much. No time is compared with a number, so
//! that neither a slow machine nor a development build fails.
//!
//! In a folder of its own, with its own process, so that it can move to a crate of benchmarks as it is;
//! the texts are those of `lorekeep bench`.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a benchmark tells its figures")]

mod cost;
mod ledger;
mod lists;
mod rules;
mod searches;
mod world;

#[allow(dead_code, reason = "the benchmarks use all of it")]
#[path = "../../../lorekeep/src/commands/bench/sentences.rs"]
mod sentences;
#[path = "../../../lorekeep/src/commands/bench/words.rs"]
mod words;

/// How many things the small store has, and how many the large one.
const SMALL: u64 = 1_000;
const LARGE: u64 = 10_000;
