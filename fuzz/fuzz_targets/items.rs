//! cargo-fuzz tries files of knowledge.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::items(data));
