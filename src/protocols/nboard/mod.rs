//! The NBoard protocol.
