//! cargo-fuzz tries queries.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::search(data));
