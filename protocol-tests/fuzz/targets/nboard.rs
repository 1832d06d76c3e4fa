//! See `emilia::fuzz::nboard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| emilia::fuzz::nboard(data));
