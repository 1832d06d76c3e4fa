//! See `emilia::fuzz::gtp`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| emilia::fuzz::gtp(data));
