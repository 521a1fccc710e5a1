//! cargo-fuzz tries pages of the web.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::pages(data));
