//! cargo-fuzz tries secrets, cleaning and candidates.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::keep(data));
