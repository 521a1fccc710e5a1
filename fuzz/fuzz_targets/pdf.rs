//! cargo-fuzz tries PDFs.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::pdf(data));
