//! cargo-fuzz tries files of the ledger.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::records(data));
