//! Learning an evaluation: records, self-play, fitting.
