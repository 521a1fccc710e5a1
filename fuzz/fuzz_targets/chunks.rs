//! cargo-fuzz tries texts of every format.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::chunks(data));
