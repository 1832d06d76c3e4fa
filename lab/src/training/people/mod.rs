//! The model of people's moves: ratings of the players of the WTHOR base, samples, fit and measures.

pub mod fit;
pub mod games;
pub mod likeness;
pub mod opening;
pub mod report;
pub mod samples;
