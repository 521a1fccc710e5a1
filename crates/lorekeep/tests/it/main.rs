//! The real binary, on real pipes, sockets, files and processes. One test binary, so that it links
//! once.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit;
mod check;
mod cli;
mod damage;
mod documents;
mod everyday;
#[cfg(target_os = "linux")]
mod faults;
mod fuzz;
mod graph;
mod hidden;
mod hooks;
mod hostile_clone;
mod http;
mod http_damaged;
mod http_isolation;
mod http_setup;
mod http_tokens;
mod http_trouble;
mod import;
mod install;
mod knowledge;
mod ledger;
mod oauth;
mod outside;
mod pdf;
mod processes;
mod protocol;
mod review;
mod scale;
mod search;
mod secrets;
mod stories;
mod support;
mod traces;
mod upgrades;
mod web;
