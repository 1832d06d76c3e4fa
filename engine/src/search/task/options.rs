//! The settings of a searcher: ranges, readers and the typed error of all settings.

use std::fmt::Display;

use crate::util::builders::builders;
use crate::util::os::available::available_mib;

/// Longest value that an error shows, in characters.
const MAX_SHOWN: usize = 40;

/// The settings of a searcher.
///
/// ```
/// use emilia_engine::search::Options;
///
/// let options = Options::default().with_threads(2).with_hash_mib(16);
/// assert!(options.check().is_ok());
/// assert!(options.with_threads(0).check().is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Search threads, `1..=256`.
    pub threads: usize,
    /// Size of the transposition table in MiB, `1..=65536`.
    pub hash_mib: usize,
}

/// The reason to refuse a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// Not a whole number within the range.
    #[error("{option} takes a whole number from {low} to {high}, not {found}")]
    Range {
        /// The option.
        option: &'static str,
        /// The value.
        found: String,
        /// Smallest value.
        low: u64,
        /// Largest value.
        high: u64,
    },
    /// The tables would take more memory than there is.
    #[error(
        "tables of {asked} MiB do not fit into the {available} MiB that are available: choose a smaller hash table"
    )]
    Memory {
        /// The size asked for, in MiB.
        asked: usize,
        /// The memory available, in MiB.
        available: usize,
    },
}

impl OptionError {
    /// The value `found` is outside `low..=high`. All but printable ASCII is escaped, and a long text is cut.
    pub(crate) fn range(option: &'static str, found: impl Display, low: u64, high: u64) -> Self {
        let escaped = |c: char| match c {
            ' '..='~' => c.to_string(),
            c => c.escape_unicode().to_string(),
        };
        let found: String = found
            .to_string()
            .chars()
            .take(MAX_SHOWN)
            .map(escaped)
            .collect();
        Self::Range {
            option,
            found: if found.is_empty() {
                "an empty text".into()
            } else {
                found
            },
            low,
            high,
        }
    }

    /// Returns `number` if it is within `low..=high`.
    pub(crate) fn check(
        option: &'static str,
        number: u64,
        low: u64,
        high: u64,
    ) -> Result<(), Self> {
        if (low..=high).contains(&number) {
            Ok(())
        } else {
            Err(Self::range(option, number, low, high))
        }
    }
}

impl Options {
    /// The largest number of threads.
    pub const MAX_THREADS: usize = 256;
    /// The largest table in MiB.
    pub const MAX_HASH_MIB: usize = 65_536;

    /// Checks all ranges, and that the system has memory for the table.
    ///
    /// # Errors
    /// The first option with a wrong value.
    pub fn check(&self) -> Result<(), OptionError> {
        OptionError::check("threads", self.threads as u64, 1, Self::MAX_THREADS as u64)?;
        OptionError::check("hash", self.hash_mib as u64, 1, Self::MAX_HASH_MIB as u64)?;
        Self::check_memory(self.hash_mib)
    }

    /// The same with each number moved into its range.
    pub(in crate::search) fn clamped(&self) -> Self {
        Self {
            threads: self.threads.clamp(1, Self::MAX_THREADS),
            hash_mib: self.hash_mib.clamp(1, Self::MAX_HASH_MIB),
        }
    }

    /// Reads a number of threads.
    pub fn parse_threads(text: &str) -> Result<usize, OptionError> {
        in_range("threads", text, Self::MAX_THREADS)
    }

    /// Reads a number of searches side by side.
    pub fn parse_jobs(text: &str) -> Result<usize, OptionError> {
        in_range("jobs", text, Self::MAX_THREADS)
    }

    /// Reads a table size in MiB.
    pub fn parse_hash_mib(text: &str) -> Result<usize, OptionError> {
        let mib = in_range("hash", text, Self::MAX_HASH_MIB)?;
        Self::check_memory(mib)?;
        Ok(mib)
    }

    /// Checks that the system has memory for tables of this many MiB together: it hands out more than it has, and ends
    /// the process in mid-game when that is used.
    ///
    /// The default is never refused: such a table takes only the memory that there is.
    pub fn check_memory(mib: usize) -> Result<(), OptionError> {
        match available_mib() {
            Some(available) if mib > available.max(Self::default().hash_mib) => {
                Err(OptionError::Memory {
                    asked: mib,
                    available,
                })
            }
            _ => Ok(()),
        }
    }
}

builders! {
    Options:
    /// Sets the number of search threads.
    with_threads(threads: usize);
    /// Sets the size of the transposition table in MiB.
    with_hash_mib(hash_mib: usize);
}

fn in_range(option: &'static str, text: &str, high: usize) -> Result<usize, OptionError> {
    match text.parse() {
        Ok(number) if (1..=high).contains(&number) => Ok(number),
        _ => Err(OptionError::range(option, text, 1, high as u64)),
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mib: 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_range_are_refused_by_name_and_value() {
        let check = |threads, hash_mib| Options { threads, hash_mib }.check();
        assert_eq!(check(1, 1), Ok(()));
        for (threads, found) in [(0, "0"), (257, "257"), (100_000, "100000")] {
            assert_eq!(
                check(threads, 1),
                Err(OptionError::range("threads", found, 1, 256))
            );
        }
        for hash_mib in [0, 65_537, 4_000_000_000, 1 << 44, usize::MAX] {
            assert_eq!(
                check(1, hash_mib),
                Err(OptionError::range("hash", hash_mib, 1, 65_536))
            );
        }
        assert_eq!(Options::check_memory(Options::default().hash_mib), Ok(()));
        assert!(Options::check_memory(usize::MAX).is_err() || cfg!(not(target_os = "linux")));
        let clamped = Options {
            threads: 0,
            hash_mib: 1 << 44,
        }
        .clamped();
        assert_eq!(
            (clamped.threads, clamped.hash_mib),
            (1, Options::MAX_HASH_MIB)
        );
        let clamped = Options {
            threads: usize::MAX,
            hash_mib: 0,
        }
        .clamped();
        assert_eq!(
            (clamped.threads, clamped.hash_mib),
            (Options::MAX_THREADS, 1)
        );
    }

    #[test]
    fn texts_are_read_or_refused_in_a_short_line_without_control_characters() {
        assert_eq!(Options::parse_threads("256"), Ok(256));
        assert_eq!(Options::parse_hash_mib("1"), Ok(1));
        assert!(Options::parse_hash_mib("65537").is_err());
        let refusal = |text: &str| Options::parse_threads(text).unwrap_err().to_string();
        for (text, found) in [
            ("0", "0"),
            ("-1", "-1"),
            ("257", "257"),
            ("two", "two"),
            ("1.5", "1.5"),
            ("\x1b[31m", "\\u{1b}[31m"),
            ("", "an empty text"),
            ("\u{fffd}", "\\u{fffd}"),
        ] {
            assert_eq!(
                refusal(text),
                format!("threads takes a whole number from 1 to 256, not {found}")
            );
        }
        assert!(refusal(&"9".repeat(10_000)).len() < 100);
    }
}
