//! Matches between engines: players, referee, openings, runner, statistics.

pub mod stats;
