//! cargo-fuzz tries files of clients.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::clients(data));
