//! The identity of this program.

use std::io;
use std::sync::OnceLock;

use super::input_file;

/// The version of the program, with its commit between releases.
pub const VERSION: &str = env!("EMILIA_VERSION");

/// Larger than any build.
const MAX_BYTES: u64 = 1 << 30;

/// The identity of this build, since another may search otherwise: its commit, or without one its bytes.
///
/// # Errors
/// When the file of the program cannot be read.
pub fn identity() -> io::Result<String> {
    static FOUND: OnceLock<String> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    let version = VERSION;
    let has_commit = version.ends_with(')') && !version.ends_with("-dirty)");
    let found = if has_commit {
        version.to_owned()
    } else {
        let path = std::env::current_exe()?;
        let bytes = input_file::read(&path, MAX_BYTES)?;
        format!("{version} {:08x}", crc32fast::hash(&bytes))
    };
    Ok(FOUND.get_or_init(|| found).clone())
}
