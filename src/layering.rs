//! Holds the rules of the house: see the crate documentation.
