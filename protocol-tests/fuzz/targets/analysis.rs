//! See `emilia::fuzz::analysis`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| emilia::fuzz::analysis(data));
