//! cargo-fuzz tries the arguments of tools.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lorekeep_fuzz::tools(data));
