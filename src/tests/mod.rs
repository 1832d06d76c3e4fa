//! Tests of the whole project: the layers, the prose, the pages of experiments.

mod experiments;
mod layering;
mod prose;
