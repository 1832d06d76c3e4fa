//! See `emilia::fuzz::parsers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| emilia::fuzz::parsers(data));
