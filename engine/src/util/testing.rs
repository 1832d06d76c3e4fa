//! Helpers for tests.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

pub fn file_in(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("the folder can be written");
    path
}
