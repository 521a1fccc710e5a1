//! cargo-fuzz tries patterns and globs.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::patterns(data));
