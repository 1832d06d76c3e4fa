//! Answers of GTP engines.

use std::time::Instant;

use super::process::{Process, Silence};

/// The text of an answer, or the engine's complaint.
pub type Reply = Result<String, String>;

/// Waits for the whole answer to a command without an id; returns it and the time of its first line.
///
/// # Errors
/// When the blank line at its end does not come by `deadline`.
pub fn answer(process: &mut Process, deadline: Instant) -> Result<(Reply, Instant), Silence> {
    let ((is_done, mut text), at) = process.wait_for(deadline, |line| {
        let rest = line.strip_prefix(['=', '?'])?.trim();
        Some((line.starts_with('='), rest.to_owned()))
    })?;
    process.wait_for(deadline, |line| {
        if line.trim().is_empty() {
            return Some(());
        }
        text.push('\n');
        text.push_str(line.trim_end());
        None
    })?;
    Ok((if is_done { Ok(text) } else { Err(text) }, at))
}
