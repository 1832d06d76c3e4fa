//! The level and origin of a search, and their form in bytes.
//!
//! ```text
//! 2  depth in plies, bit 7 for a search of another program; then percent, bit 7 for an exact score
//! 2  of another program: which one, and its level, i8
//! ```

use std::fmt;

use crate::board::Score;
use crate::util::bytes::Cursor;

/// In the byte of the depth: the origin follows.
const FOREIGN: u8 = 0x80;

/// The search behind a score.
///
/// ```
/// use emilia_engine::book::SearchLevel;
///
/// let level = SearchLevel::own(22, 73);
/// assert_eq!(level.to_string(), "22 plies, 73 %");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SearchLevel {
    /// Depth in plies.
    pub depth: u8,
    /// Selectivity in percent, `1..=100`.
    pub percent: u8,
    /// The score is proven: the result of best play by both sides.
    pub exact: bool,
    /// The other program of the search; `None` for Emilia.
    pub origin: Option<Origin>,
}

/// The default level of book searches.
pub const USUAL_LEVEL: SearchLevel = SearchLevel::own(22, 73);

/// Another program's search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The program.
    pub program: Program,
    /// The level as the program counts it; -1 if unknown.
    pub level: i8,
}

/// A program whose books are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Program {
    /// Edax by Richard Delorme.
    Edax = 1,
    /// Egaroucid by Takuto Yamana.
    Egaroucid,
    /// Zebra by Gunnar Andersson, WZebra and DroidZebra.
    Zebra,
    /// NTest by Chris Welty.
    NTest,
}

impl Program {
    const ALL: [Self; 4] = [Self::Edax, Self::Egaroucid, Self::Zebra, Self::NTest];
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            ..0 => write!(f, "{:?}", self.program),
            level => write!(f, "{:?}, level {level}", self.program),
        }
    }
}

/// `22 plies, 73 %`; of another program `22 plies, 73 % (Edax, level 22)`.
impl fmt::Display for SearchLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            depth,
            percent,
            exact,
            origin,
        } = self;
        if *exact {
            write!(f, "{depth} plies, exact")
        } else {
            write!(f, "{depth} plies, {percent} %")
        }?;
        origin.map_or(Ok(()), |origin| write!(f, " ({origin})"))
    }
}

impl SearchLevel {
    /// A search by Emilia without a proven score.
    pub const fn own(depth: u8, percent: u8) -> Self {
        Self {
            depth,
            percent,
            exact: false,
            origin: None,
        }
    }

    /// The order of searches by the worth of their scores: proven, depth, selectivity, Emilia's before others.
    pub fn worth(self) -> (bool, u8, u8, bool) {
        (self.exact, self.depth, self.percent, self.origin.is_none())
    }

    /// The error of a score of this level, either way: two standard errors.
    ///
    /// Measured at depth 22, 52 and 73 %, against searches six plies deeper (`books/README.md`). In ProbCut
    /// measurements the error falls by a sixth per two plies. Other programs get the larger error, unmeasured.
    pub fn error(self) -> Score {
        if self.exact {
            return Score::from_discs(0);
        }
        let plies = f64::from(self.depth.min(40)) - 22.0;
        let is_bold = self.percent < 73 || self.origin.is_some();
        let at_22 = if is_bold {
            STANDARD_ERROR_BOLD
        } else {
            STANDARD_ERROR_22
        };
        Score::nearest(2.0 * at_22 * (-plies / 11.0).exp())
    }
}

/// Standard error of a score of depth 22 at 52 %, in discs: 1.58 over 35 positions.
const STANDARD_ERROR_BOLD: f64 = 1.6;
/// Standard error of a score of depth 22 at 73 %, in discs: 0.81 over 200 positions, and a margin.
const STANDARD_ERROR_22: f64 = 0.9;

/// Appends a level's bytes.
pub(super) fn put_level(level: SearchLevel, out: &mut Vec<u8>) {
    let foreign = if level.origin.is_some() { FOREIGN } else { 0 };
    out.extend([
        level.depth | foreign,
        level.percent | u8::from(level.exact) << 7,
    ]);
    if let Some(Origin { program, level }) = level.origin {
        out.extend([program as u8, level as u8]);
    }
}

/// Reads a level; `None` for bytes that no level has.
pub(super) fn get_level(cursor: &mut Cursor<'_>) -> Option<SearchLevel> {
    let depth = cursor.byte()?;
    let percent = cursor.byte()?;
    let origin = if depth & FOREIGN != 0 {
        let number = cursor.byte()?;
        let program = Program::ALL
            .into_iter()
            .find(|&program| program as u8 == number)?;
        Some(Origin {
            program,
            level: cursor.i8()?,
        })
    } else {
        None
    };
    Some(SearchLevel {
        depth: depth & !FOREIGN,
        percent: percent & 127,
        exact: percent & 128 != 0,
        origin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_and_surer_searches_err_less() {
        let error = |depth, percent| SearchLevel::own(depth, percent).error().units();
        assert_eq!((error(22, 73), error(22, 52)), (230, 410));
        assert!(error(24, 73) < error(22, 73) && error(20, 52) > error(22, 52));
        assert_eq!(
            SearchLevel {
                exact: true,
                ..SearchLevel::own(22, 73)
            }
            .error()
            .units(),
            0
        );
    }

    #[test]
    fn another_programs_search_is_named_and_yields_to_an_equal_one_of_ours() {
        let own = SearchLevel::own(21, 98);
        for program in Program::ALL {
            let theirs = SearchLevel {
                origin: Some(Origin { program, level: 21 }),
                ..own
            };
            let mut bytes = Vec::new();
            put_level(theirs, &mut bytes);
            assert_eq!(get_level(&mut Cursor::new(&bytes)), Some(theirs));
            assert_eq!(
                theirs.to_string(),
                format!("21 plies, 98 % ({program:?}, level 21)")
            );
            assert!(
                own.worth() > theirs.worth() && theirs.worth() > SearchLevel::own(21, 95).worth()
            );
            assert!(theirs.error() > own.error());
            bytes[2] = 9;
            assert_eq!(get_level(&mut Cursor::new(&bytes)), None);
        }
    }
}
