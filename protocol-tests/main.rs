//! Transcripts of sessions with the binary, replayed and checked.
