//! What GTP engines answer.

use std::time::Instant;

use super::process::{Process, Silence};

/// An answer: what it says, or what it complains of.
pub type Reply = Result<String, String>;

/// What stands behind the mark and the id where an answer to a command with this id begins; `None` for other lines.
pub fn begin_of_answer(line: &str, id: &str) -> Option<Reply> {
    let behind = |mark: char| Some(line.strip_prefix(mark)?.strip_prefix(id)?.to_owned());
    behind('=').map(Ok).or_else(|| behind('?').map(Err))
}

/// The whole answer that so begins, and the blank line that ends it: an empty one if the engine is strict.
///
/// # Errors
/// When the end does not come by `deadline`.
pub fn rest_of_answer(
    process: &mut Process,
    begin: Reply,
    deadline: Instant,
) -> Result<(Reply, String), Silence> {
    let is_done = begin.is_ok();
    let mut text = begin.unwrap_or_else(|complaint| complaint).trim().to_owned();
    let (end, _) = process.wait_for(deadline, |line| {
        if line.trim().is_empty() {
            return Some(line.to_owned());
        }
        text.push('\n');
        text.push_str(line.trim_end());
        None
    })?;
    Ok((if is_done { Ok(text) } else { Err(text) }, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_begin_with_a_mark_and_the_id() {
        let ok = |text: &str| Some(Ok(text.to_owned()));
        assert_eq!(begin_of_answer("= f5", ""), ok(" f5"));
        assert_eq!(begin_of_answer("=f5", ""), ok("f5"));
        assert_eq!(begin_of_answer("=42", "42"), ok(""));
        assert_eq!(begin_of_answer("?42 unknown", "42"), Some(Err(" unknown".to_owned())));
        for (line, id) in [("=41 f5", "42"), ("= f5", "42"), ("f5", ""), ("", "")] {
            assert_eq!(begin_of_answer(line, id), None, "{line}");
        }
    }
}
