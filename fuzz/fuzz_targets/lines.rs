//! cargo-fuzz tries JSON-RPC lines.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::lines(data));
