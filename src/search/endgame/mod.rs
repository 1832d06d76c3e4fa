//! The allocation-free solver for few empties.
