//! One handle, one worker thread, plain-data events; nothing here blocks the reader of a protocol.
