//! Several threads in one tree.

mod split;

pub(super) use split::{EndHelpers, Pool};
