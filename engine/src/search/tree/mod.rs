//! The tree: from the root's children to the leaves.
//!
//! ```text
//! pvs (both phases) → shallow (last plies) → leaves
//!   │  ├→ probcut (a shallow pvs)      └──→ endgame (few empties)
//!   │  └→ ordering
//!   └──→ split (other threads)
//! ```

mod killers;
pub(super) mod node;
pub(super) mod ordering;
pub(super) mod phase;
pub(crate) mod probcut;
mod probcut_table;
mod pvs;
mod shallow;
mod split;
pub(super) mod worker;
