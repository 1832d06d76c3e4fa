//! Finds the end of a game of SGF or GGF in a text that comes line by line.

use crate::notation::read::is_sgf;

/// The first bytes of a game, which show whether it is SGF or GGF.
const SAMPLE_BYTES: usize = 512;

/// How far the brackets of a game have been followed.
#[derive(Debug, Default)]
pub struct Brackets {
    scanned: usize,
    depth: usize,
    pub in_value: bool,
    /// SGF keeps the character after a backslash, GGF does not.
    escapes: Option<bool>,
}

impl Brackets {
    /// Follows a game that is known to be SGF.
    pub fn of_sgf() -> Self {
        Self {
            escapes: Some(true),
            ..Self::default()
        }
    }

    /// The byte after the bracket that closes the game in `text`, which has grown since the last call.
    pub fn end(&mut self, text: &str) -> Option<usize> {
        let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
        let escapes = *self.escapes.get_or_insert_with(|| is_sgf(sample));
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.scanned) {
            self.scanned += 1;
            match byte {
                b'\\' if self.in_value && escapes => self.scanned += 1,
                b']' => self.in_value = false,
                b'[' => self.in_value = true,
                b'(' if !self.in_value => self.depth += 1,
                b')' if !self.in_value => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(self.scanned);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
