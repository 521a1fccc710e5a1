//! The real binary, on real pipes, sockets, files and processes. One test binary, so that it links
//! once.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit;
mod check;
mod cli;
mod documents;
mod everyday;
mod graph;
mod hooks;
mod http;
mod import;
mod install;
mod knowledge;
mod ledger;
mod outside;
mod pdf;
mod processes;
mod protocol;
mod review;
mod scale;
mod search;
mod stories;
mod support;
mod web;
