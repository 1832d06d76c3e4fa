//! Opening books of other programs: reading, checking, writing.
//!
//! ```text
//! edax, egaroucid, zebra, ntest   the readers
//! record  a position of such a book, its rules, and its entry in a book of Emilia
//! check   the rules between positions: links, values, doubles
//! export  a book of Emilia as one of Edax or Egaroucid
//! kind    the format of a file, from its first bytes
//! source  bytes and lines with their place in the file
//! ```
//!
//! Readers work position by position in bounded memory. Zebra's books have hashes in place of boards: their reader
//! holds all nodes and finds the positions by play from the start.
//!
//! Values of inner positions are recomputed from their moves. Only formats with whole discs round scores. Import
//! ignores bounds, which are estimates, and counters of lines, which are no games. A win without a margin counts as one
//! disc. A search keeps its program and level ([`Origin`]), and yields to an equal search by Emilia.

pub mod check;
pub mod edax;
pub mod egaroucid;
pub mod export;
mod kind;
mod ntest;
mod record;
mod source;
mod zebra;

pub use record::{Fault, Item, Reach};

use std::iter;
use std::path::Path;

use crate::book::{BookError, Origin, SearchLevel};
use kind::{HEAD, Kind, kind_of};
use record::{Items, counted};
use source::Source;

#[cfg(test)]
mod tests;

/// A search by another program at `empties`: to the end, at the percent of the first of `steps` with as many empties;
/// else at `depth` and `percent`.
fn level_of_steps(
    depth: u8,
    percent: u8,
    steps: &[(u32, u8)],
    empties: u32,
    origin: Origin,
) -> SearchLevel {
    let step = steps.iter().find(|(limit, _)| empties <= *limit);
    let to_the_end = step.map(|&(_, percent)| SearchLevel {
        depth: empties as u8,
        percent,
        exact: percent == 100,
        origin: Some(origin),
    });
    to_the_end.unwrap_or(SearchLevel {
        depth,
        percent,
        exact: false,
        origin: Some(origin),
    })
}

/// A book of another program, recognized by its content.
pub struct OtherBook {
    source: Source,
    pub kind: Kind,
}

impl OtherBook {
    /// Opens a file; `None` if it is no book of another program.
    pub fn open(path: &Path) -> Result<Option<Self>, BookError> {
        Self::over(Source::open(path)?)
    }

    #[cfg(any(test, fuzzing))]
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Option<Self>, BookError> {
        Self::over(Source::of_bytes(bytes))
    }

    fn over(mut source: Source) -> Result<Option<Self>, BookError> {
        let mut head = Vec::new();
        while head.len() < HEAD {
            let Some([byte]) = source.array()? else { break };
            head.push(byte);
        }
        let kind = kind_of(&head, source.bytes()).map_err(|what| source.foreign(what))?;
        Ok(kind.map(|kind| Self { source, kind }))
    }

    pub fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    pub fn items(&mut self) -> Result<Items<'_>, BookError> {
        let source = &mut self.source;
        source.seek(0)?;
        match self.kind {
            Kind::Edax => counted(source, edax::COUNT_AT, edax::record),
            Kind::EdaxText => Ok(edax::text_items(source)),
            Kind::Egaroucid => counted(source, egaroucid::COUNT_AT, egaroucid::record),
            Kind::Zebra => Ok(zebra::items(source)),
            Kind::NTest => ntest::items(source),
        }
    }

    /// All items from the beginning, damage among them as faults.
    pub fn items_and_damage(&mut self) -> Items<'_> {
        let items = self
            .items()
            .unwrap_or_else(|error| Box::new(iter::once(Err(error))));
        Box::new(items.map(|item| match item {
            Err(BookError::Damaged { offset, what, .. }) => {
                Ok(Item::Fault(Fault::new(offset, None, what)))
            }
            item => item,
        }))
    }
}
