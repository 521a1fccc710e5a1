//! cargo-fuzz tries files of configuration.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_config::fuzz_config(data));
